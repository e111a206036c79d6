"""The information about a bug in a Verilog diff: the changes, their names, and the locators of their origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, cast

from retouch.locate.diffs.cleaning import CleanFile, clean
from retouch.locate.diffs.rtl import declared, rtl_locators
from retouch.locate.diffs.scan import scan
from retouch.locate.diffs.verilog import assigned, classes, identifiers, input_declared, port_connected, stem
from retouch.locate.errors import LocateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.locate.diffs.cleaning import CleanLine
    from retouch.locate.diffs.locators import Locator
    from retouch.locate.diffs.verilog import IdentifierClass

CONTEXT_WEIGHT = 0.2
_CONDITION_WEIGHT = 0.5
_CONTEXT_TARGET_WEIGHT = 0.15
_AFTER_CONDITION_LINES = 3
_MOST_PARTS = 8
_TEXT_KEYS = ("unified_diff", "diff")
_FILE_KEYS = ("verilog_file", "file", "file_name")
_MODULE_KEYS = ("verilog_module", "module", "module_name")


class BadDiff(LocateError):
    """A text without a diff."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DiffInfo:
    """A Verilog diff without comments and without lines that were only renumbered.

    The first six fields are those of the specification. `unified_diff` is the clean text. Show this one, because
    comments may contain the solution. `changed_lines` are 1-based: old numbers for removed lines, new ones for added
    lines, and the place in the old file for pure additions. `removed` and `added` separate them (line number -> code).
    These fields, `verilog_file` and `verilog_module` are about the main file, which has most changes. `files` are all
    relevant files, `noise` the rest. `rtl` is the text of the whole Verilog file, or empty.
    """

    verilog_file: str
    verilog_module: str
    unified_diff: str
    changed_lines: frozenset[int]
    identifiers: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    removed: Mapping[int, str] = field(default_factory=dict[int, str])
    added: Mapping[int, str] = field(default_factory=dict[int, str])
    files: Sequence[CleanFile] = ()
    noise: Sequence[CleanFile] = ()
    rtl: str = ""
    design: frozenset[str] = frozenset()

    @classmethod
    def from_text(cls, text: str, *, file: str = "", module: str = "", rtl: str = "") -> DiffInfo:
        """Return the information in a unified diff. `file` and `module` take precedence over the names in it.

        With `rtl`, the text of the Verilog file before or after the change, identifiers are classified by their
        declarations there. Without it, they are classified by their form.

        Raises:
            BadDiff: `text` has no changed line.
        """
        cleaned = [clean(one) for one in scan(text)]
        if not cleaned:
            raise BadDiff(
                "There is no changed line in the diff.",
                hint="Pass a unified diff of Verilog, as `diff -u OLD NEW` prints it.",
            )
        useful = (
            [one for one in cleaned if not one.is_noise] or [one for one in cleaned if one.changed_count] or cleaned
        )
        main = max(useful, key=lambda one: one.changed_count)
        changed = [line for line in main.lines if line.is_changed]
        return cls(
            verilog_file=file or main.path,
            verilog_module=module or main.module or PurePosixPath(file or main.path).stem,
            unified_diff="".join(one.text for one in useful),
            changed_lines=frozenset(number for hunk in main.hunks for number in _changed_numbers(hunk)),
            identifiers=_classified(useful, module or main.module, declared(rtl)),
            removed={line.old: line.code for line in changed if line.sign == "-"},
            added={line.new: line.code for line in changed if line.sign == "+"},
            files=tuple(useful),
            noise=tuple(one for one in cleaned if one not in useful),
            rtl=rtl,
        )

    @classmethod
    def from_bug_info(cls, bug_info: Mapping[str, object] | object, *, rtl: str = "") -> DiffInfo:
        """Return the information in a bug's description: a mapping, or an object with these attributes.

        The diff is `unified_diff` or `diff`. The file (`verilog_file`, `file` or `file_name`) and the module
        (`verilog_module`, `module` or `module_name`) are optional.

        Raises:
            BadDiff: it has no diff.
        """
        text, file, module = (_first_text(bug_info, keys) for keys in (_TEXT_KEYS, _FILE_KEYS, _MODULE_KEYS))
        return cls.from_text(text, file=file, module=module, rtl=rtl)

    def with_rtl(self, rtl: str, *, design: frozenset[str] = frozenset()) -> DiffInfo:
        """Return the same diff with the text of its Verilog file, and the names of all modules of the design."""
        return replace(
            self, rtl=rtl, design=design, identifiers=_classified(self.files, self.verilog_module, declared(rtl))
        )

    @cached_property
    def modules(self) -> tuple[str, ...]:
        """The changed Verilog modules, the main one first, without numbers at the end."""
        names = [self.verilog_module, *(name for file in self.files for name in file.modules)]
        return tuple(dict.fromkeys(stem(name) for name in names if name))

    @cached_property
    def parts(self) -> Sequence[DiffInfo]:
        """The diff of each changed Verilog module, most changes first, at most 8. Modules that differ only by the
        number at the end count as one. It is the diff itself if it has one module, or if the caller named the module.
        """
        found: dict[str, list[CleanFile]] = {}
        for file in self.files:
            for name in dict.fromkeys(map(stem, file.modules)):
                hunks = tuple(hunk for hunk, one in zip(file.hunks, file.modules, strict=True) if stem(one) == name)
                found.setdefault(name, []).append(replace(file, module=name, modules=(name,) * len(hunks), hunks=hunks))
        if len(found) < 2 or stem(self.verilog_module) not in found:
            return (self,)
        largest = sorted(found.items(), key=lambda item: -sum(file.changed_count for file in item[1]))[:_MOST_PARTS]
        return tuple(self._part(name, files) for name, files in largest)

    @cached_property
    def changed_inputs(self) -> frozenset[str]:
        """The inputs of modules whose declarations changed."""
        return frozenset(name for line in self._lines() if line.is_changed and (name := input_declared(line.code)))

    @cached_property
    def changed_connections(self) -> frozenset[str]:
        """The ports of instances whose connections changed."""
        return frozenset(name for line in self._lines() if line.is_changed and (name := port_connected(line.code)))

    def _part(self, name: str, files: Sequence[CleanFile]) -> DiffInfo:
        rtl = self.rtl if name == stem(self.verilog_module) else ""
        return replace(self, verilog_file=files[0].path, verilog_module=name, files=tuple(files), rtl=rtl)

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The weight of each identifier: 1 on a changed line, less on the lines around."""
        found: dict[str, float] = {}
        for line in self._lines():
            weight = 1.0 if line.is_changed else CONTEXT_WEIGHT
            for name in identifiers(line.code):
                found[name] = max(found.get(name, 0.0), weight)
        return found

    @cached_property
    def targets(self) -> Mapping[str, float]:
        """The names that are assigned near the change, with a confidence for each.

        A changed line without assignment, for example a condition, counts for its names and for the next assignment.
        """
        found: dict[str, float] = {}
        for file in self.files:
            for hunk in file.near_hunks:
                for at, line in enumerate(hunk):
                    for name, weight in _targets(line, hunk[at + 1 : at + 1 + _AFTER_CONDITION_LINES]):
                        found[name] = max(found.get(name, 0.0), weight)
        return found

    @cached_property
    def locators(self) -> Sequence[tuple[Locator, float]]:
        """The source locators of changed lines and of three lines around them, with their weights.

        A changed line has weight 1, a line at distance d has 0.1 / d. The locators of a line share its weight. If the
        diff has no locators, those of the same lines in the Verilog file are used.
        """
        own = tuple(pair for file in self.files for pair in file.locators())
        return own or (rtl_locators(self.rtl, self.removed, self.added) if self.rtl else ())

    def _lines(self) -> Iterator[CleanLine]:
        return (line for file in self.files for hunk in file.near_hunks for line in hunk)


def _changed_numbers(hunk: Sequence[CleanLine]) -> Iterator[int]:
    for is_changed, run in groupby(hunk, key=lambda line: line.is_changed):
        lines = list(run) if is_changed else []
        yield from (line.old if line.sign == "-" else line.new for line in lines)
        if lines and all(line.sign == "+" for line in lines):
            yield lines[0].old


def _targets(line: CleanLine, after: Sequence[CleanLine]) -> Iterator[tuple[str, float]]:
    target = assigned(line.code)
    if not line.is_changed:
        if target:
            yield target, _CONTEXT_TARGET_WEIGHT
    elif target:
        yield target, 1.0
    else:
        nexts = (name for each in after if (name := assigned(each.code)))
        for name in [*identifiers(line.code), *([one] if (one := next(nexts, None)) else [])]:
            yield name, _CONDITION_WEIGHT


def _classified(
    files: Sequence[CleanFile], module: str, known: Mapping[str, IdentifierClass]
) -> dict[str, Sequence[str]]:
    found: dict[IdentifierClass, dict[str, None]] = {"ports": {}, "signals": {}, "instances": {}}
    for file in files:
        for kind, name in classes([line.code for line in file.lines if line.is_changed]):
            found[known.get(name, kind)][name] = None
    return {**{str(kind): list(names) for kind, names in found.items()}, "module": [module] if module else []}


def _first_text(bug_info: object, keys: Sequence[str]) -> str:
    for key in keys:
        value: object = (
            cast("Mapping[str, object]", bug_info).get(key)
            if isinstance(bug_info, Mapping)
            else getattr(bug_info, key, None)
        )
        if isinstance(value, str) and value:
            return value
    return ""
