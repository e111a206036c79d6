"""The options that changed their spelling, and `--retries`, which took the place of four."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from retouch.cli.options import RetryLimits, retry_limits, retry_options
from retouch.cli.verb import Verb
from retouch.engine.types import RetryBudget

if TYPE_CHECKING:
    from tests.cli.conftest import Retouch

FAULTS = "faulty:offline?rate=1&heal=0&kinds=empty"
SEEN: list[RetryLimits | None] = []


@click.command(cls=Verb)
@retry_options
def patient(retries: RetryLimits | None) -> None:
    """Keep what was given."""
    SEEN.append(retries)


def seen(*words: str) -> RetryLimits | None:
    patient.main(list(words), standalone_mode=False)
    return SEEN[-1]


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("2,2,1/3", (2, 2, 1, 3)),
        ("0,0,0/0", (0, 0, 0, 0)),
        (" 2, 2, 1 / 3 ", (2, 2, 1, 3)),
        ("2,2,1", (2, 2, 1, 5)),
        ("4", (4, 4, 4, 4)),
        (0, (0, 0, 0, 0)),
    ],
)
def test_one_option_says_how_often_each_tier_and_all_may_be_retried(
    text: object, limits: tuple[int, int, int, int]
) -> None:
    tier1, tier2, tier3, total = limits
    assert RetryLimits(tier1=tier1, tier2=tier2, tier3=tier3, total=total) == retry_limits(text)


@pytest.mark.parametrize("text", ["", "2,2", "2,2,1/", "/3", "a", "-1", "2,2,1/3/4", "2,2,1,3", "10000", "1.5"])
def test_another_form_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"for example 2,2,1/3"):
        retry_limits(text)


def test_the_older_options_change_one_number_each() -> None:
    assert seen() is None
    assert RetryLimits(tier3=5) == seen("--tier3-retries", "5")
    assert RetryLimits(tier1=2, tier2=2, tier3=1, total=0) == seen("--retries", "2,2,1/3", "--total-retries", "0")
    assert RetryBudget(tier3_remaining=5) == RetryLimits(tier3=5).over(RetryBudget())


def test_a_stronger_source_wins_over_an_older_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETOUCH_TIER1_RETRIES", "9")
    assert RetryLimits(tier1=9) == seen()
    assert RetryLimits(tier1=2, tier2=2, tier3=1, total=3) == seen("--retries", "2,2,1/3")
    monkeypatch.setenv("RETOUCH_RETRIES", "1,1,1/1")
    assert RetryLimits(tier1=9, tier2=1, tier3=1, total=1) == seen()


@pytest.mark.parametrize("words", [("--retries", "0"), ("--retries", "2,2,1/0"), ("--total-retries", "0")])
def test_a_run_keeps_to_the_retries_that_it_was_given(words: tuple[str, ...], retouch: Retouch, spec: str) -> None:
    done = retouch(
        "generate",
        "csharp",
        spec,
        "GET /pets",
        "--compiler",
        "none",
        "--no-offline",
        "--model",
        FAULTS,
        "--json",
        *words,
    )
    assert (3, 4) == (done.exit_code, json.loads(done.stdout)["calls"])


def test_retries_can_come_from_the_settings_file(retouch: Retouch, spec: str) -> None:
    Path("retouch.toml").write_text("retries = 0\n")
    done = retouch(
        "generate", "csharp", spec, "GET /pets", "--compiler", "none", "--no-offline", "--model", FAULTS, "--json"
    )
    assert (3, 4) == (done.exit_code, json.loads(done.stdout)["calls"])
    Path("retouch.toml").write_text('retries = "many"\n')
    said = retouch("generate", "csharp", spec, "GET /pets")
    assert (2, True) == (said.exit_code, "retouch.toml" in said.stderr)


def test_the_help_shows_the_new_spellings_alone(retouch: Retouch) -> None:
    said = retouch("generate", "csharp", "--help").stdout
    assert "--request-body" in said
    assert "--retries T1,T2,T3/TOTAL" in said
    assert "tier1-retries" not in said
    assert "--request " not in said
    assert "--source" not in retouch("policy", "analyse", "--help").stdout
    assert "--output" not in retouch("report", "--help").stdout
    assert "--output" not in retouch("rule", "wizard", "--help").stdout


def test_a_report_is_written_where_either_spelling_says(retouch: Retouch, pets: Path) -> None:
    for option in ("--to", "-o", "--output"):
        assert f"{option}.html\n" == retouch("report", str(pets), option, f"{option}.html").stdout
        assert Path(f"{option}.html").exists()
