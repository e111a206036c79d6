"""`retouch generate csharp` and `retouch endpoints`: one endpoint, many, dry runs, JSON, budgets, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Retouch

RUN_KEYS = {
    "run", "status", "tiers", "issues", "files", "cost",
    "calls", "tokens", "input_tokens", "output_tokens", "cached_tokens", "notes",
}  # fmt: skip
ISSUE_KEYS = {"code", "tier", "unit", "page", "line", "message", "fix", "severity"}
NEVER_HEALS = "faulty:offline?rate=1&seed=1&heal=0&kinds=missing_field"

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # pytest's own threads hold no locks


def made(retouch: Retouch, *words: str) -> dict[str, Any]:
    done = retouch("generate", "csharp", *words, "--compiler", "none", "--json")
    assert done.stdout, done.stderr
    return {**json.loads(done.stdout), "exit": done.exit_code, "stderr": done.stderr}


def test_endpoints_are_listed_with_the_promised_keys(retouch: Retouch, spec: str) -> None:
    found = json.loads(retouch("endpoints", spec, "--json").stdout)["endpoints"]
    assert [["method", "path", "status", "media_type", "json", "root", "types"]] * 6 == [list(one) for one in found]
    assert [True, True, True, False, True, True] == [one["json"] for one in found]
    assert {"method": "GET", "path": "/pets/{id}", "status": "200", "media_type": "application/json"} == {
        key: found[2][key] for key in ("method", "path", "status", "media_type")
    }
    assert ("PetDataObject", 3) == (found[2]["root"], found[2]["types"])


def test_endpoints_can_be_chosen_and_are_greppable_lines_when_piped(retouch: Retouch, spec: str) -> None:
    lines = retouch("endpoints", spec, "--match", "GET /pets*").stdout.splitlines()
    assert 3 == len(lines)
    assert ["GET", "/pets", "200", "application/json", "yes", "PetDataObject", "3"] == lines[1].split()


def test_one_endpoint_becomes_files_in_a_folder_named_after_it(retouch: Retouch, spec: str) -> None:
    done = made(retouch, spec, "GET", "/pets")
    assert done.keys() == RUN_KEYS | {"breaking", "exit", "stderr"}
    assert ("output/GET_pets", "unverified", 0, 4) == (done["run"], done["status"], done["exit"], done["calls"])
    assert done["tokens"] == done["input_tokens"] + done["output_tokens"] > 0
    assert {"PetDataObject.cs", "schema.md"} == set(done["files"])
    assert "public class PetDataObject" in Path("output/GET_pets/PetDataObject.cs").read_text()
    assert done["stderr"] == ""


def test_the_same_command_again_asks_nothing(retouch: Retouch, spec: str) -> None:
    made(retouch, spec, "GET /pets")
    assert 0 == made(retouch, spec, "GET /pets")["calls"]


def test_options_of_reading_reach_the_code(retouch: Retouch, spec: str) -> None:
    words = ("--unwrap", "data", "--namespace", "Acme.V1", "--key", "id", "-o", "own")
    assert "own" == made(retouch, spec, "GET /owners", *words)["run"]
    assert "namespace Acme.V1;" in Path("own/OwnerDataObject.cs").read_text()
    assert "output/POST_pets_request" == made(retouch, spec, "POST /pets", "--request")["run"]
    assert "PetDataObject.cs" in made(retouch, spec, "--schema", "Pet", "-o", "schema")["files"]
    assert (
        13 == made(retouch, spec, "GET /pets", "--fields-per-page", "1", "--values-per-page", "3", "-o", "s")["calls"]
    )


def test_what_reading_left_out_is_said(retouch: Retouch, spec: str) -> None:
    notes = made(retouch, spec, "GET /lost")["notes"]
    assert [True] == ["#/components/schemas/Nowhere" in note for note in notes if "unresolved" in note]


def test_a_dry_run_says_what_would_be_asked_and_writes_nothing(retouch: Retouch, spec: str) -> None:
    done = made(retouch, spec, "GET /pets", "--dry-run")
    assert (4, 0) == (done["calls"], done["exit"])
    pages = [(page["unit"], page["page"], page["total_pages"]) for page in done["pages"]]
    assert [("PetDataObject", 1, 2), ("PetDataObject", 2, 2), ("Kind", 1, 1), ("Owner", 1, 1)] == pages
    assert done["input_tokens"] == sum(page["input_tokens"] for page in done["pages"]) > 0
    assert not Path("output").exists()


def test_a_dry_run_over_a_run_leaves_out_what_is_answered(retouch: Retouch, spec: str) -> None:
    made(retouch, spec, "GET /pets")
    assert 0 == made(retouch, spec, "GET /pets", "--dry-run")["calls"]


def test_an_exhausted_budget_ends_with_3_and_its_issues_have_the_promised_keys(retouch: Retouch, spec: str) -> None:
    done = made(retouch, spec, "GET /pets", "--no-offline", "--model", NEVER_HEALS)
    assert ("exhausted", 3) == (done["status"], done["exit"])
    assert {"MISSING_FIELD"} == {issue["code"] for issue in done["issues"] if issue["severity"] == "error"}
    assert all(issue.keys() == ISSUE_KEYS for issue in done["issues"])
    assert all(issue["fix"] for issue in done["issues"])


def test_a_budget_of_nothing_pays_for_no_retry(retouch: Retouch, spec: str) -> None:
    done = made(retouch, spec, "GET /pets", "--no-offline", "--model", NEVER_HEALS, "--total-retries", "0")
    assert (4, 3) == (done["calls"], done["exit"])


def test_the_summary_names_the_next_step(retouch: Retouch, spec: str) -> None:
    words = ("--compiler", "none", "--no-offline", "--model", NEVER_HEALS)
    done = retouch("generate", "csharp", spec, "GET /pets", *words)
    assert "error [MISSING_FIELD] PetDataObject, page 1" in done.stdout
    assert "next    retouch regenerate output/GET_pets --from-errors" in done.stdout
    assert "settled PetDataObject: exhausted" in done.stderr


def test_quiet_leaves_only_the_result(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "GET /pets", "--compiler", "none", "-q")
    assert done.stderr == ""
    assert done.stdout.startswith("unverified: not compiled (")


def test_all_json_endpoints_get_a_run_each(retouch: Retouch, spec: str) -> None:
    done = made(retouch, spec, "--all", "-o", "runs")
    assert done.keys() == {"runs", "status", "calls", "tokens", "project", "breaking", "exit", "stderr"}
    assert ("unverified", 0) == (done["status"], done["exit"])
    assert ["GET /pets", "POST /pets", "GET /pets/{id}", "GET /owners", "GET /lost"] == [
        run["endpoint"] for run in done["runs"]
    ]
    assert all(run.keys() == RUN_KEYS | {"endpoint"} for run in done["runs"])
    assert done["calls"] == sum(run["calls"] for run in done["runs"]) == 15
    assert done["tokens"] == sum(run["tokens"] for run in done["runs"])
    assert all((Path(run["run"]) / "ledger.db").exists() for run in done["runs"])


def test_many_runs_are_the_same_bytes_as_single_ones(retouch: Retouch, spec: str) -> None:
    made(retouch, spec, "--match", "GET /pets", "-o", "many")
    made(retouch, spec, "GET /pets", "-o", "one")
    for name in ("prompts.json", "ir.json", "PetDataObject.cs", "schema.md"):
        assert Path("one", name).read_bytes() == Path("many/GET_pets", name).read_bytes()


def test_one_endpoint_that_cannot_be_read_does_not_stop_the_others(retouch: Retouch, spec: str) -> None:
    done = made(retouch, spec, "--all", "--status", "200")
    failed = [run for run in done["runs"] if run["status"] == "failed"]
    assert (5, 2, "failed") == (len(done["runs"]), done["exit"], done["status"])
    assert ["POST /pets"] == [run["endpoint"] for run in failed]
    assert "no response '200'" in failed[0]["error"]["message"]
    assert RUN_KEYS | {"endpoint", "error"} == failed[0].keys()


def test_an_exhausted_run_among_many_wins_over_a_failed_one(retouch: Retouch, spec: str) -> None:
    done = made(retouch, spec, "--all", "--status", "200", "--no-offline", "--model", NEVER_HEALS)
    assert ("exhausted", 3) == (done["status"], done["exit"])


def test_many_runs_in_words_list_only_what_is_not_clean(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "--all", "--status", "200", "--compiler", "none")
    assert "POST /pets  failed" in done.stdout
    assert "GET /pets  " not in done.stdout
    assert "5 runs: 4 unverified, 1 failed" in done.stdout
    assert "\n  each in its own directory in " in done.stdout
    assert "[5/5] " in done.stderr


def test_endpoints_without_json_are_left_out_and_that_is_said(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "--match", "/pets/{id}", "--compiler", "none")
    assert "skipped: 1 endpoint without a JSON response" in done.stderr
    assert "1 run: 1 unverified" in done.stdout
    none = retouch("generate", "csharp", spec, "--match", "DELETE *")
    assert 2 == none.exit_code
    assert "none of the selected endpoints of 'pets.yaml' has a JSON response" in none.stderr


def test_a_dry_run_of_many_sums_up(retouch: Retouch, spec: str) -> None:
    done = made(retouch, spec, "--all", "--dry-run")
    assert (15, 5) == (done["calls"], len(done["runs"]))
    assert not Path("output").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no endpoint was given"),
        (("",), "no endpoint was given"),
        (("GET /pets", "--all"), "an endpoint and --all exclude each other"),
        (("GET /pets", "--match", "x"), "an endpoint and --match exclude each other"),
        (("--all", "--schema", "Pet"), "--all and --schema exclude each other"),
        (("GET /petz",), "no operation 'GET /petz'"),
        (("--match", "GET /nothing*"), "no endpoint matches 'GET /nothing*'"),
        (("DELETE /pets/{id}",), "has no JSON body"),
        (("--schema", "Pett"), "no schema 'Pett'"),
        (("GET /pets", "--model", "gpt"), "no model scheme 'gpt'"),
        (("GET /pets", "--model", "faulty:offline?rate=7"), "rate"),
        (("GET /pets", "--fields-per-page", "0"), "--fields-per-page"),
        (("GET /pets", "--concurrency", "many"), "--concurrency"),
    ],
)
def test_misuse_is_2_with_a_sentence_and_a_next_step_and_writes_nothing(
    words: tuple[str, ...], said: str, retouch: Retouch, spec: str
) -> None:
    done = retouch("generate", "csharp", spec, *words)
    assert (2, "") == (done.exit_code, done.stdout)
    assert said in done.stderr
    assert "next: " in done.stderr
    assert not Path("output").exists()


@pytest.mark.parametrize("words", [("GET /pets", "GET /owners"), ("GET", "/pets", "get", "/owners")])
def test_two_endpoints_are_two_runs(retouch: Retouch, spec: str, words: tuple[str, ...]) -> None:
    done = made(retouch, spec, *words, "-o", "both")
    assert ["GET /pets", "GET /owners"] == [run["endpoint"] for run in done["runs"]]
    assert ["both/GET_owners", "both/GET_pets"] == sorted(run["run"] for run in done["runs"])


def test_one_unknown_endpoint_among_several_is_named_before_anything_is_paid_for(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "GET /pets", "GET /nowhere", "-o", "both")
    assert 2 == done.exit_code
    assert "'GET /nowhere'" in done.stderr
    assert not Path("both").exists()


def test_an_endpoint_named_twice_is_one_run(retouch: Retouch, spec: str) -> None:
    assert "output/GET_pets" == made(retouch, spec, "GET /pets", "GET /pets")["run"]


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("offline", "$0.0000"),
        ("faulty:offline?rate=0", "$0.0000"),
        ("openai:mine?price_in=100&price_out=100", "about $0."),
        ("openai:nobody-knows-it", "is unknown"),
    ],
)
def test_the_price_of_a_model_is_the_same_before_and_after(retouch: Retouch, spec: str, model: str, price: str) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none")
    assert price in retouch(*words, "--model", model, "--dry-run").stdout
    if "offline" in model:
        assert "cost    $0.0000" in retouch(*words, "--model", model).stdout
        assert "$0.0000" in retouch(*words, "--model", model, "--dry-run").stdout  # nothing is left to be asked
        assert "tokens (3,833 in, 383 out), $0.0000" in retouch("show", "output/GET_pets").stdout
