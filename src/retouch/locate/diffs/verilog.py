"""Parses Verilog lines: identifiers, their classes, assignments, and the parts of names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

IdentifierClass: TypeAlias = Literal["ports", "signals", "instances"]

_KEYWORDS = """
always always_comb always_ff always_latch and assign automatic begin bit buf byte case casex casez const default
define disable edge else end endcase endfunction endgenerate endif endinitial endinterface endmodule endpackage
endtask enum event for force forever fork function generate genvar if ifdef ifndef import include initial inout
input int integer interface join localparam logic longint module nand negedge nor not or output package packed
parameter posedge primitive real reg release repeat return shortint signed specify static string struct supply0
supply1 task time timescale tri type typedef undef union unique unsigned var void wait wand while wire wor xnor xor
"""
KEYWORDS = frozenset(_KEYWORDS.split())
# Parts of names that every generated module has. They are no evidence of a line's origin.
COMMON = frozenset(["auto", "bits", "gen", "io", "mport", "rand", "reg", "t", "wire"])

_LITERAL = re.compile(r"\d*'s?[hbdoHBDO][0-9a-fA-F_xXzZ?]+|\$\w+|`\w+|\"(?:[^\"\\]|\\.)*\"")
_IDENTIFIER = re.compile(r"[A-Za-z_][\w$]*")
_GENERATED = re.compile(r"_*(?:T|GEN|REG|RAND|WIRE|RANDOM)?[_\d]*")
_RANGES = r"(?:\[[^\]]*\]\s*)*"
_ASSIGNS = re.compile(
    rf"\s*(?:assign\s+|(?:wire|reg|logic)\b\s*(?:signed\s+)?{_RANGES})?([A-Za-z_]\w*)\s*{_RANGES}(?:<=|=)(?!=)"
)
_DECLARES = re.compile(rf"\s*(?:wire|reg|logic)\b\s*(?:signed\s+)?{_RANGES}([A-Za-z_]\w*)\s*{_RANGES}[;,]")
_INPUT = re.compile(rf"\s*input\b\s*(?:wire|reg|logic)?\s*{_RANGES}(\w+)\s*[,)]?\s*$")
_PORT_OF = re.compile(r"\s*\.(\w+)\s*\(")
_INSTANCE = re.compile(r"\s*([A-Za-z_]\w*)\s+(?:#\s*\(.*\)\s*)?([A-Za-z_]\w*)\s*\(\s*(?:$|\.|//)")
_MODULE = re.compile(r"\s*module\s+(?:automatic\s+)?(\w+)")
_TEMPORARY = re.compile(r"_(?:T|WIRE|MPORT)(?:_|$).*")
_NUMBERED = re.compile(r"(?:_\d+)+$")
_PORT_PART = re.compile(r"(?:^|_)(?:io|auto|clock|reset)(?:_|$)")


def identifiers(code: str) -> list[str]:
    """Return the identifiers of a line without comments, in order, without duplicates, keywords, literals and generated
    names.
    """
    found = _IDENTIFIER.findall(_LITERAL.sub(" ", code))
    return list(dict.fromkeys(name for name in found if name not in KEYWORDS and not _GENERATED.fullmatch(name)))


def assigned(code: str) -> str | None:
    """Return the name that a line assigns or declares. None if it does neither."""
    found = _ASSIGNS.match(code) or _DECLARES.match(code)
    return found[1] if found and found[1] not in KEYWORDS else None


def input_declared(code: str) -> str | None:
    """Return the input of a module that a line declares. None if it declares none."""
    found = _INPUT.match(code)
    return found[1] if found else None


def port_connected(code: str) -> str | None:
    """Return the port of an instance that a line connects. None if it connects none."""
    found = _PORT_OF.match(code)
    return found[1] if found else None


def module_named(code: str) -> str | None:
    """Return the name of the module that starts on a line. None if there is none."""
    found = _MODULE.match(code)
    return found[1] if found else None


def classes(codes: Sequence[str]) -> Iterator[tuple[IdentifierClass, str]]:
    """Yield the identifiers of lines with their class by form, including ports of instances."""
    for code in codes:
        instance = _INSTANCE.match(code)
        port = _PORT_OF.match(code)
        for name in identifiers(code):
            if instance and instance[1] not in KEYWORDS and name in instance.groups():
                yield "instances", name
            elif name.startswith(("io_", "auto_")) or (port and name == port[1]):
                yield "ports", name
            else:
                yield "signals", name


def stem(name: str) -> str:
    """Return the name of a Verilog module without its distinguishing number: `Queue_12` becomes `Queue`."""
    return _NUMBERED.sub("", name) or name


def named_parts(identifier: str) -> tuple[str, ...]:
    """Return the parts of a signal's name that a designer chose, outermost value first.

    Chisel joins the names of nested values: `ridx_incremented_1` is `incremented`, created for `ridx`. Generated
    suffixes and numbers are omitted. The result is empty for generated names, and for ports, which are not created
    where they are assigned.
    """
    if _PORT_PART.search(identifier):
        return ()
    name = _NUMBERED.sub("", _TEMPORARY.sub("", identifier.lstrip("_"))).strip("_")
    return () if _GENERATED.fullmatch(name) else tuple(part for part in name.split("_") if part)
