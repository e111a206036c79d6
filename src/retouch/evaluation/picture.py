"""The picture of a result as SVG: cost and quality of each model, and the paired differences with their intervals.

The file follows the reader's light or dark colour scheme, loads nothing and runs no script.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retouch.evaluation.comparing import ModelComparison, ModelFigures
    from retouch.evaluation.result import EvaluationResult

WIDTH = 760
_LEFT, _RIGHT, _PLOT = 70, 740, 300  # the edges of the plots, and the height of the first
_ROW = 24
_MOST_TEXT = 44
_STYLE = """
  .back { fill: #ffffff } .line { stroke: #b9c0c8 } .grid { stroke: #e6e9ec } .mark { fill: #0b63b0 }
  .worse { fill: none; stroke: #6b7480; stroke-width: 1.5 } .bar { stroke: #6b7480; stroke-width: 2 }
  .shown { stroke: #0b63b0; stroke-width: 3 } .edge { stroke: #0b63b0; stroke-dasharray: 4 3; fill: none }
  text { font: 12px system-ui, sans-serif; fill: #1f2328 } .soft { fill: #59636e } .head { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #11151a } .line { stroke: #4b545e } .grid { stroke: #262d35 } .mark { fill: #6cb6ff }
    .worse, .bar { stroke: #97a1ac } .shown, .edge { stroke: #6cb6ff }
    text { fill: #e6edf3 } .soft { fill: #9aa4af }
  }
"""


def picture(result: EvaluationResult) -> str:
    """Return the picture as the text of an SVG file."""
    rows = [one for one in result.comparisons if one.metric in ("verified", "cost") and one.interval is not None]
    height = _PLOT + 70 + (_ROW * (len(rows) + 2) + 20 if rows else 0)
    title = f"{result.plan.recipe}: {result.plan.units} units, {result.plan.trials} trials"
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{height}"/>',
        _text(_LEFT, 24, title, kind="head"),
        *_scatter(result),
        *(_differences(rows, top=_PLOT + 90) if rows else ()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: float, y: float, text: str, *, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"


def _scatter(result: EvaluationResult) -> Iterator[str]:
    """Yield the plot of all models: the price of a unit to the right, the share of verified units upwards."""
    is_priced = all(one.cost_per_unit is not None for one in result.figures)
    is_priced = is_priced and any(one.cost_per_unit for one in result.figures)
    prices = [(one.cost_per_unit or 0.0) if is_priced else _tokens_per_unit(one) for one in result.figures]
    most = max([*prices, 0.0]) * 1.1 or 1.0
    top, bottom = 50, _PLOT

    def across(value: float) -> float:
        return _LEFT + value / most * (_RIGHT - _LEFT)

    def up(share: float) -> float:
        return bottom - share * (bottom - top)

    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield _line(_LEFT, up(share), _RIGHT, up(share), "grid" if share else "line")
        yield _text(_LEFT - 8, up(share) + 4, f"{share:.0%}", kind="soft", anchor="end")
    for part in (0.0, 0.25, 0.5, 0.75, 1.0):
        label = f"${most * part:,.4f}" if is_priced else f"{most * part:,.0f}"
        yield _text(across(most * part), bottom + 18, label, kind="soft", anchor="start" if not part else "end")
    axis = "US dollars per unit" if is_priced else "tokens per unit (no prices to compare)"
    yield _text((_LEFT + _RIGHT) / 2, bottom + 38, axis, kind="soft", anchor="middle")
    yield _text(_LEFT, 42, "units verified", kind="soft")
    points = [(across(price), up(one.share)) for price, one in zip(prices, result.figures, strict=True)]
    yield from _marks(result, points)


def _tokens_per_unit(one: ModelFigures) -> float:
    return one.usage.tokens / one.units if one.units else 0.0


def _marks(result: EvaluationResult, points: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Yield a mark for each model, filled unless another model dominates it, with its name where there is room."""
    best = sorted(
        point for point, one in zip(points, result.figures, strict=True) if result.dominated[one.model] is None
    )
    if len(best) > 1:
        yield f'<polyline class="edge" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in best)}"/>'
    taken: list[tuple[float, float]] = []
    for (x, y), one in zip(points, result.figures, strict=True):
        kind = "worse" if result.dominated[one.model] else "mark"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="{kind}"/>'
        place = y - 9 if y > 80 else y + 18
        while any(abs(place - other) < 14 and abs(x - near) < 300 for near, other in taken):
            place += 14
        taken.append((x, place))
        is_right = x > (_LEFT + _RIGHT) / 2
        yield _text(x, place, _short(one.model), anchor="end" if is_right else "start")


def _differences(rows: Sequence[ModelComparison], *, top: float) -> Iterator[str]:
    """Yield the paired differences, one row each, on an axis of its own for each metric."""
    middle, right = 520.0, float(_RIGHT - 10)
    yield _text(
        _LEFT - 60, top, "Paired differences and their intervals. Only a blue one shows a difference.", kind="head"
    )
    for place, one in enumerate(rows):
        y = top + _ROW * (place + 1)
        found = one.interval
        if found is None:
            continue
        most = max((_reach(other) for other in rows if other.metric == one.metric), default=0.0) or 1.0
        across = _scale(middle, right, most)
        what = "verified" if one.metric == "verified" else "cost"
        yield _text(_LEFT - 60, y + 4, f"{what}: {_short(f'{one.a} minus {one.b}')}")
        yield _line(middle, y - 9, middle, y + 9, "line")
        low, high = found.low, found.high
        if low is None or high is None:
            yield _text(middle + 10, y + 4, f"too few groups ({found.groups})", kind="soft")
            continue
        yield _line(across(low), y, across(high), y, "shown" if found.shows_difference else "bar")
        yield f'<circle cx="{across(found.estimate):.1f}" cy="{y:.1f}" r="4" class="mark"/>'
        label = f"{found.estimate:+.1%}" if one.metric == "verified" else f"{found.estimate:+.5f} $"
        yield _text(across(max(high, 0.0)) + 8 if high < most / 2 else across(low) - 8, y + 4, label, kind="soft",
                    anchor="start" if high < most / 2 else "end")  # fmt: skip


def _reach(one: ModelComparison) -> float:
    found = one.interval
    return max(abs(value) for value in (found.estimate, found.low or 0.0, found.high or 0.0)) if found else 0.0


def _scale(middle: float, right: float, most: float) -> Callable[[float], float]:
    return lambda value: middle + value / most * (right - middle)
