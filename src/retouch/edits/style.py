"""Maps new lines that use tabs in a file with spaces, or the reverse, if FIND has no example of the indentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits.indent import from_tabs, indentation, to_tabs, unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.edits.filelines import FileLines
    from retouch.edits.values import Lines

_BLANKS = "    "
_MIN_INDENTED_LINES = 50  # a file with fewer indented lines has no clear style


class Unmappable(Exception):
    """The new lines cannot be mapped to the file's indentation or characters. The message gives the reason."""


def foreign_indentation(
    lines: FileLines, find: Lines, replace: Lines, shared: Sequence[int | None] | None = None
) -> Callable[[str], str | None] | None:
    """Return the rule that maps the new lines' indentation to the file's. None if they already have its style.

    The rule only applies if the whole reply has one style and no line of the file has it. If the file has some such
    lines, the reply is left as it is.

    Raises:
        Unmappable: the styles differ, and the width of a tab cannot be determined.
    """
    new = replace if shared is None else [line for line, there in zip(replace, shared, strict=True) if there is None]
    tabbed = any(line.startswith("\t") for line in new)
    spaced = any(line.startswith(_BLANKS) for line in new)
    if tabbed == spaced:
        return None
    if (
        tabbed
        and not lines.has_tabs
        and lines.count_of_starts("  ") >= _MIN_INDENTED_LINES
        and not _any_start(find, replace, _BLANKS)
    ):
        return from_tabs(_width(lines, [*find, *replace]), "")
    if (
        spaced
        and not lines.has_blanks
        and lines.count_of_starts("\t") >= _MIN_INDENTED_LINES
        and not _any_start(find, replace, "\t")
    ):
        return to_tabs(4, "")
    return None


def _any_start(find: Lines, replace: Lines, start: str) -> bool:
    return any(line.startswith(start) for line in find) or any(line.startswith(start) for line in replace)


def _width(lines: FileLines, reply_lines: Sequence[str]) -> int:
    """Return the number of columns of one tab of the reply: more than the spaces that follow tabs or are used alone."""
    unit = len(unit_of(lines.bodies))
    remainder = max((len(indentation(line).lstrip("\t")) for line in reply_lines if line.strip()), default=0)
    if unit == 4:
        return 4
    if remainder >= unit and 4 % unit == 0:
        return 4
    raise Unmappable(f"its new lines are indented with tabs, but the file uses {unit} spaces per level")
