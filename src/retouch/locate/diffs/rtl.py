"""Reads the whole Verilog file of a diff: the declarations of names, and the locators of the changed lines."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from retouch.locate.diffs.cleaning import NEAR_LINES, near_weight
from retouch.locate.diffs.comments import split_comments
from retouch.locate.diffs.locators import locators
from retouch.locate.diffs.verilog import stem
from retouch.locate.errors import LocateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.diffs.locators import Locator
    from retouch.locate.diffs.verilog import IdentifierClass

_SUFFIXES = (".sv", ".v")
_MODULE = re.compile(r"^\s*module\s+(\w+)", re.MULTILINE)


def find_rtl(folder: str | Path, diff: DiffInfo) -> str:
    """Return the Verilog module that a diff changes, from the files of a directory. Empty if none contains it.

    A file with the name of the diff's file, or of the module, is preferred to one that contains several modules.

    Raises:
        LocateError: there is no such directory.
    """
    root = Path(folder)
    if not root.is_dir():
        raise LocateError(f"There is no directory {str(folder)!r}.", hint="Pass the directory of the Verilog files.")
    files = sorted(path for path in root.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
    names = [PurePosixPath(diff.verilog_file).name, *(f"{diff.verilog_module}{suffix}" for suffix in _SUFFIXES)]
    for path in sorted((path for path in files if path.name in names), key=lambda path: names.index(path.name)):
        return _text(path)
    begins = re.compile(rf"^\s*module\s+{re.escape(diff.verilog_module)}\b.*?^\s*endmodule\b", re.MULTILINE | re.DOTALL)
    return next((found[0] for path in files if (found := begins.search(_text(path)))), "")


def design_modules(folder: str | Path) -> frozenset[str]:
    """Return the names of the Verilog modules in a directory, without numbers at the end."""
    files = (path for path in Path(folder).rglob("*") if path.suffix in _SUFFIXES and path.is_file())
    return frozenset(stem(name) for path in files for name in _MODULE.findall(_text(path)))


def declared(rtl: str) -> Mapping[str, IdentifierClass]:
    """Return the classes of the names that a Verilog text declares. Empty without pyslang or without a text."""
    if not rtl:
        return {}
    try:
        import pyslang
    except ImportError:
        return {}
    syntax: Any = getattr(pyslang, "syntax", pyslang)  # it moved between pyslang 9 and 10
    root = syntax.SyntaxTree.fromText(rtl).root
    modules = [root] if _is_module(root) else [one for one in getattr(root, "members", ()) if _is_module(one)]
    return {name: kind for module in modules for name, kind in _declared_in(module)}


def rtl_locators(rtl: str, removed: Mapping[int, str], added: Mapping[int, str]) -> Sequence[tuple[Locator, float]]:
    """Return the locators of the diff's lines in the old or new Verilog file, with weights.

    A line number is only used if the file has the diff's code at that line.
    """
    lines = rtl.split("\n")
    there = [[number for number, code in side.items() if _is_there(lines, number, code)] for side in (removed, added)]
    changed = sorted(max(there, key=len))
    found: list[tuple[Locator, float]] = []
    for at in sorted({near for line in changed for near in _around(line, len(lines))}):
        here = locators(split_comments(lines[at - 1])[1])
        found += [(one, near_weight(at, changed) / len(here)) for one in here]
    return found


def _is_module(node: Any) -> bool:
    return str(node.kind).endswith("ModuleDeclaration")


def _declared_in(module: Any) -> Iterator[tuple[str, IdentifierClass]]:
    for port in getattr(module.header.ports, "ports", ()):
        if hasattr(port, "declarator"):
            yield port.declarator.name.valueText, "ports"
    for member in module.members:
        for one in getattr(member, "declarators", ()):
            if hasattr(one, "name"):
                yield one.name.valueText, "ports" if str(member.kind).endswith("PortDeclaration") else "signals"
        for one in getattr(member, "instances", ()):
            if getattr(one, "decl", None):
                yield one.decl.name.valueText, "instances"


def _around(line: int, last: int) -> range:
    return range(max(1, line - NEAR_LINES), min(last, line + NEAR_LINES) + 1)


def _is_there(lines: Sequence[str], number: int, code: str) -> bool:
    return number <= len(lines) and split_comments(lines[number - 1])[0].split() == code.split()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
