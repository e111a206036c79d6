"""A sentence that no rule of any server enforces is never settled by the word of one server's judge."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate
from retouch.models.offline import offline
from retouch.recipes.policy.english.offline import answer
from retouch.recipes.policy.making.asking.source import policy_job
from retouch.recipes.policy.making.job import recipe

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"toolName": "read_file", "args": {"path": ["read-path"]}}
COMMIT = {"toolName": "git_commit", "args": {"repo_path": ["read-path", "write-history"]}}
STATUS = {"toolName": "git_status", "args": {"repo_path": ["read-path"]}}
READING = "Allow reading files inside ~/docs.\n"
COMMITTING = "Allow committing inside ~/src."


def tools(*servers: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    schema = {"type": "object"}
    found = {
        name: {
            "tools": [
                {
                    "serverName": name,
                    "comment": one["toolName"],
                    "inputSchema": schema | {"properties": {key: {"type": "string"} for key in one["args"]}},
                    **one,
                }
            ]
        }
        for name, one in servers
    }
    return {"servers": found}


def run(folder: Path, text: str, annotations: dict[str, Any], **base: Any) -> Any:
    job = policy_job(constitution=text, annotations=annotations, base={"home": "/home/ada", **base})
    return asyncio.run(generate(recipe, job, folder, offline(answer), RunOptions(concurrency=1)))


@pytest.mark.parametrize(
    ("servers", "settled"),
    [
        ((("files", FILES),), False),
        ((("files", FILES), ("git", STATUS)), False),
        ((("files", FILES), ("git", COMMIT)), True),
        ((("a_git", COMMIT), ("files", FILES)), True),
    ],
)
def test_a_permission_that_no_tool_of_any_server_can_use_is_not_enforced(
    tmp_path: Path, servers: tuple[tuple[str, dict[str, Any]], ...], *, settled: bool
) -> None:
    result = run(tmp_path / "run", READING + COMMITTING, tools(*servers))
    unsettled = [one.detail["clause"] for one in result.issues if one.code == "CLAUSE_NOT_ENFORCED"]
    assert ([] if settled else [COMMITTING]) == unsettled, result.issues
    assert ("verified" == result.status) is settled
