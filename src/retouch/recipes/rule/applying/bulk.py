"""Reads many paths with one rule: one expression for each segment, and each directory only once."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.applying.evaluation import text_converter, value_reader
from retouch.recipes.rule.globs.matching import glob_test, segment_test
from retouch.recipes.rule.globs.parsing import Glob
from retouch.recipes.rule.language.extraction import Reason
from retouch.recipes.rule.regexes.cost import longest_safe
from retouch.recipes.rule.regexes.parsing import parse_regex
from retouch.recipes.rule.regexes.together import joined_patterns
from retouch.recipes.rule.regexes.writing import regex_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.model import ExtractionRule, Field

    Values: TypeAlias = "tuple[JSON, ...]"
    Reader: TypeAlias = "Callable[[str], Values | None]"

MOST_DIRECTORIES = 65_536
_DRIVE = 2  # characters, as in C:


def bulk_reader(rule: ExtractionRule) -> Reader | None:
    """Return a function from a path to the values of the fields in their order, or None if it cannot be this fast.

    The function returns None for every path that it is not certain about: `apply_rule` then decides. For any other
    path, `apply_rule` gives COMPLETE, the same values, and no reasons. The root is "/".
    """
    if rule.others or any(field.rest for field in rule.fields):
        return None
    sources = [-1 if field.source == "filename" else field.source for field in rule.fields]
    numbers = [source for source in sources if isinstance(source, int) and source < 0]
    if len(numbers) < len(sources):
        return None
    of_name, of_directories = _readers(rule.fields, numbers)
    order = _in_order([*_grouped(numbers)])
    directory_fits, fits = _split_test(rule.glob)

    @lru_cache(maxsize=MOST_DIRECTORIES)
    def above(directory: str) -> Values | None:
        if directory_fits is not None and not directory_fits(directory, f"/{directory}"):
            return None
        parts = directory.split("/")
        values: Values = ()
        for source, read in of_directories:
            found = read(parts[source + 1]) if len(parts) >= -source - 1 and directory else None
            if found is None:
                return None
            values += found
        return values

    def read(path: str) -> Values | None:
        if "\\" in path or "//" in path or "/." in path or "\n" in path or path[-1:] in {"/", ""}:
            return None
        below = path[1:] if path[0] == "/" else path
        directory, _, name = below.rpartition("/")
        if path[0] == "." or path[1:_DRIVE] == ":" or not fits(name if directory_fits else below):
            return None
        first, last = above(directory), of_name(name)
        return None if first is None or last is None else order(first + last)

    return read


def _split_test(
    glob: Glob,
) -> tuple[Callable[[str | None, str], bool] | None, Callable[[str], object]]:
    """Return the tests of a glob on the directory and on the file name, or None and the test of both together."""
    first, *others = glob.alternatives
    above, name = first.segments[:-1], first.segments[-1] if first.segments else None
    if others or not above or above[-1].tokens is None or name is None or name.tokens is None:
        test = glob_test(glob)
        return None, lambda below: test(below, f"/{below}")
    directories = Glob(text=glob.text, alternatives=(replace(first, segments=above),))
    return glob_test(directories), segment_test(name)


def _grouped(numbers: Sequence[int]) -> list[int]:
    """Return the numbers of the fields by their segment, as the readers give them: the file name last."""
    return sorted(range(len(numbers)), key=lambda at: (numbers[at], at))


def _in_order(grouped: Sequence[int]) -> Callable[[Values], Values]:
    places = [grouped.index(at) for at in range(len(grouped))]
    if places == sorted(places):
        return lambda values: values
    return itemgetter(*places)


def _readers(fields: Sequence[Field], numbers: Sequence[int]) -> tuple[Reader, list[tuple[int, Reader]]]:
    """Return the reader of the file name, and those of the directories with their number."""
    by_segment: dict[int, list[Field]] = {}
    for at in _grouped(numbers):
        by_segment.setdefault(numbers[at], []).append(fields[at])
    name = by_segment.pop(-1, [])
    return _segment_reader(name), [(source, _segment_reader(found)) for source, found in by_segment.items()]


def _segment_reader(fields: Sequence[Field]) -> Reader:
    """Return a function from the text of a segment to the values of its fields, or None if it is not certain."""
    if not fields:
        return lambda _: ()
    patterns = [field.pattern for field in fields if field.pattern is not None]
    joined = joined_patterns(patterns) if len(patterns) == len(fields) else None
    if joined is None:
        return _one_by_one(fields)
    tree = parse_regex(joined[0]).tree
    longest = longest_safe(tree)
    search = re.compile(regex_text(tree)).search
    numbers = joined[1]
    converters = [(at, one) for at, field in enumerate(fields) if (one := value_reader(field)) is not None]

    def read(text: str) -> Values | None:
        found = search(text) if len(text) <= longest else None
        if found is None:
            return None
        parts: Values = (found[numbers[0]],) if len(numbers) == 1 else found.group(*numbers)
        if None in parts:
            return None
        if not converters:
            return parts
        values = list(parts)
        for at, convert in converters:
            value = convert(str(values[at]))
            if isinstance(value, Reason):
                return None
            values[at] = value
        return tuple(values)

    return read


def _one_by_one(fields: Sequence[Field]) -> Reader:
    takes = [text_converter(field) for field in fields]

    def read(text: str) -> Values | None:
        values: list[JSON] = []
        for take in takes:
            value = take(text)
            if isinstance(value, Reason):
                return None
            values.append(value)
        return tuple(values)

    return read
