"""Sentences for an agent with the tools of several servers: each is read where its things are, and nowhere else."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.recipes.policy.annotating.proposing import ListedTool, annotations_of
from retouch.recipes.policy.english.checking.of_other_servers import is_about_others, verb_by_verb
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.language.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Sequence

SENTENCES = Path(__file__).parents[4] / "benchmarks" / "sentences"
AGENTS = {
    "gmail": "S1", "github": "S1", "slack": "S1", "stripe": "S1", "supabase": "S1", "calendar": "S1",
    "filesystem": "S1", "gitlab": "S3",
}  # fmt: skip


@cache
def frame(agent: str) -> Policy:
    file = SENTENCES / AGENTS[agent] / agent / "tools.json"
    tools = tuple(
        ListedTool(name=one["name"], description=one["description"], schema=one["inputSchema"], hints={})
        for one in json.loads(file.read_text(encoding="utf-8"))["tools"]
    )
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}, "timeZone": "UTC"}
    return Policy.of_json(value | {"annotations": annotations_of(agent, tools)})


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ("gmail", "Never delete my email."),
        ("gmail", "Filters are off limits."),
        ("gmail", "Don't send email on weekends."),
        ("slack", "Only post in #orders."),
        ("slack", "Never read #payroll."),
        ("slack", "No posts in #general before 9am or after 6pm."),
        ("stripe", "Never cancel a subscription."),
        ("github", "Never push straight to main."),
        ("github", "Ask me before creating a repository."),
        ("supabase", "Run only SELECT queries."),
    ],
)
def test_a_sentence_means_for_its_server_what_it_means_there_alone_and_nothing_for_the_others(own: str, text: str):
    alone = compile_clauses(text, frame(own))
    agents = [one for one in AGENTS if one != "gitlab"]  # which does what GitHub does
    for agent in agents:
        made = compile_clauses(text, frame(agent), elsewhere=[one for one in agents if one != agent])
        assert {} == dict(made.refused), agent
        assert (alone.rules if agent == own else ()) == made.rules, agent


@pytest.mark.parametrize(
    ("wanted", "agent", "text"),
    [
        (True, "calendar", "Never delete my emails."),
        (True, "stripe", "The customers table is off limits."),
        (True, "slack", "Never upload files from ~/private."),
        (True, "github", "Don't DM anyone."),
        (True, "gmail", "Ask me before running any UPDATE or DELETE."),
        (False, "calendar", "Never delete anything from my calendar."),
        (False, "gmail", "Don't edit .csv files."),
        (False, "github", "Never write comments."),
        (False, "slack", "Don't book anything on Sundays."),
        (False, "supabase", "Never delete anything."),
        (False, "stripe", "Never write to customers."),
    ],
)
def test_a_sentence_is_about_others_only_if_nothing_that_it_speaks_of_occurs_here(wanted: bool, agent: str, text: str):
    toolbox = Toolbox(frame(agent), elsewhere=[one for one in AGENTS if one != agent])
    assert wanted is is_about_others(text, toolbox)


def test_who_names_a_server_speaks_of_no_other_one():
    assert is_about_others("Keep every Slack message short.", Toolbox(frame("gmail"), elsewhere=["slack"]))
    assert not is_about_others("Keep every Slack message short.", Toolbox(frame("slack"), elsewhere=["gmail"]))


def test_a_prohibition_with_several_verbs_about_anything_is_one_for_each():
    assert verb_by_verb("Never delete, move or archive anything.") == (
        "Never delete anything.", "Never move anything.", "Never archive anything."
    )  # fmt: skip
    assert verb_by_verb("Never share or post anything.") == ()


def generated(text: str, agents: Sequence[str], made: Path) -> list[dict[str, Any]]:
    """Return the clauses of a policy for the tools of several servers."""
    servers: dict[str, Any] = {}
    for agent in agents:
        servers |= frame_json(agent, made)
    (made / "tools.json").write_text(json.dumps({"servers": servers}), encoding="utf-8")
    (made / "policy.md").write_text(f"{text}\n", encoding="utf-8")
    words = ("generate", "policy", str(made / "policy.md"), "--tools", str(made / "tools.json"), "--home", "/home/ada")
    found = CliRunner().invoke(command, [*words, "--yes", "--no-cache", "--json", "-o", str(made / "policy")])
    return json.loads(found.stdout)["clauses"]


def frame_json(agent: str, made: Path) -> dict[str, Any]:
    """Return the annotations of the tools of a server, as the command proposes them."""
    file, out = SENTENCES / AGENTS[agent] / agent / "tools.json", made / f"{agent}.json"
    CliRunner().invoke(command, ["policy", "annotate", str(file), "--server", agent, "-o", str(out)])
    return json.loads(out.read_text(encoding="utf-8"))["servers"]


def test_the_policy_of_an_agent_with_several_servers_enforces_a_sentence_about_one_of_them(tmp_path: Path):
    texts = (
        "Never delete my email.",
        "Only post in #orders.",
        "Allow using any tool of gmail.",
        "Allow using any tool of slack.",
    )
    clauses = generated("\n\n".join(texts), ("gmail", "slack", "calendar"), tmp_path)
    assert ["enforced"] * 4 == [one["status"] for one in clauses]


def test_a_limit_that_two_servers_would_count_separately_is_not_enforced(tmp_path: Path):
    first, *_ = generated("Don't open more than 3 issues a day.", ("github", "gitlab"), tmp_path)
    assert "partly" == first["status"]
    assert "each server by itself" in first["why"]


@pytest.mark.parametrize(
    ("agents", "text"),
    [
        (("filesystem", "github"), "Don't edit .csv files."),  # GitHub writes files, too
        (("gmail", "calendar"), "You may read my mail, nothing else."),  # nothing else of mail, or nothing else at all?
    ],
)
def test_what_one_server_may_do_as_well_and_does_not_read_is_not_enforced(
    agents: tuple[str, ...], text: str, tmp_path: Path
):
    first, *_ = generated(text, agents, tmp_path)
    assert first["status"] in {"partly", "not_expressible"}
