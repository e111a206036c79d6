"""A small policy by strict semantics, and short words for calls."""

from __future__ import annotations

from typing import Any

from retouch.recipes.policy import Policy, evaluate

HOME = "/home/ada"
TOOLS: dict[str, Any] = {
    "servers": {
        "filesystem": {
            "tools": [
                {"toolName": "read_file", "args": {"path": ["read-path"]}},
                {"toolName": "read_files", "args": {"paths": ["read-path"]}},
                {"toolName": "write_file", "args": {"path": ["write-path"]}},
                {"toolName": "delete_file", "args": {"path": ["delete-path"]}},
                {"toolName": "search_files", "args": {"path": ["read-path"]}},
                {"toolName": "list_directory", "args": {"path": ["read-path"]}},
                {
                    "toolName": "move_file",
                    "args": {"source": ["read-path", "delete-path"], "destination": ["write-path"]},
                },
                {
                    "toolName": "read_part",
                    "args": {"path": ["read-path"], "lines": ["none"]},
                    "inputSchema": {
                        "type": "object",
                        "properties": {
                            "path": {"type": "string", "pattern": "^/"},
                            "lines": {"type": "integer", "minimum": 1},
                        },
                    },
                },
            ]
        },
        "web": {"tools": [{"toolName": "fetch", "args": {"url": ["fetch-url"]}}]},
        "git": {"tools": [{"toolName": "push", "args": {"remote": ["git-remote-url"]}}]},
        "mail": {"tools": [{"toolName": "send", "args": {"to": ["email-address"]}}]},
        "github": {"tools": [{"toolName": "issues", "args": {"owner": ["github-owner"], "repo": ["github-repo"]}}]},
    }
}


def rule(name: str, then: str, **when: Any) -> dict[str, Any]:
    return {"name": name, "then": then, "if": when}


def within(path: str, *roles: str) -> dict[str, Any]:
    return {"roles": list(roles or ("read-path", "write-path", "delete-path")), "within": path}


def members(role: str, match: str, *allowed: str) -> list[dict[str, Any]]:
    return [{"roles": [role], "allowed": list(allowed), "matchType": match}]


def made(*rules: dict[str, Any], **more: Any) -> Policy:
    return Policy.of_json({"semantics": 2, "home": HOME, "rules": list(rules), "annotations": TOOLS, **more})


def decided(policy: Policy, tool: str, **arguments: Any) -> str:
    server, _, name = tool.partition("/")
    return evaluate(policy, {"serverName": server, "toolName": name, "arguments": arguments}).decision


EVERYWHERE = rule("files", "allow", server=["filesystem"], paths=within("/"))
NEVER = rule("never", "deny", paths=within("~/Documents/private"))
ASK = rule("ask", "escalate", paths=within("~/Documents/private"))
GOOD_SITE = rule("site", "allow", domains={"roles": ["fetch-url"], "allowed": ["good.example", "*.good.example"]})
GOOD_REMOTE = rule(
    "remote", "allow", domains={"roles": ["git-remote-url"], "allowed": ["github.com/ada/x", "good.example"]}
)
