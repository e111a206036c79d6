"""Reads rules from text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from retouch.engine.types import Tier
from retouch.recipes.rule.errors import InvalidRule, Problem
from retouch.recipes.rule.language.mending import as_text, mend_text
from retouch.recipes.rule.language.notes import Notes
from retouch.recipes.rule.language.schema import read_rules
from retouch.recipes.rule.language.yaml_nodes import YamlFault, read_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.rule.language.mending import Mended
    from retouch.recipes.rule.language.model import ExtractionRule


@dataclass(frozen=True, kw_only=True)
class RuleReading:
    """What became of a text: its rules (none when there is an error), all problems, and what was repaired first."""

    rules: tuple[ExtractionRule, ...]
    problems: tuple[Problem, ...]
    repaired: tuple[str, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep the text from being a rule."""
        return tuple(one for one in self.problems if one.severity == "error")


def read_text(text: str) -> RuleReading:
    """Return everything that can be said about the text of a rule, or of a list of rules; nothing is raised.

    The problems are those of the first tier that fails, all of them, and what is doubted. Mechanical repairs are made
    first and named.
    """
    mended = mend_text(text)
    notes = Notes(lines=text.splitlines())
    rules = _read(mended, notes)
    problems = tuple(sorted(notes.problems, key=lambda one: (one.tier, one.line, one.column)))
    if notes.has_errors():
        rules = []
    warnings = tuple(one for one in problems if one.severity != "error")
    read = tuple(replace(rule, repaired=mended.repaired, warnings=warnings) for rule in rules)
    return RuleReading(rules=read, problems=problems, repaired=mended.repaired)


def _read(mended: Mended, notes: Notes) -> list[ExtractionRule]:
    root, faults = read_nodes(mended.text) if mended.text else (None, [])
    for fault in mended.faults:
        notes.add(fault.code, fault.message, fault, suggestion=fault.suggestion, tier=Tier.SYNTAX)
    notes.first_line = mended.first_line
    for fault in faults:
        notes.add(fault.code, fault.message, fault, suggestion=fault.suggestion, tier=Tier.SYNTAX)
    if notes.problems:
        return []
    if root is None:
        hint = "Write 'name: ...', 'glob: ...' and 'extract:'."
        start = YamlFault(code="EMPTY_OUTPUT", message="the text holds no value", suggestion=hint)
        notes.add(start.code, start.message, start, suggestion=hint, tier=Tier.SYNTAX)
        return []
    return read_rules(root, notes)


def decoded(data: bytes) -> str:
    """Return the text of a file of rules, which is UTF-8.

    Raises:
        InvalidRule: ENCODING_ERROR, with the place of the first byte that is none.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        said = f"the byte {data[error.start]:#04x} is not UTF-8"
        problem = Problem(
            code="ENCODING_ERROR",
            message=said,
            tier=Tier.SYNTAX,
            line=before.count(b"\n") + 1,
            column=error.start - before.rfind(b"\n"),
            suggestion="Save the file as UTF-8.",
        )
        raise InvalidRule((problem,)) from None


def load_rules(text: str | Mapping[str, Any]) -> tuple[ExtractionRule, ...]:
    """Return the rules of a text: one that is a bare mapping, or those of `{version: 1, rules: [...]}`.

    Raises:
        InvalidRule: with every problem at once.
    """
    reading = read_text(text if isinstance(text, str) else as_text(text))
    if reading.errors:
        raise InvalidRule(reading.problems)
    return reading.rules


def load_rule(text: str | Mapping[str, Any]) -> ExtractionRule:
    """Return the one rule of a text, or of a mapping that was read from one.

    Raises:
        InvalidRule: with every problem at once; also when there are several rules.
    """
    rules = load_rules(text)
    if len(rules) != 1:
        said = f"there are {len(rules)} rules, and one is wanted: {', '.join(rule.name for rule in rules)}"
        raise InvalidRule(
            (Problem(code="SCHEMA_VIOLATION", message=said, path="rules", suggestion="Take one of them."),)
        )
    return rules[0]
