"""Infers rules from sample paths, without a model."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.detecting.across import dates_across, value_at
from retouch.recipes.rule.detecting.assumptions import Assumption, assumptions_of
from retouch.recipes.rule.detecting.by_example import columns_by_example, relabelled
from retouch.recipes.rule.detecting.clusters import SHAPE, clusters_of
from retouch.recipes.rule.detecting.columns import Slot
from retouch.recipes.rule.detecting.cost import shared_tokens, spelled_out
from retouch.recipes.rule.detecting.groups import MANY, form_of, groups_of
from retouch.recipes.rule.detecting.head import imagined, looks_like_head
from retouch.recipes.rule.detecting.joined import about_joined, joined_by_example
from retouch.recipes.rule.detecting.layout import below_a_directory, by_a_directory, by_their_ends
from retouch.recipes.rule.detecting.naming import with_unique_names
from retouch.recipes.rule.detecting.noise import noise_among
from retouch.recipes.rule.detecting.shapes import named_alike
from retouch.recipes.rule.detecting.specificity import Specificity, specificity_of
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob
from retouch.recipes.rule.language.model import ExtractionRule, Field
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Column, Piece

    Labels: TypeAlias = Mapping[str, Mapping[str, JSON]]
from retouch.recipes.rule.detecting.layout import Layout

MAX_SAMPLES = 200
MOST_CANDIDATES = 3
PEER = 150.0
MINORITY = 150.0
SHAPE_SHARE = 0.1  # of the samples; shapes of fewer are named and asked about
LEAST_SHAPE = 4
SHARE_OF_ONE_NAME = 0.25
MANY_LEFT = 0.2  # of the samples; if one rule leaves out fewer, several must describe them much shorter
MUCH_SHORTER = 0.75
SECOND_COVERAGE = 0.6
USUAL_NOISE = 0.25


_KEYS = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*=")


@dataclass(frozen=True, kw_only=True)
class RuleCandidate:
    """A rule that the samples suggest.

    - `columns`: the columns that the rule was built from.
    - `coverage`: the share of the samples, without noise, from which it extracts every field.
    - `questions`: what only the user or a model can answer about its values, for example which number is the month.
    - `assumptions`: what the samples cannot show.
    - `noise`: samples that are no data by their names. `left`: samples that it does not match.
    - `specificity`: which part of the paths it explains, and what else it matches.
    - `unlabelled`: fields of an example that were not found, by path and name.
    - `bits`: the length of the shortest description of the samples that uses the rule.
    """

    rule: ExtractionRule
    columns: tuple[Column, ...]
    coverage: float
    questions: tuple[str, ...]
    assumptions: tuple[Assumption, ...] = ()
    noise: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    specificity: Specificity = Specificity(explained=0.0, near_misses=1.0)
    unlabelled: tuple[str, ...] = ()
    bits: float = 0.0

    @property
    def shapes(self) -> tuple[ExtractionRule, ...]:
        """The rules of all shapes, the main one first."""
        return (replace(self.rule, others=()), *self.rule.others)


def detect(
    paths: Sequence[str], *, name: str = "", examples: Mapping[str, Mapping[str, JSON]] | None = None
) -> tuple[RuleCandidate, ...]:
    """Return rules for sample paths, the best first. Without a path, return none.

    `examples` are values that the user expects, by path and field; the rule gives them, with these names and types. If
    there are more than 200 samples, every n-th is used. The same paths always give the same rules.
    """
    labels = {locate(path).absolute: dict(fields) for path, fields in (examples or {}).items()}
    places = list(dict.fromkeys(locate(path).absolute for path in paths if path.strip("/\\.")))
    places = [*places[:: -(-len(places) // MAX_SAMPLES) or 1]]
    places = [*dict.fromkeys((*labels, *places))] if not set(labels) <= set(places) else places
    if not places:
        return ()
    noise = noise_among(places, but=labels)
    rows = [place[1:].split("/") for place in places if place not in noise]
    absolute = all(path.startswith(("/", "\\")) for path in paths if path)
    head = looks_like_head(rows)
    guesses = sorted(_guesses(rows, absolute=absolute, head=head), key=lambda one: one.bits)
    if labels:
        guesses = _by_labels(guesses, labels)
    found = [_candidate(guess, rows, name, tuple(noise), labels) for guess in guesses[:MOST_CANDIDATES]]
    best, *others = sorted(found, key=lambda one: (len(one.unlabelled), 0 if labels else one.bits))
    best = best if labels else _of_shapes(best, rows, tuple(noise), absolute=absolute)
    return (_with_assumptions(best, rows, labels), *others)


def _with_assumptions(
    candidate: RuleCandidate, rows: Sequence[Sequence[str]], labels: Mapping[str, Mapping[str, JSON]]
) -> RuleCandidate:
    """Return the candidate with its specificity and assumptions, which take long, so that only the best has them."""
    left = set(candidate.left)
    matched = [path for path in ("/".join(("", *row)) for row in rows) if path not in left]
    specificity = specificity_of(candidate.rule, matched)
    answered = {field for wanted in labels.values() for field in wanted}
    glob = candidate.rule.glob.text
    found = assumptions_of(candidate.columns, glob, matched, candidate.left, specificity, answered=answered)
    missing = [
        Assumption(key=f"example:{one}", kind="example", question=f"the rule does not give {one}", acceptable=False)
        for one in candidate.unlabelled
    ]
    joined = [about_joined(one, count=len(labels)) for one in candidate.columns if one.rest and one.name in answered]
    shapes = _about_shapes(candidate)
    return replace(candidate, specificity=specificity, assumptions=(*missing, *joined, *found, *shapes))


def _of_shapes(
    best: RuleCandidate, rows: Sequence[Sequence[str]], noise: Sequence[str], *, absolute: bool
) -> RuleCandidate:
    """Return the candidate of a rule set with one rule for each shape, if that describes the samples shorter."""
    if len(rows) < MANY:
        return best
    least = max(SHAPE_SHARE * len(rows), LEAST_SHAPE)
    clusters = clusters_of(rows, absolute=absolute)
    data = [one for one in clusters if len(one) >= (least if _varies(one) else SHARE_OF_ONE_NAME * len(rows))]
    if len(data) < 2:
        return best
    head = looks_like_head(rows)
    found = [_of_cluster(one, noise, absolute=absolute, head=head) for one in data]
    found = [one for one in found if one.coverage >= SECOND_COVERAGE]
    bits = sum(one.bits for one in found) + SHAPE * (len(found) - 1)
    if len(found) < 2 or bits > (1 if len(best.left) >= MANY_LEFT * len(rows) else MUCH_SHORTER) * best.bits:
        return best
    return _joined_shapes(found, rows)


def _varies(cluster: Sequence[Sequence[str]]) -> bool:
    """Return whether the file names differ: a few files of one name beside the data describe it."""
    return len({row[-1] for row in cluster}) > 1


def _of_cluster(cluster: Sequence[Sequence[str]], noise: Sequence[str], *, absolute: bool, head: bool) -> RuleCandidate:
    """Return the best candidate for the paths of one shape."""
    guesses = sorted(_guesses(cluster, absolute=absolute, head=head), key=lambda one: one.bits)
    found = [_candidate(guess, cluster, "", noise, {}) for guess in guesses[:MOST_CANDIDATES]]
    return min(found, key=lambda one: one.bits)


def _joined_shapes(found: Sequence[RuleCandidate], rows: Sequence[Sequence[str]]) -> RuleCandidate:
    """Return the first candidate with the rules of the others, whose columns are called like the same ones of it."""
    main, *rest = found
    known = [(one, _depth(main)) for one in main.columns]
    rules: list[ExtractionRule] = []
    for number, one in enumerate(rest, 1):
        columns = named_alike(one.columns, _depth(one), known)
        known += [(column, _depth(one)) for column in columns if column.name not in {other.name for other, _ in known}]
        rule = write_rule(one.rule.glob.text, columns)
        rules.append(replace(rule, name=f"{main.rule.name}_{number + 1}", order=number))
    joined = replace(main.rule, others=tuple(rules))
    taken = {path: apply_rule(joined, path).status for path in ("/".join(("", *row)) for row in rows)}
    left = tuple(path for path, status in taken.items() if status == "UNMATCHED")
    complete = sum(status == "COMPLETE" for status in taken.values())
    questions = tuple(dict.fromkeys(question for one in found for question in one.questions))
    return replace(main, rule=joined, left=left, coverage=complete / len(rows), questions=questions)


def _depth(candidate: RuleCandidate) -> int:
    return candidate.rule.glob.text.strip("/").count("/") + 1


def _about_shapes(best: RuleCandidate) -> Iterator[Assumption]:
    """Yield a question for each further shape: whether its paths are data too."""
    for number, rule in enumerate(best.rule.others, 2):
        question = f"samples have a further shape, {rule.glob.text!r}: are they data too?"
        yield Assumption(key=f"shape:{number}", kind="left", question=question)


@dataclass(frozen=True, kw_only=True)
class _Guess:
    """A layout, the costs of each path if it is matched and if it is not, and the estimated cost of all."""

    layout: Layout
    group: Sequence[Sequence[str]]
    spelled: Sequence[float]
    bits: float

    def row_of(self, path: str) -> int | None:
        """Return the number of a path in the group, or None."""
        row = path[1:].split("/")
        return next((number for number, one in enumerate(self.group) if list(one) == row), None)


def _guesses(rows: Sequence[Sequence[str]], *, absolute: bool, head: bool) -> Iterator[_Guess]:
    """Yield each layout once, with its cost if it extracts every field from the paths that its glob matches.

    If the rows are the `head` of a sorted list, the layouts also fit what may come later.
    """
    paths = ["/".join(row) for row in rows]
    known = shared_tokens(paths)
    spelled = [spelled_out(path, known) for path in paths]
    seen: set[tuple[str, tuple[Column, ...]]] = set()
    more = imagined(rows, absolute=absolute) if head else []
    for group in groups_of(rows, neighbours=bool(more)):
        for found in layouts_of([*group, *more], absolute=absolute):
            taken = _matched(found.glob, paths)
            layout, whole = _closed(found, group, rows, taken, more, absolute=absolute)
            layout = _of_real_paths(layout, len(whole)) if more else layout
            if (layout.glob, layout.columns) in seen:
                continue
            seen.add((layout.glob, layout.columns))
            yield _Guess(layout=layout, group=whole, spelled=spelled, bits=_bits_of(layout, rows, taken, spelled))


def _matched(glob: str, paths: Sequence[str]) -> list[bool]:
    fits = glob_test(parse_glob(glob))
    return [fits(path, f"/{path}") for path in paths]


def _closed(
    layout: Layout,
    group: Sequence[Sequence[str]],
    rows: Sequence[Sequence[str]],
    taken: Sequence[bool],
    more: Sequence[Sequence[str]],
    *,
    absolute: bool,
) -> tuple[Layout, Sequence[Sequence[str]]]:
    """Return the layout of the same glob for all paths that it matches, with these; of the group, if there is none.

    A group that shares a directory by chance shows fewer values than the paths that its glob matches.
    """
    whole = [row for row, one in zip(rows, taken, strict=True) if one]
    if len(whole) <= len(group):
        return layout, group
    again = layouts_of([*whole, *more], absolute=absolute)
    same = next((one for one in again if one.glob == layout.glob), None)
    return (layout, group) if same is None else (same, whole)


def _of_real_paths(layout: Layout, count: int) -> Layout:
    """Return a layout whose columns only have the values of the first `count` paths."""
    columns = tuple(
        replace(column, values=column.values[:count], pieces=tuple(_real_piece(one, count) for one in column.pieces))
        for column in layout.columns
    )
    return replace(layout, columns=columns)


def _real_piece(piece: Piece, count: int) -> Piece:
    return replace(piece, values=piece.values[:count]) if isinstance(piece, Slot) else piece


def _bits_of(layout: Layout, rows: Sequence[Sequence[str]], taken: Sequence[bool], spelled: Sequence[float]) -> float:
    """Return the cost of all paths.

    To leave out a path costs more if it is like a matched one in its form, and if many are left out.
    """
    forms = {form_of(row) for row, one in zip(rows, taken, strict=True) if one}
    rest = zip(rows, taken, spelled, strict=True)
    bits = sum(layout.bits if one else cost + (PEER if form_of(row) in forms else 0) for row, one, cost in rest)
    return bits + MINORITY * max(taken.count(False) - USUAL_NOISE * len(rows), 0)


def layouts_of(rows: Sequence[Sequence[str]], *, absolute: bool) -> Iterator[Layout]:
    """Yield the layouts of a group of paths."""
    ends, coarse = (by_their_ends(rows, absolute=absolute, finely=finely) for finely in (True, False))
    yield from (one for one in (ends, below_a_directory(rows), by_a_directory(rows), coarse) if one is not None)


def _by_labels(guesses: Sequence[_Guess], labels: Mapping[str, Mapping[str, JSON]]) -> list[_Guess]:
    """Return the guesses that match the labelled paths, those whose columns have most of the labels first."""
    path, wanted = next(iter(labels.items()))

    def missing(guess: _Guess) -> tuple[int, int, float]:
        at = guess.row_of(path)
        if at is None:
            return len(wanted) + 1, 1, guess.bits
        named, rest = relabelled(guess.layout.columns, at, wanted)
        return len(rest), int(any(one.name == "ext" and one.name not in wanted for one in named)), guess.bits

    return sorted(guesses, key=missing)


def _candidate(
    guess: _Guess,
    rows: Sequence[Sequence[str]],
    name: str,
    noise: Sequence[str],
    labels: Mapping[str, Mapping[str, JSON]],
) -> RuleCandidate:
    layout = guess.layout
    columns, unlabelled = layout.columns, tuple[str, ...]()
    for path, wanted in labels.items():
        columns, missing = _labelled(columns, guess, path, wanted)
        unlabelled += tuple(f"{path}: {one}" for one in missing)
    columns = with_unique_names(columns)
    rule = write_rule(_without_hidden(layout.glob, noise), columns, name=name)
    taken: dict[str, str] = {}
    for row in rows:
        path = "/".join(("", *row))
        taken[path] = apply_rule(rule, path).status
    matched = [path for path, status in taken.items() if status == "COMPLETE"]
    left = tuple(path for path, status in taken.items() if status == "UNMATCHED")
    bits = _bits_of(layout, rows, [status == "COMPLETE" for status in taken.values()], guess.spelled)
    bits += PEER * _misread(rule, columns, guess.group)
    return RuleCandidate(
        rule=rule,
        columns=columns,
        coverage=len(matched) / len(rows),
        questions=tuple(one.question for one in columns if one.question),
        noise=tuple(noise),
        left=left,
        unlabelled=unlabelled,
        bits=bits,
    )


def _without_hidden(glob: str, noise: Sequence[str]) -> str:
    """Return the glob, without names that begin with a point, if there are such among the noise that it matches."""
    above, slash, name = glob.rpartition("/")
    fits = glob_test(parse_glob(glob))
    hidden = any(fits(one.lstrip("/"), one) for one in noise if "/." in one)
    return f"{above}{slash}[!.]{name}" if hidden and name.startswith("*") else glob


def _misread(rule: ExtractionRule, columns: Sequence[Column], group: Sequence[Sequence[str]]) -> int:
    """Return for how many paths the patterns give another text than the one that the path was cut into."""
    texts = [one for one in columns if one.pieces and one.type == "string" and not one.nulls and one.normalize is None]
    wrong = 0
    for number, row in enumerate(group):
        values = apply_rule(rule, "/".join(("", *row))).values
        wrong += any(one.name in values and values[one.name] != one.values[number] for one in texts)
    return wrong


def _labelled(
    columns: Sequence[Column], guess: _Guess, path: str, wanted: Mapping[str, JSON]
) -> tuple[tuple[Column, ...], list[str]]:
    """Return the columns with the labels of one path, and the names of the labels that were not found."""
    at = guess.row_of(path)
    if at is None:
        return tuple(columns), list(wanted)
    named, rest = relabelled(columns, at, wanted)
    found = columns_by_example(guess.group, at, rest) if rest else []
    names = {one.name for one in found}
    kept = [one for one in named if one.name in wanted or not any(_overlap(one, two, guess.group[at]) for two in found)]
    missing = [one for one in rest if one not in names]
    across = [one for one in dates_across(columns) if any(value_at(one, at) == rest[name] for name in missing)]
    for one, name in zip(across, missing[:1], strict=False):
        found.append(replace(one.column(one.forms[0]), name=name))
    names = {one.name for one in found}
    found += [
        one for name in missing if name not in names and (one := joined_by_example(columns, at, name, rest[name]))
    ]
    return (*kept, *found), [one for one in missing if one not in {column.name for column in found}]


def _overlap(one: Column, other: Column, row: Sequence[str]) -> bool:
    """Return whether two columns take the same characters of a path, or this cannot be known."""
    source, second = (-1 if each.source == "filename" else each.source for each in (one, other))
    if source != second or not isinstance(source, int):
        return source == second
    spans = [re.search(each.pattern or "^(.+)$", row[source], re.DOTALL) for each in (one, other)]
    if None in spans or not one.pieces:
        return True
    (start, end), (from_, to) = (found.span(1) for found in spans if found is not None)
    return start < to and from_ < end


def write_rule(glob: str, columns: Sequence[Column], *, name: str = "") -> ExtractionRule:
    """Return the rule of a glob and columns. The columns may have been renamed, retyped or dropped."""
    words = as_name(name) if name else _name_from(glob, columns)
    fields = tuple(map(field_of, columns))
    return ExtractionRule(name=words, glob=parse_glob(glob), fields=fields, tag=words)


def field_of(column: Column) -> Field:
    """Return the field of a rule that a column becomes."""
    return Field(
        name=column.name,
        source=column.source,
        pattern=column.pattern,
        type=column.type,
        format=column.format,
        optional=column.optional,
        nulls=column.nulls,
        normalize=column.normalize,
        rest=column.rest,
        join=column.join,
    )


def _name_from(glob: str, columns: Sequence[Column]) -> str:
    """Return a name from the longest word of the glob without its extension, or from the first column."""
    stem = _KEYS.sub(" ", glob.rpartition(".")[0] or glob)
    words = "".join(char if char.isalpha() else " " for char in stem).split()
    longest = max(words, key=len, default="")
    return as_name(longest) if len(longest) >= 3 else f"by_{columns[0].name}" if columns else "files"
