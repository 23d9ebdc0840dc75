"""The verdict of the Berkeley Function Calling Leaderboard's AST checker, each of its rules a switch."""

from __future__ import annotations

import fnmatch
from functools import cache
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from toolcorrect import pairing
from toolcorrect.arguments.decoding import parse_json
from toolcorrect.bfcl.accepted import from_argument
from toolcorrect.bfcl.checking import Language, Rules, complaint
from toolcorrect.encoding import Encoding, Match
from toolcorrect.errors import check_option
from toolcorrect.overlap import Overlap
from toolcorrect.tables import STRING
from toolcorrect.variants.definition import Variant
from toolcorrect.variants.forms import lists_with

Dots = Literal["model", "kept", "underscores"]

# Models (as globs) of vendors that allow no dots in names, so that upstream expects underscores; and exceptions.
UNDERSCORED = ("*-FC", "*-FC-novita", "nova-*", "ibm-granite/*-functioncalling", "THUDM/glm-4-9b-chat")
KEPT = (
    "firefunction-*",
    "qwen3-235b-*",
    "google/*",
    "meta-llama/*-FC",
    "microsoft/*",
    "Qwen/*",
    "X-Humanoid/*",
    "tiiuae/*",
)

_AST = frozenset(
    f"{live}{kind}"
    for live in ("", "live_")
    for kind in ("simple", "multiple", "parallel", "parallel_multiple", "irrelevance")
) | {"simple_python", "simple_java", "simple_javascript", "java", "javascript", "live_relevance"}
_UNDECODED = ("repaired", "failed")
_FAULTS = (
    "greedy: the order of the calls can decide (parallel_178: its own answers in reverse are rejected)",
    "text that cannot be decoded is right where no call is wanted",
    "of 2,351 calls made of each parameter's first accepted value 19 are rejected",
    "texts are compared without case, blanks and most punctuation: 1.5 is 15",
)


@cache
def ast(
    *,
    types: bool = True,
    standardise: bool = True,
    optional: bool = True,
    extra: bool = True,
    dots: Dots = "model",
    matching: Literal["greedy", "optimal"] = "greedy",
) -> Variant:
    """Make the variant ``bfcl.ast``, or one that differs from it in a rule.

    Parameters
    ----------
    types
        A value must have the type that the tool's description states (or that of the first accepted value).
    standardise
        Texts are compared without case, blanks and ``, . / - _ * ^``, single quotes as double ones.
    optional
        A parameter may be left out only where ``""`` is among its accepted values.
    extra
        A parameter that has no accepted values must not be given.
    dots
        Dots of expected names: as the case's ``model`` had them (``"model"``: `UNDERSCORED`, `KEPT`), ``"kept"``
        or ``"underscores"``.
    matching
        ``"greedy"``: each expected call takes the first call that fits, as upstream does; ``"optimal"``: the
        calls are matched so that as many as possible fit.

    Returns
    -------
    Variant
        Its name states what is not as upstream: ``bfcl.ast(types=False)``.

    Raises
    ------
    OptionError
        For an option that does not exist.

    Examples
    --------
    >>> ast().name, ast(types=False, dots="kept").name
    ('bfcl.ast', 'bfcl.ast(types=False, dots=kept)')
    """
    check_option("dots", dots, ("model", "kept", "underscores"))
    check_option("matching", matching, ("greedy", "optimal"))
    rules = Rules(types=types, standardise=standardise, optional=optional, extra=extra)
    given = {"types": types, "standardise": standardise, "optional": optional, "extra": extra}
    changed = [f"{name}=False" for name, on in given.items() if not on]
    changed += [f"dots={dots}"] * (dots != "model") + [f"matching={matching}"] * (matching != "greedy")
    return Variant(
        "bfcl.ast" + (f"({', '.join(changed)})" if changed else ""),
        lambda overlap: _verdicts(overlap.encoding, rules, dots, matching),
        match=Match(arguments="json"),
        looks_at=frozenset({"schemas"}),
        reads=read,
        rejects=_refused,
        title="BFCL AST" + (", rules changed" if changed else ""),
        rule="1 if as many calls were made as expected and each expected call, in order, finds one that fits: name, "
        "required parameters, types, and values among the accepted ones; irrelevance: 1 if nothing was called; "
        "relevance: 1 if anything was; multi-turn, agentic and executed categories are not scored, since what "
        "they are judged by, the state that calls leave behind, is not in the calls",
        notation="[E = C = fitting pairs]",
        upstream="bfcl-eval" if not changed else "",
        version="2026.3.23" if not changed else "",
        properties=frozenset({"in_range"}),
        faults=_FAULTS if not changed else (),
        words=lambda overlap, place: _in_words(overlap, place, rules, dots, matching),
    )


