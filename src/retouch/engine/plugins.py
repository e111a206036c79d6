"""Recipes and models by name: entry points, so that the engine imports nothing above it and anyone can add one."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from retouch.errors import RecipeBug, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model

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
        RecipeBug: what is registered under it cannot be imported, or is no recipe of that name.
    """
    from retouch.engine.recipe import Recipe

    found = _load(RECIPES, name, "recipe")
    if not isinstance(found, Recipe):
        seen = type(found).__name__
        raise RecipeBug(f"the recipe {name!r} is registered as {seen}", hint="Let its entry point name a Recipe.")
    recipe = cast("Recipe[Any, Any]", found)
    if recipe.name != name:
        hint = "Runs find their recipe by its name: give both the same."
        raise RecipeBug(f"the recipe that is registered as {name!r} calls itself {recipe.name!r}", hint=hint)
    return recipe


def open_model(spec: str, *, recipe: Recipe[Any, Any] | None = None) -> Model:
    """Return the model that `spec` names: a scheme, then what belongs to it, as in `faulty:offline?rate=0.2&seed=7`.

    Built-in schemes are listed by `retouch models`; others register in the entry-point group `retouch.models` with
    a function from `ModelSpec` to `Model`. `recipe` gives `offline` its answerer and `faulty` its faults.

    Raises:
        UnknownName: no model has that scheme.
        BadInput: the rest of the spec cannot be understood.
        RecipeBug: what is registered under the scheme cannot be imported.
    """
    scheme, _, rest = spec.partition(":")
    opener = cast("Opener", _load(MODELS, scheme, "model scheme"))
    return opener(ModelSpec(scheme=scheme, rest=rest, recipe=recipe))


def _load(group: str, name: str, kind: str) -> object:
    points: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=group)}
    if name not in points:
        known = ", ".join(sorted(points)) or "none"
        raise UnknownName(f"no {kind} {name!r}; it may be one of: {known}", hint=_nearest(group, name, points))
    point = points[name]
    try:
        return point.load()
    except Exception as error:
        seen = f"{type(error).__name__}: {error}"  # a package of someone else may raise anything when it is imported
        package = point.dist.name if point.dist is not None else "unknown"
        message = f"the {kind} {name!r} of the package {package!r} cannot be loaded from {point.value!r}: {seen}"
        raise RecipeBug(message, hint="Install what is missing, or correct or uninstall that package.") from error


def _nearest(group: str, name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    scheme = "Write a model as SCHEME:NAME, such as anthropic:claude-haiku-4-5; 'retouch models' lists the schemes."
    return scheme if group == MODELS else "'retouch recipes' lists what is installed."
