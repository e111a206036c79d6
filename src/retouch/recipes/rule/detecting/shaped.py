"""Describes samples of several shapes by a rule set, if that is shorter than one rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.assumptions import Assumption, are_in_order
from retouch.recipes.rule.detecting.candidate import candidate_of, with_rules
from retouch.recipes.rule.detecting.clusters import SHAPE, clusters_of
from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.detecting.groups import MANY, form_of, path_of
from retouch.recipes.rule.detecting.guesses import PEER, cost_of_left, guesses_of
from retouch.recipes.rule.detecting.head import looks_like_head
from retouch.recipes.rule.detecting.labels import by_labels
from retouch.recipes.rule.detecting.naming import with_unique_names
from retouch.recipes.rule.detecting.other_depth import with_other_depth
from retouch.recipes.rule.detecting.shapes import KnownColumn, named_alike
from retouch.recipes.rule.detecting.writing import write_rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.labels import Labels
    from retouch.recipes.rule.language.model import ExtractionRule

SHAPE_SHARE = 0.1  # of the samples; shapes of fewer are named and asked about
LEAST_SHAPE = 4
SHARE_OF_ONE_NAME = 0.25
SECOND_COVERAGE = 0.6
ONLY_SHARE = 0.8
MUCH_SHORTER = 0.9  # of the length of one rule that takes the same samples; a set of less gain is only finer
LEAST_SHARED = 2  # fields of two shapes that make them alike
MOST_CANDIDATES = 3
_LAST = 3  # lines


def of_shapes(best: RuleCandidate, rows: Sequence[Sequence[str]], labels: Labels, *, absolute: bool) -> RuleCandidate:
    """Return the candidate of a rule set with one rule for each shape, if that describes the samples shorter.

    One that finds more of the fields in `labels` is better, whatever its length.
    """
    if len(rows) < MANY:
        return best
    clusters = clusters_of(rows, absolute=absolute)
    left = [path[1:].split("/") for path in best.left]
    taken = [row for row in rows if row not in left]
    beside = clusters_of(left, absolute=absolute)
    fresh = [*_rule_set([], clusters, rows, labels, best.noise, absolute=absolute)]
    wider = [*_rule_set([_Shape(best, taken)], beside, rows, labels, (), absolute=absolute)]
    sets = [*wider, *fresh]
    deeper = with_other_depth(best, labels)
    if deeper is not None and all(len(deeper.left) <= len(one.left) for one in sets):
        return deeper
    bits = best.bits + PEER * max((_peers(best, one) for one in sets), default=0)
    if labels:  # shapes of their own share no labels, so that paths which one labelled rule fits stay with it
        return min((*wider, best, *fresh), key=lambda one: len(one.unlabelled))
    alike = 1 in (len({*map(len, taken)}), len({form_of(row)[1] for row in taken}))
    finer = [one for one in sets if alike and {*best.left} <= {*one.left}]  # they take no more of the samples
    sets = [one for one in sets if one not in finer or (one.bits < MUCH_SHORTER * bits and _has_more(one, best))]
    return min((replace(best, bits=bits), *sets), key=lambda one: (leaves_end(one, rows), one.bits))


def leaves_end(candidate: RuleCandidate, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a rule takes none of the last lines in order, although the list goes on after these."""
    paths = [*map(path_of, rows)]
    return are_in_order(paths) and {*paths[-_LAST:]} <= {*candidate.left}


def _has_more(joined: RuleCandidate, best: RuleCandidate) -> bool:
    """Return whether the rules of a rule set have more fields, or more that are no text, than the one rule that takes
    the same samples. The extension does not count, because rules of one extension each do not need it.
    """
    counts, own = [_counts(one) for one in joined.shapes], _counts(best.rule)
    fields, typed = ([one[at] for one in counts] for at in (0, 1))
    return min(fields) >= own[0] and (max(fields) > own[0] or min(typed) > own[1])


def _counts(rule: ExtractionRule) -> tuple[int, int]:
    """Return how many fields a rule has, and how many of them are no text."""
    fields = [one for one in rule.fields if one.name != "ext"]
    return len(fields), sum(one.type != "string" for one in fields)


def _peers(best: RuleCandidate, joined: RuleCandidate) -> int:
    """Return how many samples one rule leaves out that a rule set takes with a rule of mostly the same fields."""
    first = {field.name for field in joined.rule.fields}
    alike = [one for one in joined.rule.others if _are_alike(first, {field.name for field in one.fields})]
    return sum(any(apply_rule(one, path).status == "COMPLETE" for one in alike) for path in best.left)


