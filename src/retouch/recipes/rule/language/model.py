"""A rule as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.errors import Problem
    from retouch.recipes.rule.globs.parsing import Glob
    from retouch.recipes.rule.language.extraction import Extraction
    from retouch.recipes.rule.language.values import FieldType, Normalize

Source: TypeAlias = "int | Literal['filename', 'full_path', 'rel_path']"

DEFAULT_PRIORITY = 100


@dataclass(frozen=True, kw_only=True)
class Field:
    """What one field takes from a path.

    `source` is the number of a segment (-1 is the file name, -2 its folder; 0 is the first below the root) or the name
    of a text. `default` counts only when the field is `optional`.
    """

    name: str
    source: Source
    pattern: str | None = None
    type: FieldType = "string"
    format: str | None = None
    normalize: Normalize | None = None
    optional: bool = False
    default: JSON = None


@dataclass(frozen=True, kw_only=True)
class ExtractionRule:
    """Which paths a rule is about, and what it takes from them.

    `repaired` says what was put right in the text before it was read; `warnings` is what was understood but doubted.
    """

    name: str
    glob: Glob
    fields: tuple[Field, ...] = ()
    tag: str | None = None
    priority: int = DEFAULT_PRIORITY
    repaired: tuple[str, ...] = field(default=(), compare=False)
    warnings: tuple[Problem, ...] = field(default=(), compare=False)
    evaluators: dict[str, Callable[[str], Extraction]] = field(
        default_factory=dict[str, "Callable[[str], Extraction]"], compare=False, repr=False
    )  # by root: what `apply_rule` prepared


def precedence(rule: ExtractionRule) -> tuple[int, str]:
    """Return the key by which rules that fit the same path are ordered: the lowest priority first, then by name."""
    return rule.priority, rule.name
