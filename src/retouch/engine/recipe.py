"""Recipes as frozen dataclasses of plain functions, and the lookup of recipes and models by name.

Recipes and models register as entry points. So the engine imports no recipe, and every package can add one.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from retouch.engine.repair import PageByPage, Repair, correction
from retouch.engine.types import Attempt, Issue, Prompt, RetryBudget, never_starts_a_session
from retouch.errors import RecipeBug, RetouchError, UnknownName

if TYPE_CHECKING:
    from types import TracebackType

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.parts import PageParts
    from retouch.engine.types import Model

S = TypeVar("S")  # the source: the recipe's input; serializable as JSON (ir.json)
V = TypeVar("V")  # the value: the parsed pages of one unit

Issues: TypeAlias = Iterable[Issue] | Awaitable[Iterable[Issue]]
RepairAmong: TypeAlias = Callable[
    [S, str, Sequence[Issue], Sequence[Attempt], Mapping[str, V]], Repair | PageByPage | None
]


@dataclass(frozen=True)
class Read(Generic[V]):
    """The result of reading one unit: its value (None if unreadable), and the issues of tiers 1 and 2."""

    value: V | None
    issues: Sequence[Issue] = ()


@dataclass(frozen=True)
class Unread:
    """A placeholder for an unreadable unit during assembly. `text` is its answer, or "" if there is none."""

    text: str


@dataclass(frozen=True)
class Block:
    """The position of one unit's text in an assembled file: characters `start` to `end`."""

    unit: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class TierPlan:
    """A tier that a run declares: its number, its name, and the reason if it will not run.

    `why` is a short reason, for example "no check was given". `next` is the command that would run the check.
    """

    tier: int
    name: str
    why: str = ""
    next: str = ""


@dataclass(frozen=True)
class CellMark:
    """A part of a cell in the colour of its `label`, for example the part of a path that a field extracts."""

    text: str
    label: str = ""


Cell: TypeAlias = "str | Sequence[CellMark]"


def marked(text: str, labels: Mapping[str, str]) -> Sequence[CellMark]:
    """Return `text` with each of the given parts in the colour of its label. Longer parts are found first.

    assert [CellMark("a-"), CellMark("2024", "year")] == marked("a-2024", {"2024": "year"})
    """
    found = [CellMark(text)]
    for part in sorted((part for part in labels if part), key=len, reverse=True):
        for place, one in enumerate(found):
            if not one.label and part in one.text:
                before, _, after = one.text.partition(part)
                found[place : place + 1] = [CellMark(before), CellMark(part, labels[part]), CellMark(after)]
                break
    return [one for one in found if one.text]


@dataclass(frozen=True, kw_only=True)
class CodeText:
    """A text with line breaks, such as a file or a diff. `language` is that of its colours, for example "csharp"."""

    title: str
    text: str
    language: str = ""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of a run's report that the recipe writes: plain text, a quotation, texts as they are, and a table.

    Several strings in `code` are shown next to each other. A section with a `unit` is also on the page of that unit.
    """

    title: str
    text: str = ""
    quote: str = ""
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = ()
    code: Sequence[CodeText] = ()
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class ShardRecord:
    """One record of a fleet: its key, which is unique, and its fields."""

    key: str
    fields: Mapping[str, JSON]


@dataclass(frozen=True, kw_only=True)
class Sharding(Generic[S, V]):
    """How one run serves many records: one unit for each record, named by its key.

    `source` returns the source of a run from what all records share, and the records. `value` returns the value of a
    record as plain data.
    """

    source: Callable[[Mapping[str, JSON], Sequence[ShardRecord]], S]
    value: Callable[[V], JSON]


def three_tiers(_source: object) -> Sequence[TierPlan]:
    """Declare the tiers of `read` and `check`: 1 syntax, 2 schema, 3 semantic."""
    return TierPlan(tier=1, name="syntax"), TierPlan(tier=2, name="schema"), TierPlan(tier=3, name="semantic")


def no_further_tiers(_source: object, _options: object) -> Sequence[TierPlan]:
    """Declare no tiers but those of the source."""
    return ()


def nothing_to_mend(_source: object, _unit: str, _pages: Sequence[str], _issues: Sequence[Issue]) -> None:
    """Fix nothing automatically: every repair needs a call."""


def nothing(_source: object, _values: Mapping[str, object]) -> Iterable[Prompt]:
    """Add no prompts to the planned ones."""
    return ()


def no_page_errors(_source: object, _unit: str, _page: int, _text: str) -> Sequence[Issue]:
    """Find no errors in a page alone: `read` needs all pages of a unit."""
    return ()


def not_in_parts(_source: object, _prompt: Prompt) -> PageParts | None:
    """Leave a page whole: it is not known how to cut it."""
    return None


def one_group(_source: object, _unit: str) -> str:
    """Put all units into one group, so that tier 3 checks them together."""
    return ""


def no_blocks(_file: str, _text: str) -> Sequence[Block]:
    """CellMark no unit's text: a file is kept or replaced as a whole."""
    return ()