def _are_alike(names: Collection[str], others: Collection[str]) -> bool:
    shared = len({*names} & {*others})
    return shared >= LEAST_SHARED and shared * 2 >= len(others)


def _rule_set(
    known: Sequence[_Shape],
    clusters: Sequence[Sequence[Sequence[str]]],
    rows: Sequence[Sequence[str]],
    labels: Labels,
    noise: Sequence[str],
    *,
    absolute: bool,
) -> Iterator[RuleCandidate]:
    """Yield the candidate of one rule for each known shape and each cluster that is data, if these are several."""
    head, ordered = looks_like_head(rows), are_in_order([*map(path_of, rows)])
    found = [*known]
    for cluster in clusters:
        own = {path: wanted for path, wanted in labels.items() if path[1:].split("/") in cluster}
        if own or _is_data(cluster, rows):
            last = rows[-1] in cluster  # the list goes on with this shape
            one = _of_cluster(cluster, noise, own, absolute=absolute, head=head or (ordered and last), last=last)
            found += [_Shape(one, cluster)] if own or (one.coverage >= SECOND_COVERAGE and _is_named(one)) else []
    shapes = _in_order(found, rows) if len(found) > 1 else []
    if len(found) == 1 and not (known or labels or ordered):
        yield from _only_shape(found[0], rows)
    if len(shapes) < 2:
        return
    joined = _joined_shapes(shapes, rows, {name for fields in labels.values() for name in fields})
    bits = _bits_of_shapes(joined, shapes, found)
    yield replace(joined, bits=bits + cost_of_left([path[1:].split("/") for path in joined.left], rows))


def _only_shape(shape: _Shape, rows: Sequence[Sequence[str]]) -> Iterator[RuleCandidate]:
    """Yield the candidate of the only shape that is data, if it has nearly all samples: the few others coarsen a rule
    for all.
    """
    one = with_rules(shape.candidate, [], [], rows)
    if len(shape.cluster) >= ONLY_SHARE * len(rows) and not one.rule.others:
        yield replace(one, bits=one.own_bits + cost_of_left([path[1:].split("/") for path in one.left], rows))


def _bits_of_shapes(joined: RuleCandidate, shapes: Sequence[_Shape], found: Sequence[_Shape]) -> float:
    """Return the cost of the samples of all `found` shapes, of which the rules of `shapes` are joined.

    Those of the others cost as much as the longest to describe, and those that an earlier rule takes and does not read
    are exceptions.
    """
    per_path = [one.candidate.own_bits / len(one.cluster) for one in shapes]
    bits = sum(one.candidate.own_bits for one in shapes) + SHAPE * (len(shapes) - 1)
    bits += max(per_path) * sum(len(one.cluster) for one in found if one not in shapes)
    paths = [(one.candidate.rule, path_of(row)) for one in found for row in one.cluster]
    return bits + PEER * sum(_reads(rule, path) and not _reads(joined.rule, path) for rule, path in paths)


@dataclass(frozen=True)
class _Shape:
    """The rule of one shape, and its samples."""

    candidate: RuleCandidate
    cluster: Sequence[Sequence[str]]


