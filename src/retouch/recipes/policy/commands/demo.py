"""The example of `retouch demo`: what an agent may do with files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from retouch.commands import RecipeDemo
from retouch.recipes.policy.making.asking.source import policy_job

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON

_TEXT = """\
# What my agent may do

- Never delete anything outside the sandbox.
- Never touch files inside ~/Documents/private.
- Allow reading files inside ~/Documents and ~/Downloads.
- Ask before writing any other file.
"""
_ROLES = {
    "read_file": ("Returns the text of a file.", "read-path"),
    "write_file": ("Writes a file.", "write-path"),
    "delete_file": ("Deletes a file.", "delete-path"),
}


def _tools() -> JSON:
    tools: list[JSON] = [
        {
            "toolName": name,
            "serverName": "filesystem",
            "comment": comment,
            "args": {"path": [role]},
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        }
        for name, (comment, role) in _ROLES.items()
    ]
    return {"servers": {"filesystem": {"tools": tools}}}


def demo(folder: Path) -> RecipeDemo:
    """Return a policy in plain English, which is written into `folder`, for three tools."""
    place = folder / "constitution.md"
    place.write_text(_TEXT, encoding="utf-8")
    base: dict[str, JSON] = {
        "home": "/home/ada",
        "allowedDirectory": "/home/ada/sandbox",
        "servers": {"filesystem": {"sandboxed": True}},
    }
    tools, frame = folder / "annotations.json", folder / "base.json"
    tools.write_text(json.dumps(_tools(), indent=2), encoding="utf-8")
    frame.write_text(json.dumps(base, indent=2), encoding="utf-8")
    return RecipeDemo(
        source=policy_job(constitution=_TEXT, annotations=_tools(), base=base),
        about="plain English -> rules and test scenarios that agree",
        try_it=f"retouch generate policy {place} --tools {tools} --base {frame} --model anthropic:claude-haiku-4-5",
    )
