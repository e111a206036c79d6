"""Calls that were allowed and must not be: each was seen, or found by looking for more of its kind."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.policy import Guard
from retouch.recipes.policy import evaluate
from retouch.recipes.policy.guard.core import Escalation
from retouch.recipes.policy.guard.hook import HookOptions, hook_answer
from retouch.recipes.policy.guard.terminal import question_text
from tests.trust.policies import ASK, EVERYWHERE, GOOD_REMOTE, GOOD_SITE, NEVER, decided, made, members, rule, within

if TYPE_CHECKING:
    from pathlib import Path

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
    *(
        ("read_file", {"path": f"~/{path}"})  # Windows reads these names alike
        for path in (
            "Documents/private./key",
            "Documents/private..",
            "Documents./private",
            "Documents/private. ./key",
            "Documents/PRIVAT~1/key",
            "DOCUME~1/private",
        )
    ),
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
        ("read_file", {"path": "~/Documents/public~1/a.~2~"}),
        ("read_file", {"path": "~/Documents/.private"}),
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
        "/home/ada/x/.. /y",
        "/home/ada/x //",
        "/home/ada/ok\\..\\..\\etc",
        "/home/ada/$HOME/x",
        "/home/ada/${X}",
        "/home/ada/`id`",
        "/proc/self/root/etc/shadow",
        "/proc/1/cwd/x",
        "/dev/fd/3",
        "/./proc/self/cwd/x",
        "//proc/self/cwd/x",
        "/dev/../proc/self/cwd/x",
        "~/../../proc/self//cwd/x",
        "/ok,/etc/shadow",
        "/ok;/etc/shadow",
        "/ok:/etc/shadow",
        "/ok|/etc/shadow",
        "/ok, ~/x",
        "/ok,../etc/shadow",
        "/ok,./x",
        "host:/etc/shadow",
        "/ok/%00/x",
    ],
)
def test_a_path_that_programs_open_differently_is_denied(path: str):
    assert "deny" == decided(made(EVERYWHERE), "filesystem/read_file", path=path)


@pytest.mark.parametrize("path", ["here/file", "there/file"])
def test_a_link_to_the_directory_of_a_process_leads_elsewhere_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
):
    (tmp_path / "file").touch()
    (tmp_path / "here").symlink_to("/proc/self/cwd")
    (tmp_path / "there").symlink_to(tmp_path / "here")
    monkeypatch.chdir(tmp_path)
    policy = made(rule("ok", "allow", paths=within(str(tmp_path))))
    assert "deny" == decided(policy, "filesystem/read_file", path=str(tmp_path / path))


@pytest.mark.parametrize("path", ["~/ok/%2e%2e/x", "~/ok/%2E%2E%2Fx", "~/ok/..%2f/%2e%2e/x", "~/ok/%252e%252e/x"])
def test_a_path_that_leads_elsewhere_once_it_is_decoded_is_not_inside(path: str):
    policy = made(rule("ok", "allow", paths=within("~/ok")))
    assert "deny" == decided(policy, "filesystem/read_file", path=path)
    assert "allow" == decided(policy, "filesystem/read_file", path="~/ok/My%20notes,%20100%.txt")


@pytest.mark.parametrize("path", ["~/Documents/%70rivate/x", "~/Documents%2Fprivate", "~/Documents/%25%37%30rivate/x"])
def test_a_prohibited_path_is_found_if_it_is_encoded(path: str):
    assert "deny" == decided(made(NEVER, EVERYWHERE), "filesystem/read_file", path=path)


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
        "http://\u00adgood.example/",
        " http://good.example/",
        "http://good.example/\r\nHost: evil.example",
        "http://good\t.example/",
        "//good.example/",
        "good.example/x",
        "http://{good,evil}.example/",
        "http://good.example{/,.evil.example/}",
        "http://good.example,http://evil.example/",
        "http://good.example/,http://evil.example/",
        "http://good.example/;http://evil.example/",
        "http://good.example/|http://evil.example/",
    ],
)
def test_an_address_that_programs_read_differently_is_denied(url: str):
    assert "deny" == decided(made(GOOD_SITE), "web/fetch", url=url)
    assert "deny" == decided(made(rule("web", "allow", server=["web"])), "web/fetch", url=url)


@pytest.mark.parametrize(
    ("forbidden", "host"),
    [
        ("10.0.0.1", "[::ffff:10.0.0.1]"),
        ("10.0.0.1", "[::ffff:a00:1]"),
        ("10.0.0.1", "[64:ff9b::a00:1]"),
        ("10.0.0.1", "[2002:a00:1::]"),
        ("[::ffff:10.0.0.1]", "10.0.0.1"),
        ("[::1]", "[0:0:0:0:0:0:0:1]"),
        ("localhost", "127.0.0.1"),
        ("localhost", "127.1.2.3"),
        ("localhost", "[::1]"),
        ("localhost", "0.0.0.0"),
        ("localhost", "app.localhost"),
        ("127.0.0.1", "LOCALHOST."),
        ("127.0.0.1", "[::ffff:127.0.0.1]"),
        ("*.localhost", "localhost"),
    ],
)
def test_a_prohibited_host_is_found_at_its_other_addresses(forbidden: str, host: str):
    never = rule("never", "deny", domains={"roles": ["fetch-url"], "allowed": [forbidden]})
    policy = made(never, rule("web", "allow", server=["web"]))
    assert "deny" == decided(policy, "web/fetch", url=f"http://{host}:8080/x")
    assert "allow" == decided(policy, "web/fetch", url="http://10.0.0.2/")
    assert "allow" == decided(policy, "web/fetch", url="http://[2001:db8::1]/")


def test_a_plain_address_is_allowed_and_handed_out_as_it_was_judged():
    call: dict[str, Any] = {
        "serverName": "web",
        "toolName": "fetch",
        "arguments": {"url": "HTTPS://user@Good.Example:8443/a/../b?c#d"},
    }
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
        "good.example:80@[::1]:0/x",
        "git@good.example:a@[evil.example]:x",
    ],
)
def test_a_remote_that_programs_read_differently_is_denied(remote: str):
    assert "deny" == decided(made(GOOD_REMOTE), "git/push", remote=remote)


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/EVE/X",
        "https://github.com/eve/x.GIT",
        "https://github.com/eve/x.git.git",
        "https://www.github.com/eve/x",
        "ssh://git@ssh.github.com:443/eve/x",
        "git@ssh.github.com:eve/x",
        "git@github.com:Eve/x",
    ],
)
def test_a_prohibited_repository_is_found_in_any_spelling(remote: str):
    never = rule("never", "deny", domains={"roles": ["git-remote-url"], "allowed": ["github.com/eve/x"]})
    policy = made(never, rule("git", "allow", server=["git"]))
    assert "deny" == decided(policy, "git/push", remote=remote)
    assert "allow" == decided(policy, "git/push", remote="https://github.com/eve/xx.git")


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
    for owner in ("EVE", "e\u200bve", "\uff45ve", "@eve", "eve.", "user:eve", "eve:"):
        assert "deny" == decided(made(not_eve, anyone), "github/issues", owner=owner, repo="x")
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


@pytest.mark.parametrize("start", ["made", "link"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write_file", {"path": "START/policy.json"}),
        ("write_file", {"path": "PARENT/MADE/Policy.json"}),
        ("write_file", {"path": "START/inner/policy.json"}),
        ("write_file", {"path": "START/audit"}),
        ("delete_file", {"path": "START/counts"}),
        ("delete_file", {"path": "START"}),
        ("move_file", {"source": "START", "destination": "/tmp/elsewhere"}),
        ("move_file", {"source": "/tmp/x", "destination": "START/policy.json"}),
    ],
)
def test_an_agent_cannot_change_the_files_of_its_guard(
    tmp_path: Path, start: str, tool: str, arguments: dict[str, str]
):
    """Otherwise it could write a policy with a hash of its own, or start the counts again."""
    (tmp_path / "made").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "made")
    (tmp_path / "made/inner").symlink_to(tmp_path / "made")
    policy = replace(made(EVERYWHERE), verified=True)
    (tmp_path / "made/policy.json").write_text(json.dumps(policy.as_json()), encoding="utf-8")
    folder = tmp_path / start
    guard = Guard(folder, audit=folder / "audit", counts=folder / "counts")
    given = {k: text.replace("START", str(folder)).replace("PARENT", str(tmp_path)) for k, text in arguments.items()}
    found = guard.decide("filesystem", tool, given)
    assert (False, "structural-guard-file") == (found.allowed, found.rule)
    assert guard.decide("filesystem", "read_file", {"path": str(folder / "policy.json")}).allowed
    assert guard.decide("filesystem", "write_file", {"path": str(folder / "notes")}).allowed


@pytest.mark.parametrize("name", ["policy.json", "audit", "counts"])
def test_a_hard_link_to_a_file_of_the_guard_cannot_be_written(tmp_path: Path, name: str):
    policy = replace(made(EVERYWHERE), verified=True)
    (tmp_path / "policy.json").write_text(json.dumps(policy.as_json()), encoding="utf-8")
    (tmp_path / "counts").touch()
    guard = Guard(tmp_path, audit=tmp_path / "audit", counts=tmp_path / "counts")
    other = tmp_path / "notes"
    other.touch()
    assert guard.decide("filesystem", "write_file", {"path": str(other)}).allowed
    other.unlink()
    other.hardlink_to(tmp_path / name)
    found = guard.decide("filesystem", "write_file", {"path": str(other)})
    assert (False, "structural-guard-file") == (found.allowed, found.rule)


def test_a_hook_protects_its_policy_too(tmp_path: Path):
    policy = replace(made(EVERYWHERE), verified=True)
    event = {"hook_event_name": "PreToolUse", "tool_name": "write_file"}
    for name, verdict in (("policy.json", "deny"), ("notes", "allow")):
        given = json.dumps({**event, "tool_input": {"path": str(tmp_path / name)}})
        answer: Any = hook_answer(given, policy, HookOptions(server="filesystem", file=tmp_path / "policy.json"))
        assert verdict == answer["hookSpecificOutput"]["permissionDecision"]


def test_a_long_argument_hides_no_other_one_when_the_user_is_asked():
    long: dict[str, Any] = {"note": "x" * 5_000, "parts": [{"text": "y" * 5_000}] * 9, "path": "/etc/shadow"}
    question = Escalation(id="1", server="s", tool="t", arguments=long, rule="r", reason="w", roles=(), timeout_s=1.0)
    assert "/etc/shadow" in question_text(question)
    assert "and 4600 more characters" in question_text(question)