def _is_data(cluster: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether paths of a shape are many enough; a few files of one name beside the data describe it."""
    varies = len({row[-1] for row in cluster}) > 1
    return len(cluster) >= max((SHAPE_SHARE if varies else SHARE_OF_ONE_NAME) * len(rows), LEAST_SHAPE)


def _is_named(candidate: RuleCandidate) -> bool:
    """Return whether the glob says more about file names than their extension: files beside the data have any name."""
    stem = candidate.rule.glob.text.rpartition("/")[2].rpartition(".")[0]
    return any(char.isalnum() for char in stem)


def _of_cluster(
    cluster: Sequence[Sequence[str]], noise: Sequence[str], labels: Labels, *, absolute: bool, head: bool, last: bool
) -> RuleCandidate:
    """Return the best candidate for the paths of one shape."""
    guesses = guesses_of(cluster, absolute=absolute, head=head, names=head and last, last=last)
    guesses = by_labels(guesses, labels) if labels else guesses
    found = [candidate_of(guess, cluster, "", noise, labels) for guess in guesses[:MOST_CANDIDATES]]
    return min(found, key=lambda one: (len(one.unlabelled), 0 if labels else one.bits))


def _reads(rule: ExtractionRule, path: str) -> bool:
    return apply_rule(rule, path).status == "COMPLETE"


def _in_order(found: Sequence[_Shape], rows: Sequence[Sequence[str]]) -> list[_Shape]:
    """Return the shapes in the order in which they are tried, without those of which others then take all paths.

    Those whose rules take paths of others are last, and of these the ones that do not read what they take.
    """
    foreign: list[tuple[int, bool]] = []
    every: list[set[str]] = []
    for one in found:
        statuses = {path: apply_rule(one.candidate.rule, path).status for path in map(path_of, rows)}
        others = [statuses[path_of(row)] for row in rows if row not in one.cluster]
        taken = [status for status in others if status != "UNMATCHED"]
        foreign.append((len(taken) - taken.count("COMPLETE"), bool(taken)))
        every.append({path for path, status in statuses.items() if status != "UNMATCHED"})
    done: list[int] = []
    for at in sorted(range(len(found)), key=lambda at: (*foreign[at], at)):
        done += [at] if every[at] - set[str]().union(*(every[earlier] for earlier in done)) else []
    return [found[at] for at in done]


def _joined_shapes(shapes: Sequence[_Shape], rows: Sequence[Sequence[str]], labels: Collection[str]) -> RuleCandidate:
    """Return the first candidate with the rules of the others, whose columns are called like the same ones of it.

    The columns of the shape that has most labels give the names and types.
    """
    found = [one.candidate for one in shapes]
    count = [len({*labels} & {column.name for column in one.columns}) for one in found]
    lead = count.index(max(count))
    known = [KnownColumn(one, shapes[lead].cluster) for one in found[lead].columns]
    done: dict[int, tuple[Column, ...]] = {lead: found[lead].columns}
    for number, one in enumerate(found):
        if number != lead:
            done[number] = named_alike(one.columns, shapes[number].cluster, known, labels)
            names = {other.column.name for other in known}
            known += [
                KnownColumn(column, shapes[number].cluster) for column in done[number] if column.name not in names
            ]
    told = [*_telling_directories([one.cluster for one in shapes])]
    varied = dict(_directories([one for columns in done.values() for one in columns]))
    done = {
        number: with_unique_names([*columns, *_kinds(columns, shapes[number], dict.fromkeys(told, "kind") | varied)])
        for number, columns in done.items()
    }
    name = found[0].rule.name
    rules = [write_rule(one.rule.glob.text, done[number]) for number, one in enumerate(found)]
    rules = [replace(one, name=f"{name}_{at + 1}" if at else name, order=at) for at, one in enumerate(rules)]
    first = replace(
        found[0],
        rule=rules[0],
        columns=done[0],
        questions=tuple(dict.fromkeys(question for one in found for question in one.questions)),
        unlabelled=tuple(label for one in found for label in one.unlabelled),
    )
    return with_rules(first, rules[1:], [done[number] for number in range(1, len(found))], rows)


def _telling_directories(clusters: Sequence[Sequence[Sequence[str]]]) -> Iterator[int]:
    """Yield the directories, counted from the end, that have one name in each shape, but not the same one in all."""
    depths = {len(row) for cluster in clusters for row in cluster}
    for index in range(-max(depths), -1) if len(depths) == 1 else ():
        names = [{row[index] for row in cluster} for cluster in clusters]
        words = all(len(one) == 1 and any(map(str.isalpha, min(one))) for one in names)
        if words and len(set[str].union(*names)) == len(names):
            yield index


def _directories(columns: Sequence[Column]) -> Iterator[tuple[int, str]]:
    """Yield the places and names of the columns that are a whole directory of text, the first of a place last."""
    for one in reversed(columns):
        if isinstance(one.source, int) and one.pattern is None and one.type == "string" and not one.rest:
            yield one.source, one.name


def _kinds(columns: Sequence[Column], shape: _Shape, names: Mapping[int, str]) -> Iterator[Column]:
    """Yield a column of each directory that tells the shapes apart or that is one of another shape, if all samples have
    the same and no other column has it.
    """
    for index, name in names.items():
        there = all(-index < len(row) for row in shape.cluster)
        values = tuple(row[index] for row in shape.cluster) if there else ()
        if len({*values}) == 1 and all(one.source != index and one.name != name for one in columns):
            yield Column(name=name, source=index, pattern=None, values=values)


def about_shapes(best: RuleCandidate) -> Iterator[Assumption]:
    """Yield a question for each further shape: whether its paths are data too."""
    for number, rule in enumerate(best.rule.others, 2):
        question = f"samples have a further shape, {rule.glob.text!r}: are they data too?"
        yield Assumption(key=f"shape:{number}", kind="left", question=question)
