"""The policy engine: agreement with the oracle, decisions per second, and what the analyses cost.

CPU seconds of one core. Decisions are measured warm: each policy is prepared once, each call is decided anew, and no
answer is kept between calls.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from retouch.recipes.policy import (
    Policy,
    Surroundings,
    analyse,
    compare_policies,
    evaluate,
    measure_coverage,
    read_scenarios,
)
from tables import announce, table

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "policy"
DEFAULT = DATA / "dev" / "ironcurtain" / "default"
HISTORY = DATA / "dev" / "ironcurtain" / "history"
Row = Mapping[str, Any]
Pair = tuple[Policy, Row]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each call is decided")
    arguments = parser.parse_args()
    announce("policy: decisions and analyses")
    rows = [json.loads(line) for line in (DATA / "dev/oracle/decisions.jsonl").read_text("utf-8").splitlines()]
    policies = {name: load(name) for name in dict.fromkeys(row["policy"] for row in rows)}
    agreeing = sum(agrees(policies[row["policy"]], row) for row in rows)
    print(f"{agreeing:,} of {len(rows):,} decisions agree with the oracle: decision, rule, escalated roles\n")
    pairs = [(policies[row["policy"]], row["request"]) for row in rows]
    default = [(policy, call) for policy, call in pairs if policy is policies["real-default"]]
    print(table(("calls", "links", "decisions per CPU second"), list(speeds(pairs, default, arguments.rounds))) + "\n")
    print(table(("what", "calls", "found", "CPU s"), list(analyses(policies["real-default"]))))


def load(name: str) -> Policy:
    """Return a policy of the oracle."""
    return Policy.load(DATA / "dev" / "oracle" / "policies" / f"{name}.json", common=DATA / "common")


def agrees(policy: Policy, row: Row) -> bool:
    """Return whether a decision is that of the oracle."""
    found, expected = evaluate(policy, row["request"]), row["expect"]
    wanted = expected["decision"], expected["rule"], tuple(expected.get("escalatedRoles", ()))
    return wanted == (found.decision, found.rule, found.escalated_roles)


def speeds(every: list[Pair], default: list[Pair], rounds: int) -> list[list[object]]:
    """Measure decisions with and without looking at symbolic links, by the two semantics."""
    strict = [(replace(policy, semantics=2), call) for policy, call in default]
    strict = [(strict[0][0], call) for _, call in strict]
    found: list[list[object]] = []
    for name, pairs in (("all 22 policies", every), ("the default policy", default), ("the same, strict", strict)):
        for disk in (False, True):
            per_s = decisions_per_s(pairs, Surroundings(disk=disk), rounds)
            found.append([f"{name}, {len(pairs):,} calls", "looked at" if disk else "not looked at", per_s])
    return found


def decisions_per_s(pairs: list[Pair], surroundings: Surroundings, rounds: int) -> float:
    """Return how many calls are decided per CPU second, the best of several rounds."""
    for policy, call in pairs:
        evaluate(policy, call, surroundings=surroundings)
    best = 0.0
    for _ in range(rounds):
        started = time.process_time()
        for policy, call in pairs:
            evaluate(policy, call, surroundings=surroundings)
        best = max(best, len(pairs) / (time.process_time() - started))
    return best


def analyses(default: Policy) -> list[list[object]]:
    """Measure the analyses of the default policy, each on a policy that is not prepared yet."""
    oldest = next(found for path in sorted(HISTORY.iterdir()) if (found := loadable(path)) is not None)
    shipped = replace(Policy.load(DEFAULT, common=DATA / "common"), home="/home/provos")
    scenarios = read_scenarios(DEFAULT / "test-scenarios.json")
    idle, idle_s = timed(lambda: analyse(replace(default)))
    reached, reached_s = timed(lambda: measure_coverage(replace(shipped), scenarios))
    changed, changed_s = timed(lambda: compare_policies(replace(oldest), replace(shipped)))
    return [
        ["dead and ineffective rules", idle.calls, f"{len(idle.findings)} rules", idle_s],
        ["coverage by 321 scenarios", reached.regions, f"{reached.regions_reached} regions reached", reached_s],
        ["difference to the oldest version that loads", changed.calls, f"{len(changed.changes)} changes", changed_s],
    ]


def loadable(path: Path) -> Policy | None:
    """Return the policy of a folder, None where its format is too old."""
    from retouch.engine.errors import BadInput

    try:
        return Policy.load(path, common=DATA / "common")
    except BadInput:
        return None


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what `work` returns, and its CPU seconds, the best of three."""
    best, value = float("inf"), None
    for _ in range(3):
        started = time.process_time()
        value = work()
        best = min(best, time.process_time() - started)
    return value, best


if __name__ == "__main__":
    main()
