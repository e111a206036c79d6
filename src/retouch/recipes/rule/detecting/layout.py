"""Finds the layout of sample paths: globs and columns, aligned at their ends or at a directory that they share."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from retouch.recipes.rule.detecting.columns import IMAGINED, Column, Fixed, Slot
from retouch.recipes.rule.detecting.cost import (
    LEFT_OUT,
    column_cost,
    ignored_cost,
    repeated_words,
    shared_tokens,
    spelled_out,
)
from retouch.recipes.rule.detecting.cut import cut
from retouch.recipes.rule.detecting.dependent import joined_if_dependent
from retouch.recipes.rule.detecting.endings import without_ending
from retouch.recipes.rule.detecting.internet_names import parts_of_name
from retouch.recipes.rule.detecting.known import without_unused_ending
from retouch.recipes.rule.detecting.months import are_months, month_of
from retouch.recipes.rule.detecting.naming import name_of, with_unique_names
from retouch.recipes.rule.detecting.padded import (
    are_bounds,
    are_codes,
    counted_beside,
    with_codes,
    with_counters,
    with_days,
    with_shards,
)
from retouch.recipes.rule.detecting.patterns import anchored, glob_of, pattern_of, quoted, type_of, type_of_stamps
from retouch.recipes.rule.detecting.repeats import can_repeat, cut_at_repeats, is_repeated, repeats_directory
from retouch.recipes.rule.detecting.stamps import WRITTEN, parts_of_stamp
from retouch.recipes.rule.detecting.typed import kinds_in
from retouch.recipes.rule.globs.parsing import escaped
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.language.model import Source
    from retouch.recipes.rule.language.values import FieldType, Normalize

NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"

CERTAIN = 8  # this many samples hardly share a directory by chance
MOSTLY = 0.8  # of the paths; if so many have as many directories, those of others are no part of the layout
UNDATED = 120.0  # bits
FEW_UNDATED = 0.1
MANY = 20  # names that all have a digit show that few others have none

_KEY_VALUE = re.compile(r"([A-Za-z]+)-([^-_]+)")
_LABELS = frozenset({"sub", "ses", "subject", "session"})  # of BIDS: labels, also when they are digits
_NEEDED = frozenset({"sub", "task"})  # https://bids-specification.readthedocs.io/en/stable/appendices/entity-table.html
_LETTERS = re.compile(r"[A-Za-z]{3}")
_TELLING = frozenset({"known", "uuid", "date", "stamp", "epoch", "hash", "week", "month", "version"})
_GLUED_HOST = re.compile("(?:[A-Z]{2,}|app|batch|db|host|master|node|server|srv|vm|web|worker)0[1-9]")
_WORDS = re.compile("[a-z]+(?:[-_ ][a-z]+)*|[A-Z]+(?:[-_ ][A-Z]+)*")
_NUMBERED_WORDS = re.compile("[a-z][a-z0-9]*(?:[-_ ][a-z][a-z0-9]*)*")  # as `x11-themes` beside `dev-python`

_MARK = re.compile("[-_ ]")
_DIGIT = re.compile("[0-9]")
_WORD_BEFORE = re.compile("[A-Za-z]+[-.]")
_WORD_AFTER = re.compile("[-.][A-Za-z]+")
_HOST = re.compile("[a-z]{2,}(?:-[a-z]{2,})*-[0-9]{1,4}|ip(?:-[0-9]{1,3}){4}")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A glob and the columns of the paths that it matches."""

    glob: str
    columns: tuple[Column, ...]
    bits: float = 0.0  # per path, what the layout leaves open; see `cost`


@dataclass(frozen=True, kw_only=True)
class _Part:
    """The glob and columns of one depth."""

    glob: str
    columns: tuple[Column, ...]
    fixed: str = ""
    ignored: tuple[tuple[str, ...], ...] = ()  # the texts of places that no column takes


