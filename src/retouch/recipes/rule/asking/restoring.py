"""Restores the original text in a rule that was written about stand-ins.

A short stand-in (`x00`, `01`) can also be the model's own text, so by itself it stays. If a piece of a glob or pattern
was copied from a shown path, it is replaced by the text at the same position of the real path.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.asking.pages import shown_paths
from retouch.recipes.rule.asking.redactor import UNKNOWN, redactor_of
from retouch.recipes.rule.language.names import as_name
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.asking.redactor import PathRedactor
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.language.model import ExtractionRule, Field

Shown: TypeAlias = "Sequence[tuple[str, str]]"  # pairs: the redacted path, and the real one

_SET = r"\[(?:\\.|[^\]])*\]"
_GLOB = re.compile(rf"{_SET}|(?P<piece>[^\[\]*?{{}},/]+)")
_REPEATED = r"(?![*+?]|\{[0-9])"
_PATTERN = re.compile(
    rf"{_SET}|\{{[0-9,]*\}}|\\[A-Za-z0-9]|\(\?P?<\w+>|\(\?[\w:-]*"
    rf"|(?P<piece>(?:(?:\\[^A-Za-z0-9]|[^\\\[\](){{}}|^$*+?/]){_REPEATED})+)"
)
_PLACEHOLDER = re.compile(rf"\\?\[{UNKNOWN[1:-1]}\\?\]")
_CHAR = re.compile(r"\\?(.)", re.DOTALL)  # also one that is escaped


def restored_rule(rule: ExtractionRule, job: RuleJob) -> str:
    """Return the text of `rule`, written about redacted paths, rewritten for the real ones.

    Text that was not copied from a path and is too short to be a certain stand-in stays. The checks then find rules
    that do not match.
    """
    redactor = redactor_of(job)
    rule = _without_placeholders(rule)
    if not redactor.stand_ins:
        return render_rule(rule)
    shown = [(seen, path) for seen, path in shown_paths(job) if len(seen) == len(path)]
    return render_rule(
        replace(
            rule,
            name=as_name(redactor.reveal(rule.name)),
            glob=replace(rule.glob, text=_GLOB.sub(lambda hit: _original_piece(hit, redactor, shown), rule.glob.text)),
            fields=tuple(_field(field, redactor, shown) for field in rule.fields),
            tag=as_name(redactor.reveal(rule.tag)) if rule.tag else rule.tag,
        )
    )


def _without_placeholders(rule: ExtractionRule) -> ExtractionRule:
    """Return the rule with a wildcard in place of each copied "[hidden]", which replaces an unknown string."""
    fields = (
        replace(one, pattern=_PLACEHOLDER.sub("[^/]+?", one.pattern)) if one.pattern is not None else one
        for one in rule.fields
    )
    return replace(rule, glob=replace(rule.glob, text=rule.glob.text.replace(UNKNOWN, "*")), fields=tuple(fields))


def _field(field: Field, redactor: PathRedactor, shown: Shown) -> Field:
    pattern = field.pattern
    if pattern is not None:
        pattern = _PATTERN.sub(
            lambda hit: hit[0] if hit[0].isdigit() else _original_piece(hit, redactor, shown), pattern
        )
    default = redactor.reveal(field.default) if isinstance(field.default, str) else field.default
    return replace(field, name=as_name(redactor.reveal(field.name)), pattern=pattern, default=default)


def _original_piece(hit: re.Match[str], redactor: PathRedactor, shown: Shown) -> str:
    """Return the original of a piece of plain text: the text that it was copied from, or the revealed stand-ins."""
    text = hit["piece"]
    if text is None:
        return hit[0]
    real = set(_originals(_CHAR.sub(r"\1", text), shown))
    if len(real) != 1:
        return redactor.reveal(text)
    chars = iter(real.pop())
    return _CHAR.sub(lambda char: char[0][:-1] + next(chars), text)


def _originals(piece: str, shown: Shown) -> Iterator[str]:
    """Yield the text of the real paths at each position where `piece` occurs in the shown paths."""
    for seen, path in shown:
        at = seen.find(piece)
        while at >= 0:
            yield path[at : at + len(piece)]
            at = seen.find(piece, at + 1)
