"""Calls written as Python text, ``[f(x=1), g.h(y="a")]``, as BFCL's prompted models answer; nothing is ever run."""

from __future__ import annotations

import ast
import operator
import re
from typing import Any, NamedTuple

# Longer texts, or more brackets in a row, are not worth the parser's memory.
_LONGEST = 200_000
_DEEP = re.compile(r"[-+~(\[{]{200}")
# Bits of a power.
_LONGEST_RESULT = 10_000

_OPERATORS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
# JSON's words, which in Python are names.
_WORDS = {"true": True, "false": False, "null": None}


class Written(NamedTuple):
    """One call as it was written.

    Attributes
    ----------
    tool
        Name, dots included.
    arguments
        Keyword arguments; positional ones have no name and are left out, as upstream does.
    mended
        Whether a word of JSON (``true``, ``false``, ``null``) was read as its value, which upstream does not.
    """

    tool: str
    arguments: dict[str, Any]
    mended: bool


def python_calls(text: str) -> list[Written]:
    """Read calls written in Python's syntax, with or without the brackets around them.

    Parameters
    ----------
    text
        The model's answer.

    Raises
    ------
    ValueError
        Where it is not a list of calls whose arguments are plain values.

    Examples
    --------
    >>> python_calls('[f(x=1, y=[2.5, "a"]), g.h(on=true, unit=km)]')
    [Written(tool='f', arguments={'x': 1, 'y': [2.5, 'a']}, mended=False), \
Written(tool='g.h', arguments={'on': True, 'unit': 'km'}, mended=True)]
    """
    text = text.strip("`\n ")
    text = ("" if text.startswith("[") else "[") + text + ("" if text.endswith("]") else "]")
    if len(text) > _LONGEST or _DEEP.search(text):
        raise ValueError("too long or nested too deeply")
    try:
        body = ast.parse(text.strip("'"), mode="eval").body
    except (SyntaxError, MemoryError, RecursionError) as cause:
        raise ValueError(f"no calls in Python's syntax ({type(cause).__name__})") from None
    elements = [body] if isinstance(body, ast.Call) else getattr(body, "elts", None)
    if elements is None or not all(isinstance(element, ast.Call) for element in elements):
        raise ValueError("not a list of calls")
    return [_call(element) for element in elements]


def _call(node: ast.Call) -> Written:
    words: list[str] = []
    try:
        arguments = {str(keyword.arg): _value(keyword.value, words) for keyword in node.keywords}
    except (TypeError, ArithmeticError, RecursionError) as cause:
        raise ValueError(f"an argument that is no plain value ({cause})") from None
    return Written(_name(node.func), arguments, bool(words))


def _name(node: ast.AST) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _value(node: ast.AST | None, words: list[str]) -> Any:
    """Return the value of an argument; a bare name is the text of the name."""
    match node:
        case ast.Constant(value=value):
            return "..." if value is Ellipsis else value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, words) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_value(key, words): _value(value, words) for key, value in zip(keys, values)}
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() | complex() as value)):
            return -value
        case ast.BinOp():
            return _arithmetic(node)
        case ast.Name(id=name) if name in _WORDS:
            words.append(name)
            return _WORDS[name]
        case ast.Name(id=name):
            return name
        case ast.Call(keywords=[]) | ast.Subscript():
            return ast.unparse(node)
        case ast.Call():
            inner = _call(node)
            words += ["word"] * inner.mended
            return {inner.tool: inner.arguments}
    raise ValueError(f"an argument that is no plain value ({type(node).__name__})")


def _arithmetic(node: ast.AST) -> Any:
    """Compute with numbers, within bounds, and put texts together."""
    match node:
        case ast.Constant(value=int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_arithmetic(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            one, other = _arithmetic(left), _arithmetic(right)
            if isinstance(one, str) or isinstance(other, str):
                if type(sign) is ast.Add:
                    return one + other
            elif type(sign) is not ast.Pow or abs(other) * int(abs(one)).bit_length() <= _LONGEST_RESULT:
                return _OPERATORS[type(sign)](one, other)
    raise ValueError("arithmetic with what is no number, or too large")
