"""Evaluates rules on paths.

The glob decides whether a rule applies to a path. Each field is then read in this order: source, pattern, normalise,
type. If a step fails, the field's default is used.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.language.extraction import Extraction, Reason
from retouch.recipes.rule.language.values import NORMALIZE, converter
from retouch.recipes.rule.regexes.search import regex_find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.applying.places import NormalizedPath
    from retouch.recipes.rule.language.extraction import Status
    from retouch.recipes.rule.language.model import ExtractionRule, Field, Source


def apply_rule(rule: ExtractionRule, path: str, *, root: str = "/") -> Extraction:
    """Return the values that `rule` extracts from `path`, with a reason for each value that is missing.

    `path` is absolute, or relative to `root`. It is treated as text: the file need not exist and is never opened. Of a
    rule set the first rule is used whose glob matches.
    """
    found = _applied(rule, path, root)
    for other in rule.others if found.status == "UNMATCHED" else ():
        if (another := _applied(other, path, root)).status != "UNMATCHED":
            return another
    return found


def _applied(rule: ExtractionRule, path: str, root: str) -> Extraction:
    evaluate = rule.evaluators.get(root)
    if evaluate is None:
        evaluate = rule.evaluators[root] = _evaluator(rule, root)
    return evaluate(path)


def _evaluator(rule: ExtractionRule, root: str) -> Callable[[str], Extraction]:
    fits = glob_test(rule.glob)
    extractors = [(one.name, _field_extractor(one), one.optional, one.default) for one in rule.fields]

    def evaluate(path: str) -> Extraction:
        place = locate(path, root=root)
        if place.absolute == "/" or not fits(place.below_root, place.absolute):
            return Extraction(path, "UNMATCHED", {}, {})
        values: dict[str, JSON] = {}
        reasons: dict[str, Reason] = {}
        parts = place.absolute.split("/")
        for name, take, optional, default in extractors:
            extracted = take(place, parts)
            if not isinstance(extracted, Reason):
                values[name] = extracted
            elif optional:
                values[name] = default
                reasons[name] = replace(extracted, defaulted=True)
            else:
                reasons[name] = extracted
        return Extraction(path, _status(values, reasons, len(extractors)) if reasons else "COMPLETE", values, reasons)

    return evaluate


def _status(values: Mapping[str, JSON], reasons: Mapping[str, Reason], fields: int) -> Status:
    if len(values) == fields:
        return "COMPLETE"
    return "PARTIAL" if len(reasons) < fields else "FAILED"


def _field_extractor(field: Field) -> Callable[[NormalizedPath, list[str]], JSON | Reason]:
    """Return a function from a path and its parts (the first part is empty) to a field's value."""
    if field.rest:
        return _joined_extractor(field)
    return _source_extractor(field.source, text_converter(field))


def _joined_extractor(field: Field) -> Callable[[NormalizedPath, list[str]], JSON | Reason]:
    """Return the function of a field that is joined from several parts."""
    takes = [_source_extractor(one.source, _finder(one.pattern)) for one in (field, *field.rest)]
    convert = value_reader(field)

    def take(place: NormalizedPath, parts: list[str]) -> JSON | Reason:
        texts: list[str] = []
        for one in takes:
            text = one(place, parts)
            if isinstance(text, Reason):
                return text
            texts.append(str(text))
        joined = field.join.join(texts)
        return joined if convert is None else convert(joined)

    return take


def _source_extractor(
    source: Source, read: Callable[[str], JSON | Reason]
) -> Callable[[NormalizedPath, list[str]], JSON | Reason]:
    if source == "full_path":
        return lambda place, _: read(place.absolute)
    if source == "rel_path":
        return lambda place, _: _outside() if place.below_root is None else read(place.below_root)
    if source in {"filename", -1}:
        return lambda _, parts: read(parts[-1])
    if isinstance(source, int) and source < 0:
        remembered = lru_cache(maxsize=4_096)(read)  # a few directories hold many files
        return lambda _, parts: remembered(parts[source]) if len(parts) > -source else _out_of_range(source, parts)
    return _from_first(int(source), read)


def _from_first(
    number: int, read: Callable[[str], JSON | Reason]
) -> Callable[[NormalizedPath, list[str]], JSON | Reason]:
    def take(place: NormalizedPath, parts: list[str]) -> JSON | Reason:
        below = [] if place.below_root is None else place.below_root.split("/")
        return read(below[number]) if number < len(below) else _out_of_range(number, ["", *below] if below else parts)

    return take


def _outside() -> Reason:
    return Reason("SEGMENT_OUT_OF_RANGE", "the path is not below the root")


def _out_of_range(number: int, parts: list[str]) -> Reason:
    return Reason("SEGMENT_OUT_OF_RANGE", f"segment({number}) is not there: the path has {len(parts) - 1} segments")


def text_converter(field: Field) -> Callable[[str], JSON | Reason]:
    """Return a function from the text of a field's source to the field's value."""
    find = _finder(field.pattern)
    convert = value_reader(field)
    if convert is None:
        return find

    def read(text: str) -> JSON | Reason:
        found = find(text)
        return found if isinstance(found, Reason) else convert(found)

    return read


def _finder(pattern: str | None) -> Callable[[str], str | Reason]:
    """Return a function from the text of a source to the text that a pattern finds in it."""
    if pattern is None:
        return lambda text: text
    find = regex_find(pattern)

    def search(text: str) -> str | Reason:
        found = find(text)
        if found is None:
            return Reason("PATTERN_NO_MATCH", f"the pattern {pattern!r} finds nothing in {text[:200]!r}")
        return found

    return search


def value_reader(field: Field) -> Callable[[str], JSON | Reason] | None:
    """Return a function from the text that a field's pattern found to its value, or None if the text is the value."""
    normalize = NORMALIZE[field.normalize] if field.normalize else None
    convert = converter(field.type, field.format)
    nulls = frozenset(field.nulls)
    wanted = f"{field.type} in the format {field.format!r}" if field.format else field.type
    if not nulls and normalize is None and convert is None:
        return None

    def read(text: str) -> JSON | Reason:
        if text in nulls:
            return None
        if normalize is not None:
            text = normalize(text)
        if convert is None:
            return text
        value = convert(text)
        return Reason("TYPE_COERCION_FAILED", f"{text[:200]!r} is no {wanted}") if value is None else value

    return read
