"""Gives the name of the file that is imagined after the head of a sorted list other words and numbers."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import IMAGINED
from retouch.recipes.rule.detecting.groups import NEARLY_ALL
from retouch.recipes.rule.detecting.typed import typed_spans
from retouch.recipes.rule.detecting.uneven import shared_start

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST = 10  # fewer lines in order are often a choice of the user
_DAILY = re.compile("(?i)daily|days?")  # a directory; those of months or years have other dates
_DAY = re.compile("(?<![0-9])((?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2]))-(?:0[1-9]|[12][0-9]|3[01])(?![0-9])")
_BEGINNING = re.compile("(?:[A-Za-z]+[-_. ])+")  # whole words
_LETTERS_ONLY = re.compile("[A-Za-z]+")
_MARKS = 2
_NUMBER = re.compile("[0-9]+")
_MIXED = re.compile("(?<![0-9A-Za-z])[A-Za-z]+[0-9]+[A-Za-z]+[0-9]+[0-9A-Za-z]*")  # with letters between two numbers
_CODE = re.compile(r"[A-Z]{2,}|[0-9]+")
_YEAR = re.compile("(?:19|20)[0-9]{2}")  # whose form is enough
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTER = re.compile("[A-Za-z]")
_FREE_TEXT = re.compile("[a-z]+(?:[-.][a-z]+)*")
_WORD_ENDS = re.compile("[-.]")
_VARYING = 3
_PACKAGE = re.compile(
    r"[A-Za-z][0-9A-Za-z_.+]*(?:-[A-Za-z][0-9A-Za-z_.+]*)*(?=[-_]v?[0-9]+\.[0-9])"
)  # before a version
_TOP = "(?:com|org|net|edu|gov|io|dev|app|info|biz|eu|de|fr|nl|uk|at|ch|it|es|pl|se|jp|local|internal)"
_OF_WORDS = re.compile(
    rf"(?<![0-9A-Za-z.])(?:[0-9a-z][0-9a-z-]*\.)+{_TOP}(?![0-9A-Za-z])"  # the name of a host
    rf"|(?<![0-9A-Za-z.]){_TOP}(?:\.[A-Za-z_]+[0-9A-Za-z$]*){{2,}}"  # of a package
    r"|(?<![^\W_])[^\W\d_]+(?:'[^\W\d_]+)?(?:,? [^\W\d_]+(?:'[^\W\d_]+)?(?![^\W_]))+"  # a title
    r"|(?<=(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}-)[a-z][0-9a-z]*(?:-[0-9a-z]+){2,}(?![^-.])"  # that of a post
)


def later_name(row: Sequence[str], names: Sequence[str], ordered: Sequence[Sequence[str]], *, whole: bool) -> str:
    """Return the file name of a later path `row`, with other codes than nearly all `names` have, and another beginning
    than that of the `ordered` paths. If it is one `whole`, dashes before an underscore join words.
    """
    *above, name = row
    if are_free_text(names):
        return IMAGINED + name[name.rfind(".") :]
    if sum(map(bool, map(_PACKAGE.match, names))) >= NEARLY_ALL * len(names):
        name = _PACKAGE.sub(IMAGINED, name)
    name = _with_other_numbers(name, names)
    name = _with_whole_parts(name) if whole else name
    if any(map(_DAILY.fullmatch, above)):
        name = _DAY.sub(r"\1", name)
    return _with_another_beginning(name, ordered) if ordered else name


def with_fewer_words(text: str) -> str:
    """Return a text in which names of hosts and packages and titles are one word, because later ones may have as many
    words as they like.
    """
    return _OF_WORDS.sub(IMAGINED, text)


def with_other_keys(row: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return a row with other numbers in its key=value directories that all names repeat once, and in its name, so that
    `partition=0/clicks+0+0017.avro` shows one value.
    """
    *above, name = row
    for at, part in enumerate(above):
        key, mark, value = part.rpartition("=")
        form = alone(value)
        if mark and value.isdigit() and all(len(re.findall(form, one)) == 1 for one in names):
            spans = [one for one in typed_spans(name) if re.search(form, name[slice(*one)])]
            other = value if spans else shifted(value)
            above[at], name = f"{key}={other}", re.sub(form, other, name)
    return [*above, name]


def alone(directory: str) -> str:
    """Return the pattern of a text that has no letter or digit beside it."""
    return rf"(?<![0-9A-Za-z]){re.escape(directory)}(?![0-9A-Za-z])"


def are_free_text(names: Sequence[str]) -> bool:
    """Return whether file names are words in varying number, of which later names may have one, as `folder.png` beside
    `folder-saved-search.png`.
    """
    bodies = [name.rpartition(".")[0] for name in names]
    texts = [body for body in bodies if _FREE_TEXT.fullmatch(body)]
    counts = {len(_WORD_ENDS.findall(body)) for body in texts}
    firsts = {_WORD_ENDS.split(body)[0] for body in texts}
    return len(texts) >= NEARLY_ALL * len(names) and min(len(counts), len(firsts)) >= _VARYING


def _with_whole_parts(name: str) -> str:
    """Return a file name whose first part between underscores is one word, because later lines may have fewer marks.

    One mark remains, as that of `run-7_v1`, because it is rather between a word and its number.
    """
    first, mark, rest = name.partition("_")
    typed = any(start < len(first) for start, _ in typed_spans(name))
    several = rest and first.count("-") >= _MARKS and not typed and _LETTER.match(first)
    return f"{IMAGINED}{mark}{rest}" if several else name


def _with_other_numbers(name: str, names: Sequence[str]) -> str:
    """Return a file name with other numbers where codes of letters and numbers only differ in some of them, as the
    `i1p1f1` of `r10i1p1f1` beside `r2i1p1f1`.
    """
    for token in dict.fromkeys(_MIXED.findall(name)):
        form = re.compile(f"(?<![0-9A-Za-z]){_NUMBER.sub('([0-9]+)', token)}(?![0-9A-Za-z])")
        found = [one.groups() for one in map(form.search, names) if one]
        varies = [len({*column}) > 1 for column in zip(*found, strict=True)]
        if len(found) < NEARLY_ALL * len(names) or not any(varies) or all(varies):
            continue
        numbers = iter(varies)
        other = _NUMBER.sub(lambda one, rest=numbers: one[0] if next(rest) else shifted(one[0]), token)
        name = re.sub(alone(token), other, name)
    return name


def _with_another_beginning(name: str, rows: Sequence[Sequence[str]]) -> str:
    """Return a file name with other words where those of nearly all rows of its directory begin alike."""
    above, count = Counter(tuple(row[:-1]) for row in rows).most_common(1)[0]
    names = [row[-1] for row in rows if tuple(row[:-1]) == above]
    shared = _BEGINNING.match(shared_start(names))
    if count < max(NEARLY_ALL * len(rows), LEAST) or shared is None or not name.startswith(shared[0]):
        return name
    return f"{_LETTERS_ONLY.sub(IMAGINED, shared[0])}{name[len(shared[0]) :]}"


def shifted(token: str) -> str:
    """Return a code with the next letter or digit in each place, and a year as it is."""
    if _YEAR.fullmatch(token):
        return token
    return _CODE.sub(lambda one: "".join(map(_next, one[0])), token)


def _next(char: str) -> str:
    return str((int(char) + 1) % 10) if char.isdigit() else LETTERS[(LETTERS.index(char) + 1) % 26]