def as_it_is(_source: object, _unit: str, text: str) -> str:
    """Use the user's text for a unit as its answer, unchanged."""
    return text


def no_heading(_source: object) -> Mapping[str, JSON]:
    """Add nothing to the head of `pages.json`."""
    return {}


def never_outdated(_source: object, _directory: Path) -> Sequence[Issue]:
    """Find no issues: the source depends on no file in the run directory."""
    return ()


def no_sections(_source: object, _values: object) -> Iterable[Section]:
    """Add no section to the report."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Recipe(Generic[S, V]):
    """A kind of work. Write `Recipe[Source, Value](...)`, so that type checkers report an incompatible function
    argument.

    plan      the prompts of a source, in order; pure: the same source gives the same bytes
    read      one unit's pages -> Read(value, issues of tier 1 or 2); raising `Invalid` is short for one issue.
              An adopted unit arrives as one page, whatever its number of prompts
    check     all values of one group together -> issues of tier 3; may be async; skipped while a unit cannot be read
    assemble  all values -> file name -> text; deterministic; a unit that cannot be read is `Unread(text)`
    mend      automatic fixes of one unit's pages, without a call; None if there are none
    faults    faults that the `faulty` model may add to an answer of this recipe, by name
    tiers     the tiers that a run of this source declares, and why one cannot run; a recipe without tier 3 omits it
    asked_tiers  the tiers that options of this verb ask for, beyond those of the source; `check` runs them
    then      prompts that need values first (a judge, a second stage)
    repair    the strategy to retry a unit with these issues, None to give up; the engine adds a patch and a fallback
    repair_among  replaces `repair` if the choice depends on the values of other units too
    judged_first  whether the prompts of `then` are answered before tier 3: for example a judge whose verdict it uses
    offline   answers a prompt by rules from its text alone: the embedded default model
    offline_complete  whether `offline` answers every prompt as well as a model could, so that a page that no model
              could answer is answered by it at last
    page_errors   errors of one page alone, so that it is repaired while other pages of its unit are still awaited;
              `read` must find them too, and no automatic fix can repair them
    in_parts  how to request a page in two parts if its corrections do not help; None if the page cannot be cut
    session   whether a prompt opens a session: most answers to it are followed by a further turn (`FollowUp`, `Patch`),
              so that each turn is kept in the provider's cache for the next
    pack      how many pages one request may ask for by default, if their prompts have the same system text and answer
              schema; 1 if only on request (`RunOptions.pack`), 0 if a page must be called alone
    group     the group of units that tier 3 checks together with a unit
    adopted   converts a manual edit of a unit into its answer, if answers look different from files
    blocks    the position of each unit's text in an assembled file, so that one can be replaced or adopted alone
    smaller   the same source with one unit planned in smaller pages; None if pages cannot shrink
    heading   keys about the source for the head of `pages.json`, for example its endpoint
    mark      the assembled files with the outcome of the checks in them, for example a header that a patch is not
              proved, from the issues by unit (None for a unit that is not checked yet); None if no file depends on it
    verdict   the last verdict on a unit in words, for progress: from its issues, its attempts, and whether tier 3 has
              checked it; None if the state of the unit is enough
    preflight raises `CannotJudge` if the checks cannot judge any answer; called before a model is
    outdated  warnings that a file of the user in the run directory differs from what the source was made from; a run
              with one is not verified. Its `fix` is the next step
    report    sections about the result, for the run's report
    tried     sections about what was tried for it, read from the run directory's record
    sharding  how one run serves many records of a fleet; without it, each record is a run of its own
    """

    name: str
    source: type[S]
    plan: Callable[[S], Iterable[Prompt]]
    read: Callable[[S, str, Sequence[str]], Read[V]]
    check: Callable[[S, Mapping[str, V], RunOptions], Issues]
    assemble: Callable[[S, Mapping[str, V | Unread]], Mapping[str, str]]
    mend: Callable[[S, str, Sequence[str], Sequence[Issue]], Sequence[str] | None] = nothing_to_mend
    tiers: Callable[[S], Sequence[TierPlan]] = three_tiers
    asked_tiers: Callable[[S, RunOptions], Sequence[TierPlan]] = no_further_tiers
    faults: Mapping[str, Callable[[str, Random], str]] = field(default_factory=dict[str, Callable[[str, Random], str]])
    then: Callable[[S, Mapping[str, V]], Iterable[Prompt]] = nothing
    repair: Callable[[S, str, Sequence[Issue], Sequence[Attempt]], Repair | None] = correction
    repair_among: RepairAmong[S, V] | None = None
    judged_first: bool = False
    offline: Callable[[Prompt], str] | None = None
    offline_complete: bool = False
    page_errors: Callable[[S, str, int, str], Sequence[Issue]] = no_page_errors
    in_parts: Callable[[S, Prompt], PageParts | None] = not_in_parts
    budget: RetryBudget = RetryBudget()
    session: Callable[[Prompt], bool] = never_starts_a_session
    pack: int | Callable[[S], int] = 0
    group: Callable[[S, str], str] = one_group
    adopted: Callable[[S, str, str], str] = as_it_is
    blocks: Callable[[str, str], Sequence[Block]] = no_blocks
    smaller: Callable[[S, str], S] | None = None
    heading: Callable[[S], Mapping[str, JSON]] = no_heading
    mark: Callable[[S, Mapping[str, str], Mapping[str, Sequence[Issue] | None]], Mapping[str, str]] | None = None
    verdict: Callable[[S, Sequence[Issue], Sequence[Attempt], bool], str] | None = None
    preflight: Callable[[S, RunOptions], Awaitable[None]] | None = None
    outdated: Callable[[S, Path], Iterable[Issue]] = never_outdated
    report: Callable[[S, Mapping[str, V | Unread]], Iterable[Section]] = no_sections
    tried: Callable[[S, Path], Iterable[Section]] = no_sections
    sharding: Sharding[S, V] | None = None


def pack_size(recipe: Recipe[S, Any], source: S, options: RunOptions) -> int:
    """Return how many pages one request of a run may ask for, at most. 1 if the recipe's pages cannot be packed."""
    own = recipe.pack(source) if callable(recipe.pack) else recipe.pack
    return max(1, own if options.pack is None or not own else options.pack)


