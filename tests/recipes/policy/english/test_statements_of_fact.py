"""What only tells something is background for agents of eight kinds, and what could be a rule is not."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from retouch.recipes.policy.annotating.proposing import ListedTool, annotations_of
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.language.policy import Policy

SENTENCES = Path(__file__).parents[4] / "benchmarks" / "sentences"
AGENTS = (
    "S1/gmail", "S1/github", "S1/supabase", "S5/homeassistant", "S5/filesystem", "S3/todoist", "S1/calendar",
    "S5/stripe",
)  # fmt: skip


@cache
def toolbox_of(agent: str) -> Toolbox:
    listed = json.loads((SENTENCES / agent / "tools.json").read_text(encoding="utf-8"))["tools"]
    tools = tuple(
        ListedTool(name=one["name"], description=one["description"], schema=one["inputSchema"], hints={})
        for one in listed
    )
    frame: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}, "timeZone": "UTC"}
    return Toolbox(Policy.of_json(frame | {"annotations": annotations_of(Path(agent).name, tools)}))


@pytest.mark.parametrize(
    "text",
    [
        "Good morning, I work from home on Fridays.",
        "Most customers write to me about late orders.",
        "Most of our drivers prefer WhatsApp to email.",
        "We bill most of our tenants in the first week of the month.",
        "My invoices are sorted by year and customer.",
        "I keep my holiday pictures sorted by year.",
        "I open the shop at ten and close at six.",
        "We moved to Stripe last year because the fees were lower.",
        "We moved into this house two years ago with our two kids.",
        "The database holds all our orders since 2019.",
        "The database was designed by an intern.",
        "This box is a ThinkPad running Arch with zsh.",
        "~/projects is a btrfs subvolume with hourly snapshots.",
        "My Drive is a mess because three teams dump stuff into it.",
        "The boiler is from 2009, so it reacts slowly.",
        "The heating is old and noisy.",
        "I'm usually logged in to GitHub in this browser profile.",
        "Heads up: #incidents is noisy on Mondays because of the deploy train.",
        "I manage the front office at Brightwell, and most of my mail comes from suppliers.",
        "Our team of four maintains the webshop repository.",
        "We use #random mostly for lunch plans and cat pictures.",
    ],
)
@pytest.mark.parametrize("agent", AGENTS)
def test_a_statement_that_rules_nothing_whatever_the_tools_do_is_background(agent: str, text: str) -> None:
    (clause,) = clauses_of(text)
    assert is_background(clause, toolbox_of(agent))


@pytest.mark.parametrize(
    "text",
    [
        "My wife approves all refunds.",
        "Friday is a no-deploy day.",
        "Refunds go through Anna.",
        "I usually send the invoices myself.",
        "I send the invoices myself.",
        "The main branch is a protected branch.",
        "The deletion of tickets is a mistake.",
        "The deletion of tickets is a deal-breaker.",
        "The production cluster is an SRE area.",
        "Most folders are off limits.",
        "Most refunds need my okay.",
        "The salaries table is a no-go area.",
        "The production database is a sanctuary.",
        "Code is reviewed by Tom.",
        "My inbox is a separate matter.",
        "The archive is a place for lawyers.",
        "The old API was retired, use the new one.",
        "The repository was frozen last week.",
        "We usually send drafts first.",
        "The boiler is from 2009, so it stays off.",
        "We use feature branches for changes.",
        "Emails are short because I say so, and you ask me first.",
    ],
)
@pytest.mark.parametrize("agent", AGENTS)
def test_a_statement_that_could_be_a_rule_is_not_background(agent: str, text: str) -> None:
    assert not any(is_background(clause, toolbox_of(agent)) for clause in clauses_of(text))
