"""Widens what the first lines of a sorted list have in common.

Such lines share their first directories although later lines do not. So one more path is imagined: the first line, with
other letters and digits in each code, and other words, that nearly all lines share. The detector then finds a column
where they are. Directories of usual names and well-known names stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from retouch.recipes.rule.detecting.assumptions import is_head
from retouch.recipes.rule.detecting.columns import IMAGINED
from retouch.recipes.rule.detecting.endings import MANY, OTHER_IMAGE, PACKED_ENDING
from retouch.recipes.rule.detecting.groups import NEARLY_ALL, SMALLEST, form_of, separators_of
from retouch.recipes.rule.detecting.known import known_name_of
from retouch.recipes.rule.detecting.later import PACKING
from retouch.recipes.rule.detecting.later_names import (
    LEAST,
    LETTERS,
    alone,
    are_free_text,
    later_name,
    shifted,
    with_fewer_words,
    with_other_keys,
)
from retouch.recipes.rule.detecting.typed import kinds_in, typed_spans

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_TOKEN = re.compile(r"[0-9A-Za-z]+")
_WORD = re.compile(r"[^\W_]+")
_LABELLED = re.compile("[a-z]+[-_][A-Z]+")
_NUMBER_FIRST = re.compile("[0-9]+(?:[^0-9A-Za-z]+[A-Za-z]| ?[-_.] )")
_YEAR_LAST = re.compile(r".+[(\[](?:19|20)[0-9]{2}[)\]]", re.DOTALL)
_DIGITS = re.compile("[0-9]+")
_NUMBERED = re.compile("(?:[A-Za-z]+[-_ ]?)?[0-9]+")
_HOST = re.compile(
    "(?:[a-z0-9]+-)?(?:ap|app|batch|db|dc|dns|fw|gw|host|ip|mail|master|mx|nas|node|ns|proxy|server|srv|sw|vm|vpn|web"
    "|worker)[-_0-9]|[a-z]+-[a-z]+-[0-9]{2}$"  # or where it is, what it does, and its number
)
_COUNTED = re.compile(rf"(?!{_HOST.pattern})(?:[A-Za-z]+0|[A-Z]?[a-z]+[-_ ])[0-9]+|[1-9][0-9]{{2}}[0-9A-Z_]{{5}}")
_PROCESSOR = re.compile("(?<![0-9A-Za-z])(?:x86_64|x86|x64|arm64|aarch64|amd64|armv[678][a-z]*|i[36]86)(?![0-9A-Za-z])")
_HASHED = re.compile(
    "([A-Za-z][0-9A-Za-z]*(?:[-_][0-9A-Za-z]+)*)([-_.](?:[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}))"
)
_PICTURE = re.compile("(?:IMG|PXL|DSCF?)[-_]?[0-9]")
_ACCESSION = re.compile(r"(?<![0-9A-Za-z])[A-Z]{3,}(?=[0-9]{3})")
_PADDED = re.compile(r"(?<![0-9])0[0-9]+")
_NAME = re.compile(
    r"(?<![0-9A-Za-z])(?!(?<=\.)(?:csv|err|json|log|out|sql|tar|txt|xml)[-._])[A-Za-z]*[a-z][A-Za-z]*"
    r"(?![0-9A-Za-z]|[-_ .]?(?!(?:19|20)[0-9]{2})(?:[0-9]{1,6}|0[0-9]{6})(?![0-9]|[0-9a-f]{6}))"
)  # a word, but not an extension, and not one that says what the number after it counts
_NUMBERED_ENDING = re.compile(r"(.+)\.[a-z]{2,5}(?:\.[0-9]{1,3})+", re.DOTALL)  # as of `app.log.1`
_OF_TIME = re.compile("[0-5][0-9]")
_LETTER = re.compile("[A-Za-z]")
_A_WORD = re.compile("[A-Za-z]{3}")
_PARTS = 2  # of a file name that are directories, so that dashes separate them
_DEPTH_OF_FILES = 2  # of paths whose files are directly in the listed directory
MOST_ENDINGS = 6
_TILE_PARTS = 3
_USUAL: Final = frozenset(
    """
    archive archives assets backup backups bin bucket cache config conf content current data dataset datasets db
    dist doc docs downloads dumps etc export exports file files final home images import imports in input inputs lib
    local log logs media meta metadata mnt objects opt out output outputs packages releases reports repository
    root share snapshot snapshots src srv static storage store tables temp tests tmp upload uploads users usr var
    volumes warehouse
    """.split()  # noqa: SIM905
)
"""Names of directories that say what kind of files are in them, not those of which there are several, as `prod`."""


def looks_like_head(rows: Sequence[Sequence[str]], *, beside: int = 0) -> bool:
    """Return whether rows, or those of the most frequent depth, look like the first lines of a sorted list.

    Only a few rows do not, unless they go on after others, or there are lines that are no data `beside` them.
    """
    count, rows = len(rows) + beside, going_on(rows)
    usual = _of_usual_directories(_of_usual_depth(rows))
    enough = len(usual) >= LEAST or (count >= LEAST > len(rows))
    return enough and is_head(["/".join(row) for row in usual])


def going_on(rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Return the rows of the last directory at the top, or where the first differ, if those before it are in order and
    of other forms.

    They are of other kinds then, as documents are, and the list only goes on in the last directory. If this has few of
    the rows, it is rather the other kind, and if it has nearly all, the others say nothing about the top.
    """
    least = min(map(len, rows))
    top = next((at for at in range(least - 1) if len({row[at] for row in rows}) > 1), 0)
    last = [row for row in rows if len(row) > 1 and row[top] == rows[-1][top]]
    before = [row for row in rows if row not in last]
    in_order = [*rows] == sorted(rows, key="/".join) and rows[-1] in last
    others = not {*map(form_of, before)} & {*map(form_of, last)}
    enough = len(last) >= min(SMALLEST * len(rows), LEAST)
    return last if in_order and others and enough and len(last) < NEARLY_ALL * len(rows) else rows


