"""A small policy job about notes, answers in words of the test's choosing, and runs over them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate
from retouch.recipes.policy import ToolCall as Call
from retouch.recipes.policy import request_id
from retouch.recipes.policy.making.asking.source import policy_job
from retouch.recipes.policy.making.job import recipe
from retouch.testing import Scripted, scripted
from retouch.text import fenced_blocks

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.history import History
    from retouch.engine.overview import RunResult
    from retouch.engine.types import Reply, Request
    from retouch.recipes.policy.making.asking.source import PolicyJob

Json = dict[str, Any]
Answers = Mapping[str, Any]

CONSTITUTION = """\
# What the agent may do

The agent may read my notes.
Ask me before it writes to my notes.
It must never delete anything.
"""
BASE: Json = {"home": "/home/ada", "protectedPaths": ["~/.ssh"], "servers": {"notes": {}}}


def tool(name: str, role: str, server: str = "notes") -> Json:
    """Return a tool with one path."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    return {
        "toolName": name,
        "serverName": server,
        "comment": name,
        "args": {"path": [role]},
        "inputSchema": schema,
    }


TOOLS = [tool("read", "read-path"), tool("write", "write-path"), tool("delete", "delete-path")]


def job(**changes: Any) -> PolicyJob:
    """Return the job about notes, with other servers, scenarios or surroundings where they are given."""
    servers = changes.pop("servers", {"notes": {"tools": TOOLS}})
    base = {**BASE, **changes.pop("base", {})}
    return policy_job(
        constitution=changes.pop("constitution", CONSTITUTION), annotations={"servers": servers}, base=base, **changes
    )


def rule(name: str, then: str, principle: str, server: str = "notes", **when: Any) -> Json:
    """Return a rule as a model writes it."""
    return {
        "name": name,
        "description": name,
        "principle": principle,
        "if": {"server": [server], **when},
        "then": then,
        "reason": principle,
    }


def notes(role: str, within: str = "~/notes") -> Json:
    """Return a condition on paths."""
    return {"roles": [role], "within": within}


READS = rule("allow-read-notes", "allow", "The agent may read my notes.", paths=notes("read-path"))
WRITES = rule("ask-to-write", "escalate", "Ask me before it writes to my notes.", paths=notes("write-path"))


NEVER = rule("never-delete", "deny", "It must never delete anything.", roles=["delete-path"])


def rules(*found: Json, prohibitions: Any = None, lists: Any = ()) -> str:
    """Return a whole rule set as a model answers it; about notes it forbids deleting, unless told otherwise."""
    if prohibitions is None:
        prohibitions = [NEVER] if all(one["if"]["server"] == ["notes"] for one in found) else []
    return json.dumps({"prohibitions": list(prohibitions), "rules": list(found), "listDefinitions": list(lists)})


def operations(*found: Json) -> str:
    """Return a patch as a model answers it."""
    return json.dumps({"operations": list(found)})


def item(name: str, path: str, expected: str, replaces: str | None = None, server: str = "notes", **more: Any) -> Json:
    """Return one scenario as a model writes it."""
    request = {"serverName": server, "toolName": name, "arguments": {"path": path}}
    said = {"description": f"{name} {path}", "request": request, "expectedDecision": expected}
    return {**said, "reasoning": "as the text says", "replaces": replaces, **more}


def items(*found: Json) -> str:
    """Return scenarios as a model answers them."""
    return json.dumps({"scenarios": list(found)})


COVERING = (
    item("read", "~/notes/a", "allow"),
    item("read", "~/other/a", "deny"),
    item("write", "~/notes/a", "escalate"),
    item("write", "~/other/a", "deny"),
    item("delete", "~/notes/a", "deny"),
)


def verdict(*blames: Json, passes: bool = False, **more: Any) -> str:
    """Return what a judge answers."""
    return json.dumps({"verdicts": list(blames), "derived": [], "probes": [], "pass": passes, "open": [], **more})


def blame(id_: str, kind: str, quote: str, corrected: str | None = None) -> Json:
    """Return one attribution of a judge."""
    return {"id": id_, "blame": kind, "corrected": corrected, "reasoning": "it says so", "quote": quote}


def blocks(text: str) -> dict[str, Any]:
    """Return the data of a message by tag, the last block of each; what is no data is left out."""
    found: dict[str, Any] = {}
    for block in fenced_blocks(text):
        with suppress(ValueError):
            found[block.language] = json.loads(block.text)
    return found


def task_of(request: Request) -> str:
    """Return what a request asks for: the last task that it names."""
    tasks = [found["task"] for message in request.messages if "task" in (found := blocks(message.text))]
    return tasks[-1]["task"]


def by_task(answers: Answers) -> Callable[[Request], str | Reply | Exception]:
    """Return a script that answers by task; lists are used up, their last answer stays; functions get the request."""
    left: dict[str, list[Any]] = {
        name: [*cast("list[Any]", found)] if isinstance(found, list) else [found] for name, found in answers.items()
    }

    def answer(request: Request) -> Any:
        waiting = left[task_of(request)]
        found = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return found(request) if callable(found) else found

    return answer


class Scene:
    """A run directory and the model that was asked last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model: Scripted = scripted([])

    def generate(self, answers: Answers | Callable[[Request], Any], job_: PolicyJob | None = None) -> RunResult:
        """Run the recipe; `answers` are by task, or a function of the request."""
        self.model = scripted(answers if callable(answers) else by_task(answers))
        way = RunOptions(concurrency=1)
        return asyncio.run(generate(recipe, job_ or job(), self.folder, self.model, way))

    def asked(self) -> list[str]:
        """Return the tasks that were asked, in order."""
        return [task_of(request) for request in self.model.requests]

    def file(self, name: str) -> Any:
        """Return a file of the run."""
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    @property
    def history(self) -> History:
        """What the ledger tells."""
        return open_run(self.folder).history


def scenario_id(name: str, path: str, server: str = "notes") -> str:
    """Return the id of the call of an item."""
    return request_id(Call(server=server, tool=name, arguments={"path": path}))


ASK = "Ask me before it writes to my notes."
WRITE_ID = scenario_id("write", "~/notes/a")
GOOD: Json = {"compile": rules(READS, WRITES), "scenarios": items(*COVERING)}
LAX = {**WRITES, "name": "write-notes", "then": "allow"}
MENDED = operations({"op": "delete", "name": "write-notes"}, {"op": "add", "rule": WRITES, "after": "allow-read-notes"})
FAILING: Json = {
    "compile": rules(READS, LAX),
    "scenarios": items(*COVERING),
    "judge": verdict(blame(WRITE_ID, "rule", ASK)),
}
