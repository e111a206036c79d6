"""`retouch extract`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from tests.recipes.extract.scenes import ORDERS, SCHEMA, VALUES

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

TICKETS = [
    {"id": 1, "customer": "Ada", "total": "4.50", "state": "OPEN"},
    {"id": 2, "customer": "Bob", "total": 3, "state": "closed", "due": "2024-3-5"},
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with tickets and a schema, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tickets.jsonl").write_text("".join(json.dumps(one) + "\n" for one in TICKETS))
    (tmp_path / "ticket.json").write_text(json.dumps(SCHEMA))
    return tmp_path


def retouch(*words: str, stdin: str | None = None) -> Result:
    """Run the command line."""
    return CliRunner().invoke(command, list(words), input=stdin)


def extracted(*words: str, stdin: str | None = None) -> tuple[int, dict[str, Any]]:
    """Return the exit status and the JSON of `retouch extract`."""
    result = retouch("extract", *words, "--schema", "ticket.json", "-o", "out", "--json", stdin=stdin)
    return result.exit_code, json.loads(result.stdout)


def test_the_result_has_the_promised_keys(place: Path) -> None:
    status, found = extracted("tickets.jsonl", "--key", "id")
    assert (0, "verified", "out") == (status, found["status"], found["run"])
    assert {"verified": 2, "unverified": 0, "issues": 0, "dead": 0, "missing": 0} == found["records"]
    assert {"calls": 2, "cached_tokens": 0, "cost": 0.0} == {
        name: found["usage"][name] for name in ("calls", "cached_tokens", "cost")
    }
    assert {"json", "schema"} == {tier["name"] for tier in found["tiers"]}
    assert ["records.jsonl", "dead.jsonl", "report.html"] == found["files"]
    first = json.loads((place / "out" / "records.jsonl").read_text().splitlines()[0])
    assert {"key": "1", "value": {"customer": "Ada", "total": 4.5, "state": "open"}, "status": "verified"} == first
    assert (place / "out" / "shards" / "00000" / "ledger.db").exists()


@pytest.mark.usefixtures("place")
def test_the_short_command_is_the_long_one() -> None:
    words = ("tickets.jsonl", "--schema", "ticket.json", "--key", "id", "-o", "out")
    assert "verified  out" == retouch("generate", "extract", *words).stdout.splitlines()[0]
    assert "verified  out" == retouch("extract", *words).stdout.splitlines()[0]
    assert retouch("extract", "--help").stdout.replace("retouch extract", "") == retouch(
        "generate", "extract", "--help"
    ).stdout.replace("retouch generate extract", "").replace("retouch extract", "")
    assert "extract" in retouch("--help").stdout


@pytest.mark.usefixtures("place")
def test_a_dry_run_writes_nothing_and_names_the_cost() -> None:
    status, found = extracted("tickets.jsonl", "--key", "id", "--dry-run")
    assert (0, 2) == (status, found["calls"])
    assert 2 == retouch("show", "out").exit_code


@pytest.mark.usefixtures("place")
def test_dead_records_are_listed_and_end_exhausted() -> None:
    given = '{"id": 1, "customer": "Ada", "total": "much", "state": "open"}\n'
    status, found = extracted("-", "--key", "id", stdin=given)
    assert (3, "exhausted", 1) == (status, found["status"], found["records"]["dead"])
    text = CliRunner().invoke(
        command, ["extract", "-", "--schema", "ticket.json", "--key", "id", "-o", "other"], input=given
    )
    assert text.stdout.startswith("exhausted  other")
    assert "dead 1: /total" in text.stdout
    assert ["  cost    $0.0000", "  next    retouch resume other --retry-dead"] == text.stdout.splitlines()[-2:]
    shown = retouch("show", "other").stdout.splitlines()
    assert ["  cost    $0.0000 by the last command", "  next    retouch resume other --retry-dead"] == shown[-2:]
    assert 0 == extracted("-", "--key", "id", "--max-dead", "1", stdin=given)[0]


@pytest.mark.usefixtures("place")
def test_checks_over_all_records_are_options(place: Path) -> None:
    pytest.importorskip("duckdb")
    (place / "customers.csv").write_text("name\nAda\n")
    status, found = extracted(
        "tickets.jsonl", "--key", "id", "--unique", "customer", "--ref", "customer=customers.csv:name"
    )
    assert (1, "issues", 1) == (status, found["status"], found["records"]["issues"])
    text = retouch("resume", "out").stdout
    assert "or run 'retouch regenerate out/shards/00000 --type 2 --correction TEXT'" in text
    assert "next    retouch report out" in text
    assert (1, 1) == (
        (found := extracted("tickets.jsonl", "--key", "id", "--sql", "SELECT key FROM records WHERE due IS NULL"))[0],
        found[1]["records"]["issues"],
    )


@pytest.mark.usefixtures("place")
def test_a_prompt_a_system_text_and_examples_come_from_files(place: Path) -> None:
    (place / "prompt.md").write_text("Customer {{ customer }}:\n{{ record | tojson }}")
    (place / "system.md").write_text("Amounts are in euros.")
    (place / "examples.jsonl").write_text(json.dumps({"record": TICKETS[0], "value": VALUES["a"]}) + "\n")
    words = ("--prompt", "prompt.md", "--system", "system.md", "--examples", "examples.jsonl")
    assert "verified" == extracted("tickets.jsonl", "--key", "id", *words)[1]["status"]
    prompts = (place / "out" / "shards" / "00000" / "prompts.json").read_text()
    assert "Amounts are in euros." in prompts
    assert "Customer Ada:" in prompts


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("missing.jsonl",), "'missing.jsonl' is not a file or a directory"),
        (("tickets.jsonl", "--key", "nothing"), "row 1 of the input has no field 'nothing'"),
        (("tickets.jsonl", "--sum", "total"), "is not of the form"),
        (("tickets.jsonl", "--ref", "a=b"), "names no column"),
        (("tickets.jsonl", "--slice", "text:50"), "need --rows"),
        (("tickets.jsonl", "--rows", "items", "--slice", "text:many"), "has no number of lines"),
        (("tickets.jsonl", "--max-cost", "-1"), "--max-cost"),
        (("tickets.jsonl", "--limit", "0"), "--limit"),
        (("tickets.jsonl", "--where", "nonsense ="), "cannot be queried"),
    ],
)
@pytest.mark.usefixtures("place")
def test_a_wrong_option_is_named(words: tuple[str, ...], part: str) -> None:
    pytest.importorskip("duckdb")
    result = retouch("extract", *words, "--schema", "ticket.json", "-o", "out")
    assert 2 == result.exit_code
    assert part in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("place")
def test_a_limit_of_cost_that_is_reached_ends_exhausted_and_keeps_what_was_paid() -> None:
    status, found = extracted("tickets.jsonl", "--key", "id", "--model", "offline?price_in=1", "--max-cost", "1")
    assert status in {0, 2}, found


def test_a_run_of_orders_needs_no_key(place: Path) -> None:
    (place / "orders.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ORDERS))
    status, found = extracted("orders.jsonl")
    assert (3, 3) == (status, found["records"]["dead"])
