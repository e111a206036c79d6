"""What was paid for, what may be paid, and what another model would have answered, from the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.types import request_hash
from retouch.models.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Retouch = Callable[..., Result]


@pytest.fixture
def faulty_run(retouch: Retouch, work_folder: Path, spec: str) -> Path:
    """A run with repairs in it."""
    model = "faulty:offline?rate=1&seed=4&heal=1&kinds=missing_field"
    done = retouch("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--model", model)
    assert 0 == done.exit_code, done.output
    return work_folder / "output" / "GET_pets"


def costs(retouch: Retouch, run: Path) -> dict[str, Any]:
    return json.loads(retouch("show", str(run), "--cost", "--json").stdout)["cost"]


def test_a_bill_adds_up_whichever_way_it_is_cut(retouch: Retouch, faulty_run: Path) -> None:
    bill = costs(retouch, faulty_run)
    for table in ("by_unit", "by_model", "by_tier", "by_why"):
        assert bill["total"]["calls"] == sum(entry["calls"] for entry in bill[table].values())
        assert bill["total"]["tokens"] == sum(entry["tokens"] for entry in bill[table].values())


def test_a_bill_says_what_failed_and_how_it_was_asked_again(retouch: Retouch, faulty_run: Path) -> None:
    bill = costs(retouch, faulty_run)
    assert {"first answer", "tier 2 failed"} == set(bill["by_tier"])
    assert bill["by_tier"]["tier 2 failed"]["calls"] == bill["total"]["calls"] - bill["by_why"]["answer"]["calls"]


def test_a_bill_is_readable(retouch: Retouch, faulty_run: Path) -> None:
    printed = retouch("show", str(faulty_run), "--cost").output
    assert "failed tier" in printed
    assert "$0.0000" in printed.splitlines()[-2]


def test_a_limit_of_cost_needs_a_price(retouch: Retouch, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:9/v1")
    done = retouch("generate", "csharp", spec, "GET /pets", "--model", "ollama:llama3.2", "--max-cost", "1")
    assert 2 == done.exit_code
    assert "price of 'ollama:llama3.2' is unknown" in done.output


def test_a_free_model_is_within_any_limit(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "GET /pets", "--max-cost", "0", "--compiler", "none")
    assert 0 == done.exit_code, done.output


def test_a_replay_is_free_and_says_what_its_answers_had_cost(
    retouch: Retouch, pets: Path, spec: str, tmp_path: Path
) -> None:
    lines = [
        Recording(
            request_hash=request_hash(one.request), unit=one.unit, page=one.page, reply=replace(one.reply, cost=0.25)
        )
        for one in open_run(pets).history.attempts.values()
        if one.reply is not None
    ]
    (tmp_path / "replies.jsonl").write_text("".join(line.model_dump_json() + "\n" for line in lines))
    model, run = f"replay:{tmp_path / 'replies.jsonl'}", str(tmp_path / "again")
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "-o", run)
    done = retouch(*words, "--model", model, "--max-cost", "0")
    assert 0 == done.exit_code, done.output
    bill = costs(retouch, Path(run))
    assert (0.0, 0.25 * len(lines)) == (bill["total"]["cost"], bill["recorded_cost"])
    said = f"replayed answers had cost ${0.25 * len(lines):.4f}"
    assert said in retouch("show", run, "--cost").output


def test_a_comparison_shows_both_sides_and_changes_nothing(retouch: Retouch, pets: Path) -> None:
    before = {path.name: path.read_bytes() for path in pets.glob("*.cs")}
    model = "faulty:offline?rate=1&seed=4&heal=0&kinds=missing_field"
    done = retouch("regenerate", str(pets), "--model", model, "--compare", "--json", "--compiler", "none")
    found = json.loads(done.stdout)
    assert 0 == done.exit_code, done.output
    assert before == {path.name: path.read_bytes() for path in pets.glob("*.cs")}
    pet = next(one for one in found["compare"] if one["unit"] == "PetDataObject")
    assert (["NOT_COMPILED"], False, False) == (pet["standing"]["issues"], pet["better"], pet["adopted"])
    assert "MISSING_FIELD" in pet["other"]["issues"]


def test_a_comparison_is_readable_with_its_differences(retouch: Retouch, pets: Path) -> None:
    model = "faulty:offline?rate=1&seed=4&heal=0&kinds=missing_field"
    printed = retouch("regenerate", str(pets), "--model", model, "--compare", "--diff", "--compiler", "none").output
    assert "--- a/PetDataObject" in printed
    assert "current: errors" in printed


def test_the_better_answers_are_adopted(retouch: Retouch, work_folder: Path, spec: str) -> None:
    model = "faulty:offline?rate=1&seed=4&heal=0&kinds=missing_field"
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--no-offline")
    made = retouch(*words, "--model", model)
    assert made.exit_code in (1, 3)
    run = str(work_folder / "output" / "GET_pets")
    done = retouch("regenerate", run, "--model", "offline", "--adopt-better", "--compiler", "none")
    assert 0 == done.exit_code, done.output
    assert "adopted" in done.output


def test_a_dry_run_says_what_the_calls_would_cost(retouch: Retouch, spec: str) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--dry-run", "--model", "anthropic:claude-haiku-4-5")
    found = json.loads(retouch(*words, "--json").stdout)
    estimate = found["estimate"]
    assert 0 < estimate["cached"] <= estimate["plain"]
    assert estimate["plain"] / 2 == estimate["batch"]
    assert 0 < estimate["repairs"] < estimate["plain"]
    assert "with caching" in retouch(*words).output


def test_a_dry_run_says_where_cache_markers_go_and_what_they_save(retouch: Retouch, spec: str) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--dry-run", "--model")
    short = json.loads(retouch(*words, "anthropic:claude-haiku-4-5", "--json").stdout)["estimate"]
    assert short["plain"] == pytest.approx(short["cached"])
    assert "not marked: it has about" in short["plan"][0]
    assert "cache: the system text is not marked" in retouch(*words, "anthropic:claude-haiku-4-5").output
    long = json.loads(retouch(*words, "anthropic:claude-opus-5", "--json").stdout)["estimate"]
    assert long["cached"] < long["plain"]
    assert "the system text is marked" in long["plan"][0]


def test_a_dry_run_heeds_what_the_user_says_of_the_cache(retouch: Retouch, spec: str) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--dry-run", "--json", "--model")
    none = json.loads(retouch(*words, "anthropic:claude-opus-5?cache=none").stdout)["estimate"]
    assert (["markers are turned off"], pytest.approx(none["plain"])) == (none["plan"], none["cached"])
    hour = json.loads(retouch(*words, "anthropic:claude-opus-5?cache=hour").stdout)["estimate"]
    assert "entries live for 60 minutes after they were last read" == hour["plan"][-1]


def test_a_dry_run_prices_a_model_that_cannot_be_opened_here(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "GET /pets", "--dry-run", "--model", "groq:llama-3.3-70b-versatile")
    assert (0, True) == (done.exit_code, "with caching" in done.output)


def test_a_dry_run_of_many_endpoints_sums_up(retouch: Retouch, spec: str) -> None:
    words = ("generate", "csharp", spec, "--all", "--dry-run", "--model", "openai:gpt-5-mini", "--json")
    found = json.loads(retouch(*words).stdout)
    parts = [run["estimate"]["plain"] for run in found["runs"]]
    assert found["estimate"]["plain"] == pytest.approx(sum(parts))
    assert 1 < len(parts)


def test_an_unknown_price_is_said_and_never_zero(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "GET /pets", "--dry-run", "--model", "ollama:llama3.2")
    assert "the price of 'ollama:llama3.2' is unknown" in done.output


def test_models_say_why_they_cannot_be_used(retouch: Retouch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    listed = {one["scheme"]: one["missing"] for one in json.loads(retouch("models", "--json").stdout)["models"]}
    assert ("", "no key: set ANTHROPIC_API_KEY") == (listed["offline"], listed["anthropic"])
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    assert "no key" not in retouch("models").output.splitlines()[1]


def test_many_endpoints_together_share_what_the_cache_holds(retouch: Retouch, spec: str) -> None:
    words = ("generate", "csharp", spec, "--all", "--dry-run", "--model", "anthropic:claude-opus-5", "--json")
    found = json.loads(retouch(*words).stdout)
    assert found["estimate"]["cached"] < sum(run["estimate"]["cached"] for run in found["runs"]) * 0.98
