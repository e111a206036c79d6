"""New lines that are indented with tabs in a file of blanks, or the other way, where FIND gives no example."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits.indent import from_tabs, indentation, to_tabs, unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.edits.filelines import FileLines
    from retouch.edits.values import Lines

_BLANKS = "    "
_TELLING = 50  # a file with fewer indented lines has no style that a reply could have missed


class Unmappable(Exception):
    """The new lines cannot be put in the file's terms; the text says why."""


def foreign_indentation(
    lines: FileLines, find: Lines, replace: Lines, shared: Sequence[int | None] | None = None
) -> Callable[[str], str | None] | None:
    """The rule that turns the new lines' indentation into the file's; None when they are in its style already.

    Raises `Unmappable` when the two differ and nothing tells how many columns a tab stands for. Only a reply that is
    all of one style, in a file that has no line of it, is turned: a few such lines among others are meant as they are.
    """
    new = replace if shared is None else [line for line, there in zip(replace, shared, strict=True) if there is None]
    tabbed = any(line.startswith("\t") for line in new)
    spaced = any(line.startswith(_BLANKS) for line in new)
    if tabbed == spaced:
        return None
    if (
        tabbed
        and not lines.has_tabs
        and lines.count_of_starts("  ") >= _TELLING
        and not _any_start(find, replace, _BLANKS)
    ):
        return from_tabs(_width(lines, [*find, *replace]), "")
    if (
        spaced
        and not lines.has_blanks
        and lines.count_of_starts("\t") >= _TELLING
        and not _any_start(find, replace, "\t")
    ):
        return to_tabs(4, "")
    return None


def _any_start(find: Lines, replace: Lines, start: str) -> bool:
    return any(line.startswith(start) for line in find) or any(line.startswith(start) for line in replace)


def _width(lines: FileLines, said: Sequence[str]) -> int:
    """How many columns one tab of the reply is: more than the blanks that follow tabs or stand alone."""
    unit = len(unit_of(lines.bodies))
    remainder = max((len(indentation(line).lstrip("\t")) for line in said if line.strip()), default=0)
    if unit == 4:
        return 4
    if remainder >= unit and 4 % unit == 0:
        return 4
    raise Unmappable(f"its new lines are indented with tabs, the file with {unit} blanks a level")
