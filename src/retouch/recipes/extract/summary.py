"""The page `report.html` of a job: a summary that needs no script and no network."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.extract.job import ExtractResult
    from retouch.recipes.extract.results import RecordResult

_SHOWN = 200


def summary_page(result: ExtractResult, results: Sequence[RecordResult]) -> str:
    """Return the page: the status in words, counts, tiers, cost, and the first records with issues."""
    wrong = [one for one in results if one.status in {"dead", "issues"}]
    return _template().render(
        result=result, total=len(results), wrong=wrong[:_SHOWN], hidden=max(0, len(wrong) - _SHOWN)
    )


@cache
def _template() -> Template:
    text = files("retouch.recipes.extract").joinpath("summary.html").read_text(encoding="utf-8")
    return Environment(autoescape=True).from_string(text)