def by_their_ends(rows: Sequence[Sequence[str]], *, absolute: bool, finely: bool) -> Layout:
    """Return the layout of paths whose parts correspond if they are counted from the file name."""
    depth = min(len(row) for row in rows)
    parts: list[_Part] = []
    earlier: list[tuple[str, ...]] = []
    for index in range(-depth, 0):
        values = tuple(row[index] for row in rows)
        parent = parts[-1].fixed or _only_real([row[index - 1] for row in rows]) if parts else ""
        if index == -1:
            parts.append(_file_name_part(values, parent, finely, earlier))
        else:
            one = _directory_part(values, index, parent, finely, earlier)
            parts.append(_whole_if_repeated(one, values, rows, index, parent))
            earlier += [values] if can_repeat(values) else []
    columns = with_codes([column for part in parts for column in part.columns], {part.fixed for part in parts})
    columns = with_days(with_counters(with_shards(columns, rows)))
    return Layout(
        glob=_whole_glob(parts, rows, absolute=absolute),
        columns=_distinct([*columns, *_above(rows, parts)]),
        bits=_bits(
            [one for one in columns if not repeats_directory(one, earlier, columns)],
            rows,
            [row[:-depth] for row in rows],
            [one for part in parts for one in part.ignored],
        ),
    )


def _only_real(values: Sequence[str]) -> str:
    """Return the one value that all real paths have where an imagined one has another, or ""."""
    real = {value for value in values if value != IMAGINED}
    return real.pop() if IMAGINED in values and len(real) == 1 else ""


def _above(rows: Sequence[Sequence[str]], parts: Sequence[_Part]) -> Iterator[Column]:
    """Yield the column of the directories at the top, if there are more of them in some paths, down to a fixed one.

    What all of them begin with is left out. It is one value with the plain directories below.
    """
    depth = len(parts)
    if len({len(row) for row in rows}) == 1:
        return
    names = [row[-1] for row in rows]
    repeated = [is_repeated(tuple(row[number - depth] for row in rows), names) for number in range(depth - 1)]
    ends = (number for number, part in enumerate(parts[:-1]) if repeated[number] or not _is_plain(part))
    plain = next(ends, depth - 1)
    below = depth - plain
    texts = [row[:-below] for row in rows]
    shared = next((at for at, level in enumerate(zip(*texts, strict=False)) if len({*level}) > 1), 0)
    values = tuple("/".join(text[shared:]) for text in texts)
    if len({*values}) == 1 or (shared and not all(values)):
        return
    start = "".join(f"{quoted(one)}/" for one in texts[0][:shared])
    group = "(.+)/" if all(values) else "(?:(.+)/)?"
    yield Column(
        name="folder",
        source="rel_path",
        pattern=f"^{start}{group}{'/'.join(['[^/]+'] * below)}$",
        values=tuple(value or None for value in values),
        optional=not all(values),
    )


def _is_plain(part: _Part) -> bool:
    """Return whether a directory is one value as a whole, whose form does not say what it is."""
    whole = len(part.columns) == 1 and part.columns[0].pattern is None and part.columns[0].type == "string"
    return whole and all(isinstance(one, Slot) and not one.kind for one in part.columns[0].pieces)


def _bits(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    free: Sequence[Sequence[str]],
    ignored: Sequence[Sequence[str]] = (),
) -> float:
    """Return what the columns leave open per path, with the segments that no column or literal text describes."""
    stamps = {column.values for column in columns if column.name.startswith("timestamp")}
    own = [one for one in columns if not (one.rest or _is_part(one, stamps) or _is_packing(one))]
    values = {part for column in own for part in parts_of_name(column)}
    endings = {tuple(value or "" for value in column.values) for column in own if column.name == "ext"}
    bits = sum(map(column_cost, values)) + sum(map(ignored_cost, ignored)) - sum(map(repeated_words, endings))
    bits += UNDATED * sum(map(_undated, own))
    if any(free):
        texts = ["/".join(segments) for segments in free]
        known = shared_tokens(texts) if len(rows) * MOSTLY > max(Counter(map(len, free)).values()) else frozenset[str]()
        bits += min(column_cost(texts), sum(spelled_out(text, known) - LEFT_OUT for text in texts))
    return bits / len(rows)