def read(encoding: Encoding) -> Encoding:
    """Know what BFCL knows: undecodable text is a verdict, and relevance asks for no certain call."""
    made = encoding.with_texts(encoding.expected.text, encoding.called.text)
    made.called_known = encoding.called_known | (_tag(encoding, "decoding") == "failed")
    made.expected_known = encoding.expected_known | (_tag(encoding, "category") == "live_relevance")
    return made


def _tag(encoding: Encoding, name: str) -> np.ndarray:
    """Return a column of the cases that `bfcl_result` adds, as texts; ``""`` where there is none."""
    cases = encoding.data.cases
    if name not in cases.columns:
        return np.full(len(cases), "", dtype=object)
    return cases[name].astype(STRING).fillna("").to_numpy(dtype=object)


def _refused(overlap: Overlap) -> np.ndarray:
    """Mark lists of categories that call lists cannot judge, and those with expected arguments that are not known."""
    encoding = overlap.encoding
    category = _tag(encoding, "category")
    refused = (category != "") & ~np.isin(category, list(_AST))
    return refused[encoding.list_case] | lists_with(encoding, "expected", encoding.expected.text < 0)


def _verdicts(encoding: Encoding, rules: Rules, dots: Dots, matching: str) -> np.ndarray:
    expected, called = encoding.expected.lengths, encoding.called.lengths
    category, undecoded = _tag(encoding, "category")[encoding.list_case], _undecoded(encoding)
    pairs, fits = _fits(encoding, rules, dots)
    chosen = pairing.optimal(pairs, fits) if matching == "optimal" else pairing.greedy(pairs, fits, pairs.called)[0]
    matched = np.bincount(pairs.owner[chosen], weights=fits[chosen], minlength=encoding.list_count)
    right = (expected == called) & (matched == expected) & ~undecoded
    silent = np.isin(category, ["irrelevance", "live_irrelevance"]) | ((category == "") & (expected == 0))
    right = np.where(silent, undecoded | (called == 0), right)
    right = np.where(category == "live_relevance", ~undecoded & (called > 0), right)
    return right.astype(np.float64)


def _undecoded(encoding: Encoding) -> np.ndarray:
    """Mark lists that upstream's decoder would not have read: as the loader says, else by the arguments."""
    decoding = _tag(encoding, "decoding")[encoding.list_case]
    status = encoding.column("called", "arguments_status").isin(_UNDECODED).to_numpy()
    return np.where(decoding == "", lists_with(encoding, "called", status), np.isin(decoding, _UNDECODED))


def _fits(encoding: Encoding, rules: Rules, dots: Dots) -> tuple[pairing.Pairs, np.ndarray]:
    """Pair calls by name; 1.0 where the called one is as expected."""
    pairs = pairing.remembered(encoding, ("bfcl pairs", dots), lambda: _pairs(encoding, dots))
    return pairs, encoding.remember(
        ("bfcl fits", rules, dots),
        lambda: np.array([reason is None for reason in _complaints(pairs, rules)], dtype=float),
    )


def _pairs(encoding: Encoding, dots: Dots) -> pairing.Pairs:
    """Pair calls whose name is the expected one, its dots as the model's vendor has them."""
    names = encoding.tool_names
    number = {name: tool for tool, name in enumerate(names)}
    same = {(tool, tool) for tool in range(len(names))}
    changed = {(tool, number.get(name.replace(".", "_"), tool)) for name, tool in number.items()}
    table = np.array(sorted(same | changed), dtype=np.int64).reshape(-1, 2)
    pairs = pairing.related(encoding, table[:, 0], table[:, 1])
    dotted = np.array(["." in name for name in names], dtype=bool)
    underscores = _underscored(encoding, dots)[encoding.list_case[pairs.owner]]
    tool = encoding.expected.tool[pairs.expected]
    right = (tool == encoding.called.tool[pairs.called]) != (underscores & dotted[tool])
    return pairing.Pairs(encoding, pairs.expected[right], pairs.called[right])


