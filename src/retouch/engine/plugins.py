"""Recipes and models by name: entry points, so that the engine imports nothing above it and anyone can add one."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from retouch.engine.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.core import Model
    from retouch.engine.recipe import Recipe

RECIPES = "retouch.recipes"
MODELS = "retouch.models"


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """What an opener gets: the text behind the scheme, and the recipe whose prompts the model will answer."""

    scheme: str
    rest: str
    recipe: Recipe[Any, Any] | None = None


Opener: TypeAlias = "Callable[[ModelSpec], Model]"


def recipe_names() -> list[str]:
    """Return the names of all registered recipes, sorted."""
    return sorted({point.name for point in entry_points(group=RECIPES)})


def find_recipe(name: str) -> Recipe[Any, Any]:
    """Return the registered recipe called `name`.

    Raises:
        UnknownName: no recipe has that name.
    """
    return cast("Recipe[Any, Any]", _load(RECIPES, name, "recipe"))


def open_model(spec: str, *, recipe: Recipe[Any, Any] | None = None) -> Model:
    """Return the model that `spec` names: a scheme, then what belongs to it, as in `faulty:offline?rate=0.2&seed=7`.

    Built-in schemes are listed by `retouch models`; others register in the entry-point group `retouch.models` with
    a function from `ModelSpec` to `Model`. `recipe` gives `offline` its answerer and `faulty` its faults.

    Raises:
        UnknownName: no model has that scheme.
        BadInput: the rest of the spec cannot be understood.
    """
    scheme, _, rest = spec.partition(":")
    opener = cast("Opener", _load(MODELS, scheme, "model scheme"))
    return opener(ModelSpec(scheme=scheme, rest=rest, recipe=recipe))


def _load(group: str, name: str, kind: str) -> object:
    points: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=group)}
    if name not in points:
        known = ", ".join(sorted(points)) or "none"
        raise UnknownName(f"no {kind} {name!r}; it may be one of: {known}", hint="Check the spelling.")
    return points[name].load()
