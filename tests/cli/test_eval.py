"""`retouch eval` and `retouch export`, with a recipe and a model of another package and with a server."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.conftest import serving
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    from retouch.testing import ModelServer

    Retouch = Callable[..., Result]
    Point = Callable[[ModelServer], None]

WORDS = '''
"""Words in capitals. WORDS_STRICT makes the check refuse Z. `costly:PRICE:WRONG` answers WRONG of ten words wrongly."""

import asyncio
import os
from dataclasses import dataclass
from hashlib import sha256

from retouch.commands import RecipeCommands
from retouch.engine.recipe import Read, Recipe
from retouch.engine.types import Issue, Prompt, Reply, Tier
from retouch.errors import Invalid


@dataclass(frozen=True, kw_only=True)
class Words:
    words: tuple[str, ...]


def plan(source):
    return (Prompt(unit=word, system="Write in capitals.", user=word) for word in source.words)


def read(source, unit, pages):
    if pages[0] != unit.upper():
        raise Invalid("NOT_CAPITAL", f"{pages[0]!r} is not {unit.upper()!r}")
    return Read(pages[0])


def check(source, values, options):
    refused = [unit for unit in values if os.environ.get("WORDS_STRICT") and unit.startswith("z")]
    return [Issue(code="NO_Z", message="no z", tier=Tier.SEMANTIC, unit=unit) for unit in refused]


recipe = Recipe(
    name="words", source=Words, plan=plan, read=read, check=check, group=lambda source, unit: unit,
    assemble=lambda source, values: {"words.txt": "".join(f"{unit}={value}" for unit, value in values.items())},
    offline=lambda prompt: prompt.user.upper(),
)


def number_of_calls():
    with open(os.environ["COSTLY_LOG"]) as log:
        return len(log.readlines())


def open_costly(spec):
    price, wrong = spec.rest.split(":")

    async def costly(request, *, on_event=None):
        with open(os.environ["COSTLY_LOG"], "a") as log:
            log.write(f"{spec.rest} {request.prompt.unit}\\n")
        await asyncio.sleep(0)
        while number_of_calls() > int(os.environ.get("COSTLY_STOPS_AFTER", "1000000")):
            await asyncio.sleep(0.05)
        word = request.prompt.user
        is_wrong = int(sha256(word.encode()).hexdigest(), 16) % 10 < int(wrong)
        text = "wrong" if is_wrong else word.upper()
        return Reply(text=text, model="costly", cost=float(price), input_tokens=10, output_tokens=2)

    return costly
'''
ENTRIES = (
    "[retouch.recipes]\nwords = words_of_another:recipe\n[retouch.models]\ncostly = words_of_another:open_costly\n"
)


class WordsDesk:
    """A directory with the package, sources, and the log of all calls."""

    def __init__(self, folder: Path, retouch: Retouch) -> None:
        self.folder = folder
        self.log = folder / "calls.log"
        self.retouch = retouch
        self.package = folder / "package"
        info = self.package / "words_of_another-1.0.dist-info"
        info.mkdir(parents=True)
        (self.package / "words_of_another.py").write_text(WORDS)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: words-of-another\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(ENTRIES)

    def source(self, name: str, *words: str) -> str:
        (self.folder / name).write_text(json.dumps({"words": words}))
        return name

    def eval(self, *words: str) -> tuple[int, Any]:
        """The exit status and the JSON of an evaluation."""
        done = self.retouch("eval", "words", *words, "-o", "ev", "--json")
        return done.exit_code, json.loads(done.stdout)

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def words(work_folder: Path, retouch: Retouch, monkeypatch: pytest.MonkeyPatch) -> WordsDesk:
    found = WordsDesk(work_folder, retouch)
    monkeypatch.setattr(sys, "path", [str(found.package), *sys.path])
    monkeypatch.delitem(sys.modules, "words_of_another", raising=False)
    monkeypatch.setenv("COSTLY_LOG", str(found.log))
    return found


MANY = [f"{letter}{number}" for letter in "abcxyz" for number in range(4)]


def by_model(result: Any) -> dict[str, Any]:
    return {one["model"]: one for one in result["models"]}


def finding(result: Any, metric: str) -> tuple[str, str | None]:
    one = next(one for one in result["comparisons"] if one["metric"] == metric)
    return one["finding"], one["better"]


def test_the_cheaper_of_two_equally_good_models_is_found(words: WordsDesk) -> None:
    status, result = words.eval(words.source("a.json", *MANY), "--models", "costly:0.2:0,costly:0.1:0")
    assert (0, "complete") == (status, result["status"])
    assert ("better", "costly:0.1:0") == finding(result, "cost")
    assert ("no difference seen", None) == finding(result, "verified")
    models = by_model(result)
    assert ("costly:0.1:0", None) == tuple(models[name]["dominated_by"] for name in ("costly:0.2:0", "costly:0.1:0"))
    assert pytest.approx(0.2) == models["costly:0.2:0"]["cost_to_verified"]
    assert result == json.loads((words.folder / "ev" / "result.json").read_text())


def test_a_dearer_model_that_is_right_costs_less_to_verified(words: WordsDesk) -> None:
    _, result = words.eval(words.source("a.json", *MANY), "--models", "costly:0.1:0,costly:0.08:4")
    models = by_model(result)
    assert ("better", "costly:0.1:0") == finding(result, "verified")
    assert models["costly:0.1:0"]["cost_to_verified"] < models["costly:0.08:4"]["cost_to_verified"]
    assert {"NOT_CAPITAL"} == models["costly:0.08:4"]["codes"].keys()


def test_the_tables_name_figures_comparisons_and_errors(words: WordsDesk) -> None:
    source = words.source("a.json", *MANY)
    printed = words.retouch("eval", "words", source, "--models", "costly:0.1:0,costly:0.1:4", "-o", "ev").output
    assert "complete  ev  (words: 2 models, 1 trial, 1 source, 24 units)" in printed
    assert "costly:0.1:0 is better" in printed
    assert "intervals of 95 %" in printed
    assert "NOT_CAPITAL" in printed


def test_an_evaluation_is_shown_checked_and_not_repaired_in_part(words: WordsDesk) -> None:
    source = words.source("a.json", "a", "z")
    command = ("eval", "words", source, "--models", "costly:0.1:0,costly:0.2:0", "-o", "ev")
    made = words.retouch(*command)
    assert ["  cost    $0.6000", "  next    retouch view ev"] == made.output.splitlines()[-2:]
    shown = words.retouch("show", "ev")
    assert 0 == shown.exit_code
    assert shown.output.startswith("verified: 2 runs  ev\n") or shown.output.startswith("verified, 2 runs  ev\n")
    assert "first answers passed" in shown.output
    assert ["  picture ev/result.svg", "  cost    $0.6000", "  next    retouch view ev"] == shown.output.splitlines()[
        -3:
    ]
    found = json.loads(words.retouch("show", "ev", "--json").output)
    assert (["tree", "status", "counts", "runs", "evaluation"], "verified") == (list(found), found["status"])
    assert json.loads((words.folder / "ev/result.json").read_text()) == found["evaluation"]
    assert 0 == words.retouch("validate", "ev").exit_code
    assert "is an evaluation" in words.retouch("regenerate", "ev", "--from-errors").output
    assert "The same command continues it: retouch eval words" in words.retouch("resume", "ev").output
    assert 2 == words.retouch("resume", "ev").exit_code


def test_an_evaluation_whose_plan_grew_is_incomplete_until_the_new_runs_are_made(words: WordsDesk) -> None:
    source = words.source("a.json", "a", "z")
    words.eval(source, "--models", "costly:0.1:0")
    plan = json.loads((words.folder / "ev/evaluation.json").read_text())
    (words.folder / "ev/evaluation.json").write_text(json.dumps({**plan, "trials": 2}))
    shown = words.retouch("show", "ev")
    assert 1 == shown.exit_code
    assert shown.output.startswith("incomplete: The evaluation is incomplete: 1 of 2 planned runs have not begun  ev\n")
    step = shown.output.splitlines()[-1].removeprefix("  next    retouch ")
    assert step.startswith("eval words ")
    (words.folder / "ev/evaluation.json").write_text(json.dumps({**plan, "trials": 2, "command": []}))  # of a program
    other = "eval words SOURCE --models costly:0.1:0 --trials 2 -o ev"
    assert f"  next    retouch {other}" == words.retouch("show", "ev").output.splitlines()[-1]
    assert 0 == words.retouch(*shlex.split(step), "--trials", "2").exit_code
    assert words.retouch("show", "ev").output.startswith("verified")
    assert 0 == words.retouch(*shlex.split(step)).exit_code  # alone, it makes one trial
    assert words.retouch("resume", "ev").output.rstrip().endswith("--models costly:0.1:0 --trials 2")
    (words.folder / "ev/evaluation.json").write_text(json.dumps({**plan, "trials": 3}))
    (words.folder / "ev/result.json").unlink()
    assert "the models are not compared yet" in words.retouch("show", "ev").output
    assert None is json.loads(words.retouch("show", "ev", "--json").output)["evaluation"]


def test_several_sources_of_a_recipe_with_one_argument_are_runs_of_their_own(words: WordsDesk) -> None:
    sources = [words.source("a.json", "a", "b"), words.source("b.json", "c")]
    _, result = words.eval(*sources, "--models", "offline", "--trials", "2")
    assert (2, 6) == (result["sources"], by_model(result)["offline"]["verified"])
    assert {"words-a", "words-b"} == {path.name for path in (words.folder / "ev/offline/trial-2").iterdir()}


def test_a_sample_is_the_same_for_all_models_and_again(words: WordsDesk) -> None:
    source = words.source("a.json", *MANY)
    _, result = words.eval(source, "--models", "costly:1:0,costly:2:0", "--sample", "5", "--seed", "3")
    assert {"units": 5, "planned": 24, "requested": 5, "seed": 3} == result["sample"]
    drawn = [sorted(call.split()[1] for call in words.calls if call.startswith(price)) for price in ("1:", "2:")]
    assert (drawn[0], 5) == (drawn[1], len(drawn[0]))


def test_one_model_is_measured_and_compared_with_nothing(words: WordsDesk) -> None:
    source = words.source("a.json", "a")
    done = words.retouch("eval", "words", source, "--models", "offline", "-o", "ev")
    assert 0 == done.exit_code
    assert "there is nothing to compare it with" in done.output
    assert [] == json.loads((words.folder / "ev/result.json").read_text())["comparisons"]


def test_a_source_without_units_is_bad_input(words: WordsDesk) -> None:
    status, result = words.eval(words.source("a.json"), "--models", "offline")
    assert (2, True) == (status, "plans no unit" in result["error"]["message"])
    assert not (words.folder / "ev").exists()


def test_a_killed_evaluation_continues_and_sends_no_answered_request_again(words: WordsDesk) -> None:
    command = ["eval", "words", words.source("a.json", *MANY), words.source("b.json", *MANY), "-o", "ev"]
    command += ["--models", "costly:0.1:0,costly:0.2:0", "--concurrency", "2", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(words.package), "COSTLY_STOPS_AFTER": "40"}
    process = subprocess.Popen([sys.executable, "-m", "retouch", *command], env=environment, stdout=subprocess.DEVNULL)
    wait_until(lambda: len(words.calls) > 40)
    process.kill()
    process.wait()
    assert 40 < len(words.calls) < 96
    done = words.retouch(*command)
    result = json.loads(done.stdout)
    assert (0, "complete") == (done.exit_code, result["status"])
    assert [48, 48] == [one["verified"] for one in result["models"]]
    assert len(words.calls) <= 96 + 8  # at most the calls under way, two runs with two calls for each model


def test_a_missing_key_is_found_before_anything_is_sent(words: WordsDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pydantic_ai")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    models = "costly:0.1:0,anthropic:claude-haiku-4-5"
    status, result = words.eval(words.source("a.json", "a"), "--models", models)
    assert (2, True) == (status, "ANTHROPIC_API_KEY is not set" in result["error"]["message"])
    assert ([], False) == (words.calls, (words.folder / "ev").exists())


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        (("--models", "offline", "--model", "offline"), "--model names one model"),
        (("--models", "offline,offline"), "named twice"),
        (("--models", "offlin"), "no model scheme 'offlin'"),
        ((), "a model is missing"),
        (("--models", "offline", "--batch"), "no known batch API"),
        (("--models", "offline", "--batch-wait", "3"), "--batch-wait needs --batch"),
        (("--models", "costly:1:0", "--max-cost", "1"), "the price of 'costly:1:0' is unknown"),
        (("--models", "offline", "--no-such-option"), "--no-such-option"),
    ],
)
def test_misuse_is_refused_and_writes_nothing(words: WordsDesk, more: tuple[str, ...], seen: str) -> None:
    status, result = words.eval(words.source("a.json", "a"), *more)
    assert (2, True) == (status, seen in result["error"]["message"]), result
    assert not (words.folder / "ev").exists()


def test_a_dry_run_estimates_each_model_and_writes_nothing(words: WordsDesk) -> None:
    status, result = words.eval(
        words.source("a.json", *MANY), "--models", "offline,costly:1:0", "--dry-run", "--trials", "2"
    )
    assert (0, 24, 48) == (status, result["units"], result["calls"])
    assert ({"offline", "costly:1:0"}, []) == (set(result["models"]), words.calls)
    assert not (words.folder / "ev").exists()


def test_a_replay_after_a_change_of_the_recipe_exits_1(words: WordsDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    words.eval(words.source("a.json", *MANY), "--models", "offline,costly:1:0")
    kept = words.retouch("eval", "--replay", "ev")
    assert (0, "no run became worse, 2 runs checked") == (kept.exit_code, kept.output.strip())
    calls = words.calls
    monkeypatch.setenv("WORDS_STRICT", "1")
    worse = words.retouch("eval", "--replay", "ev", "--json")
    found = json.loads(worse.stdout)
    assert (1, 2, [{"NO_Z": 4}] * 2) == (
        worse.exit_code,
        found["regressions"],
        [one["new_codes"] for one in found["runs"]],
    )
    assert calls == words.calls
    printed = words.retouch("eval", "--replay", "ev/offline").output
    assert "new error NO_Z in 4 units" in printed
    assert "1 of 1 run became worse" in printed


def test_a_replay_takes_the_options_of_recipes(retouch: Retouch, pets: Path) -> None:
    done = retouch("eval", "--replay", str(pets), "--compiler", "none", "--json")
    assert (0, 0) == (done.exit_code, json.loads(done.stdout)["regressions"]), done.output
    assert 2 == retouch("eval", "--replay", str(pets), "--no-such-option").exit_code


def test_a_replay_of_something_else_is_bad_input(words: WordsDesk) -> None:
    (words.folder / "empty").mkdir()
    for name in ("empty", "absent"):
        assert 2 == words.retouch("eval", "--replay", name).exit_code


def test_the_options_and_settings_of_generate_pass_through(
    retouch: Retouch, spec: str, work_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work_folder / "retouch.toml").write_text('[generate.csharp]\ncompiler = "none"\n')
    monkeypatch.setenv("RETOUCH_GENERATE_CSHARP_FIELDS_PER_PAGE", "1")
    done = retouch(
        "eval", "csharp", spec, "GET /pets", "--models", "offline", "--namespace", "My.Pets", "-o", "ev", "--json"
    )
    assert 0 == done.exit_code, done.output
    (run,) = (work_folder / "ev/offline/trial-1").iterdir()
    assert "namespace My.Pets" in (run / next(name.name for name in run.glob("*.cs"))).read_text()
    assert 4 < json.loads(done.stdout)["models"][0]["calls"]
    strict = retouch(
        "eval", "csharp", spec, "GET /pets", "--models", "offline", "--namespace", "My.Pets", "-o", "ev", "--strict"
    )
    assert 1 == strict.exit_code  # nothing was compiled
    tiers = {one["name"]: one["not_run"] for one in json.loads(done.stdout)["models"][0]["tiers"]}
    assert 0 < tiers["compiler"]


def test_the_rules_of_the_recipe_do_not_answer_for_a_model(retouch: Retouch, spec: str) -> None:
    model = "faulty:offline?rate=1&heal=0&kinds=missing_field"
    command = ["eval", "csharp", spec, "GET /pets", "--compiler", "none", "--models", model, "-o", "ev", "--json"]
    found = json.loads(retouch(*command).stdout)["models"][0]
    assert 0 < found["exhausted"]
    lines = [json.loads(line) for line in retouch("export", "ev").stdout.splitlines()]
    assert {model} == {one["model"] for one in lines}


def test_records_are_units_that_can_be_sampled(retouch: Retouch, work_folder: Path) -> None:
    pytest.importorskip("jsonschema_rs")
    rows = [{"id": str(number), "city": f"city {number}"} for number in range(20)]
    (work_folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    (work_folder / "schema.json").write_text(json.dumps(schema))
    command = ["eval", "extract", "rows.jsonl", "--schema", "schema.json", "--key", "id", "--sample", "8", "-o", "ev"]
    done = retouch(*command, "--models", "offline,faulty:offline?rate=1&heal=0&kinds=empty", "--json")
    assert 0 == done.exit_code, done.output
    result = json.loads(done.stdout)
    assert (8, 20) == (result["sample"]["units"], result["sample"]["planned"])
    assert [8, 0] == [one["verified"] for one in result["models"]]
    assert ("better", "offline") == finding(result, "verified")
    assert {"rows.jsonl", "schema.json", "ev"} == {path.name for path in work_folder.iterdir()}


def test_the_files_of_the_user_stay_as_they_are(retouch: Retouch, work_folder: Path) -> None:
    (work_folder / "a.py").write_text("a = 1\n")
    done = retouch(
        "eval", "edit", "a.py", "--request", 'replace "1" with "2"', "--models", "offline", "-o", "ev", "--json"
    )
    assert 0 == done.exit_code, done.output
    assert "a = 1\n" == (work_folder / "a.py").read_text()
    assert {"a.py", "ev"} == {path.name for path in work_folder.iterdir()}
    assert ["a = 2\n"] == [path.read_text() for path in (work_folder / "ev").rglob("a.py")]


def test_the_cost_limit_is_for_the_whole_evaluation(retouch: Retouch, spec: str, point: Point) -> None:
    command = ["eval", "csharp", spec, "--all", "--compiler", "none", "-o", "ev", "--json"]
    command += [
        "--models",
        "anthropic:claude-haiku-4-5,anthropic:claude-haiku-4-5?first_wait_s=0.1",
        "--concurrency",
        "1",
    ]
    with serving() as server:
        point(server)
        stopped = retouch(*command, "--max-cost", "0.055")
        result = json.loads(stopped.stdout)
        assert (3, "exhausted") == (stopped.exit_code, result["status"]), stopped.output
        assert 0 < sum(one["cost"] for one in result["models"]) <= 0.055
        sent = len(server.calls)
        done = retouch(*command, "--max-cost", "9")
        result = json.loads(done.stdout)
        assert (0, "complete") == (done.exit_code, result["status"]), done.output
        assert sum(one["calls"] for one in result["models"]) == len(server.calls) > sent


def test_an_evaluation_is_sent_in_batches_and_collected_by_the_same_command(
    retouch: Retouch, spec: str, point: Point
) -> None:
    models = ["anthropic:claude-haiku-4-5?first_poll_s=0.01", "anthropic:claude-haiku-4-5?first_poll_s=0.02"]
    command = ["eval", "csharp", spec, "GET /pets", "--compiler", "none", "--models", ",".join(models), "-o", "ev"]
    with serving(batch_polls=3) as server:
        point(server)
        left = retouch(*command, "--batch", "--batch-wait", "0", "--json")
        result = json.loads(left.stdout)
        assert (1, "incomplete", 2) == (left.exit_code, result["status"], len(server.batches))
        assert [0, 0] == [one["calls"] for one in result["models"]]
        done = retouch(*command, "--batch", "--json")
        assert (0, 2) == (done.exit_code, len(server.batches)), done.output
    assert [4, 4] == [one["calls"] for one in json.loads(done.stdout)["models"]]


def test_attempts_are_exported_as_lines_of_json(words: WordsDesk) -> None:
    words.eval(words.source("a.json", "a", "b", "c"), "--models", "offline,costly:1:9")
    lines = [json.loads(line) for line in words.retouch("export", "ev").stdout.splitlines()]
    assert {"words"} == {one["recipe"] for one in lines}
    assert {"offline", "costly:1:9"} == {one["model"] for one in lines}
    done = words.retouch("export", "ev", "--to", "jsonl", "-o", "out/attempts.jsonl", "--json")
    assert {"export": "out/attempts.jsonl", "runs": 2, "attempts": len(lines)} == json.loads(done.stdout)
    assert lines == [json.loads(line) for line in (words.folder / "out/attempts.jsonl").read_text().splitlines()]


def test_an_export_needs_a_run_and_a_place_for_its_summary(words: WordsDesk) -> None:
    (words.folder / "empty").mkdir()
    assert 2 == words.retouch("export", "empty").exit_code
    words.eval(words.source("a.json", "a"), "--models", "offline")
    assert 2 == words.retouch("export", "ev", "--json").exit_code
