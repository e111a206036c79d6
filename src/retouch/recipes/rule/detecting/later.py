"""Opens the globs of the head of a sorted list for later paths, whose values may have other forms than the first ones.

Thirty lines in order show few countries, seasons and ends that some paths have; a later line may have others or none.
The patterns of the fields stay as they are, so that such a line is reported instead of left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Column, Slot
from retouch.recipes.rule.detecting.endings import ANY_ENDING
from retouch.recipes.rule.detecting.later_patterns import of_any_letter, read_in_later_lines
from retouch.recipes.rule.detecting.patterns import glob_of, width
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.layout import Layout

PACKING = (".gz", ".bz2", ".xz", ".zst", ".lz4")  # if it is all of an extension, later lines may have another
_VARIES = r"(?:\*|(?:\[0-9\])+\*?)"
_MANY_PARTS = re.compile(rf"({_VARIES}[-_]{_VARIES}[-_])((?:{_VARIES}[-_])*){_VARIES}")
_SEVERAL = re.compile(r"\*(?:[-_]\*)+")
_CODE = re.compile(r"[A-Za-z]\[0-9\]")
_TOLD = re.compile(r"[A-Za-z]\*?\W|\[0-9\].*[-_.]|[-_.].*\[0-9\]")
_MARKS = re.compile("(?<!0)[-_](?!9)")  # not those of a range of digits
_WORD = re.compile("[A-Za-z]{2}")
_SUFFIXED = re.compile(r"\A([A-Za-z]+)[-._]\*\Z")
_KINDS = frozenset({"country", "season"})  # of which few lines show few values, and of which later ones are words


def opened_for_later(layout: Layout) -> Layout:
    """Return a layout whose glob takes any text where the samples only have codes of countries, seasons or digits,
    directories without the suffix that those of the samples have, as in `pages.de`, names of fewer parts if there are
    many, deeper files of names that tell what they are, and files that are not packed if the samples are and have no
    other extension.
    """
    segments = layout.glob.split("/")
    for column in layout.columns:
        index = -1 if column.source == "filename" else column.source
        if isinstance(index, int) and column.pieces and -index <= len(segments):
            opened = glob_of([_opened(one) for one in of_any_letter(column.pieces)])
            segments[index] = opened if segments[index] == glob_of(column.pieces) else segments[index]
    above = {tuple(value or "" for value in one.values) for one in layout.columns if isinstance(one.source, int)}
    layout = replace(layout, columns=tuple(read_in_later_lines(one, above) for one in layout.columns))
    segments[-1] = _MANY_PARTS.sub(_fewer, segments[-1])
    segments[:-1] = [_any_directory(_SUFFIXED.sub(r"\1*", one)) for one in segments[:-1]]
    if _may_be_deeper(layout, segments):
        segments.insert(-1, "**")
    stem, dot, ending = segments[-1].rpartition(".")
    if f".{ending}" not in PACKING or "." in stem or not re.search(r"[*\[]", stem):
        return replace(layout, glob="/".join(segments))
    segments[-1] = f"{stem}{{,{dot}{ending}}}"
    columns = tuple(_with_ending(one, rf"\.{ending}$", rf"(?:\.{ending})?$") for one in layout.columns)
    return replace(layout, glob="/".join(segments), columns=columns)


def of_any_kind(layout: Layout, rows: Sequence[Sequence[str]], every: Sequence[Sequence[str]]) -> Layout:
    """Return a layout whose glob takes files of any extension, if all of its rows are in one of several directories and
    have the same one, their names tell what they are, and no other of the lines is called like them.

    Files of other directories may be of another kind, so that the extension is a field then.
    """
    *above, name = layout.glob.split("/")
    stem, dot, ending = name.rpartition(".")
    alone = len({tuple(row[:-1]) for row in rows}) == 1 and above[-1:] == ["*"]
    if not (alone and ending.isalpha() and _TOLD.search(stem) and "*" in stem):
        return layout
    columns = [_with_ending(one, rf"\.{ending}$", r"\.[^.]+$") for one in layout.columns]
    columns.append(Column(name="ext", source="filename", pattern=ANY_ENDING, values=(ending,) * len(rows)))
    opened = replace(layout, glob="/".join((*above, f"{stem}{dot}*")), columns=tuple(columns))
    fits = glob_test(parse_glob(opened.glob))
    others = ["/".join(row) for row in every if row not in rows]
    return layout if any(fits(one, f"/{one}") for one in others) else opened


def _may_be_deeper(layout: Layout, segments: Sequence[str]) -> bool:
    """Return whether later files may be deeper: their names tell them from others, and no directory is text.

    The number or date that a directory is would be missing there, which is reported.
    """
    stem = segments[-1].rpartition(".")[0]
    told = _WORD.search(re.sub(r"\[[^]]*\]|\{[^}]*\}", "", stem)) is not None and "*" in stem
    typed = all(one.source == "filename" or one.type != "string" for one in layout.columns)
    return len(segments) > 1 and told and typed and "**" not in segments


def _any_directory(glob: str) -> str:
    """Return the glob of any directory where the samples have letters and digits of one width, as `phi0012`, or
    parts without a word.

    The fields' patterns say what is wrong with a directory of another form. A word and a mark, as in `sub-01`, stay:
    they say what the number is of.
    """
    return "*" if (_CODE.search(glob) and "=" not in glob) or _SEVERAL.fullmatch(glob) else glob


def _fewer(parts: re.Match[str]) -> str:
    """Return the glob of file names of three parts or more that may have fewer, or other marks if these differ.

    Three parts of more, or a word, are enough to tell them from files beside the data.
    """
    if parts[2] and len({*_MARKS.findall(parts[0])}) == 1:
        return f"{parts[1]}*"
    around = parts.string[: parts.start()] + parts.string[parts.end() :].rpartition(".")[0]
    return "*" if _WORD.search(around) else parts[0]


def _with_ending(column: Column, ending: str, other: str) -> Column:
    """Return a column of file names with another pattern of the extension."""
    if column.source != "filename" or not (column.pattern or "").endswith(ending):
        return column
    return replace(column, pattern=f"{(column.pattern or '').removesuffix(ending)}{other}")


def _opened(piece: Piece) -> Piece:
    if not isinstance(piece, Slot):
        return piece
    counts = piece.kind == "" and not piece.glob and all(map(str.isdigit, piece.values)) and not width(piece.values)
    narrow = piece.kind in _KINDS or (piece.optional and piece.kind != "ending") or counts
    return replace(piece, glob="*") if narrow else piece
