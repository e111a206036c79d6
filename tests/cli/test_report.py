"""`retouch report`: the page is written where the person wants it, and never into what is no run."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Retouch

MINUTE = re.compile(r"\d\d:\d\d UTC")


def made(retouch: Retouch, spec: str) -> None:
    result = retouch("generate", "csharp", spec, "GET /pets", "--model", "offline", "--compiler", "none", "-o", "run")
    assert 0 == result.exit_code, result.output


def test_the_report_lies_in_the_run_folder_unless_a_place_is_named(retouch: Retouch, spec: str, work_folder: Path):
    made(retouch, spec)
    assert "run/report.html\n" == retouch("report", "run").output
    assert {"report": "page.html", "notes": []} == json.loads(
        retouch("report", "run", "-o", "page.html", "--json").output
    )
    text = (work_folder / "page.html").read_text(encoding="utf-8")
    assert text.lstrip().startswith("<!doctype html>")
    printed = retouch("report", "run", "-o", "-").output
    assert MINUTE.sub("", text) == MINUTE.sub("", printed)  # the minute at which each was made


def test_a_run_can_go_on_after_its_report_was_written(retouch: Retouch, spec: str):
    made(retouch, spec)
    retouch("report", "run")
    assert 0 == retouch("validate", "run", "--compiler", "none").exit_code
    made(retouch, spec)


def test_a_folder_that_is_no_run_is_refused(retouch: Retouch, work_folder: Path):
    result = retouch("report", ".")
    assert 2 == result.exit_code
    assert "not a run directory" in result.output
    assert not (work_folder / "report.html").exists()


def test_the_report_of_several_runs_is_one_page_that_leads_to_a_report_in_each(
    retouch: Retouch, spec: str, work_folder: Path
):
    made(retouch, spec)
    place = work_folder / "many" / "a model" / "trial-1"
    place.mkdir(parents=True)
    (work_folder / "run").rename(place / "<b>")
    (place / "broken").mkdir()
    (place / "broken" / "ir.json").write_text("{", encoding="utf-8")
    result = retouch("report", "many", "--to", "all.html")
    assert 0 == result.exit_code, result.output
    assert "broken has no report" in result.output
    text = (work_folder / "all.html").read_text(encoding="utf-8")
    assert 'href="many/a%20model/trial-1/%3Cb%3E/report.html"' in text
    assert (place / "<b>" / "report.html").is_file()
    assert "unreadable" in text
    assert "<b>" not in text
    refused = retouch("report", "many", "--to", "pages/")
    assert 2 == refused.exit_code
    assert "one file" in refused.output