def grouped(prompts: Iterable[Prompt]) -> dict[str, list[Prompt]]:
    """Return the prompts by unit, each unit's in page order.

    Raises:
        RecipeBug: an identity is duplicated, or the pages of a unit are not 1 to `total_pages`.
    """
    units: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        units.setdefault(prompt.unit, []).append(prompt)
    for name, pages in units.items():
        pages.sort(key=attrgetter("page"))
        numbers = [prompt.page for prompt in pages]
        if numbers != list(range(1, pages[0].total_pages + 1)):
            hint = "Give each page one prompt; pages are counted from 1."
            raise RecipeBug(f"unit {name!r} has pages {numbers} of {pages[0].total_pages}", hint=hint)
    return units


def guarded(recipe: Recipe[S, V]) -> Recipe[S, V]:
    """Return `recipe` with functions whose unexpected exceptions name the recipe, the function and the unit.

    For example `recipe 'i18n': read('de') raised KeyError: 'oops' (i18n.py:40)`, as a `RecipeBug`. Errors of Retouch's
    own tree, such as `Invalid`, pass unchanged.
    """
    functions: dict[str, Any] = {}
    for one in fields(recipe):
        function = getattr(recipe, one.name)
        if callable(function) and not isinstance(function, type):
            functions[one.name] = _guard(recipe.name, one.name, function)
    if recipe.sharding is not None:
        source, value = recipe.sharding.source, recipe.sharding.value
        functions["sharding"] = Sharding(
            source=_guard(recipe.name, "sharding.source", source), value=_guard(recipe.name, "sharding.value", value)
        )
    return replace(recipe, **functions)


_PLAIN = frozenset({Read, list, tuple, dict, str, bool, int, type(None)})  # neither awaited nor iterated


