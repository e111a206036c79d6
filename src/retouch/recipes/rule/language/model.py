"""The rule as a value."""

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
    """One field of a rule.

    `source` is the number of a segment (-1 is the file name, -2 its directory, 0 the first below the root) or the name
    of a text. `default` is used only if the field is `optional`.
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
    """The paths that a rule matches, and the fields that it extracts from them.

    `repaired` names the automatic fixes of its text. `warnings` are problems that do not make it invalid.
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
    )  # the functions that `apply_rule` prepared, by root


def precedence(rule: ExtractionRule) -> tuple[int, str]:
    """Return the sort key of rules that match the same path: the lowest priority first, then by name."""
    return rule.priority, rule.name
