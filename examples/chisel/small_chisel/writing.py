"""Writes a module as Verilog, each connection with its place in the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from values import Connect, Module, Token, Value, When, Wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

Body = Sequence[Connect | When]


def verilog(module: Module, known: dict[str, Module]) -> str:
    """Return the Verilog of a module."""
    return "\n".join(
        [*_head(module), *_declared(module), *_instances(module, known), *_driven(module), "endmodule", ""]
    )


def _head(module: Module) -> Iterator[str]:
    ports = ["input clock", "input reset"]
    ports += [
        f"{'input' if way == 'Input' else 'output reg'} {_bits(width)}{name}"
        for name, (way, width) in module.ports.items()
    ]
    yield f"module {module.name}("
    yield ",\n".join(f"  {port}" for port in ports)
    yield ");"


def _declared(module: Module) -> Iterator[str]:
    for name, width in module.widths.items():
        if name not in module.ports:
            of_instance = any(name.startswith(f"{instance}_") for instance in module.instances)
            wire = of_instance and name in module.sources
            yield f"  {'wire' if wire else 'reg'} {_bits(width)}{name};"


def _instances(module: Module, known: dict[str, Module]) -> Iterator[str]:
    for name, of in module.instances.items():
        ports = [f".{port}({name}_{port})" for port in known[of].ports]
        yield f"  {of} {name} ({', '.join(['.clock(clock)', '.reset(reset)', *ports])});"


def _driven(module: Module) -> Iterator[str]:
    for name in [*module.registers, *dict.fromkeys(_named(module.body))]:
        if name in module.registers:
            yield "  always @(posedge clock) begin"
            yield f"    if (reset) {name} <= {module.registers[name].text};"
            yield "    else begin"
            yield from _connections(module, module.body, name, "<=", "      ")
            yield "    end\n  end"
            continue
        yield "  always @* begin"
        yield from _connections(module, module.body, name, "=", "    ")
        yield "  end"
    for name, at in module.sinks.items():
        if name not in module.registers and not _surely(module.body, name):
            raise Wrong(at.line, f"sink '{name.replace('_', '.')}' is not fully initialized")


def _named(body: Body) -> Iterator[str]:
    """Yield all driven signals, combinational or not, in order."""
    for one in body:
        if isinstance(one, Connect):
            yield one.sink
        else:
            for _, inner in one.branches:
                yield from _named(inner)


def _surely(body: Body, name: str) -> bool:
    for one in body:
        if isinstance(one, Connect):
            if one.sink == name:
                return True
        elif one.branches[-1][0] is None and all(_surely(inner, name) for _, inner in one.branches):
            return True
    return False


def _connections(module: Module, body: Body, name: str, sign: str, indent: str) -> Iterator[str]:
    for one in body:
        if isinstance(one, Connect):
            if one.sink == name:
                yield f"{indent}{name} {sign} {one.value.text};  // {_place(module, one.at)}"
        elif name in _named([one]):
            yield from _branches(module, one, name, sign, indent)


def _branches(module: Module, when: When, name: str, sign: str, indent: str) -> Iterator[str]:
    for number, (condition, body) in enumerate(when.branches):
        yield f"{indent}{_opening(number, condition)}"
        yield from _connections(module, body, name, sign, indent + "  ")
    yield f"{indent}end"


def _opening(number: int, condition: Value | None) -> str:
    if condition is None:
        return "end else begin"
    return f"if ({condition.text}) begin" if number == 0 else f"end else if ({condition.text}) begin"


def _bits(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _place(module: Module, at: Token) -> str:
    return f"{module.file}:{at.line}:{at.column}"
