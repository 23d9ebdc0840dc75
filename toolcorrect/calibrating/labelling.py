"""Labels by people: which cases to label, sheets out and in, and whether labellers agree."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from toolcorrect.errors import DataError, LoadError, OptionError, check_number, check_type, listed, shown
from toolcorrect.statistics.aligning import score_frame
from toolcorrect.statistics.thresholds import passes
from toolcorrect.tables import STRING

STRATA = ("all pass", "all fail", "some disagree", "many disagree", "not scored")
_WORDS = {"1": 1.0, "yes": 1.0, "true": 1.0, "pass": 1.0, "0": 0.0, "no": 0.0, "false": 0.0, "fail": 0.0}
# A spreadsheet would run a cell that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
# Few enough false refusals: one random sample in a thousand.
_BIASED = 0.001
_COMPARABLE = 10


def sample_for_labels(
    scores: pd.DataFrame | pd.Series, *, n: int, seed: int = 0, threshold: float = 0.5
) -> pd.DataFrame:
    """Choose cases to label: more of those the variants disagree on, with weights that undo it.

    Labels of disagreeing cases alone would bias every calibration; agreeing cases alone teach little. So each
    stratum gives some, and each chosen case carries the number of cases it stands for.

    Parameters
    ----------
    scores
        One row a case, one float column a variant, NaN = not scored.
    n
        How many cases to choose; all of them where there are fewer.
    seed
        Of the draw.
    threshold
        At or above it a case passes a variant.

    Returns
    -------
    pandas.DataFrame
        Index case in random order, so that the order tells a labeller nothing; columns stratum (all pass, all fail,
        some disagree: up to a quarter of the variants, many disagree, not scored) and weight (cases in the stratum
        over cases drawn from it). The weights sum to the number of cases; give them to `calibrate`.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [1.0] * 8 + [1.0, 1.0], "b": [1.0] * 8 + [0.0, 0.0]})
    >>> sample_for_labels(scores, n=4).groupby("stratum", observed=True).weight.agg(["size", "sum"]).to_dict("index")
    {'all pass': {'size': 2, 'sum': 8.0}, 'many disagree': {'size': 2, 'sum': 2.0}}
    """
    check_number("n", n, whole=True)
    check_number("seed", seed, low=0, whole=True)
    if n < 1:
        raise OptionError(f"n={n} chooses no case; give 1 or more.")
    frame = score_frame(scores)
    stratum = _strata(frame, threshold)
    sizes = np.bincount(stratum, minlength=len(STRATA))
    if n < (sizes > 0).sum():
        raise OptionError(f"n={n} is fewer than the {(sizes > 0).sum()} strata of these cases; give at least that.")
    drawn = _allocated(sizes, min(n, len(frame)))
    random = np.random.default_rng(seed)
    shuffled = random.permutation(len(frame))
    place = np.argsort(stratum[shuffled], kind="stable")
    ordered = shuffled[place]
    within = np.arange(len(frame)) - (np.cumsum(sizes) - sizes)[stratum[ordered]]
    chosen = ordered[within < drawn[stratum[ordered]]]
    chosen = chosen[random.permutation(len(chosen))]
    kinds = stratum[chosen]
    return pd.DataFrame(
        {
            "stratum": pd.Categorical.from_codes(kinds, categories=list(STRATA)),
            "weight": sizes[kinds] / drawn[kinds],
        },
        index=frame.index[chosen].rename("case"),
    )


def write_label_sheet(
    sample: pd.DataFrame, path: str | Path, *, show: pd.DataFrame | None = None, labeller: str = ""
) -> Path:
    """Write a CSV sheet to be filled in: one row a case, an empty column ``label``.

    Parameters
    ----------
    sample
        What `sample_for_labels` returned, or any frame indexed by case. Its strata and weights are not written: a
        labeller should not know them.
    path
        The file to write.
    show
        Columns for the labeller to read, indexed by case, such as ``data.cases[["input", "output"]]``.
    labeller
        Who will fill it in.

    Returns
    -------
    Path
        The file.

    Notes
    -----
    Texts come from traces, and a spreadsheet runs a cell that begins with ``=`` as a formula: such a cell gets an
    apostrophe before it, which `read_labels` takes off again.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     sheet = write_label_sheet(pd.DataFrame(index=["x"]), Path(folder) / "sheet.csv", labeller="ana")
    ...     sheet.read_text(encoding="utf-8-sig").split()
    ['case,label,labeller', 'x,,ana']
    """
    check_type("sample", sample, pd.DataFrame, "what tc.sample_for_labels returns")
    check_type("show", show, pd.DataFrame | None, "columns of data.cases")
    check_type("path", path, str | Path, "the file to write")
    check_type("labeller", labeller, str, "a name")
    shown = pd.DataFrame(index=sample.index) if show is None else show.reindex(sample.index)
    clash = {"case", "label", "labeller"} & set(shown.columns)
    if clash:
        raise OptionError(f"show has a column {listed(sorted(clash))}, which the sheet needs itself; rename it.")
    target = Path(path)
    with target.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["case", *(_guarded(str(name)) for name in shown.columns), "label", "labeller"])
        for case, texts in zip(shown.index, shown.to_numpy(dtype=object)):
            cells = ["" if pd.isna(text) else _guarded(str(text)) for text in texts]
            writer.writerow([_guarded(str(case)), *cells, "", _guarded(labeller)])
    return target


def read_labels(paths: str | Path | Iterable[str | Path]) -> pd.DataFrame:
    """Read filled-in label sheets.

    Parameters
    ----------
    paths
        One CSV or several, with columns case and label (a number, or yes, no, true, false, pass, fail), and maybe
        labeller; without a labeller the file's name stands for one.

    Returns
    -------
    pandas.DataFrame
        One row a label: case, labeller, label (float64). Empty labels are left out.

    Raises
    ------
    LoadError
        Where a file cannot be read or lacks a column, a label is no label, or someone labelled a case twice.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     sheet = write_label_sheet(pd.DataFrame(index=["x", "y"]), Path(folder) / "sheet.csv", labeller="ana")
    ...     _ = sheet.write_text(sheet.read_text().replace("x,,", "x,yes,"))
    ...     read_labels(sheet).to_numpy().tolist()
    [['x', 'ana', 1.0]]
    """
    check_type("paths", paths, Iterable | Path, "one CSV file, or a list of them")
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    for file in files:
        check_type("paths", file, str | Path, "one CSV file, or a list of them")
    rows: list[tuple[str, str, float]] = []
    for file in map(Path, files):
        try:
            with file.open(newline="", encoding="utf-8-sig") as stream:
                found = list(csv.DictReader(stream))
        except (OSError, UnicodeDecodeError, csv.Error) as cause:
            raise LoadError(f"{file} cannot be read as a CSV of labels ({cause}).") from cause
        for line, row in enumerate(found, start=2):
            if row.get("case") is None or row.get("label") is None:
                raise LoadError(f"{file}, line {line}, has no case and label; the columns case and label are needed.")
            if not row["label"].strip():
                continue
            who = _unguarded((row.get("labeller") or "").strip()) or file.stem
            rows.append((_unguarded(row["case"]), who, _label(row["label"], f"{file}, line {line}")))
    labels = pd.DataFrame(rows, columns=["case", "labeller", "label"])
    labels = labels.astype({"case": STRING, "labeller": STRING, "label": "float64"})
    twice = labels[labels.duplicated(["case", "labeller"])]
    if len(twice):
        one = twice.iloc[0]
        raise LoadError(f"{one['labeller']!r} labelled case {one['case']!r} twice; keep one row of it.")
    return labels


def join_labels(labels: pd.DataFrame) -> pd.Series:
    """Make one outcome a case of the labels of several people: their median, undecided where they split evenly.

    Parameters
    ----------
    labels
        Columns case, labeller, label, as `read_labels` returns them.

    Returns
    -------
    pandas.Series
        Index case, float64; NaN where as many said one thing as the other. For ``Dataset.with_labels``.

    Examples
    --------
    >>> votes = pd.DataFrame({"case": ["x"] * 3 + ["y"] * 2, "labeller": list("abcab"), "label": [1, 1, 0, 1, 0]})
    >>> join_labels(votes).to_dict()
    {'x': 1.0, 'y': nan}
    """
    _check_labels(labels)
    by_case = labels.groupby("case")["label"]
    # The two middle labels differ only where the vote is split.
    low, high = by_case.quantile(0.5, interpolation="lower"), by_case.quantile(0.5, interpolation="higher")
    return low.where(low == high).astype("float64").rename("outcome")


def kappa(labels: pd.DataFrame) -> pd.DataFrame:
    """Say how far labellers agree beyond chance, two by two.

    Parameters
    ----------
    labels
        Columns case, labeller, label.

    Returns
    -------
    pandas.DataFrame
        Index (labeller, other); columns n (cases both labelled), agreement (share labelled alike), kappa (Cohen's; 1
        full agreement, 0 as chance has it; NaN where both gave one and the same label throughout, or n is 0).

    Notes
    -----
    J. Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20 (1960).

    Examples
    --------
    >>> rows = [("x", "a", 1), ("y", "a", 0), ("x", "b", 1), ("y", "b", 1)]
    >>> kappa(pd.DataFrame(rows, columns=["case", "labeller", "label"])).iloc[0].to_dict()
    {'n': 2.0, 'agreement': 0.5, 'kappa': 0.0}
    """
    _check_labels(labels)
    wide = labels.pivot(index="case", columns="labeller", values="label")
    pairs = list(itertools.combinations(wide.columns, 2))
    rows = []
    for a, b in pairs:
        both = wide[[a, b]].dropna()
        values = np.unique(both.to_numpy())
        shares = [
            (both[who].to_numpy()[:, None] == values).mean(axis=0) if len(both) else np.zeros(0) for who in (a, b)
        ]
        agreed = float((both[a] == both[b]).mean()) if len(both) else math.nan
        chance = float(shares[0] @ shares[1])
        rows.append((len(both), agreed, (agreed - chance) / (1 - chance) if chance < 1 - 1e-12 else math.nan))
    index = pd.MultiIndex.from_tuples(pairs, names=["labeller", "other"])
    return pd.DataFrame(rows, columns=["n", "agreement", "kappa"], index=index)


def _check_labels(labels: pd.DataFrame) -> None:
    """Raise `OptionError` for anything but a frame of labels."""
    if not isinstance(labels, pd.DataFrame) or not {"case", "labeller", "label"} <= set(labels.columns):
        raise OptionError(f"labels={shown(labels)} lacks columns case, labeller and label; give that of read_labels.")


def refuse_biased_labels(frame: pd.DataFrame, labelled: np.ndarray) -> None:
    """Raise where labelled cases visibly differ from the others in a score or in how far variants disagree.

    Raises
    ------
    DataError
        Naming what differs most, with both means.
    """
    spread = frame.std(axis="columns", ddof=0).rename("the spread over variants")
    looked_at = pd.concat([frame, spread], axis="columns")
    a, b = looked_at[labelled], looked_at[~labelled]
    n_a, n_b = a.notna().sum(), b.notna().sum()
    enough = (n_a >= _COMPARABLE) & (n_b >= _COMPARABLE)
    if not enough.any():
        return
    gap = (a.mean() - b.mean())[enough]
    # Under a random draw both parts vary alike, so the spread of all cases stands for either.
    error = looked_at.std()[enough] * np.sqrt(1 / n_a + 1 / n_b)[enough]
    z = (gap.abs() / error.where(error > 0)).fillna(0.0)
    worst = z.idxmax()
    chance = math.erfc(float(z[worst]) / math.sqrt(2)) * len(z)
    if chance < _BIASED:
        raise DataError(
            f"The {int(labelled.sum())} cases with an outcome are no random sample of the {len(frame)}: {worst} is "
            f"on average {a[worst].mean():.2f} in them and {b[worst].mean():.2f} in the others. Give the weights of "
            "sample_for_labels (weight=), or keep only the cases you mean to speak of."
        )


def _strata(frame: pd.DataFrame, threshold: float) -> np.ndarray:
    """Return a code into `STRATA` for every case."""
    passed = passes(frame, threshold).to_numpy(dtype=np.float64, na_value=np.nan)
    known = (~np.isnan(passed)).sum(axis=1)
    share = np.nansum(passed, axis=1) / np.maximum(known, 1)
    # A case splits the variants most where half of them pass.
    split = np.minimum(share, 1 - share)
    disputed = split > 0
    many = split > 0.25
    code = np.select([known == 0, many, disputed, share == 1], [4, 3, 2, 0], default=1)
    return np.asarray(code, dtype=np.int64)


def _allocated(sizes: np.ndarray, n: int) -> np.ndarray:
    """Share n draws between strata: by the square root of size, twice as dense where variants disagree."""
    want = np.sqrt(sizes) * np.array([1.0, 1.0, 2.0, 2.0, 1.0])
    drawn = np.minimum(sizes, 1)
    while drawn.sum() < n:
        # The next draw goes where the fewest were drawn for what is wanted.
        open_ = drawn < sizes
        drawn[np.argmin(np.where(open_, (drawn + 0.5) / np.maximum(want, 1e-9), np.inf))] += 1
    return np.asarray(drawn)


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _unguarded(text: str) -> str:
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def _label(text: str, where: str) -> float:
    word = text.strip().lower()
    if word in _WORDS:
        return _WORDS[word]
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise LoadError(f"{where}: {text[:40]!r} is no label; write a number, or yes, no, true, false, pass or fail.")
    return value
