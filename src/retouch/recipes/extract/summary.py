"""The page `report.html` of a job: a summary that needs no script and no network."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, Template

from retouch._lib.json_text import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.extract.merging import ExtractResult
    from retouch.recipes.extract.results import RecordResult


def summary_page(result: ExtractResult, wrong: Sequence[RecordResult], *, total: int) -> str:
    """Return the page: the status as text, counts, tiers, cost, and the records `wrong`, the first with issues."""
    hidden = result.counts.get("dead", 0) + result.counts.get("issues", 0) - len(wrong)
    return _template().render(result=result, total=total, wrong=wrong, hidden=hidden)


@cache
def _template() -> Template:
    text = files("retouch.recipes.extract").joinpath("summary.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True)
    environment.filters["as_json"] = _as_json
    return environment.from_string(text)


def _as_json(value: JSON) -> str:
    return "" if value is None else json_text(value).rstrip()
