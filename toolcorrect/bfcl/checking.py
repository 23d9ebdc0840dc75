"""BFCL's check of one call against one expected call: parameters, types and values, each rule a switch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from toolcorrect.bfcl.accepted import LEFT_OUT
from toolcorrect.bfcl.schemas import stated_type
from toolcorrect.bfcl.source_values import java_value, javascript_value

Language = Literal["python", "java", "javascript"]

_PYTHON_TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "number": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "object": dict,
    "any": str,
}
_JAVA_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), int),
    **dict.fromkeys(("float", "double"), float),
    **dict.fromkeys(("char", "String", "any"), str),
    **dict.fromkeys(("Array", "ArrayList", "Queue", "Stack"), list),
    **dict.fromkeys(("HashMap", "Hashtable"), dict),
    "boolean": bool,
}
_JAVASCRIPT_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("String", "any"), str),
    **dict.fromkeys(("integer", "Bigint"), int),
    "float": float,
    "Boolean": bool,
    "dict": dict,
    "array": list,
}
_TYPES: Mapping[str, Mapping[str, type]] = {
    "python": _PYTHON_TYPES,
    "java": _JAVA_TYPES,
    "javascript": _JAVASCRIPT_TYPES,
}
# Types whose items are looked at too.
_COLLECTIONS = frozenset({"array", "tuple", "Array", "ArrayList"})
_OVERLOOKED = re.compile(r"[ ,./\-_*^]")


@dataclass(frozen=True)
class Rules:
    """Which rules of BFCL count; see `toolcorrect.variants.bfcl.ast`."""

    types: bool = True
    standardise: bool = True
    optional: bool = True
    extra: bool = True

    def same(self, value: Any) -> Any:
        """Return what values are compared as: texts without case, blanks and most punctuation."""
        if not self.standardise or not isinstance(value, str):
            return value
        return _OVERLOOKED.sub("", value).lower().replace("'", '"')


class Wanted(NamedTuple):
    """The type a parameter should have, and that of its items; None where the description says nothing."""

    whole: type | None
    item: type | None


def complaint(
    accepted: Mapping[str, list[Any]],
    called: Mapping[str, Any],
    schema: Mapping[str, Any] | None,
    language: Language = "python",
    rules: Rules = Rules(),
) -> str | None:
    """Say why a call is not the expected one, or None where it is. The names of the tools are not looked at.

    Parameters
    ----------
    accepted
        For each parameter its accepted values; ``""`` among them where it may be left out.
    called
        The arguments of the call; source texts in Java and JavaScript.
    schema
        The tool's parameters, see `toolcorrect.bfcl.schemas`. None: types are those of the accepted values.
    language
        What the values are written in.
    rules
        Which rules count.

    Examples
    --------
    >>> complaint({"unit": ["km", ""], "n": [5]}, {"n": 5.0}, {"properties": {"n": {"type": "integer"}}})
    'n has the wrong type'
    """
    properties = (schema or {}).get("properties") or {}
    if rules.optional:
        for name in (schema or {}).get("required") or ():
            if name not in called:
                return f"{name} is required and missing"
    for name, value in called.items():
        details = properties.get(name)
        if name not in accepted or (schema is not None and details is None):
            if rules.extra:
                return f"{name} is not expected"
            continue
        wrong = _wrong(value, accepted[name], details if isinstance(details, dict) else {}, language, rules)
        if wrong:
            return f"{name} has the wrong {wrong}"
    if rules.optional:
        for name, values in accepted.items():
            if name not in called and LEFT_OUT not in values:
                return f"{name} is missing and not optional"
    return None


def _wrong(value: Any, accepted: list[Any], details: Mapping[str, Any], language: Language, rules: Rules) -> str:
    """Return what is wrong with one argument: ``"type"``, ``"value"`` or nothing."""
    stated, items = stated_type(details), details.get("items")
    item = stated_type(items) if stated in _COLLECTIONS and isinstance(items, dict) else ""
    if language != "python":
        if not isinstance(value, str):
            return "type" if rules.types else "value"
        value = (java_value if language == "java" else javascript_value)(value, stated, item or None)
    wanted = Wanted(_TYPES[language].get(stated), _TYPES[language].get(item))
    if language == "python" and wanted.whole is float and type(value) is int:
        value = float(value)
    if rules.types and not _right_type(value, accepted, wanted):
        return "type"
    first = _first_type(accepted)
    # Answers of another type than stated stand for variables: compared as they are.
    variable = first is not None and wanted.whole is not None and first is not wanted.whole
    checked = None if variable or type(value) is not (wanted.whole or first) else type(value)
    if checked is dict:
        right = _fits_object(value, accepted, rules)
    elif checked is list and wanted.item is dict:
        right = any(_fits_objects(value, answer, rules) for answer in accepted)
    elif checked is list:
        right = [rules.same(one) for one in value] in [
            [rules.same(one) for one in answer] for answer in accepted if isinstance(answer, list | str)
        ]
    elif checked is str:
        right = rules.same(value) in [rules.same(answer) for answer in accepted if isinstance(answer, str)]
    else:
        right = value in accepted
    return "" if right else "value"


def _first_type(accepted: list[Any]) -> type | None:
    return next((type(answer) for answer in accepted if answer != LEFT_OUT), None)


def _right_type(value: Any, accepted: list[Any], wanted: Wanted) -> bool:
    """Tell whether a value has the stated type, its items included, or else the type of the first answer."""
    if wanted.whole is not None and type(value) is wanted.whole:
        if wanted.item is None or not isinstance(value, list):
            return True
        item = Wanted(wanted.item, None)
        return any(
            not isinstance(answer, list) or all(_right_type(one, answer, item) for one in value)
            for answer in accepted
        )
    return type(value) is _first_type(accepted) or (wanted.whole is None and value in accepted)


def _fits_object(value: dict[str, Any], accepted: list[Any], rules: Rules) -> bool:
    return any(isinstance(answer, dict) and _fits_members(value, answer, rules) for answer in accepted)


def _fits_members(value: dict[str, Any], answer: dict[str, Any], rules: Rules) -> bool:
    """Tell whether each key is listed with its value, and no key is missing that must be there."""
    # A text where a list belongs is taken letter by letter, as upstream does (simple_java_64).
    listed = {key: one if isinstance(one, list | str) else [one] for key, one in answer.items()}
    for key, one in value.items():
        if key not in listed or rules.same(one) not in [rules.same(other) for other in listed[key]]:
            return False
    return all(key in value or LEFT_OUT in values for key, values in listed.items())


def _fits_objects(value: list[Any], answer: Any, rules: Rules) -> bool:
    """Tell whether a list of objects is the accepted one: as many, in the same order."""
    return (
        isinstance(answer, list | str)
        and len(value) == len(answer)
        and all(isinstance(one, dict) and _fits_object(one, [other], rules) for one, other in zip(value, answer))
    )
