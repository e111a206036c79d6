"""The configuration of the search: the specification's keys and our weights, from a mapping, a file or variables."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from retouch.locate.errors import LocateError
from retouch.locate.fusion.config import SHORT, Fusion, FusionConfig
from retouch.locate.selection import SelectionPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.locate.ranking import RankOptions
    from retouch.locate.strategies.base import HintStrategy

VARIABLE = "RETOUCH_HINT_"
FUSIONS: tuple[Fusion, ...] = ("ranks", "max-plus-bonus")
_BONUS_KEYS = frozenset({"cross_source_bonus", "max_fused_score"})
_IDENTIFIER_CLASSES = ("port", "signal", "module")


@dataclass(frozen=True, kw_only=True)
class HintConfig:
    """The parameters of strategies, fusion and selection. The names are those of the specification.

    `weights` are the weights of strategies (mf, sl, fg, nb) in the fusion `ranks`. `locality_decay` or
    `breadcrumb_scale` selects the specification's formula for locators, `identifier_weights` or `top_k_per_identifier`
    its formula for words. Without them, the formulas that found more modules in our benchmarks are used.
    """

    fusion: Fusion = "ranks"
    k: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    cross_source_bonus: float = 0.05
    max_fused_score: float = 1.0
    tier_high: float = 0.95
    tier_medium: float = 0.70
    tier_low: float = 0.50
    locality_decay: float | None = None
    breadcrumb_scale: float | None = None
    identifier_weights: Mapping[str, float] = field(default_factory=dict[str, float])
    top_k_per_identifier: int | None = None
    epsilon_noise: float = 0.01
    top_n_selection: int = 5

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], *, where: str = "the configuration") -> HintConfig:
        """Return the configuration with these keys. `cross_source_bonus` alone selects `max-plus-bonus`.

        Raises:
            LocateError: a key is unknown, or a value has an invalid type or range.
        """
        known = {one.name for one in fields(cls)}
        if unknown := sorted(set(data) - known):
            hint = f"The keys are: {', '.join(sorted(known))}."
            raise LocateError(f"{where} has the unknown key {unknown[0]!r}.", hint=hint)
        values = {key: _checked(key, value, where) for key, value in data.items()}
        if "fusion" not in values and _BONUS_KEYS & set(values):
            values["fusion"] = "max-plus-bonus"
        return cls(**values)

    @classmethod
    def from_file(cls, path: str | Path) -> HintConfig:
        """Return the configuration of a TOML file, or of a JSON file if its name ends in `.json`.

        Raises:
            LocateError: it cannot be read, or has unknown keys or invalid values.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
            data: Any = json.loads(text) if str(path).endswith(".json") else tomllib.loads(text)
        except (OSError, ValueError) as error:
            raise LocateError(f"{str(path)!r} cannot be read: {error}", hint="Write TOML, or JSON in *.json.") from None
        if not isinstance(data, dict):
            raise LocateError(f"{str(path)!r} has no keys.", hint='Write one object, for example {"tier_low": 0.4}.')
        return cls.from_mapping(cast("dict[str, Any]", data), where=repr(str(path)))

    @classmethod
    def from_environment(cls, variables: Mapping[str, str]) -> HintConfig:
        """Return the configuration of variables such as RETOUCH_HINT_TIER_HIGH. Mappings are JSON.

        Raises:
            LocateError: a variable has an unknown name or an invalid value.
        """
        found: dict[str, Any] = {}
        for name, text in variables.items():
            if name.startswith(VARIABLE):
                key = name.removeprefix(VARIABLE).lower()
                try:
                    found[key] = text if key == "fusion" else json.loads(text)
                except ValueError:
                    raise LocateError(f"{name}={text!r} is no JSON value.", hint="For example: 0.9") from None
        return cls.from_mapping(found, where="the environment")

    def with_weights(self, pairs: Sequence[str]) -> HintConfig:
        """Return the configuration with further weights, each as NAME=VALUE.

        Raises:
            LocateError: a pair has another form, or its name is no strategy.
        """
        found: dict[str, Any] = {}
        for pair in pairs:
            name, _, value = pair.partition("=")
            try:
                found[name] = float(value)
            except ValueError:
                raise LocateError(f"{pair!r} is no weight.", hint="For example: nb=3") from None
        return replace(self, weights={**self.weights, **_checked("weights", found, "--weight")}) if found else self

    @property
    def fusion_config(self) -> FusionConfig:
        """The parameters of the fusion."""
        usual = FusionConfig()
        added = {name: self.weights.get(name, weight) for name, weight in usual.added.items()}
        own = {name: weight for name, weight in self.weights.items() if name not in added}
        return FusionConfig(
            fusion=self.fusion,
            k=self.k,
            weights={**usual.weights, **own},
            added=added,
            cross_source_bonus=self.cross_source_bonus,
            max_score=self.max_fused_score,
        )

    @property
    def policy(self) -> SelectionPolicy:
        """The parameters of the selection."""
        return SelectionPolicy(
            tier_high=self.tier_high,
            tier_medium=self.tier_medium,
            tier_low=self.tier_low,
            epsilon_noise=self.epsilon_noise,
            top_n_selection=self.top_n_selection,
            explore_below_low=True,
        )

    def strategies(self) -> Sequence[HintStrategy]:
        """Return the strategies, in the order of their scores."""
        from retouch.locate.ranking import default_strategies
        from retouch.locate.strategies.specification import IDENTIFIER_WEIGHTS, BreadcrumbLocator, IdentifierGrep

        names, sources, words, near = default_strategies()
        if self.locality_decay is not None or self.breadcrumb_scale is not None:
            sources = BreadcrumbLocator(
                locality_decay=self.locality_decay or 100.0, breadcrumb_scale=self.breadcrumb_scale or 10.0
            )
        if self.identifier_weights or self.top_k_per_identifier is not None:
            words = IdentifierGrep(
                identifier_weights={**IDENTIFIER_WEIGHTS, **self.identifier_weights},
                top_k_per_identifier=self.top_k_per_identifier or 3,
            )
        return names, sources, words, near

    def rank_options(self, prefixes: Sequence[str] = ()) -> RankOptions:
        """Return the options of `rank`."""
        from retouch.locate.ranking import RankOptions

        return RankOptions(prefixes=tuple(prefixes), fusion=self.fusion_config, strategies=tuple(self.strategies()))


def _checked(key: str, given: object, where: str) -> Any:
    value = cast("Any", given)
    if key == "fusion":
        good, wanted = value in FUSIONS, f"one of {', '.join(FUSIONS)}"
    elif key in {"weights", "identifier_weights"}:
        names = tuple(SHORT.values()) if key == "weights" else _IDENTIFIER_CLASSES
        entries = cast("dict[object, object]", value) if isinstance(value, dict) else {0: 0}
        good: bool = all(name in names and _is_number(one) for name, one in entries.items())
        wanted = f"numbers of at least 0 for some of {', '.join(names)}"
    elif key in {"top_k_per_identifier", "top_n_selection"}:
        good, wanted = isinstance(value, int) and not isinstance(value, bool) and value >= 1, "a number of at least 1"
    elif key in {"locality_decay", "breadcrumb_scale"}:
        good, wanted = _is_number(value) and value > 0, "a number above 0"
    else:
        good, wanted = _is_number(value), "a number of at least 0"
    if not good:
        raise LocateError(f"{where}: {key} is {given!r}.", hint=f"It must be {wanted}.")
    return cast("Any", given)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