def _guard(recipe: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @contextmanager
    def blamed(args: tuple[Any, ...]) -> Generator[None]:
        try:
            yield
        except RetouchError:
            raise
        except Exception as error:
            raise _as_recipe_bug(recipe, name, args, error) from error

    async def awaited(result: Awaitable[Any], args: tuple[Any, ...]) -> Any:
        with blamed(args):
            return await result

    def iterated(result: Iterator[Any], args: tuple[Any, ...]) -> Iterator[Any]:
        with blamed(args):
            yield from result

    def call(*args: Any) -> Any:
        try:  # not `blamed`, which takes longer than many of these functions
            result = function(*args)
        except RetouchError:
            raise
        except Exception as error:
            raise _as_recipe_bug(recipe, name, args, error) from error
        is_plain = type(result) in _PLAIN
        if not is_plain and inspect.isawaitable(result):
            return awaited(result, args)
        is_iterator = not is_plain and issubclass(type(result), Iterator)
        return iterated(result, args) if is_iterator else result

    return call


def _as_recipe_bug(recipe: str, name: str, args: tuple[Any, ...], error: Exception) -> RecipeBug:
    unit = next((repr(arg) for arg in args if isinstance(arg, str)), "")
    where = _raised_at(error.__traceback__)
    message = f"recipe {recipe!r}: {name}({unit}) raised {type(error).__name__}: {error}{where}"
    return RecipeBug(message, hint="This is a defect of the recipe.")


def _raised_at(trace: TracebackType | None) -> str:
    """Return where an exception was raised, for example " (i18n.py:40)"."""
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})"


RECIPES = "retouch.recipes"
MODELS = "retouch.models"


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """The argument of an opener: the text after the scheme, and the recipe whose prompts the model will answer."""

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
        RecipeBug: the registered object cannot be imported, or is not a recipe of that name.
    """
    found = _load_entry_point(RECIPES, name, "recipe")
    if not isinstance(found, Recipe):
        seen = type(found).__name__
        raise RecipeBug(f"the recipe {name!r} is registered as {seen}", hint="Let its entry point name a Recipe.")
    recipe = cast("Recipe[Any, Any]", found)
    if recipe.name != name:
        hint = "Runs find their recipe by its name: give both the same."
        raise RecipeBug(f"the recipe that is registered as {name!r} calls itself {recipe.name!r}", hint=hint)
    return recipe


def open_model(spec: str, *, recipe: Recipe[Any, Any] | None = None) -> Model:
    """Return the model that `spec` names: a scheme and its arguments, for example `faulty:offline?rate=0.2&seed=7`.

    Built-in schemes are listed by `retouch models`; others register in the entry-point group `retouch.models` with
    a function from `ModelSpec` to `Model`. `recipe` gives `offline` its answerer and `faulty` its faults.

    Raises:
        UnknownName: no model has that scheme.
        BadInput: the rest of the spec cannot be understood.
        RecipeBug: the object that is registered under the scheme cannot be imported.
    """
    scheme, _, rest = spec.partition(":")
    opener = cast("Opener", _load_entry_point(MODELS, scheme, "model scheme"))
    return opener(ModelSpec(scheme=scheme, rest=rest, recipe=recipe))


def _load_entry_point(group: str, name: str, kind: str) -> object:
    points: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=group)}
    if name not in points:
        hidden = {point.name: point for point in entry_points(group=f"{group}.hidden")}
        if name in hidden:
            return hidden[name].load()
        known = ", ".join(sorted(points)) or "none"
        raise UnknownName(f"no {kind} {name!r}; it may be one of: {known}", hint=_nearest_name(group, name, points))
    point = points[name]
    try:
        return point.load()
    except Exception as error:
        seen = f"{type(error).__name__}: {error}"  # a package of someone else may raise anything when it is imported
        package = point.dist.name if point.dist is not None else "unknown"
        message = f"the {kind} {name!r} of the package {package!r} cannot be loaded from {point.value!r}: {seen}"
        raise RecipeBug(message, hint="Install what is missing, or correct or uninstall that package.") from error


def _nearest_name(group: str, name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    scheme = "Write a model as SCHEME:NAME, such as anthropic:claude-haiku-4-5; 'retouch models' lists the schemes."
    return scheme if group == MODELS else "'retouch recipes' lists what is installed."