def is_of_own_form(group: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether all other rows have another depth or extension than those of a group, and other names, so that
    they say nothing about the names that later ones of its kind have.
    """
    forms, marks = {*map(form_of, group)}, {*map(_marks_of, group)}
    others = [row for row in rows if [*row] not in group]
    return not any(form_of(row) in forms or _marks_of(row) in marks for row in others)


def _marks_of(row: Sequence[str]) -> str:
    packed = PACKED_ENDING.fullmatch(row[-1])
    return _WORD.sub("", packed[1] if packed is not None else row[-1].rpartition(".")[0])


def _of_usual_depth(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    depth = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    return [row for row in rows if len(row) == depth]


def _of_usual_directories(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the rows without the few that have another directory where nearly all have the same."""
    done = [*rows]
    for at in range(len(rows[0]) - 1 if rows else 0):
        usual, count = Counter(row[at] for row in done).most_common(1)[0]
        done = [row for row in done if row[at] == usual] if count >= NEARLY_ALL * len(done) else done
    return done


def imagined(rows: Sequence[Sequence[str]], *, absolute: bool, names: bool, last: bool = True) -> list[list[str]]:
    """Return a path that the rest of a sorted list may have after these rows, or none if it has nothing to change.

    With `names`, words of file names are others too. If the rows are the `last` ones of the lines in order, at least
    the words that their file names begin with are, because lines in order of one directory share these.
    """
    end, count = rows[-1], len(rows)
    rows = going_on(rows)
    several = len(rows) < count  # directories at the top, of which each has its kind
    rows = _of_usual_directories(_of_usual_depth(rows))
    ordered = [*rows] if last and end in rows else []
    depth = len(rows[0])
    forms = Counter(separators_of(row[-1]) for row in rows)
    usual = forms.most_common(1)[0][0]
    marks = Counter(_TOKEN.sub("", _stem(row)) for row in rows)
    names = names and max(marks.values()) >= NEARLY_ALL * len(rows)
    rows.sort(key=lambda row: separators_of(row[-1]) != usual)  # the first is imagined anew
    alike = [row for row in rows if separators_of(row[-1]) == usual] if forms[usual] >= NEARLY_ALL * len(rows) else rows
    same = [at < depth - 1 and len({row[at] for row in rows}) == 1 for at in range(depth)]
    others = _others(rows[0], [one and not (several and at == 0) for at, one in enumerate(same)], absolute=absolute)
    changed = _later_path(rows, alike, same, others, names=names, ordered=() if names else ordered)
    if changed == list(rows[0]):
        return []
    endings = {row[-1][len(_body(row[-1], last=True)) :] for row in alike}
    if (other := _other_ending(alike, endings)) is not None:
        changed[-1] = f"{_body(changed[-1], last=True)}.{other}"
    return [changed]


def _later_path(
    rows: Sequence[Sequence[str]],
    alike: Sequence[Sequence[str]],
    same: Sequence[bool],
    others: set[str],
    *,
    names: bool,
    ordered: Sequence[Sequence[str]],
) -> list[str]:
    """Return the first row with other directories, and the file name with other codes and words."""
    first, depth, shared = rows[0], len(rows[0]), _shared(rows)
    wide = [at < depth - 1 and not same[at] and _is_word(rows, at) for at in range(depth)]
    again = [at for at in range(depth - 1) if all(row[at] in row[-1] for row in alike)]
    repeated = {first[at] for at in again if wide[at]}
    kept = [at for at in again if not (same[at] or wide[at]) and _A_WORD.search(first[at])]  # as they are
    *above, name = with_other_keys(first, [row[-1] for row in alike])
    name = _without(name, others | repeated)
    for at in kept:
        name = re.sub(alone(first[at]), _placeholder(at), name)
    changed = [
        IMAGINED
        if wide[at] or (first[at] in others and same[at])
        else _changed(text, shared, last=at == depth - 1, names=names)
        for at, text in enumerate([*(_without(part, others) for part in above), name])
    ]
    if known_name_of(tuple(_body(row[-1], last=True) for row in alike)):
        return [*changed[:-1], first[-1]]  # its form is enough
    parts = sum(re.search(alone(one), first[-1]) is not None for one in others | repeated)
    later = later_name([*first[:-1], changed[-1]], [row[-1] for row in alike], ordered, whole=parts < _PARTS)
    for at in kept:
        later = later.replace(_placeholder(at), changed[at])
    return [*changed[:-1], later]


def _placeholder(at: int) -> str:
    return f"{IMAGINED}{LETTERS[at % len(LETTERS)]}"


def _others(row: Sequence[str], same: Sequence[bool], *, absolute: bool) -> set[str]:
    """Return the directories of a row that later lines may have another one for, of those that are the same in all."""
    found = [(at, part) for at, part in enumerate(row) if same[at] and not _is_table(row, at)]
    above = next((at for at, part in enumerate(row[:-1]) if part.startswith(".")), 0)  # of a tool, as `.zfs`
    return {
        part
        for at, part in found
        if (at < above and _LETTER.search(part)) or _may_differ(part, top=at == 0 and not absolute, depth=len(row))
    }


def _shared(rows: Sequence[Sequence[str]]) -> set[str]:
    """Return the words, numbers and letters of codes that nearly all rows have in a segment."""
    depth = len(rows[0])
    shared: set[str] = set()
    for at in range(depth):
        bodies = [_body(row[at], last=at == depth - 1) for row in rows]
        shared |= _of_nearly_all(_TOKEN, bodies) | _of_nearly_all(_ACCESSION, bodies)
    return shared


def _other_ending(rows: Sequence[Sequence[str]], endings: set[str]) -> str | None:
    """Return the extension that files of later lines may have: any, if these have several or are only packed or are
    pictures of a camera, beside which are films, or tiles of one layer of a map, as `base/9/265/180.png`, and another
    format of images if the names are free text.
    """
    packed = len(endings) == 1 and min(endings) in PACKING and all(row[-1].count(".") == 1 for row in rows)
    films = min(endings).lower() in {".jpg", ".heic"} and all(_PICTURE.match(row[-1]) for row in rows)
    tiles = len(endings) == 1 and len(rows[0]) > _TILE_PARTS and all(map(_is_tile, rows))
    if packed or films or tiles or 1 < len(endings) <= MOST_ENDINGS:
        return IMAGINED
    text = len(rows) >= MANY and are_free_text([row[-1] for row in rows])
    return OTHER_IMAGE.get("".join(endings).lstrip(".")) if text else None


def _is_tile(row: Sequence[str]) -> bool:
    """Return whether a path ends with the level, the column and the row of a tile of a map."""
    numbers = [*row[-_TILE_PARTS:-1], row[-1].partition(".")[0]]
    return all(one.isdigit() and str(int(one)) == one for one in numbers)


def _may_differ(directory: str, *, top: bool, depth: int) -> bool:
    """Return whether a directory that all lines share may be another one in later lines.

    Names of usual kinds of directories and hidden ones stay, and so do dates, keys and numbers, whose form is enough,
    and the word before a code or a number that it counts, as in `lot03`. The one at the top of a relative list needs a
    whole word, or several or a padded number if it is the only one, because it may be what was listed.
    """
    if "=" in directory or _is_typed(directory) or directory.lower() in _USUAL or not _LETTER.search(directory):
        return False
    if _COUNTED.fullmatch(directory) or directory.startswith("."):
        return False
    if top and not _A_WORD.search(directory):
        return bool(_PADDED.search(directory))
    if top and depth == _DEPTH_OF_FILES:
        return len(_TOKEN.findall(directory)) > 1 or bool(_PADDED.search(directory))
    return not _LABELLED.fullmatch(directory)


def _is_typed(directory: str) -> bool:
    """Return whether a directory has a date or another value whose form is enough; a region may be that of a host."""
    host = "." in directory and {*kinds_in(directory)} == {"region"}
    return bool(typed_spans(directory)) and not host


def _is_table(row: Sequence[str], at: int) -> bool:
    """Return whether a directory is at the top of a table: `events` of `events/day=1`, which is what was listed."""
    return at == 0 and "=" in row[1]


def _is_word(rows: Sequence[Sequence[str]], at: int) -> bool:
    """Return whether the names of a directory are words, whose separators and beginnings later ones may lack.

    They are not if all begin with a number and a separator, end with a year in brackets, or only differ in numbers, as
    `shard-1-of-12`.
    """
    names = [row[at] for row in rows]
    if any(all(map(form, names)) for form in (_NUMBER_FIRST.match, _YEAR_LAST.fullmatch)):
        return False
    forms = {_DIGITS.sub("0", name) for name in names}
    if len(forms) == 1 and _LETTER.search(names[0]) and not ("." in names[0] or _HOST.match(names[0])):
        return False
    return all(not (_NUMBERED.fullmatch(row[at]) or _is_typed(row[at]) or "=" in row[at]) for row in rows)


def _without(part: str, others: Collection[str]) -> str:
    """Return a segment in which each of the directories that may differ is another one."""
    for one in sorted(others, key=len, reverse=True):
        part = re.sub(alone(one), IMAGINED, part)
    return part


def _of_nearly_all(form: re.Pattern[str], bodies: Sequence[str]) -> set[str]:
    """Return the texts of a form that nearly all segments have; a few may be of files that are no data."""
    counts = Counter(text for body in bodies for text in {*form.findall(body)})
    return {text for text, number in counts.items() if number >= NEARLY_ALL * len(bodies)}


def _stem(row: Sequence[str]) -> str:
    return row[-1].partition(".")[0]


def _body(part: str, *, last: bool) -> str:
    if not last:
        return part
    found = PACKED_ENDING.fullmatch(part)
    return found[1] if found is not None else part.rpartition(".")[0] or part


def _changed(part: str, shared: set[str], *, last: bool, names: bool) -> str:
    """Return a segment with other codes. Dates and other typed values stay, because their form is enough."""
    if "=" in part:
        return part
    if not last and _OF_TIME.fullmatch(part):
        return "11" if part == "12" else "12"  # a month, a day or an hour
    if not last and part in shared and part.isalpha() and part.isupper():
        return f"{shifted(part)}{LETTERS[0]}"  # such words differ in length too
    numbered = _NUMBERED_ENDING.fullmatch(part) if last else None
    body = numbered[1] if numbered else _body(part, last=last)
    typed = [*typed_spans(part), *(found.span() for found in _PROCESSOR.finditer(part))]
    if known_name_of((body,)):
        return part  # its form is enough
    end = part[len(body) :]

    def is_typed(found: re.Match[str]) -> bool:
        return any(start < found.end() and found.start() < end for start, end in typed)

    def other(found: re.Match[str]) -> str:
        return found[0] if found[0] not in shared or is_typed(found) else shifted(found[0])

    if last:
        body = with_fewer_words(body)
    if (last and names) or (not last and typed):
        body = _with_other_words(body, shared, last=last)
        typed = typed_spans(body)
    body = _ACCESSION.sub(lambda one: shifted(one[0]) if one[0] in shared else one[0], body)
    return _TOKEN.sub(other, body) + end


def _with_other_words(text: str, shared: set[str], *, last: bool) -> str:
    """Return a text in which the shared words that are outside of typed values, such as dates, are others.

    The text of a directory before a hash or a UUID is one name, of as many words as it likes.
    """
    hashed = None if last else _HASHED.fullmatch(text)
    if hashed and shared.issuperset(_TOKEN.findall(hashed[1])):
        return f"{IMAGINED}{hashed[2]}"
    typed = typed_spans(text)

    def other(found: re.Match[str]) -> str:
        inside = any(start < found.end() and found.start() < end for start, end in typed)
        return IMAGINED if found[0] in shared and not inside else found[0]

    return _NAME.sub(other, text)
