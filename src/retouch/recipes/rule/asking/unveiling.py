"""Takes the veil off a rule that was written about stand-ins.

A short stand-in (`x00`, `01`) may as well be a writer's own text, so that by itself it stays. A piece of a glob or
pattern that was copied from a path as it was shown means what stands in its place in the real path.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.asking.pages import shown_paths
from retouch.recipes.rule.asking.redactor import veil_of
from retouch.recipes.rule.language.names import as_name
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.asking.redactor import PathRedactor
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.language.model import ExtractionRule, Field

Shown: TypeAlias = "Sequence[tuple[str, str]]"  # paths as they were shown, and as they are

_SET = r"\[(?:\\.|[^\]])*\]"
_GLOB = re.compile(rf"{_SET}|(?P<piece>[^\[\]*?{{}},/]+)")
_REPEATED = r"(?![*+?]|\{[0-9])"
_PATTERN = re.compile(
    rf"{_SET}|\{{[0-9,]*\}}|\\[A-Za-z0-9]|\(\?P?<\w+>|\(\?[\w:-]*"
    rf"|(?P<piece>(?:(?:\\[^A-Za-z0-9]|[^\\\[\](){{}}|^$*+?/]){_REPEATED})+)"
)
_CHAR = re.compile(r"\\?(.)", re.DOTALL)  # also one that is escaped


def unveiled(rule: ExtractionRule, job: RuleJob) -> str:
    """Return the text of `rule`, which was written about the paths as `job` shows them, as it is about the real ones.

    What was not copied and is too short to be told from other text stays as it is: the checks find what does not fit.
    """
    veil = veil_of(job)
    if not veil.stand_ins:
        return render_rule(rule)
    shown = [(seen, path) for seen, path in shown_paths(job) if len(seen) == len(path)]
    return render_rule(
        replace(
            rule,
            name=as_name(veil.reveal(rule.name)),
            glob=replace(rule.glob, text=_GLOB.sub(lambda hit: _meant(hit, veil, shown), rule.glob.text)),
            fields=tuple(_field(field, veil, shown) for field in rule.fields),
            tag=as_name(veil.reveal(rule.tag)) if rule.tag else rule.tag,
        )
    )


def _field(field: Field, veil: PathRedactor, shown: Shown) -> Field:
    pattern = field.pattern
    if pattern is not None:
        pattern = _PATTERN.sub(lambda hit: hit[0] if hit[0].isdigit() else _meant(hit, veil, shown), pattern)
    default = veil.reveal(field.default) if isinstance(field.default, str) else field.default
    return replace(field, name=as_name(veil.reveal(field.name)), pattern=pattern, default=default)


def _meant(hit: re.Match[str], veil: PathRedactor, shown: Shown) -> str:
    """Return what a piece of plain text means: what it was copied from, else what no other text can be."""
    text = hit["piece"]
    if text is None:
        return hit[0]
    real = set(_originals(_CHAR.sub(r"\1", text), shown))
    if len(real) != 1:
        return veil.reveal(text)
    chars = iter(real.pop())
    return _CHAR.sub(lambda char: char[0][:-1] + next(chars), text)


def _originals(piece: str, shown: Shown) -> Iterator[str]:
    """Yield what stands in the real paths wherever `piece` stands in the shown ones."""
    for seen, path in shown:
        at = seen.find(piece)
        while at >= 0:
            yield path[at : at + len(piece)]
            at = seen.find(piece, at + 1)
