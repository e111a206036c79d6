"""Leaves out the files of other kinds than the labelled one.

What the labelled path does not have, and no label names, is another kind of file if it is always the same words: the
`_MDM` after a version, `conn_log_` before an account, or `.keys` before an extension.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.candidate import with_rules
from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.cut import cut
from retouch.recipes.rule.detecting.endings import PACKINGS
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.narrowing import globs_like, runs_of, without
from retouch.recipes.rule.detecting.patterns import WIDTH, glob_of, width
from retouch.recipes.rule.detecting.placing import span_of
from retouch.recipes.rule.detecting.template_parts import places_of_more

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.by_template import LabelledReading
    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.columns import Column, Kind, Piece
    from retouch.recipes.rule.detecting.labels import Labels

FEW = 0.25  # the share of the samples that a shape of another kind has
MOST = 0.34  # the share of the samples that may be of other kinds
MOST_LACKING = 2  # labelled values that paths of another kind lack
USUAL = 0.6  # the share of the values that have one form
_ENDING = re.compile(r"\.([A-Za-z][0-9A-Za-z]{0,9})\Z")
_MARKS = re.compile("[^0-9A-Za-z ]+")
_WILD = re.compile(r"\[[^\]]*\]|\{[^}]*\}|\.[^./]*$")
_LONG = re.compile("[A-Za-z]{2,}")
_WORDS = re.compile("[A-Za-z]+(?:[^0-9A-Za-z]+[A-Za-z]+)*")


def of_labelled_kind(best: RuleCandidate, labelled: LabelledReading, rows: Sequence[Sequence[str]]) -> RuleCandidate:
    """Return the candidate without the few paths that have more words than the template, if a glob tells them apart."""
    if best.rule.others:
        return best
    kinds = (*_with_more(labelled), *_with_words(labelled), *_lacking(best, labelled, rows))
    taken = [row for row in rows if apply_rule(best.rule, path_of(row)).status != "UNMATCHED"]
    start = "/" if best.rule.glob.text.startswith("/") else ""
    for kind in kinds:
        alike = [row for row in taken if path_of(row) not in kind]
        if not 0 < len(taken) - len(alike) <= MOST * len(taken) or len({*map(len, alike)}) > 1:
            continue
        globs = [
            *globs_like(best.rule.glob.text, -1, alike),
            f"{start}{_glob_by_fields(best.columns, labelled.wanted, alike)}",
        ]
        fewer = without(best, [*map(path_of, taken)], kind, rows, globs)
        best, taken = (best, taken) if fewer is best else (fewer, alike)
    return best


def without_foreign_shapes(
    best: RuleCandidate, rows: Sequence[Sequence[str]], labels: Labels, *, shortened: bool = False
) -> RuleCandidate:
    """Return the candidate without the shapes of few samples that are of another kind than the only labelled path.

    Their paths have further directories of words that it lacks, or no labelled value and not most of the words that its
    shape has, or lack several labelled values. If they are `shortened` from the labelled shape, they may lack one with
    its words, if they have a word or a value with a type.
    """
    if len(labels) != 1 or not best.rule.others:
        return best
    path, wanted = next(iter(labels.items()))
    own, known = {*_LONG.findall(path)}, _words_of(best.rule.glob.text)
    given = {name for name, value in wanted.items() if value is not None}
    kept: list[int] = []
    for number, rule in enumerate(best.rule.others):
        deeper = rule.glob.text.strip("/").count("/") > path.count("/") - 1
        new = deeper and not _words_of(rule.glob.text.rpartition("/")[0]) <= own
        count = len(given - {one.name for one in rule.fields})
        shared = len(known & _words_of(rule.glob.text))
        vague = not shared and all(one.type == "string" for one in rule.fields)
        lacking = count == 1 and bool(known) and (vague if shortened else shared * 2 < len(known))
        taken = sum(apply_rule(rule, path_of(row)).status != "UNMATCHED" for row in rows)
        if taken > FEW * len(rows) or not (new or lacking or count >= MOST_LACKING):
            kept.append(number)
    if len(kept) == len(best.rule.others):
        return best
    columns = [best.others[number] for number in kept if number < len(best.others)]
    return with_rules(best, [best.rule.others[number] for number in kept], columns, rows)


def _words_of(glob: str) -> set[str]:
    """Return the words of fixed text in a glob, without the extension."""
    return {*_LONG.findall(_WILD.sub(" ", glob))}


def _with_more(labelled: LabelledReading) -> Iterator[set[str]]:
    """Yield the paths of which the template reads all but the same words at the same place."""
    unread = [row for row, one in labelled.readings() if one is None]
    found: dict[int, list[tuple[str, Sequence[str]]]] = defaultdict(list)
    patterns = [re.compile(one) for _, _, one in places_of_more(labelled.reading.template)] if unread else []
    for row in unread:
        hits = [(at, one["more"]) for at, each in enumerate(patterns) if (one := each.fullmatch("/".join(row)))]
        if hits:
            at, more = min(hits, key=lambda one: len(one[1]))
            found[at].append((more, row))
    yield from map(_of_same_words, found.values())


def _with_words(labelled: LabelledReading) -> Iterator[set[str]]:
    """Yield the paths of which the template takes the same words as a part of a value, before or after what others
    have, as in `V06_MDM` beside `V06`.
    """
    read = [(row, values) for row, values in labelled.readings() if values is not None]
    free = [one for segment in labelled.reading.template for one in segment if not one.fixed]
    for at, token in enumerate(free):
        form_of = _form_of_ending if token is free[-1] and _is_ending(labelled) else runs_of
        usual, count = Counter(form_of(values[at]) for _, values in read).most_common(1)[0]
        code = "n" in usual or form_of is _form_of_ending
        if count < USUAL * len(read) or not code or not (token.name or (token.same and token.step)):
            continue
        found = [(_words_beside(values[at], token.text, form_of, usual), row) for row, values in read]
        yield _of_same_words([(words, row) for words, row in found if words])


def _lacking(best: RuleCandidate, labelled: LabelledReading, rows: Sequence[Sequence[str]]) -> Iterator[set[str]]:
    """Yield the paths that lack the labelled number of a directory, and those that lack any value of the labelled path
    and have another extension, which no label names; then those that lack any value, if another word in a directory
    tells the same paths apart, those with a word instead of a labelled number, or if their file names are one name of
    words.
    """
    own = _ending(labelled.row)
    given = {name: value for name, value in labelled.wanted.items() if value is not None}
    numbers = {one.name for one in best.columns if isinstance(one.source, int) and isinstance(given.get(one.name), int)}
    ended = not own or any(str(value).endswith(own) for value in given.values())
    excused = {one.name for segment in labelled.reading.template for one in segment if one.instead}
    lacking: dict[str, set[str]] = {}
    for row in rows:
        found = apply_rule(best.rule, path_of(row))
        if found.status != "UNMATCHED":
            lacking[path_of(row)] = {name for name in given if found.values.get(name) is None} - excused
    ending = {path_of(row) for row in rows if _ending(row) != own}
    yield {path for path, one in lacking.items() if one & numbers or (one and not ended and path in ending)}
    without_any = {path for path, one in lacking.items() if one}
    if _are_told(without_any, [row for row in rows if path_of(row) in lacking], labelled):
        yield without_any
    named = {one.name for one in best.columns if one.source == "filename" and one.name in given}
    counted = {name for name in named if isinstance(given[name], int)}
    yield _with_another_word({path for path, one in lacking.items() if one & counted}, lacking)
    unnamed = [row for row in rows if named and named <= lacking.get(path_of(row), set())]
    yield _of_same_words([(row[-1].partition(".")[0], row) for row in unnamed])


def _with_another_word(paths: Collection[str], every: Collection[str]) -> set[str]:
    """Return some paths, if their file names go on with a word that those of no other have, as `-schema`."""
    words = {path: {*_LONG.findall(_ENDING.sub("", path.rpartition("/")[2]))[1:]} for path in every}
    others = {word for path in every if path not in paths for word in words[path]}
    shared = set[str].intersection(*(words[path] for path in paths)) - others if len(paths) > 1 else set[str]()
    return {*paths} if shared else set()


def _are_told(paths: Collection[str], rows: Sequence[Sequence[str]], labelled: LabelledReading) -> bool:
    """Return whether a directory without a label has the word of the labelled path in all rows but some `paths`."""
    depth = len(labelled.row)
    for at in range(-depth, -1) if all(len(row) == depth for row in rows) else ():
        plain = not any(one.name for one in labelled.reading.template[at])
        if plain and all((row[at] == labelled.row[at]) is (path_of(row) not in paths) for row in rows):
            return True
    return False


def _ending(row: Sequence[str]) -> str:
    found = _ENDING.search(row[-1])
    return found[1] if found else ""


def _is_ending(labelled: LabelledReading) -> bool:
    """Return whether the last value is an extension."""
    last = labelled.reading.template[-1][-2:]
    return len(last) > 1 and last[0].text == "." and not last[1].fixed and not last[1].optional


def _of_same_words(found: Sequence[tuple[str, Sequence[str]]]) -> set[str]:
    """Return the paths of texts, if these are all the same words."""
    if not found:
        return set()
    words = {text.strip("".join(one for one in text if not one.isalnum())) for text, _ in found}
    return {path_of(row) for _, row in found} if len(words) == 1 and _WORDS.fullmatch(words.pop()) else set()


def _words_beside(value: str, own: str, form_of: Callable[[str], str], usual: str) -> str:
    """Return the words before or after a part of a value that has the usual form, or "".

    `own` is the labelled value.
    """
    for mark in _MARKS.finditer(value):
        before, after = value[: mark.start()], value[mark.end() :]
        for words, rest in ((before, after), (after, before)):
            packed = words in PACKINGS or (rest in PACKINGS and own not in PACKINGS)
            if _WORDS.fullmatch(words) and form_of(rest) == usual and not packed:
                return words
    return ""


def _form_of_ending(text: str) -> str:
    return "a" if text.isalnum() else runs_of(text)


def _glob_by_fields(columns: Sequence[Column], wanted: Mapping[str, JSON], rows: Sequence[Sequence[str]]) -> str:
    """Return the glob of rows of one depth that has the texts between the values of columns, those `wanted` first."""
    ordered = sorted(columns, key=lambda one: one.name not in wanted)
    return "/".join(glob_of([*_pieces(ordered, rows, index)]) for index in range(-len(rows[0]), 0))


def _pieces(columns: Sequence[Column], rows: Sequence[Sequence[str]], index: int) -> Iterator[Piece]:
    """Yield the pieces of one segment: the values of columns that do not overlap, and the texts between them."""
    chosen: list[tuple[list[tuple[int, int]], Kind]] = []
    for column in columns:
        spans = [span_of(column, row) for row in rows]
        own = [(start, end) for at, start, end in spans if at == index and start < end]
        if len(own) == len(rows) and all(_apart(own, one) for one, _ in chosen):
            chosen.append((own, "ending" if column.name == "ext" else ""))
    before = [0] * len(rows)
    for spans, kind in sorted(chosen):
        yield from _between([row[index][at:start] for row, at, (start, _) in zip(rows, before, spans, strict=True)])
        values = tuple(row[index][start:end] for row, (start, end) in zip(rows, spans, strict=True))
        long = all(one.isdigit() and len(one) > 1 for one in values) and not 0 < width(values) <= WIDTH
        yield Slot(values=values, kind=kind, glob="[0-9]*[0-9]" if long else "")
        before = [end for _, end in spans]
    yield from _between([row[index][at:] for row, at in zip(rows, before, strict=True)])


def _apart(spans: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> bool:
    pairs = list(zip(spans, others, strict=True))
    return all(one[1] <= other[0] for one, other in pairs) or all(other[1] <= one[0] for one, other in pairs)


def _between(texts: Sequence[str]) -> Iterator[Piece]:
    if any(texts):
        yield from [Fixed(text=texts[0])] if len({*texts}) == 1 else cut(tuple(texts))
