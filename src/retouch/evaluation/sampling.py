"""The sources of an evaluation, their independent groups of units, and a seeded sample of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from retouch._lib.hashing import canonical_hash
from retouch.engine.directory import clean_source, source_hash
from retouch.engine.types import prompt_hash
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Prompt


@dataclass(frozen=True, kw_only=True)
class EvaluationSource:
    """One source that every model works on, for example an endpoint, under a `label` that is unique.

    `groups` are its planned units, by the group that tier 3 checks together. `prompts` is the hash of all planned
    prompts, which changes with the version of the recipe. `sampled` are the names of the groups that
    are requested; None means all. `options` are the run options without model and batch.
    """

    label: str
    recipe: Recipe[Any, Any]
    source: Any
    options: RunOptions
    groups: Mapping[str, tuple[str, ...]]
    prompts: str
    sampled: frozenset[str] | None = None

    @property
    def hash(self) -> str:
        """The hash of the source."""
        return source_hash(self.recipe, clean_source(self.recipe, self.source))

    @property
    def planned(self) -> int:
        """How many units the recipe plans for the whole source."""
        return sum(map(len, self.groups.values()))

    @property
    def units(self) -> tuple[str, ...]:
        """The requested units, in the order of the plan."""
        return tuple(unit for name, units in self.groups.items() if self._requests(name) for unit in units)

    @property
    def is_partial(self) -> bool:
        """Whether only a sample of the units is requested."""
        return len(self.units) < self.planned

    def sampled_recipe(self) -> Recipe[Any, Any]:
        """Return the recipe, with a plan of the requested units only."""
        if not self.is_partial:
            return self.recipe
        wanted, plan = frozenset(self.units), self.recipe.plan

        def sampled_plan(source: Any) -> Iterator[Prompt]:
            return (prompt for prompt in plan(source) if prompt.unit in wanted)

        return replace(self.recipe, plan=sampled_plan)

    def _requests(self, group: str) -> bool:
        return self.sampled is None or group in self.sampled


def evaluation_source(label: str, recipe: Recipe[Any, Any], source: Any, options: RunOptions) -> EvaluationSource:
    """Return the source with its planned units, all of them requested."""
    hashes = {prompt.key: prompt_hash(prompt) for prompt in recipe.plan(source)}
    groups: dict[str, list[str]] = {}
    for unit in dict.fromkeys(unit for unit, _ in hashes):
        groups.setdefault(recipe.group(source, unit), []).append(unit)
    return EvaluationSource(
        label=label,
        recipe=recipe,
        source=source,
        options=options,
        groups={name: tuple(units) for name, units in groups.items()},
        prompts=canonical_hash([[*key, value] for key, value in hashes.items()]),
    )


def with_unique_labels(sources: Iterable[EvaluationSource]) -> list[EvaluationSource]:
    """Return the sources, with a number after each label that is there already."""
    found: dict[str, EvaluationSource] = {}
    for one in sources:
        label, number = one.label, 1
        while label in found:
            number += 1
            label = f"{one.label}-{number}"
        found[label] = replace(one, label=label)
    return list(found.values())


def sample(sources: Sequence[EvaluationSource], size: int | None, *, seed: int) -> list[EvaluationSource]:
    """Return the sources with about `size` requested units, drawn with `seed`. None requests all.

    Whole groups are drawn, in random order, until they have `size` units. Their checks in tier 3 then have everything
    they need. Sources without a drawn group are left out.

    Raises:
        BadInput: there is no unit at all.
    """
    if not any(one.planned for one in sources):
        raise BadInput(
            "there is nothing to evaluate: the recipe plans no unit for these sources",
            hint="Name a source with at least one unit; 'retouch generate RECIPE ... --dry-run' lists them.",
        )
    if size is None:
        return [one for one in sources if one.planned]
    places = [(place, name) for place, one in enumerate(sources) for name in one.groups]
    Random(seed).shuffle(places)  # noqa: S311 - reproducible on purpose
    drawn: dict[int, set[str]] = {}
    count = 0
    for place, name in places:
        if count >= size:
            break
        drawn.setdefault(place, set()).add(name)
        count += len(sources[place].groups[name])
    return [replace(sources[place], sampled=frozenset(names)) for place, names in sorted(drawn.items())]