def _undated(column: Column) -> int:
    """Return how many paths lack a day or time that nearly all have: files that still grow beside dated ones."""
    lacking = column.values.count(None)
    return lacking if column.type in {"date", "timestamp"} and lacking <= FEW_UNDATED * len(column.values) else 0


def _is_packing(column: Column) -> bool:
    """Return whether a column says which files are packed, which does not say more about the paths."""
    return column.slot is not None and column.slot.kind == "ending" and column.slot.optional


def _is_part(column: Column, stamps: Collection[tuple[str | None, ...]]) -> bool:
    """Return whether a column is the day or the time of a timestamp, which costs nothing more."""
    return column.values not in stamps and any(
        all(one and value and value in one for one, value in zip(stamp, column.values, strict=True)) for stamp in stamps
    )


def _whole_glob(parts: Sequence[_Part], rows: Sequence[Sequence[str]], *, absolute: bool) -> str:
    """Return the glob. Constant directories at the top are left open if another part is specific enough."""
    globs = [part.glob for part in parts]
    if len({len(row) for row in rows}) > 1:
        return "/".join(("**", *globs))
    leading = next((number for number, part in enumerate(parts) if not part.fixed), len(parts) - 1)
    leading = min(leading, len(parts) - 1)
    if len(rows) >= CERTAIN:
        leading = max(leading - 1, 0)  # the common directory separates them from similar paths
    if leading and any(_LETTERS.search(glob) for glob in globs[leading:]):
        return "/".join(("**", *globs[leading:]))
    return ("/" if absolute else "") + "/".join(globs)


def _directory_part(
    values: tuple[str, ...], index: int, parent: str, finely: bool, earlier: Sequence[tuple[str, ...]]
) -> _Part:
    whole: list[Piece] = [Slot(values=values)]
    pieces = whole
    if not _are_words(values) and not _are_hosts(values):
        pieces = joined_if_dependent(_cut(values, earlier, finely), but=earlier)
    if _is_one_name(pieces, parent):
        return _described([Slot(values=values, glob=glob_of(pieces))], index, parent)
    slots = [piece for piece in pieces if isinstance(piece, Slot)]
    last = pieces[-1]
    text = len(slots) == 1 and not slots[0].kind and type_of(slots[0].values)[0] == "string"
    if text and isinstance(last, Fixed) and not last.text.startswith("."):
        tail = pieces[-2:]  # a word at the end of directory names belongs to the value
        longer = Slot(values=tuple(value + last.text for value in slots[0].values), glob=glob_of(tail))
        return _described([*pieces[:-2], longer], index, parent)
    return _described(pieces, index, parent)


def _whole_if_repeated(
    part: _Part, values: tuple[str, ...], rows: Sequence[Sequence[str]], index: int, parent: str
) -> _Part:
    """Return a directory of several words, or of which some have an end that others lack, as one value, if file names
    repeat it whole.
    """
    words = len(part.columns) > 1 and all(map(_is_text, part.columns))
    several = words or any(one.optional for one in part.columns)
    if not several or not is_repeated(values, [row[-1] for row in rows]):
        return part
    return _described([Slot(values=values)], index, parent)


def _is_text(column: Column) -> bool:
    return column.slot is not None and not column.slot.kind and column.type == "string"


def _are_words(values: Sequence[str]) -> bool:
    """Return whether directories are names of words, such as `oslo_airport`, that share no first or last word.

    Names with capitals, such as `Night_Bus`, may be two values, unless some have more words than others.
    """
    rows = [_MARK.split(value) for value in values]
    vary = all(len({row[at] for row in rows}) > 1 for at in (0, -1))
    uneven = len({*map(len, rows)}) > 1 and all(map(str.isalpha, "".join(part for row in rows for part in row)))
    plain = [value for value in values if _WORDS.fullmatch(value)]
    words = len(plain) >= MOSTLY * len(values) and all(map(_NUMBERED_WORDS.fullmatch, {*values} - {*plain}))
    return vary and (uneven or words)


