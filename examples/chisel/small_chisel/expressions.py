"""Parses expressions into Verilog with a width. Each is self-contained, so Verilog's width rules do not matter."""

from __future__ import annotations

from values import Module, Token, Value, Wrong, tokens

LEVELS = {
    "|": 1,
    "||": 1,
    "^": 2,
    "&": 3,
    "&&": 3,
    "===": 4,
    "=/=": 4,
    "<": 5,
    ">": 5,
    "<=": 5,
    ">=": 5,
    "+": 6,
    "-": 6,
}
VERILOG = {"===": "==", "=/=": "!="}
OF_BOOLS = {"&&", "||"}
GIVES_BOOL = {*OF_BOOLS, "===", "=/=", "<", ">", "<=", ">="}


class Expressions:
    """Parses expressions over the signals of one module."""

    def __init__(self, text: str, module: Module) -> None:
        self.left = list(tokens(text))
        self.depth = 0
        self.module = module

    def peek(self) -> Token:
        return self.left[0]

    def take(self, *expected: str) -> Token:
        token = self.left[0]
        if expected and token.text not in expected:
            raise Wrong(token.line, f"'{expected[0]}' expected but '{token.text or 'end of file'}' found.")
        return self.left.pop(0) if len(self.left) > 1 else token

    def name(self) -> str:
        token = self.take()
        if token.kind != "name":
            raise Wrong(token.line, f"identifier expected but '{token.text or 'end of file'}' found.")
        return token.text

    def path(self) -> str:
        """Return a dotted name as one Verilog name."""
        parts = [self.name()]
        while self.peek().text == "." and self.left[1].kind == "name" and self.left[1].text not in {"asUInt", "asBool"}:
            self.take(".")
            parts.append(self.name())
        return "_".join(parts)

    def expression(self, level: int = 1) -> Value:
        left = self.prefixed()
        while LEVELS.get(self.peek().text, 0) >= level and (self.depth or not self.peek().fresh):
            sign = self.take()
            right = self.expression(LEVELS[sign.text] + 1)
            left = self.combined(sign, left, right)
        return left

    def combined(self, sign: Token, left: Value, right: Value) -> Value:
        if sign.text in OF_BOOLS:
            left, right = self.bool_of(left, sign), self.bool_of(right, sign)
        width = 1 if sign.text in GIVES_BOOL else max(left.width, right.width)
        return Value(f"{{{left.text} {VERILOG.get(sign.text, sign.text)} {right.text}}}", width)

    def prefixed(self) -> Value:
        if self.peek().text not in {"!", "~"}:
            return self.chosen_bits(self.atom())
        sign = self.take()
        value = self.prefixed()
        if sign.text == "!":
            value = self.bool_of(value, sign)
        return Value(f"{{{sign.text}{value.text}}}", value.width)

    def atom(self) -> Value:
        token = self.peek()
        if token.text == "(":
            (value,) = self.arguments(1)
            return value
        if token.kind in {"number", "text"}:
            return self.literal()
        if token.text in {"true", "false"}:
            for word in (token.text, ".", "B"):
                self.take(word)
            return Value("1'd1" if token.text == "true" else "1'd0", 1)
        if token.text == "Mux":
            self.take()
            choice, then, otherwise = self.arguments(3)
            bit = self.bool_of(choice, token)
            return Value(f"{{{bit.text} ? {then.text} : {otherwise.text}}}", max(then.width, otherwise.width))
        if token.text == "Cat":
            self.take()
            parts = self.arguments(2)
            return Value("{" + ", ".join(part.text for part in parts) + "}", sum(part.width for part in parts))
        return self.signal()

    def signal(self) -> Value:
        at = self.peek()
        name = self.path()
        if name not in self.module.widths:
            raise Wrong(at.line, f"not found: value {name.replace('_', '.')}")
        return Value(name, self.module.widths[name])

    def arguments(self, count: int) -> list[Value]:
        self.take("(")
        self.depth += 1
        found = [self.expression()]
        while len(found) < count:
            self.take(",")
            found.append(self.expression())
        self.depth -= 1
        self.take(")")
        return found

    def literal(self) -> Value:
        token = self.take()
        number = int(token.text) if token.kind == "number" else int(token.text[2:-1], {"h": 16, "b": 2}[token.text[1]])
        for word in (".", "U"):
            self.take(word)
        width = max(number.bit_length(), 1)
        if self.peek().text == "(" and not self.peek().fresh:
            self.take("(")
            width = int(self.take().text)
            for word in (".", "W", ")"):
                self.take(word)
        return Value(f"{width}'d{number}", width)

    def chosen_bits(self, value: Value) -> Value:
        """Return the bits selected by `(3)` or `(7, 4)`. A cast changes nothing."""
        while self.peek().text in {".", "("} and not self.peek().fresh:
            if self.take().text == ".":
                self.take("asUInt", "asBool")
                continue
            high = low = int(self.take().text)
            if self.peek().text == ",":
                self.take()
                low = int(self.take().text)
            at = self.take(")")
            if not 0 <= low <= high < value.width:
                raise Wrong(at.line, f"bits {high} to {low} are outside of {value.width}")
            if value.text not in self.module.widths:
                raise Wrong(at.line, "only the bits of a name can be chosen: give the expression a name")
            chosen = f"{value.text}[{high}:{low}]" if value.width > 1 else value.text
            value = Value(chosen, high - low + 1)
        return value

    def bool_of(self, value: Value, at: Token) -> Value:
        if value.width != 1:
            raise Wrong(at.line, f"type mismatch; found: UInt<{value.width}>, required: Bool")
        return value
