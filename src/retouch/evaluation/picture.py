"""The picture of a result as SVG: cost and quality of each model, and the paired differences with their intervals.

The file follows the reader's light or dark colour scheme, loads nothing and runs no script.
"""

from __future__ import annotations

from html import escape
from string import ascii_uppercase
from typing import TYPE_CHECKING

from retouch._lib.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.evaluation.comparing import ModelComparison, ModelFigures
    from retouch.evaluation.intervals import Interval
    from retouch.evaluation.result import EvaluationResult

WIDTH = 760
_LEFT, _RIGHT, _PLOT = 70, 740, 300  # the edges of the first plot, and its lower end
_VALUES = 220  # where the figures of the rows start
_ROW = 24
_MOST_TEXT = 44
_NOUNS = {"verified": "verified", "passed": "without errors", "cost": "cost", "tokens": "tokens"}
_STYLE = """
  .back { fill: #ffffff } .line { stroke: #b9c0c8 } .grid { stroke: #e6e9ec } .mark { fill: #0b63b0 }
  .worse { fill: none; stroke: #6b7480; stroke-width: 1.5 } .bar { stroke: #6b7480; stroke-width: 2 }
  .shown { stroke: #0b63b0; stroke-width: 3 } .unsure { fill: #6b7480 }
  text { font: 12px system-ui, sans-serif; fill: #1f2328 } .soft { fill: #59636e } .head { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #11151a } .line { stroke: #4b545e } .grid { stroke: #262d35 } .mark { fill: #6cb6ff }
    .worse, .bar { stroke: #97a1ac } .unsure { fill: #97a1ac } .shown { stroke: #6cb6ff }
    text { fill: #e6edf3 } .soft { fill: #9aa4af }
  }
"""


