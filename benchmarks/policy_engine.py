"""The policy engine: agreement with the oracle, decisions per second, and the cost of the analyses.

CPU seconds of one core. Decisions are measured warm: each policy is prepared once, each call is decided again, and no
result is cached between calls.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from retouch.recipes.policy import (
    Policy,
    Surroundings,
    analyse,
    compare_policies,
    domain_matches,
    evaluate,
    extract_domain,
    extract_git_domain,
    is_within,
    measure_coverage,
    normalize_git_url,
    normalize_url,
    prepare_arguments,
    read_scenarios,
    real_path,
)
from tables import announce, table

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "policy"
DEFAULT = DATA / "dev" / "ironcurtain" / "default"
HISTORY = DATA / "dev" / "ironcurtain" / "history"
HOME = "/oracle/home"
Row = Mapping[str, Any]
Pair = tuple[Policy, Row]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="number of decisions per call")
    arguments = parser.parse_args()
    announce("policy: decisions and analyses")
    rows = [json.loads(line) for line in (DATA / "dev/oracle/decisions.jsonl").read_text("utf-8").splitlines()]
    policies = {name: load(name) for name in dict.fromkeys(row["policy"] for row in rows)}
    agreeing = sum(agrees(policies[row["policy"]], row) for row in rows)
    print(f"{agreeing:,} of {len(rows):,} decisions agree with the oracle: decision, rule, escalated roles")
    print("{} of {} results of its primitives agree: addresses, hosts, paths, arguments\n".format(*primitives()))
    pairs = [(policies[row["policy"]], row["request"]) for row in rows]
    default = [(policy, call) for policy, call in pairs if policy is policies["real-default"]]
    print(table(("calls", "links", "decisions per CPU second"), list(speeds(pairs, default, arguments.rounds))) + "\n")
    print(table(("what", "calls", "found", "CPU s"), list(analyses(policies["real-default"]))))


def load(name: str) -> Policy:
    """Return a policy of the oracle."""
    return Policy.load(DATA / "dev" / "oracle" / "policies" / f"{name}.json", common=DATA / "common")


def agrees(policy: Policy, row: Row) -> bool:
    """Return whether a decision equals the oracle's."""
    found, expected = evaluate(policy, row["request"]), row["expect"]
    wanted = expected["decision"], expected["rule"], tuple(expected.get("escalatedRoles", ()))
    return wanted == (found.decision, found.rule, found.escalated_roles)


def primitives() -> tuple[int, int]:
    """Return how many results of the oracle's primitives equal ours, and their total number."""
    text = (DATA / "dev/oracle/helpers.jsonl").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name in ("sandbox/sub", "outside/secret", "real"):
            (root / name).mkdir(parents=True)
        links = {"sandbox/link": f"{root}/outside", "alias": f"{root}/sandbox", "sandbox/dangling": f"{root}/missing"}
        for name, target in {**links, "loop1": "loop2", "loop2": "loop1", "sandbox/rel": "../real"}.items():
            (root / name).symlink_to(target)
        rows = [json.loads(line) for line in text.replace("/tmp/oracle-symlinks", str(root)).splitlines()]
        return sum(PRIMITIVES[row["fn"]](*row["args"]) == row["result"] for row in rows), len(rows)


def prepared(arguments: Any, roles: Any, folder: str | None, _server: object = None) -> Any:
    """Return arguments as the policy and as the tool receive them, in the oracle's terms."""
    done = prepare_arguments(arguments, roles, home=HOME, allowed_directory=folder)
    return {"argsForTransport": done.for_tool, "argsForPolicy": done.for_policy}


def domain_again(text: str) -> str:
    """Return the host of an address that was rewritten before."""
    return extract_domain(normalize_url(text))


def git_domain_again(text: str) -> str:
    """Return host and path of a remote that was rewritten before."""
    return extract_git_domain(normalize_git_url(text))


PRIMITIVES: Mapping[str, Callable[..., object]] = {
    "normalize_url": normalize_url,
    "normalize_git_url": normalize_git_url,
    "extract_domain": extract_domain,
    "extract_git_domain": extract_git_domain,
    "extract_domain_of_normalized": domain_again,
    "extract_git_domain_of_normalized": git_domain_again,
    "domain_matches": domain_matches,
    "resolve_real_path": partial(real_path, home=HOME, working_directory="/nowhere"),
    "is_within": partial(is_within, home=HOME, working_directory="/nowhere"),
    "prepare_tool_args": prepared,
}


def speeds(every: list[Pair], default: list[Pair], rounds: int) -> list[list[object]]:
    """Measure decisions with and without resolving symbolic links, with both semantics."""
    strict = [(replace(policy, semantics=2), call) for policy, call in default]
    strict = [(strict[0][0], call) for _, call in strict]
    found: list[list[object]] = []
    for name, pairs in (("all 22 policies", every), ("the default policy", default), ("the same, strict", strict)):
        for disk in (False, True):
            per_s = decisions_per_s(pairs, Surroundings(disk=disk), rounds)
            found.append([f"{name}, {len(pairs):,} calls", "looked at" if disk else "not looked at", per_s])
    return found


def decisions_per_s(pairs: list[Pair], surroundings: Surroundings, rounds: int) -> float:
    """Return the number of decided calls per CPU second, the best of several rounds."""
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
    """Return the policy of a directory, or None if its format is too old."""
    from retouch.errors import BadInput

    try:
        return Policy.load(path, common=DATA / "common")
    except BadInput:
        return None


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of `work`, and its CPU seconds, the best of three."""
    best, value = float("inf"), None
    for _ in range(3):
        started = time.process_time()
        value = work()
        best = min(best, time.process_time() - started)
    return value, best


if __name__ == "__main__":
    main()
