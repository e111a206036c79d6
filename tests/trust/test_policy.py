"""Calls that were allowed and must not be: each was seen, or found by looking for more of its kind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.errors import BadInput
from retouch.recipes.policy import Policy, evaluate

if TYPE_CHECKING:
    from pathlib import Path

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


ABOVE = [
    ("delete_file", {"path": "/home/ada"}),
    ("delete_file", {"path": "~"}),
    ("delete_file", {"path": "/"}),
    ("delete_file", {"path": "~/Documents/"}),
    ("move_file", {"source": "~/Documents", "destination": "/tmp/x"}),
    ("search_files", {"path": "~"}),
    ("read_files", {"paths": ["~/Documents/*/key"]}),
    ("read_files", {"paths": ["~/Documents/{private,public}/key"]}),
    ("read_files", {"paths": ["~/**/key"]}),
    ("read_file", {"path": "~/Documents/PRIVATE/key"}),
    ("read_file", {"path": "/HOME/ada/documents/Private"}),
    ("read_file", {"path": "~/Documents/pri\u200cvate/key"}),
    ("read_file", {"path": "~/Documents/p\uff52ivate/key"}),
]


@pytest.mark.parametrize(("tool", "arguments"), ABOVE)
def test_a_prohibition_holds_above_its_directory_and_in_any_spelling(tool: str, arguments: dict[str, Any]):
    assert "deny" == decided(made(NEVER, EVERYWHERE), f"filesystem/{tool}", **arguments)
    assert "deny" == decided(
        made(EVERYWHERE, protectedPaths=["~/Documents/private"]), f"filesystem/{tool}", **arguments
    )
    assert "escalate" == decided(made(ASK, EVERYWHERE), f"filesystem/{tool}", **arguments)


@pytest.mark.parametrize(("tool", "arguments"), ABOVE)
def test_a_question_above_its_directory_allows_nothing_by_itself(tool: str, arguments: dict[str, Any]):
    assert "deny" == decided(made(ASK), f"filesystem/{tool}", **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_directory", {"path": "~/Documents"}),
        ("read_file", {"path": "~/Documents/private2"}),
        ("write_file", {"path": "~/Documents/[private]/x"}),
        ("delete_file", {"path": "~/Downloads"}),
    ],
)
def test_a_prohibition_reaches_no_further(tool: str, arguments: dict[str, Any]):
    assert "allow" == decided(made(NEVER, EVERYWHERE), f"filesystem/{tool}", **arguments)


def test_deleting_a_link_into_an_allowed_directory_deletes_the_link(tmp_path: Path):
    (tmp_path / "ok").mkdir()
    (tmp_path / "ok/file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "ok/file")
    policy = made(rule("ok", "allow", paths=within(str(tmp_path / "ok"))))
    assert "allow" == decided(policy, "filesystem/read_file", path=str(tmp_path / "link"))
    assert "deny" == decided(policy, "filesystem/delete_file", path=str(tmp_path / "link"))


@pytest.mark.parametrize(
    "path",
    [
        "file:///home/ada/x",
        "https://good.example/x",
        "/home/ada/ok\n/etc/shadow",
        " /home/ada/x",
        "/home/ada/x ",
        "/home/ada/ok\\..\\..\\etc",
        "/home/ada/$HOME/x",
        "/home/ada/${X}",
        "/home/ada/`id`",
        "/proc/self/root/etc/shadow",
        "/proc/1/cwd/x",
        "/dev/fd/3",
    ],
)
def test_a_path_that_programs_open_differently_is_denied(path: str):
    assert "deny" == decided(made(EVERYWHERE), "filesystem/read_file", path=path)


def test_the_home_of_another_user_is_not_a_directory_of_this_name():
    policy = made(EVERYWHERE, workingDirectory="/srv")
    assert "deny" == decided(policy, "filesystem/read_file", path="~root/.ssh/id")


@pytest.mark.parametrize(
    "url",
    [
        "http://good.example\\@127.0.0.1:80/x",
        "http://good.example\\z@127.0.0.1/../ada/x",
        "http://a@good.example@evil.example/",
        "http:good.example",
        "http:/good.example/",
        "http:///good.example/",
        "http://good.example?@evil.example/",
        "http://good.example#@evil.example/",
        "http://go%6Fd.example/",
        "http://good\u3002example/",
        "http://\uff47ood.example/",
        "http://good.example /",
        " http://good.example/",
        "http://good.example/\r\nHost: evil.example",
        "http://good\t.example/",
        "//good.example/",
        "good.example/x",
    ],
)
def test_an_address_that_programs_read_differently_is_denied(url: str):
    assert "deny" == decided(made(GOOD_SITE), "web/fetch", url=url)


def test_a_plain_address_is_allowed_and_handed_out_as_it_was_judged():
    call = {"serverName": "web", "toolName": "fetch", "arguments": {"url": "HTTPS://user@Good.Example:8443/a/../b?c#d"}}
    found = evaluate(made(GOOD_SITE), call)
    assert ("allow", {"url": "https://user@good.example:8443/b?c#d"}) == (found.decision, found.arguments)


@pytest.mark.parametrize(
    "remote",
    [
        "http://github.com\\z@127.0.0.1/../ada/x",
        "https://github.com/eve/%2e%2e/ada/x",
        "https://github.com/ad%61/x",
        "https://github.com/eve/../ada/x",
        "git@github.com:eve/../ada/x",
        "https://github.com/ada/x?y",
        "https:/good.example/x",
        "good.example/x",
        "-ogood.example:x",
        "ext::sh -c good.example",
        "git@good.example@evil.example:x",
    ],
)
def test_a_remote_that_programs_read_differently_is_denied(remote: str):
    assert "deny" == decided(made(GOOD_REMOTE), "git/push", remote=remote)


@pytest.mark.parametrize(
    "remote", ["https://github.com/ada/x.git", "git@github.com:ada/x", "ssh://git@github.com/ada/x"]
)
def test_a_plain_remote_is_allowed(remote: str):
    assert "allow" == decided(made(GOOD_REMOTE), "git/push", remote=remote)


BOB = rule("bob", "allow", lists=members("email-address", "emails", "bob@corp.example"))
NOT_EVE = rule("eve", "deny", lists=members("email-address", "emails", "eve@evil.example"))
ANYBODY = rule("mail", "allow", server=["mail"])


@pytest.mark.parametrize(
    "to",
    [
        "Eve <eve@evil.example>",
        "EVE@EVIL.EXAMPLE",
        " eve@evil.example ",
        "eve+news@evil.example",
        "eve@evil.example.",
        "bob@corp.example, eve@evil.example",
        "bob@corp.example;Eve <eve@evil.example>",
        ["bob@corp.example", {"name": "Eve", "address": "eve@evil.example"}],
        {"eve@evil.example": "Eve"},
        '"eve"@evil.example',
        "eve(comment)@evil.example",
        "=?utf-8?q?eve=40evil.example?=",
        "friends: eve@evil.example;",
        "bob@corp.example\neve@evil.example",
    ],
)
def test_a_prohibited_recipient_is_found_however_written(to: Any):
    assert "deny" == decided(made(NOT_EVE, ANYBODY), "mail/send", to=to)
    assert "deny" == decided(made(BOB), "mail/send", to=to)


@pytest.mark.parametrize("to", ["bob@corp.example", "Bob <bob@corp.example>", ["BOB@corp.example"]])
def test_an_allowed_recipient_is_found_and_handed_out_bare(to: Any):
    found = evaluate(made(BOB), {"serverName": "mail", "toolName": "send", "arguments": {"to": to}})
    assert "allow" == found.decision
    assert "bob@corp.example" in str(found.arguments).lower()
    assert "<" not in str(found.arguments)


@pytest.mark.parametrize(
    "to", ["bob+x@corp.example", '"bob@corp.example" <eve@evil.example>', "bob@corp.example.evil.example"]
)
def test_who_only_looks_like_an_allowed_recipient_is_none(to: str):
    assert "deny" == decided(made(BOB), "mail/send", to=to)


def test_a_name_that_becomes_part_of_an_address_cannot_leave_its_owner():
    ada = rule("ada", "allow", lists=members("github-owner", "identifiers", "ada"))
    repo = rule("repo", "allow", roles=["github-repo"])
    not_eve = rule("eve", "deny", lists=members("github-owner", "identifiers", "eve"))
    anyone = rule("any", "allow", server=["github"])
    assert "allow" == decided(made(ada, repo), "github/issues", owner="ada", repo="x")
    assert "deny" == decided(made(ada, repo), "github/issues", owner="ada", repo="../../eve/x")
    assert "deny" == decided(made(not_eve, anyone), "github/issues", owner="EVE", repo="x")
    assert "deny" == decided(made(not_eve, anyone), "github/issues", owner="eve ", repo="x")


@pytest.mark.parametrize("value", [{"/etc/shadow": "r"}, [{"/home/ada/ok": 1, "/etc/shadow": "r"}]])
def test_a_key_of_an_object_is_a_value(value: Any):
    policy = made(rule("ok", "allow", paths=within("~/ok")))
    assert "deny" == decided(policy, "filesystem/read_files", paths=value)


@pytest.mark.parametrize("arguments", [{"path": ["/home/ada/x"]}, {"path": "x"}, {"path": "/a", "lines": "1; rm"}])
def test_a_value_that_the_schema_of_its_tool_forbids_is_denied(arguments: dict[str, Any]):
    policy = made(EVERYWHERE, workingDirectory="/srv")
    assert "allow" == decided(policy, "filesystem/read_part", path="/a", lines=1)
    assert "deny" == decided(policy, "filesystem/read_part", **arguments)


@pytest.mark.parametrize("number", [2**53 + 1, -(2**60), float("inf"), float("nan")])
def test_a_number_that_programs_read_differently_is_denied(number: float):
    assert "deny" == decided(made(EVERYWHERE), "filesystem/read_part", path="/a", lines=number)


@pytest.mark.parametrize(
    ("key", "value"),
    [("protectedPath", ["~/.ssh"]), ("sandbox", "/x"), ("deny", []), ("protected_paths", ["~/.ssh"]), ("Rules", [])],
)
def test_a_policy_file_with_an_unknown_key_is_refused(key: str, value: Any):
    with pytest.raises(BadInput, match=key):
        made(EVERYWHERE, **{key: value})


def test_a_list_with_an_unknown_key_is_refused():
    with pytest.raises(BadInput, match="manualRemoval"):
        made(dynamicLists={"news": {"values": ["a.example"], "manualRemoval": ["a.example"]}})


def test_notes_of_the_author_are_no_unknown_keys():
    assert made(EVERYWHERE, **{"x-owner": "ada", "$schema": "policy", "description": "mine"}).rules


def test_a_verified_policy_that_was_changed_is_not_verified(tmp_path: Path):
    from dataclasses import replace

    stored = replace(made(NEVER, EVERYWHERE), verified=True).as_json()
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(stored, indent=7))
    assert Policy.load(file).verified
    for change in ({"rules": [EVERYWHERE]}, {"home": "/"}, {"protectedPaths": ["~/x"]}, {"verifiedHash": None}):
        file.write_text(json.dumps({key: one for key, one in {**stored, **change}.items() if one is not None}))
        read = Policy.load(file)
        assert not read.verified
        assert "verified" in read.doubts[0]


def test_a_file_of_our_own_that_names_no_semantics_is_refused():
    for own in ({"servers": {}}, {"workingDirectory": "/x"}, {"verified": True}, {"engineVersion": "2"}):
        with pytest.raises(BadInput, match="semantics"):
            Policy.of_json({"home": HOME, "rules": [], "annotations": TOOLS, **own})


def test_a_file_of_the_public_engine_says_that_it_names_no_semantics():
    policy = Policy.of_json({"home": HOME, "rules": [], "annotations": TOOLS})
    assert (1, 1) == (policy.semantics, len(policy.doubts))


def test_the_work_for_many_paths_grows_with_their_number():
    """Counted, not timed: how often a value is compared must not grow with the square of their number."""
    compared = {count: _comparisons(count) for count in (200, 800)}
    assert compared[800] < 5 * compared[200]


def _comparisons(count: int) -> int:
    import sys

    steps = 0

    def counted(*_: Any) -> None:
        nonlocal steps
        steps += 1

    policy = made(rule("a", "allow", paths=within("~/a")), rule("b", "escalate", paths=within("~/b")))
    paths = [f"/home/ada/{'ab'[number % 2]}/{number}" for number in range(count)]
    sys.setprofile(counted)
    try:
        assert "escalate" == decided(policy, "filesystem/read_files", paths=paths)
    finally:
        sys.setprofile(None)
    return steps