def _underscored(encoding: Encoding, dots: Dots) -> np.ndarray:
    """Tell for each case whether expected names have underscores where the description has dots."""
    models = encoding.data.cases["model"]
    if dots != "model":
        return np.full(len(models), dots == "underscores")
    # In names of folders a slash is written as an underscore.
    spelt = {model: model.replace("_", "/") for model in models.dropna().unique()}
    known = {model: _any(name, UNDERSCORED) and not _any(name, KEPT) for model, name in spelt.items()}
    return np.array([known.get(model, False) for model in models.astype(object)], dtype=bool)


def _any(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, glob) for glob in globs)


def _complaints(pairs: pairing.Pairs, rules: Rules) -> list[str | None]:
    """Say for each pair why the called call is not the expected one, each different pair of texts once."""
    encoding = pairs.encoding
    categories, languages = pd.factorize(_tag(encoding, "category"))
    asked = np.column_stack(
        (
            encoding.expected.text[pairs.expected],
            encoding.called.text[pairs.called],
            _descriptions(encoding)[pairs.expected],
            categories[encoding.list_case[pairs.owner]],
        )
    )
    different, place = np.unique(asked, axis=0, return_inverse=True)
    numbers = np.unique(different[:, :2])
    values = dict(zip(numbers.tolist(), pairing.parsed(encoding.texts, numbers)))
    parameters = encoding.data.tools["parameters"]
    schemas = {row: _schema(parameters.iloc[row]) for row in np.unique(different[:, 2]).tolist() if row >= 0}
    # Called arguments that were repaired or could not be read are not what upstream would have seen.
    made = [
        _complaint(values[e], values[c], schemas.get(row), _language(languages[category]), rules)
        for e, c, row, category in different.tolist()
    ]
    status = encoding.column("called", "arguments_status").isin(_UNDECODED).to_numpy()[pairs.called]
    return ["its arguments cannot be read as they are" if bad else made[at] for at, bad in zip(place.ravel(), status)]


def _complaint(expected: Any, called: Any, schema: Any, language: Language, rules: Rules) -> str | None:
    if not isinstance(expected, dict) or not isinstance(called, dict):
        return "its arguments are no object"
    try:
        accepted = {name: from_argument(value) for name, value in expected.items()}
        return complaint(accepted, called, schema, language, rules)
    except RecursionError:
        return "its arguments are nested too deeply"


def _language(category: str) -> Language:
    found = category.rpartition("_")[2]
    return cast(Language, found) if found in ("java", "javascript") else "python"


def _schema(text: Any) -> dict[str, Any] | None:
    try:
        made = parse_json(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return made if isinstance(made, dict) else None


def _descriptions(encoding: Encoding) -> np.ndarray:
    """For each expected call the row of its tool in the tools table, the case's own before those of all; -1: none."""
    tools = encoding.data.tools
    owner = encoding.data.cases.index.get_indexer(pd.Index(tools["case"].array))
    first = pd.Series(np.arange(len(tools)), index=pd.MultiIndex.from_arrays([owner, tools["tool"].astype(object)]))
    first = first[~first.index.duplicated()]
    case = encoding.list_case[encoding.expected.owner]
    name = encoding.column("expected", "tool").astype(object)
    own, general = (
        first.reindex(pd.MultiIndex.from_arrays([of, name])).fillna(-1).to_numpy(dtype=np.int64)
        for of in (case, np.full(len(case), -1))
    )
    return np.where(own >= 0, own, general)


def _in_words(overlap: Overlap, place: int, rules: Rules, dots: Dots, matching: str) -> str:
    """Say why one list is right or wrong."""
    encoding = overlap.encoding
    case = encoding.list_case[place]
    category = _tag(encoding, "category")[case]
    if category and category not in _AST:
        return f"{category} is judged by the state that its calls leave behind, which is not in the calls: not scored"
    if _undecoded(encoding)[place]:
        return "decoder_failed: the answer is not written as upstream's decoder reads it"
    expected, called = int(overlap.expected[place]), int(overlap.called[place])
    if category == "live_relevance" or expected == 0:
        return f"{called} called where {'any call' if category == 'live_relevance' else 'none'} is right"
    if expected != called:
        return f"{called} called, {expected} expected"
    pairs = _pairs(encoding, dots)
    here = np.flatnonzero(pairs.owner == place)
    some = pairing.Pairs(encoding, pairs.expected[here], pairs.called[here])
    reasons = [reason for reason in _complaints(some, rules) if reason]
    if _verdicts(encoding, rules, dots, matching)[place]:
        return f"each of {expected} expected calls finds one that fits"
    return f"an expected call finds none that fits: {reasons[0] if reasons else 'none of that name is left'}"


VARIANTS = (ast(),)
