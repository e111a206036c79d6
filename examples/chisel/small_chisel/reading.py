"""Parses the modules of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from expressions import Expressions
from values import Connect, Module, Token, Value, When, Wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Reader(Expressions):
    """Parses the modules of one file. `known` are those that can be instantiated."""

    def __init__(self, file: str, text: str, known: dict[str, Module]) -> None:
        super().__init__(text, Module("", file))
        self.file, self.known = file, known

    def all_modules(self) -> Iterator[Module]:
        while self.peek().kind != "end":
            if self.peek().text == "class":
                yield self.one_module()
                continue
            self.take("import", "package", "class")
            while not self.peek().fresh:
                self.take()

    def one_module(self) -> Module:
        self.take("class")
        self.module = Module(self.name(), self.file)
        for word in ("extends", "Module", "{"):
            self.take(word)
        while self.peek().text != "}":
            self.module.body += self.statement(inside=False)
        self.take("}")
        return self.module

    def statement(self, *, inside: bool) -> list[Connect | When]:
        token = self.peek()
        if token.text == "val" and not inside:
            self.definition()
            return []
        if token.text == "when":
            return [self.when()]
        sink = self.path()
        at = self.take(":=")
        self.expect_sink(sink, token)
        self.module.sinks.setdefault(sink, at)
        return [Connect(sink, self.expression(), token)]

    def expect_sink(self, sink: str, token: Token) -> None:
        if sink not in self.module.widths:
            raise Wrong(token.line, f"not found: value {sink.replace('_', '.')}")
        if sink in self.module.sources:
            raise Wrong(token.line, f"{sink.replace('_', '.')} cannot be driven from here")

    def definition(self) -> None:
        self.take("val")
        at, name = self.peek(), self.name()
        self.take("=")
        word = self.peek().text
        known = {"IO": self.ports, "RegInit": self.register, "Wire": self.wire, "Module": self.instance}
        if name in self.module.widths or name in self.module.instances:
            raise Wrong(at.line, f"{name} is already defined")
        if word in known:
            self.take()
            self.take("(")
            known[word](name)
            self.take(")")
            return
        value = self.expression()
        self.module.widths[name] = value.width
        self.module.sources.add(name)
        self.module.body.append(Connect(name, value, at))

    def ports(self, name: str) -> None:
        for word in ("new", "Bundle", "{"):
            self.take(word)
        while self.peek().text != "}":
            self.take("val")
            port = f"{name}_{self.name()}"
            self.take("=")
            way = self.take("Input", "Output")
            self.take("(")
            width = self.width()
            self.take(")")
            self.module.ports[port] = (way.text, width)
            self.module.widths[port] = width
            if way.text == "Input":
                self.module.sources.add(port)
            else:
                self.module.sinks[port] = way
        self.take("}")

    def width(self) -> int:
        if self.take("UInt", "Bool").text == "Bool":
            self.take("(")
            self.take(")")
            return 1
        self.take("(")
        bits = int(self.take().text)
        for word in (".", "W", ")"):
            self.take(word)
        return bits

    def register(self, name: str) -> None:
        self.module.registers[name] = value = self.expression()
        self.module.widths[name] = value.width

    def wire(self, name: str) -> None:
        self.module.sinks[name] = self.peek()
        self.module.widths[name] = self.width()

    def instance(self, name: str) -> None:
        self.take("new")
        at, of = self.peek(), self.name()
        if of not in self.known:
            raise Wrong(at.line, f"not found: type {of}")
        self.module.instances[name] = of
        for port, (way, width) in self.known[of].ports.items():
            self.module.widths[f"{name}_{port}"] = width
            if way == "Output":
                self.module.sources.add(f"{name}_{port}")
            else:
                self.module.sinks[f"{name}_{port}"] = at

    def when(self) -> When:
        branches: list[tuple[Value | None, Sequence[Connect | When]]] = []
        word = self.take("when").text
        while True:
            branches.append((None if word == "otherwise" else self.condition(), self.block()))
            if word == "otherwise" or self.peek().text != ".":
                return When(branches)
            self.take(".")
            word = self.take("elsewhen", "otherwise").text

    def condition(self) -> Value:
        at = self.take("(")
        self.depth += 1
        value = self.expression()
        self.depth -= 1
        self.take(")")
        return self.bool_of(value, at)

    def block(self) -> list[Connect | When]:
        self.take("{")
        found: list[Connect | When] = []
        depth, self.depth = self.depth, 0
        while self.peek().text != "}":
            found += self.statement(inside=True)
        self.depth = depth
        self.take("}")
        return found
