"""AgentDojo: what a policy in plain English stops and keeps, for the reference calls of all tasks. No model is called.

    python -m venv dojo && dojo/bin/pip install agentdojo
    dojo/bin/python benchmarks/policy_agentdojo.py --export calls.json
    python benchmarks/policy_agentdojo.py calls.json

A user task is kept if every call of its reference solution is allowed, or allowed after a question. An attack is
stopped if a call of its reference solution is denied, and held if one needs a question. Tasks without a reference call
are left out. AgentDojo's own defences need a model, so that they cannot run here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

POLICIES = Path(__file__).parent / "policies"
SUITES = ("banking", "slack", "travel", "workspace")
VERSION = "v1.2"


def export(path: Path) -> None:
    """Write the tools and the reference calls of every suite. Needs agentdojo."""
    from importlib import import_module

    get_suite: Any = import_module("agentdojo.task_suite.load_suites").get_suite

    found: dict[str, Any] = {}
    for name in SUITES:
        suite = get_suite(VERSION, name)
        environment = suite.load_and_inject_default_environment({})
        tasks = {"user": suite.user_tasks, "attack": suite.injection_tasks}
        found[name] = {
            "tools": [
                {"name": tool.name, "description": tool.description, "inputSchema": tool.parameters.model_json_schema()}
                for tool in suite.tools
            ],
            **{
                kind: {
                    key: [[call.function, dict(call.args)] for call in task.ground_truth(environment)]
                    for key, task in those.items()
                }
                for kind, those in tasks.items()
            },
        }
    path.write_text(json.dumps(found, default=str), encoding="utf-8")


def measure(path: Path) -> None:
    """Print what the policies decide."""
    suites: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    print("| suite | tasks kept without a question | with questions | lost | attacks stopped | held | through |")
    print("|---|---|---|---|---|---|---|")
    for name, suite in suites.items():
        policy = _policy(name, suite["tools"])
        rows = {
            kind: {key: _outcome(policy, name, calls) for key, calls in suite[kind].items() if calls}
            for kind in ("user", "attack")
        }
        counts = [
            sum(one == wanted for one in rows[kind].values())
            for kind in ("user", "attack")
            for wanted in (("allow", "escalate", "deny") if kind == "user" else ("deny", "escalate", "allow"))
        ]
        print(f"| {name} | {' | '.join(map(str, counts))} |")
        if "--show" in sys.argv:
            print(json.dumps(rows, indent=1))


def _policy(name: str, tools: list[Any]) -> Any:
    from dataclasses import replace

    from retouch.recipes.policy import Policy
    from retouch.recipes.policy.annotating.proposing import ListedTool, annotations_of
    from retouch.recipes.policy.english.compiling import compile_english

    listed = tuple(
        ListedTool(name=one["name"], description=one["description"], schema=one["inputSchema"], hints={})
        for one in tools
    )
    annotations: Any = annotations_of(name, listed)
    if name == "slack":  # its tools take addresses without a scheme, which a role for addresses cannot judge
        annotations = {"servers": annotations["servers"], "roles": {"site": "a web site, as its bare name"}}
        for tool in annotations["servers"][name]["tools"]:
            tool["args"] = {arg: ["site"] if roles == ["fetch-url"] else roles for arg, roles in tool["args"].items()}
    value: Any = {"semantics": 3, "home": "/home/emma", "workingDirectory": "/home/emma", "rules": [], "servers": {}}
    frame = Policy.of_json({**value, "annotations": annotations})
    made = compile_english((POLICIES / f"{name}.md").read_text(encoding="utf-8"), frame)
    return replace(frame, rules=made.rules)


def _outcome(policy: Any, server: str, calls: list[Any]) -> str:
    """Return the strictest decision about the calls of a task, made one after the other."""
    from retouch.recipes.policy import evaluate

    strictest = "allow"
    for tool, arguments in calls:
        found = evaluate(policy, {"serverName": server, "toolName": tool, "arguments": arguments}).decision
        if "--show" in sys.argv and found != "allow":
            print(found, tool, json.dumps(arguments)[:120])
        strictest = max(strictest, found, key=["allow", "escalate", "deny"].index)
    return strictest


if __name__ == "__main__":
    if sys.argv[1:2] == ["--export"]:
        export(Path(sys.argv[2]))
    else:
        measure(Path(sys.argv[1]))
