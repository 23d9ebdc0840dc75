"""Calls written in Java's or JavaScript's syntax: ``f(x=1, y=new int[]{1, 2})``.

Values stay source text, as upstream keeps them; `source_values` turns them into values. Only as much of the
two grammars is known as model answers use: what this reader does not know is an error.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Language = Literal["java", "javascript"]

_LONGEST = 100_000
_DEEPEST = 100
_TOKEN = re.compile(
    r"""(?P<space>(?:\s+|//[^\n]*|/\*.*?\*/)+)
      | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)
      | (?P<number>(?:0[xX][0-9a-fA-F_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[lLfFdDn]?)
      | (?P<name>[^\W\d]\w*|\$\w*)
      | (?P<sign>=>|->|::|\.\.\.|\?\.|\?\?|>>>|===|!==|==|!=|<=|>=|&&|\|\||\+\+|--|\*\*|<<|>>
          |[-+*/%&|^!~?:=<>(),;.@\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PREFIX = frozenset({"-", "+", "!", "~", "++", "--", "typeof", "await", "void", "..."})
_BINARY = frozenset(
    {"==", "!=", "===", "!==", "<=", ">=", "&&", "||", "??", "**", "<<", ">>", ">>>", *"+-*/%&|^<>"}
) | {
    "instanceof",
    "in",
}


class Token(NamedTuple):
    """A word of source text: its kind (a group of the pattern), the text, and where it begins and ends."""

    kind: str
    text: str
    begin: int
    end: int


def source_call(source: str, language: Language) -> tuple[str, dict[str, str]]:
    """Read one call.

    Parameters
    ----------
    source
        The call, without brackets around it.
    language
        ``"java"`` or ``"javascript"``.

    Returns
    -------
    tuple
        The name, and the source text of each named argument (a text alone without its quotes; in Java without
        bodies of classes). A positional name has the key ``""``; other positional values are left out.

    Raises
    ------
    ValueError
        Where it is not one call in that syntax.

    Examples
    --------
    >>> source_call('Store.put(key="a", ids=new int[]{1, 2}, deep=true)', "java")
    ('Store.put', {'key': 'a', 'ids': 'new int[]{1, 2}', 'deep': 'true'})
    >>> source_call("f(x=[1, {a: 'b'}], done=() => null)", "javascript")
    ('f', {'x': "[1, {a: 'b'}]", 'done': '() => null'})
    """
    if len(source) > _LONGEST:
        raise ValueError("too long")
    reader = _Reader(source, language)
    name, arguments = reader.call()
    reader.skip(";")
    if reader.peek().kind != "end":
        raise ValueError(f"more than one call: {reader.peek().text[:40]!r} follows")
    return name, arguments


def _tokens(source: str) -> list[Token]:
    made: list[Token] = []
    at = 0
    while at < len(source):
        found = _TOKEN.match(source, at)
        if found is None or found.lastgroup is None:
            raise ValueError(f"cannot read {source[at : at + 20]!r}")
        at = found.end()
        if found.lastgroup != "space":
            made.append(Token(found.lastgroup, found[0], found.start(), at))
    made.append(Token("end", "", at, at))
    return made


class _Reader:
    """Reads expressions by recursive descent; notes what Java leaves out of a value."""

    def __init__(self, source: str, language: Language) -> None:
        self.source = source
        self.java = language == "java"
        self.tokens = _tokens(source)
        self.at = 0
        self.depth = 0
        self.bodies: list[tuple[int, int]] = []

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def skip(self, text: str) -> bool:
        if self.peek().text == text and self.peek().kind != "text":
            self.at += 1
            return True
        return False

    def need(self, text: str) -> None:
        if not self.skip(text):
            raise ValueError(f"{text!r} is missing before {self.peek().text[:40]!r}")

    def name(self) -> str:
        token = self.next()
        if token.kind != "name":
            raise ValueError(f"{token.text[:40]!r} is no name")
        return token.text

    def call(self) -> tuple[str, dict[str, str]]:
        parts = [self.name()]
        while self.skip("."):
            parts.append(self.name())
        self.need("(")
        arguments: dict[str, str] = {}
        while not self.skip(")"):
            word, after = self.peek().kind == "name", self.peek(1).text
            key = self.name() if word and after == "=" else ""
            if key:
                self.need("=")
            value = self.value()
            if key or (word and after in (",", ")")):
                if key in arguments:
                    raise ValueError(f"{key or 'a name'} is given twice")
                arguments[key] = value
            if not self.skip(","):
                self.need(")")
                break
        return ".".join(parts), arguments

    def value(self) -> str:
        """Read one value; return its source text."""
        begin, first = self.peek().begin, self.at
        self.bodies = []
        self.expression()
        end = self.peek(-1).end
        text = ""
        for left, right in self.bodies:
            text += self.source[begin:left]
            begin = right
        text += self.source[begin:end]
        lone = self.at == first + 1 and self.peek(-1).kind == "text"
        quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
        return text[1:-1] if quoted and (lone or not self.java) else text

    def expression(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError("nested too deeply")
        self.operand()
        while True:
            if self.peek().text in _BINARY and self.peek().kind != "text":
                self.next()
                self.operand()
            elif self.skip("?"):
                self.expression()
                self.need(":")
                self.expression()
            elif self.skip("="):
                self.expression()
            elif self.skip("->") or self.skip("=>"):
                self.body()
            else:
                break
        self.depth -= 1

    def body(self) -> None:
        """Read what a function does: a block, or an expression."""
        if self.peek().text == "{":
            self.block()
        else:
            self.expression()

    def operand(self) -> None:
        while self.peek().text in _PREFIX and self.peek().kind != "text":
            self.next()
        token = self.next()
        if token.kind == "name" and token.text == "new":
            self.creation()
        elif token.kind == "name" and token.text == "function" and not self.java:
            if self.peek().kind == "name":
                self.next()
            self.block("(")
            self.block()
        elif token.text == "(":
            self.parenthesis()
        elif token.text == "[" and not self.java:
            self.items("]")
        elif token.text == "{" and not self.java:
            self.members()
        elif token.kind not in ("text", "number", "name"):
            raise ValueError(f"{token.text[:40]!r} is no value")
        elif token.kind == "text" and token.text[0] == "`" and self.java:
            raise ValueError("a back-tick is no quote in Java")
        self.chain()

    def chain(self) -> None:
        """Read what may follow a value: members, calls, places."""
        while True:
            if self.skip(".") or self.skip("?.") or self.skip("::"):
                self.name()
            elif self.skip("("):
                self.items(")")
            elif self.skip("["):
                self.expression()
                self.need("]")
            elif not (self.skip("++") or self.skip("--")):
                return

    def parenthesis(self) -> None:
        """Read what stands in parentheses: a value, a cast, or the parameters of a function."""
        self.items(")")
        if self.java and self.peek().kind in ("name", "text", "number"):
            self.operand()

    def items(self, closing: str) -> None:
        while not self.skip(closing):
            if closing == "]" and self.skip(","):
                continue
            self.expression()
            if not self.skip(","):
                self.need(closing)
                return

    def members(self) -> None:
        """Read the members of an object of JavaScript."""
        while not self.skip("}"):
            if self.skip("..."):
                self.expression()
            else:
                key = self.next()
                if key.text == "[":
                    self.expression()
                    self.need("]")
                elif key.kind not in ("name", "text", "number"):
                    raise ValueError(f"{key.text[:40]!r} is no key")
                if self.skip(":"):
                    self.expression()
                elif self.peek().text == "(":
                    self.block("(")
                    self.block()
                elif key.kind != "name":
                    raise ValueError(f"a value is missing after {key.text[:40]!r}")
            if not self.skip(","):
                self.need("}")
                return

    def creation(self) -> None:
        """Read what follows ``new``: a type, then arguments or an array's items, then perhaps a class body."""
        self.name()
        while self.skip("."):
            self.name()
        if self.peek().text == "<":
            self.generics()
        if self.java and self.peek().text == "[":
            while self.skip("["):
                self.need("]")
            self.array()
        elif self.skip("("):
            self.items(")")
            if self.java and self.peek().text == "{":
                begin = self.peek(-1).end
                self.block()
                self.bodies.append((begin, self.peek(-1).end))
        elif self.java:
            raise ValueError("new without parentheses")

    def array(self) -> None:
        self.need("{")
        while not self.skip("}"):
            if self.peek().text == "{":
                self.array()
            else:
                self.expression()
            if not self.skip(","):
                self.need("}")
                return

    def generics(self) -> None:
        open_ = 0
        while True:
            token = self.next()
            open_ += {"<": 1, ">": -1, ">>": -2, ">>>": -3}.get(token.text, 0)
            if token.kind not in ("name", "sign") or token.text in ("(", ")"):
                raise ValueError("a type that does not end")
            if open_ <= 0:
                return

    def block(self, opening: str = "{") -> None:
        """Pass over a balanced block."""
        self.need(opening)
        open_ = [_CLOSING[opening]]
        while open_:
            token = self.next()
            if token.kind == "end":
                raise ValueError(f"{open_[-1]!r} is missing")
            if token.kind == "sign" and token.text in _CLOSING:
                open_.append(_CLOSING[token.text])
            elif token.kind == "sign" and token.text in _CLOSING.values() and token.text != open_.pop():
                raise ValueError(f"{token.text!r} closes what is not open")