def _is_one_name(pieces: Sequence[Piece], parent: str) -> bool:
    """Return whether a directory is text with a word that belongs to it before or after, as in `acme-backups` and
    `acme-web`; one that the directory above has too says what it is.
    """
    slots = [one for one in pieces if isinstance(one, Slot)]
    around = [one.text for one in pieces if isinstance(one, Fixed)]
    if len(slots) != 1 or not around or slots[0].kind or slots[0].optional:
        return False
    first = not isinstance(pieces[0], Fixed) or _WORD_BEFORE.fullmatch(pieces[0].text) is not None
    first = first and not (isinstance(pieces[0], Fixed) and pieces[0].text[:-1].lower() in parent.lower())
    last = not isinstance(pieces[-1], Fixed) or _WORD_AFTER.fullmatch(pieces[-1].text) is not None
    return first and last and not any(map(_DIGIT.search, slots[0].values))


def _are_hosts(values: Sequence[str]) -> bool:
    """Return whether directories are numbered names such as db-prod-01 and web-02, of which a word varies: one value
    each. Regions of clouds have the same form.
    """
    if all("region" in kinds_in(value) for value in values):
        return False
    words = [value.rpartition("-")[0] for value in values]
    return all(map(_GLUED_HOST.fullmatch, values)) or (len({*words}) > 1 and all(map(_HOST.fullmatch, values)))


def _file_name_part(
    values: tuple[str, ...], parent: str, finely: bool, earlier: Sequence[tuple[str, ...]] = ()
) -> _Part:
    bodies, tail, endings = without_ending(values)
    keyed = _key_values(bodies, tail, endings)
    pieces = joined_if_dependent(_cut(bodies, earlier, finely), but=earlier)
    pieces = without_unused_ending(pieces) if tail else pieces
    return keyed or _described(_with_digits([*pieces, *tail]), "filename", parent)