def picture(result: EvaluationResult) -> str:
    """Return the picture as the text of an SVG file.

    Quality is the share of verified units, or of units without errors if no unit of any model is verified. The price is
    in US dollars, or in tokens if a price is unknown or all are 0.
    """
    is_verified = any(one.verified for one in result.figures)
    is_priced = any(one.cost_per_unit for one in result.figures)
    is_priced = is_priced and all(one.cost_per_unit is not None for one in result.figures if one.units)
    shown = ("verified" if is_verified else "passed", "cost" if is_priced else "tokens")
    rows = [one for one in result.comparisons if one.metric in shown and one.interval is not None]
    height = _PLOT + 60 + (_ROW * (len(rows) + 2) if rows else 0)
    plan = result.plan
    title = f"{plan.recipe}: {counted(plan.units, 'unit')}, {counted(plan.trials, 'trial')}"
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{height}"/>',
        _text(_LEFT, 24, title, kind="head"),
        *_scatter(result, is_verified=is_verified, is_priced=is_priced),
        *(_differences(result, rows, top=_PLOT + 80) if rows else ()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: float, y: float, text: str, *, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _letter(result: EvaluationResult, model: str) -> str:
    """Return the name of a model in the rows of differences: A to Z, then numbers."""
    place = [one.model for one in result.figures].index(model)
    return ascii_uppercase[place] if place < len(ascii_uppercase) else str(place + 1)


def _scatter(result: EvaluationResult, *, is_verified: bool, is_priced: bool) -> Iterator[str]:
    """Yield the plot of all models: the price of a unit to the right, the quality upwards."""
    prices = [(one.cost_per_unit or 0.0) if is_priced else _tokens_per_unit(one) for one in result.figures]
    shares = [one.share if is_verified else one.passed_share for one in result.figures]
    most = max([*prices, 0.0]) * 1.1 or 1.0
    top, bottom = 50, _PLOT
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = bottom - share * (bottom - top)
        yield _line(_LEFT, y, _RIGHT, y, "grid" if share else "line")
        yield _text(_LEFT - 8, y + 4, f"{share:.0%}", kind="soft", anchor="end")
        label = f"${most * share:,.4f}" if is_priced else f"{most * share:,.0f}"
        x = _LEFT + share * (_RIGHT - _LEFT)
        yield _text(x, bottom + 18, label, kind="soft", anchor="end" if share else "start")
    axis = "US dollars per unit" if is_priced else "tokens per unit (no prices to compare)"
    yield _text((_LEFT + _RIGHT) / 2, bottom + 38, axis, kind="soft", anchor="middle")
    yield _text(_LEFT, 42, "units verified" if is_verified else "units without errors (none is verified)", kind="soft")
    points = [
        (_LEFT + price / most * (_RIGHT - _LEFT), bottom - share * (bottom - top))
        for price, share in zip(prices, shares, strict=True)
    ]
    if any(result.dominated.values()):
        yield _text(_RIGHT, 42, "hollow: another model is shown to be better", kind="soft", anchor="end")
    yield from _marks(result, points)


def _tokens_per_unit(one: ModelFigures) -> float:
    return one.usage.tokens / one.units if one.units else 0.0


def _marks(result: EvaluationResult, points: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Yield a mark for each model, filled unless another model dominates it, with its name where there is room.

    A model without results has none.
    """
    taken: list[tuple[float, float]] = []
    measured = [(place, one) for place, one in zip(points, result.figures, strict=True) if one.units]
    for (x, y), one in measured:
        kind = "worse" if result.dominated[one.model] else "mark"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="{kind}"/>'
        place = y - 9 if y > 80 else y + 18
        while any(abs(place - other) < 14 and abs(x - near) < 300 for near, other in taken):
            place += 14
        taken.append((x, place))
        name = one.model if len(one.model) <= _MOST_TEXT else f"{one.model[: _MOST_TEXT - 1]}…"
        anchor = "end" if x > (_LEFT + _RIGHT) / 2 else "start"
        yield _text(x, place, f"{_letter(result, one.model)}: {name}", anchor=anchor)


def _differences(result: EvaluationResult, rows: Sequence[ModelComparison], *, top: float) -> Iterator[str]:
    """Yield the paired differences, one row each. Each metric has an axis of its own, with 0 in the middle."""
    title = "Paired differences with their intervals. Only a blue one shows a difference."
    yield _text(_LEFT - 60, top, title, kind="head")
    for place, one in enumerate(rows):
        y = top + _ROW * (place + 1)
        if one.interval is not None:
            reach = max(_reach(other.interval) for other in rows if other.metric == one.metric)
            pair = f"{_letter(result, one.a)} minus {_letter(result, one.b)}"
            yield _text(_LEFT - 60, y + 4, f"{_NOUNS[one.metric]}, {pair}")
            yield from _difference_row(one.metric, one.interval, y, reach or 1.0)


def _difference_row(metric: str, found: Interval, y: float, reach: float) -> Iterator[str]:
    middle, half = 600.0, _RIGHT - 600.0

    def across(value: float) -> float:
        return middle + value / reach * half

    yield _line(middle, y - 10, middle, y + 10, "line")
    if found.low is None or found.high is None:
        yield _text(_VALUES, y + 4, f"too few groups ({found.groups}) to show a difference", kind="soft")
        return
    values = [_amount(metric, value) for value in (found.estimate, found.low, found.high)]
    yield _text(_VALUES, y + 4, f"{values[0]} ({values[1]} to {values[2]})", kind="soft")
    kind = "shown" if found.shows_difference else "bar"
    yield _line(across(found.low), y, across(found.high), y, kind)
    mark = "mark" if found.shows_difference else "unsure"
    yield f'<circle cx="{across(found.estimate):.1f}" cy="{y:.1f}" r="4" class="{mark}"/>'


def _amount(metric: str, value: float) -> str:
    if metric == "cost":
        return f"{'-' if value < 0 else '+'}${abs(value):,.5f}"
    return f"{value:+,.0f}" if metric == "tokens" else f"{value:+.1%}"


def _reach(found: Interval | None) -> float:
    return max(abs(value) for value in (found.estimate, found.low or 0.0, found.high or 0.0)) if found else 0.0
