"""Realistic bugs in real Chisel: one operator, constant or condition of one line is changed."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from chisel_lec import DIFFERENT, compared
from retouch.locate.index import SpanIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from random import Random

    from chisel_toolchain import Builds

CHANGES: tuple[tuple[str, str, str], ...] = (
    ("add", r" \+ ", " - "),
    ("subtract", r" - ", " + "),
    ("and", r" & ", " | "),
    ("or", r" \| ", " & "),
    ("logical and", r" && ", " || "),
    ("logical or", r" \|\| ", " && "),
    ("equal", r" === ", " =/= "),
    ("not equal", r" =/= ", " === "),
    ("less", r" < ", " <= "),
    ("greater", r" >= ", " > "),
    ("shift", r">>", "<<"),
    ("true", r"\btrue\.B", "false.B"),
    ("false", r"\bfalse\.B", "true.B"),
    ("zero", r"\b0\.U", "1.U"),
    ("one", r"\b1\.U", "0.U"),
    ("not", r"(?<=[(,= ])!(?=[A-Za-z(])", ""),
    ("invert", r"~(?=[A-Za-z(])", ""),
)
_LOCATOR = re.compile(r"[ \t]*//[^\n]*")
_FILES = re.compile(r"@\[(\w+\.scala) ")
_CODE = re.compile(r":=|===|=/=|Mux|when|Cat|RegInit|RegNext|val \w+ *=|\.B\b|\.U\b|&|\|")


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One bug: the changed line of a file, the module that it belongs to, and the module that is elaborated."""

    project: str
    top: str
    path: str
    line: int
    kind: str
    right: str
    wrong: str
    module_id: str

    @property
    def name(self) -> str:
        """A name that is unique in a project."""
        return f"{self.path.replace('/', '_').removesuffix('.scala')}-{self.line}-{self.kind.replace(' ', '_')}"


def proposals(builds: Builds, golden: Mapping[str, Mapping[str, str]], random: Random) -> Iterator[Mutant]:
    """Yield possible mutants in random order, the same number of each file in turn.

    `golden` maps each top module to its Verilog. A file is only changed if a locator of that Verilog names it, and only
    the smallest of the top modules that use it is elaborated.
    """
    index = SpanIndex(builds.folder)
    index.build()
    used = {top: set(_FILES.findall("".join(files.values()))) for top, files in golden.items()}
    sizes = {top: sum(map(len, files.values())) for top, files in golden.items()}
    by_file: dict[str, list[Mutant]] = {}
    for path in sorted(builds.originals):
        tops = sorted((top for top in golden if path.rpartition("/")[2] in used[top]), key=lambda top: sizes[top])
        tops = [top for top in tops if top.lower() in path.lower()] or tops
        if not tops:
            continue
        found = list(_of_file(builds, index, path, tops[0]))
        random.shuffle(found)
        by_file[path] = found
    while any(by_file.values()):
        for found in by_file.values():
            if found:
                yield found.pop()


def _of_file(builds: Builds, index: SpanIndex, path: str, top: str) -> Iterator[Mutant]:
    for number, line in enumerate(builds.originals[path].split("\n"), 1):
        code = line.partition("//")[0]
        if not _CODE.search(code) or code.lstrip().startswith(("*", "import", "class", "object", "def")):
            continue
        span = index.get_enclosing_module(path, number)
        if span is None or span.name_line == number:
            continue
        for kind, pattern, replacement in CHANGES:
            if (place := re.search(pattern, code)) is not None:
                wrong = line[: place.start()] + replacement + line[place.end() :]
                yield Mutant(
                    project=builds.project.name,
                    top=top,
                    path=path,
                    line=number,
                    kind=kind,
                    right=line,
                    wrong=wrong,
                    module_id=f"{span.file}::{span.qualified}",
                )


def with_line(text: str, mutant: Mutant, line: str) -> str:
    """Return the text of the mutant's file with another line in its place."""
    lines = text.split("\n")
    lines[mutant.line - 1] = line
    return "\n".join(lines)


def is_bug(builds: Builds, mutant: Mutant, golden: Mapping[str, str], folder: Path) -> str:
    """Build a mutant into `folder`, and return "" if it compiles and is proved to differ. Otherwise return why not."""
    text = with_line(builds.originals[mutant.path], mutant, mutant.wrong)
    built = builds.build({mutant.path: text}, (mutant.top,))
    if not built.passed:
        return "does not compile"
    if stripped(built.verilog) == stripped(golden):
        return "same Verilog"
    write(folder / "gold", golden)
    write(folder / "mutant", built.verilog)
    status, printed = compared(folder / "gold", folder / "mutant")
    if status != DIFFERENT:
        return "not told apart" if status else "same hardware"
    (folder / "mutant.json").write_text(json.dumps({**asdict(mutant), "differs": printed}, indent=1), encoding="utf-8")
    return ""


@dataclass(frozen=True, kw_only=True)
class KeptBug:
    """A bug on disk: its project and tree, the definition with the wrong line, and the diff with and without locators.

    `file` and `name` are those of the definition.
    """

    project: str
    tree: Path
    module_id: str
    plain: str
    located: str

    @property
    def file(self) -> str:
        return self.module_id.partition("::")[0]

    @property
    def name(self) -> str:
        return self.module_id.rpartition("::")[2].rpartition(".")[2]

    def is_right(self, file: str, name: str) -> bool:
        """Return whether a definition is the one with the wrong line."""
        return (file, name) == (self.file, self.name)


def kept_bugs(place: Path) -> Iterator[KeptBug]:
    """Yield the bugs that `chisel_real.py` has left in its directory."""
    for case in sorted(place.glob("mutants/*/*")):
        if not (case / "mutant.json").exists() or (case / "why").read_text("utf-8"):
            continue
        data = json.loads((case / "mutant.json").read_text("utf-8"))
        wrong, gold = (
            {path.name: path.read_text("utf-8") for path in (case / side).glob("*.v")} for side in ("mutant", "gold")
        )
        yield KeptBug(
            project=data["project"],
            tree=place / "projects" / data["project"],
            module_id=data["module_id"],
            plain=diff_of(stripped(wrong), stripped(gold)),
            located=diff_of(wrong, gold),
        )


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files into a directory."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def stripped(files: Mapping[str, str]) -> dict[str, str]:
    """Return Verilog files without the locators of the source."""
    return {name: _LOCATOR.sub("", text) for name, text in files.items()}


def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the unified diff between two sets of Verilog files."""
    lines: list[str] = []
    for name in sorted({*before, *after}):
        old, new = (_lines(files.get(name, "")) for files in (before, after))
        lines += difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", n=3)
    return "".join(lines)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
