"""Reads rules from text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from retouch.engine.types import Tier
from retouch.recipes.rule.errors import InvalidRule, Problem
from retouch.recipes.rule.language.fixes import as_text, fix_text
from retouch.recipes.rule.language.model import precedence
from retouch.recipes.rule.language.notes import Notes
from retouch.recipes.rule.language.schema import read_rules
from retouch.recipes.rule.language.yaml_nodes import YamlFault, read_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.rule.language.fixes import FixedText
    from retouch.recipes.rule.language.model import ExtractionRule


@dataclass(frozen=True, kw_only=True)
class RuleReading:
    """The result of reading a text: its rules (none if there is an error), all problems, and the automatic fixes."""

    rules: tuple[ExtractionRule, ...]
    problems: tuple[Problem, ...]
    repaired: tuple[str, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that make the text invalid."""
        return tuple(one for one in self.problems if one.severity == "error")


def read_text(text: str) -> RuleReading:
    """Return the rules and problems of the text of a rule, or of a list of rules. It never raises.

    The problems are all errors of the first tier that fails, and all warnings. Automatic fixes are applied first and
    named in `repaired`.
    """
    fixed = fix_text(text)
    notes = Notes(lines=text.splitlines())
    rules = _read(fixed, notes)
    problems = tuple(sorted(notes.problems, key=lambda one: (one.tier, one.line, one.column)))
    if notes.has_errors():
        rules = []
    warnings = tuple(one for one in problems if one.severity != "error")
    read = tuple(replace(rule, repaired=fixed.repaired, warnings=warnings) for rule in rules)
    return RuleReading(rules=read, problems=problems, repaired=fixed.repaired)


def _read(fixed: FixedText, notes: Notes) -> list[ExtractionRule]:
    root, faults = read_nodes(fixed.text) if fixed.text else (None, [])
    for fault in fixed.faults:
        notes.add(fault.code, fault.message, fault, suggestion=fault.suggestion, tier=Tier.SYNTAX)
    notes.first_line = fixed.first_line
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
    """Return the text of a rule file, which must be UTF-8.

    Raises:
        InvalidRule: ENCODING_ERROR, with the place of the first invalid byte.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        message = f"the byte {data[error.start]:#04x} is not UTF-8"
        problem = Problem(
            code="ENCODING_ERROR",
            message=message,
            tier=Tier.SYNTAX,
            line=before.count(b"\n") + 1,
            column=error.start - before.rfind(b"\n"),
            suggestion="Save the file as UTF-8.",
        )
        raise InvalidRule((problem,)) from None


def load_rules(text: str | Mapping[str, Any]) -> tuple[ExtractionRule, ...]:
    """Return the rules of a text: one bare mapping, or those of `{version: 1, rules: [...]}`, of version 1 or 2.

    Raises:
        InvalidRule: with every problem at once.
    """
    reading = read_text(text if isinstance(text, str) else as_text(text))
    if reading.errors:
        raise InvalidRule(reading.problems)
    return reading.rules


def load_rule(text: str | Mapping[str, Any]) -> ExtractionRule:
    """Return the one rule of a text, or of a parsed mapping.

    A rule set of version 2 is returned as its first rule, with the rest as `others`: `apply_rule` uses the first whose
    glob matches.

    Raises:
        InvalidRule: with every problem at once; also if there are several rules of version 1.
    """
    rules = load_rules(text)
    if len(rules) > 1 and any(rule.order for rule in rules):
        first, *others = sorted(rules, key=precedence)
        return replace(first, others=tuple(others))
    if len(rules) != 1:
        message = f"there are {len(rules)} rules, and one is wanted: {', '.join(rule.name for rule in rules)}"
        raise InvalidRule(
            (Problem(code="SCHEMA_VIOLATION", message=message, path="rules", suggestion="Take one of them."),)
        )
    return rules[0]