def _with_digits(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a name whose glob would match any name, so that it only matches names with a digit, if all
    samples have one: files beside the data, such as `notes.txt`, seldom do.
    """
    at = next((at for at, one in enumerate(pieces) if isinstance(one, Slot)), None)
    if at is None or not isinstance(slot := pieces[at], Slot) or any(map(str.isalnum, glob_of(pieces))):
        return pieces
    sure = len(slot.values) >= MANY and glob_of([slot]) == "*" and all(map(_DIGIT.search, slot.values))
    return [*pieces[:at], replace(slot, glob="*[0-9]*"), *pieces[at + 1 :]] if sure else pieces


def _cut(values: tuple[str, ...], earlier: Sequence[tuple[str, ...]], finely: bool) -> list[Piece]:
    return cut_at_repeats(values, earlier, partial(cut, finely=finely)) if finely else cut(values, finely=finely)


def _described(pieces: list[Piece], source: Source, parent: str) -> _Part:
    columns = tuple(_columns(pieces, source, parent))
    fixed = "".join(piece.text for piece in pieces if isinstance(piece, Fixed)) if not columns else ""
    taken = {one.pieces[one.at] for one in columns if one.pieces}
    ignored = tuple(one.values for one in pieces if isinstance(one, Slot) and one not in taken)
    return _Part(glob=glob_of(pieces), columns=columns, fixed=fixed, ignored=ignored)


def _columns(pieces: list[Piece], source: Source, parent: str) -> list[Column]:
    columns: list[Column] = []
    for at, piece in enumerate(pieces):
        if not isinstance(piece, Slot) or not (all(piece.values) or piece.optional):
            continue
        if piece.part is not None and not any(piece.values):
            continue
        there = tuple(value for value in piece.values if value and value != NULL_PARTITION) or ("",)
        kind, form, question = _type_of_slot(pieces, at, there)
        name = name_of(pieces, at, there, kind, parent)
        pattern = pattern_of(pieces, piece)
        kind = "string" if name in _LABELS else kind
        columns.append(
            Column(
                name=name,
                source=source,
                pattern=anchored(pattern, source) if source == "full_path" or len(pieces) > 1 else None,
                values=tuple(value or None for value in piece.values),
                type=kind,
                format=form,
                optional=piece.optional,
                question=question,
                pieces=tuple(pieces),
                at=at,
                nulls=(NULL_PARTITION,) if NULL_PARTITION in piece.values else (),
                normalize=_normalizer(piece, kind),
            )
        )
        columns += [*month_of(pieces, at, source), *parts_of_stamp(columns[-1], there)]
    return columns


def _type_of_slot(pieces: Sequence[Piece], at: int, values: Sequence[str]) -> tuple[FieldType, str | None, str]:
    """Return the type of the values at `pieces[at]`, its format, and a question, by their form and what is around."""
    kind, form, question = type_of(values)
    if not isinstance(piece := pieces[at], Slot):
        return kind, form, question
    if piece.part is not None:
        return piece.part.type, piece.part.format, ""
    if piece.kind == "month" or (piece.kind == "bound" and kind == "integer"):
        return "string", None, ""
    if piece.kind == "stamp" or (kind == "string" and piece.kind in {"", "key"} and not question):
        kind, form = type_of_stamps([unquote(value) if piece.kind == "key" else value for value in values])
    if piece.kind == "parameter" and kind == "string":
        kind = "float"
    if kind == "integer" and (are_codes(pieces, at, values) or are_bounds(pieces, at) or are_months(piece)):
        kind = "string"
    return kind, form, question


_ESCAPED = re.compile("%[0-9A-Fa-f]{2}")


def _normalizer(piece: Slot, kind: FieldType) -> Normalize | None:
    """Return how the values of key=value directories are decoded: Hive escapes special characters as %2F."""
    escaped_somewhere = piece.kind == "key" and any(_ESCAPED.search(value) for value in piece.values)
    return "percent_decode" if escaped_somewhere and kind in {"string", "timestamp"} else None


def _distinct(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns without those that repeat an earlier one, for example a directory name repeated in the file
    name.
    """
    done: dict[tuple[str | None, ...], Column] = {}
    digits = [one for one in columns if one.name in WRITTEN]
    for column in (one for one in columns if one not in digits):
        first = done.setdefault(column.values, column)
        if column.slot is not None and column.slot.part:
            done[column.values] = replace(first, name=column.slot.part.name)
    there = [each for one in done.values() for each in (one, *[two for two in digits if two.values == one.values][:1])]
    there = [each for one in there for each in (one, *(counted_beside(one) if one.name not in _LABELS else ()))]
    return with_unique_names(there)


_PLAIN = re.compile("[0-9A-Za-z]+")


def _after_keys(last: tuple[str, ...], endings: tuple[str, ...]) -> Iterator[Column]:
    """Yield the columns of the last word and the extension of names with keys, if they differ."""
    if last and all(map(_PLAIN.fullmatch, last)):
        pattern = r"_([0-9A-Za-z]+)(?:\.[^_]*)?$"
        yield Column(name="suffix", source="filename", pattern=pattern, values=last)
    if len({*endings}) > 1 and all(endings):
        yield Column(name="ext", source="filename", pattern=r"^[^.]*\.([^_]+)$", values=endings)


def _key_values(bodies: tuple[str, ...], tail: Sequence[Piece], endings: tuple[str, ...]) -> _Part | None:
    """Return the part of file names such as sub-01_task-rest_run-2_bold, whose keys may be missing."""
    rows = [body.split("_") for body in bodies]
    pairs = [[_KEY_VALUE.fullmatch(word) for word in row] for row in rows]
    if any(sum(one is not None for one in row) < max(2, len(row) / 2) or row[0] is None for row in pairs):
        return None
    found = [{one[1]: one[2] for one in row if one is not None} for row in pairs]
    if len({next(iter(one)) for one in found}) > 1:
        return None
    keys = list(dict.fromkeys(key for one in found for key in one))
    needed = {*keys} & _NEEDED if keys[0] == "sub" else {*keys}
    columns: list[Column] = []
    for key in keys:
        values = tuple(one.get(key) for one in found)
        there = [value for value in values if value is not None]
        kind, form, question = type_of(there)
        kind = "string" if key in _LABELS else kind
        columns.append(
            Column(
                name=key.lower(),
                source="filename",
                pattern=f"(?:^|_){quoted(key)}-([^_.]+)",
                values=values,
                type=kind,
                format=form,
                optional=len(there) < len(values) or key not in needed,
                question=question,
            )
        )
    last = tuple(row[-1] for row in rows)
    bare = all(row[-1] is None for row in pairs)
    suffix = "" if not bare else f"_{escaped(last[0])}" if len({*last}) == 1 else "_*"
    columns += _after_keys(last if suffix == "_*" else (), endings)
    always = [key for key in keys if key in needed and all(key in one for one in found)]
    glob = "_".join(f"{escaped(key)}-*" for key in always) + suffix + glob_of(tail or [Fixed(text="")])
    return _Part(glob=glob, columns=tuple(columns))


def by_a_directory(rows: Sequence[Sequence[str]]) -> Layout | None:
    """Return the layout of paths of different depths that share a directory with values, or None if there is none.

    Some value is of a form that says what it is. All else in the paths is not described.
    """
    if len({len(row) for row in rows}) == 1:
        return None
    best: Layout | None = None
    for index in range(min(len(row) for row in rows) - 1):
        pieces = cut(tuple(row[index] for row in rows))
        part = _described(pieces, "full_path", "")
        typed = any(isinstance(one, Slot) and one.kind in _TELLING for one in pieces)
        if typed and len(part.columns) >= 2 and (best is None or len(part.columns) > len(best.columns)):
            free = [[*row[:index], *row[index + 1 :]] for row in rows]
            best = Layout(
                glob=f"**/{part.glob}/**", columns=_distinct(part.columns), bits=_bits(part.columns, rows, free)
            )
    return best


def below_a_directory(rows: Sequence[Sequence[str]]) -> Layout | None:
    """Return the layout of paths whose files are at any depth below a directory of one name, or None."""
    if len({len(row) for row in rows}) == 1:
        return None
    common = set[str].intersection(*(set(row[:-1]) for row in rows))
    anchor = max((one for one in common if _LETTERS.search(one)), key=lambda one: (rows[0].index(one), one), default="")
    if not anchor:
        return None
    before = tuple("/".join(row[: row.index(anchor)]) for row in rows)
    file = _file_name_part(tuple(row[-1] for row in rows), anchor, finely=True)
    columns = list(file.columns)
    if all(before) and len(set(before)) > 1:
        columns.insert(0, Column(name="", source="rel_path", pattern=f"^(.+?)/{quoted(anchor)}/", values=before))
    between = tuple("/".join(row[row.index(anchor) + 1 : -1]) for row in rows)
    direct = not any(between)
    if len(set(between)) > 1:
        columns.append(_between(anchor, between))
    if all(between) and any("/" in one for one in between):
        parents = _directory_part(tuple(row[-2] for row in rows), -2, "", False, ())
        columns += parents.columns
    glob = f"**/{escaped(anchor)}/{'' if direct else '**/'}{file.glob}"
    return Layout(glob=glob, columns=_distinct(columns), bits=_bits(columns, rows, [[] for _ in rows]))


def _between(anchor: str, between: tuple[str, ...]) -> Column:
    """Return the column of the directories between a shared directory and the files, which can be directly in it."""
    some = all(between)
    return Column(
        name=f"{as_name(anchor)}_folder",
        source="rel_path",
        pattern=f"(?:^|/){quoted(anchor)}/{'(.+)/' if some else '(?:(.+)/)?'}[^/]+$",
        values=tuple(value or None for value in between),
        optional=not some,
    )
