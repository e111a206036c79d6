"""Decisions per second beside Cedar's: the exported default policy of the oracle, the same calls, one run, one core.

Only calls that rules decide are counted: Cedar is asked about nothing else. Its questions are made beforehand, with
the context as JSON text; ours are decided from the call as it comes. Links are not looked at. A decision of Cedar is
one question per role and value for `allow`, and one for `escalate`.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

import cedarpy

from policy_engine import DATA, load
from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.cedar import Asker, checked_export
from retouch.recipes.policy.deciding.evaluation import LEXICAL, as_request
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CEDAR: Any = cedarpy  # its types leave the shape of requests open


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", default="real-default", help="a policy of the oracle")
    parser.add_argument("--rounds", type=int, default=5, help="how often each call is decided")
    arguments = parser.parse_args()
    announce("policy: decisions compared with Cedar")
    policy = load(arguments.policy)
    calls = list(oracle_calls(arguments.policy))
    export, check = checked_export(policy, calls)
    rules = f"{len(policy.rules)} rules, {len(export.policies):,} bytes of Cedar"
    print(f"{arguments.policy}: {rules}; {check.asked:,} calls asked of both, {len(check.disagreements)} differ\n")
    asker = Asker(policy)
    asked = [(call, asker.questions(call).contexts) for call in calls]
    asked = [(call, contexts) for call, contexts in asked if contexts]
    questions = [[question for context in contexts for question in questions_of(context)] for _, contexts in asked]
    rows = speeds(policy, [call for call, _ in asked], questions, export.policies, arguments.rounds)
    flat = sum(map(len, questions))
    print(f"Cedar needs {flat:,} questions for {len(questions):,} calls.\n")
    print(table(("who decides", "calls per CPU second", "questions per CPU second", "in the reference"), rows))


def oracle_calls(name: str) -> Sequence[ToolCall]:
    """Return the calls of the oracle to a policy."""
    lines = (DATA / "dev/oracle/decisions.jsonl").read_text("utf-8").splitlines()
    rows = (row for row in map(json.loads, lines) if row["policy"] == name)
    return [call for row in rows if (call := as_request(row["request"])) is not None]


def questions_of(context: Any) -> list[dict[str, str]]:
    """Return the two questions about one role and value, as requests of Cedar."""
    return [
        {
            "principal": 'Agent::"agent"',
            "action": f'Action::"{action}"',
            "resource": 'Call::"call"',
            "context": json.dumps(context),
        }
        for action in ("allow", "escalate")
    ]


def speeds(
    policy: Policy, calls: list[ToolCall], questions: list[list[dict[str, str]]], text: str, rounds: int
) -> list[tuple[str, float, float | str, str]]:
    """Measure our engine, and Cedar with handles, in one batch, and with the text each time."""
    handles = CEDAR.PolicySet.from_str(text), CEDAR.Entities.from_json_str("[]")
    flat = [question for one in questions for question in one]
    few = questions[:5]

    def ours() -> None:
        for call in calls:
            evaluate(policy, call, surroundings=LEXICAL)

    def one_by_one() -> None:
        for one in questions:
            CEDAR.is_authorized_batch(one, *handles)

    def at_once() -> None:
        CEDAR.is_authorized_batch(flat, *handles)

    def with_text() -> None:
        for one in few:
            CEDAR.is_authorized_batch(one, text, "[]")

    rate = len(flat) / len(calls)
    found: list[tuple[str, float, float | str, str]] = [
        ("retouch", per_s(ours, len(calls), rounds), "", "at least 20,000")
    ]
    ways = (
        ("cedarpy, handles", one_by_one, len(calls), rounds, "12,900"),
        ("cedarpy, one batch", at_once, len(calls), rounds, "12,100"),
        ("cedarpy, text with each call", with_text, len(few), 1, "54"),
    )
    for name, work, count, times, known in ways:
        per_call = per_s(work, count, times)
        found.append((name, per_call, per_call * rate, known))
    return found


def per_s(work: Callable[[], object], calls: int, rounds: int) -> float:
    """Return calls per CPU second, the best of several rounds after one to warm up."""
    work()
    best = 0.0
    for _ in range(rounds):
        started = time.process_time()
        work()
        best = max(best, calls / (time.process_time() - started))
    return best


if __name__ == "__main__":
    main()
