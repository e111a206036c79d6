"""Infers rules from sample paths, without a model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch._lib.counting import counted
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.detecting.assumptions import Assumption, RuleShape, are_in_order, assumptions_of
from retouch.recipes.rule.detecting.by_template import LabelledReading, by_template
from retouch.recipes.rule.detecting.candidate import RuleCandidate, candidate_of
from retouch.recipes.rule.detecting.few_ends import without_few_ends
from retouch.recipes.rule.detecting.fewer_parts import with_fewer_parts
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.guesses import guesses_of
from retouch.recipes.rule.detecting.head import looks_like_head
from retouch.recipes.rule.detecting.joined import about_joined
from retouch.recipes.rule.detecting.labelled_doubts import about_labelled
from retouch.recipes.rule.detecting.labelled_kind import of_labelled_kind, without_foreign_shapes
from retouch.recipes.rule.detecting.labels import about_ends, by_labels
from retouch.recipes.rule.detecting.narrowing import narrowed
from retouch.recipes.rule.detecting.nested import NestedLabel
from retouch.recipes.rule.detecting.noise import COMPANION, noise_among
from retouch.recipes.rule.detecting.other_depth import with_one_directory_more
from retouch.recipes.rule.detecting.shaped import MOST_CANDIDATES, about_shapes, leaves_end, of_shapes
from retouch.recipes.rule.detecting.specificity import specificity_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.labels import Labels
    from retouch.recipes.rule.language.model import ExtractionRule

MAX_SAMPLES = 200


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
    nested = NestedLabel.of(rows, labels)
    found = nested and _of_nested(nested, rows, name, noise, labels, absolute=absolute)
    best, *others = [found] if found else _inferred(rows, name, noise, labels, absolute=absolute)
    companions = [place for place, kind in noise.items() if kind == COMPANION]
    return (_with_assumptions(best, rows, labels, companions), *others)


def _of_nested(
    nested: NestedLabel,
    rows: Sequence[Sequence[str]],
    name: str,
    noise: Collection[str],
    labels: Labels,
    *,
    absolute: bool,
) -> RuleCandidate | None:
    """Return the candidate of a label of several directories, or None if there is none."""
    joined = [nested.joined(row) for row in rows]
    best = _inferred(joined, name, noise, nested.joined_labels(labels), absolute=absolute)[0]
    return nested.separated(best, rows, labels[nested.path])


def _inferred(
    rows: Sequence[Sequence[str]], name: str, noise: Collection[str], labels: Labels, *, absolute: bool
) -> list[RuleCandidate]:
    """Return candidates for rows, the best first, without assumptions."""
    head = looks_like_head(rows, beside=len(noise))
    guesses = guesses_of(rows, absolute=absolute, head=head, names=True)
    if labels:
        guesses = by_labels(guesses, labels)
    found = [candidate_of(guess, rows, name, tuple(noise), labels) for guess in guesses[:MOST_CANDIDATES]]
    found.sort(key=lambda one: (len(one.unlabelled), *((0, 0) if labels else (leaves_end(one, rows), one.bits))))
    best, *others = found
    best = without_foreign_shapes(of_shapes(best, rows, labels, absolute=absolute), rows, labels)
    labelled = LabelledReading.of(best, rows, labels)
    best = by_template(best, labelled, rows, labels, absolute=absolute) if labelled else best
    if labels or not are_in_order([*map(path_of, rows)]):  # the first lines of a list do not show what later ones lack
        best = with_one_directory_more(with_fewer_parts(best, rows, labels), rows)
        best = without_foreign_shapes(best, rows, labels, shortened=True)
        best = narrowed(best, rows, labels)
        best = of_labelled_kind(best, labelled, rows) if labelled else best
    if not labels:
        best = without_few_ends(best, rows, lambda some: _inferred(some, name, noise, labels, absolute=absolute)[0])
    return [best, *others]


def _with_assumptions(
    candidate: RuleCandidate,
    rows: Sequence[Sequence[str]],
    labels: Mapping[str, Mapping[str, JSON]],
    companions: Sequence[str],
) -> RuleCandidate:
    """Return the candidate with its specificity and assumptions, which take long, so that only the best has them.

    It is asked about `companions`, whose names do not show for sure what they are.
    """
    beside = [path for path in companions if apply_rule(candidate.rule, path).status == "UNMATCHED"]
    left = set(candidate.left)
    matched = [path for path in map(path_of, rows) if path not in left]
    specificity = specificity_of(candidate.rule, matched)
    answered = {field for wanted in labels.values() for field in wanted}
    columns = zip((candidate.columns, *candidate.others), candidate.shapes, strict=False)
    shapes = [RuleShape(one, rule.glob.text) for one, rule in columns]
    found = assumptions_of(shapes, matched, (*candidate.left, *beside), specificity, answered=answered)
    found = (*found, *_about_unread(candidate.rule, matched))
    if len(beside) < len(companions):
        path = next(one for one in companions if one not in beside)
        question = f"the rule takes {path!r}, whose name and extension are those of a file beside the data; is it data?"
        found = (Assumption(key="companions", kind="endings", question=question), *found)
    missing = [
        Assumption(key=f"example:{one}", kind="example", question=f"the rule does not give {one}", acceptable=False)
        for one in candidate.unlabelled
    ]
    joined = [about_joined(one, count=len(labels)) for one in candidate.columns if one.rest and one.name in answered]
    shown = (*about_ends(candidate.columns, labels), *about_labelled(candidate, rows, labels))
    asked = (*missing, *joined, *shown, *found, *about_shapes(candidate))
    return replace(candidate, specificity=specificity, assumptions=_once(asked))


def _once(found: Sequence[Assumption]) -> tuple[Assumption, ...]:
    """Return the assumptions, of those with the same key one that is open, or else the first."""
    by_key: dict[str, Assumption] = {}
    for one in found:
        if one.key not in by_key or (one.open and not by_key[one.key].open):
            by_key[one.key] = one
    return tuple(by_key.values())


def _about_unread(rule: ExtractionRule, matched: Sequence[str]) -> Iterator[Assumption]:
    """Yield a question about each field that is missing in a sample that the rule takes."""
    lacking: dict[str, list[str]] = {}
    for path in matched:
        for name, reason in apply_rule(rule, path).reasons.items():
            if not reason.defaulted:
                lacking.setdefault(name, []).append(path)
    for name, paths in lacking.items():
        message = f"{name}: {counted(len(paths), 'sample')} that the rule takes, as {paths[0]!r}, have no such value;"
        yield Assumption(key=f"apart:{name}", kind="apart", question=f"{message} are they of another shape?")
