"""Calls that are refused because nobody can judge them, where the rules would allow everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import Surroundings, ToolCall, evaluate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.recipes.policy.conftest import Decide, Make

BOTH = pytest.mark.parametrize("semantics", [1, 2])
ALL: dict[str, Any] = {
    "rules": [{"name": "allow-all", "if": {"server": ["filesystem", "git", "fetch", "github"]}, "then": "allow"}],
    "serverDomainAllowlists": {},
}


@BOTH
@pytest.mark.parametrize("text", ["/a\0b", "/a\ud800", "\udc80"])
@pytest.mark.parametrize(
    ("tool", "argument"), [("filesystem/read_file", "path"), ("fetch/get", "url"), ("github/merge", "owner")]
)
def test_text_that_nothing_can_be_called_is_refused_in_every_resource(
    make: Make, decide: Decide, semantics: int, text: str, tool: str, argument: str
):
    made = make(semantics=semantics, **ALL)
    for value in (text, ["/fine", text], {"nested": [text]}):
        assert "structural-unreadable-argument" == decide(made, tool, {argument: value}).rule


@BOTH
@pytest.mark.parametrize("remote", ["ext::sh -c x", "github.com::x", "--upload-pack=x", "-x", "fd::17/foo"])
def test_a_remote_that_makes_git_start_a_program_is_refused(make: Make, decide: Decide, semantics: int, remote: str):
    made = make(semantics=semantics, **ALL)
    assert "structural-unreadable-argument" == decide(made, "git/push", path="/srv/x", remote=remote).rule


@BOTH
@pytest.mark.parametrize("remote", ["origin", "git@github.com:acme/tool", "ssh://git@[::1]:22/x", "https://[::1]/x"])
def test_other_remotes_are_left_to_the_rules(make: Make, decide: Decide, semantics: int, remote: str):
    made = make(semantics=semantics, **ALL)
    assert "allow-all" == decide(made, "git/push", path="/srv/x", remote=remote).rule


def test_a_remote_that_is_a_file_is_refused_by_strict_semantics(make: Make, decide: Decide):
    said = {"path": "/srv/x", "remote": "file:///home/ada/.ssh"}
    assert "allow-all" == decide(make(**ALL), "git/push", said).rule
    assert "structural-unreadable-argument" == decide(make(semantics=2, **ALL), "git/push", said).rule


@BOTH
def test_the_remote_that_a_repository_uses_by_itself_is_judged_like_any_other(make: Make, semantics: int):
    made = make(semantics=semantics, **ALL)
    call = ToolCall(server="git", tool="push", arguments={"path": "~/sandbox/a"})
    surroundings = Surroundings(default_remote=lambda _folder: "ext::sh -c x")
    assert "allow-all" == evaluate(made, call).rule
    assert "structural-unreadable-argument" == evaluate(made, call, surroundings=surroundings).rule


def test_a_prohibition_holds_where_nobody_can_say_where_a_path_leads(make: Make, decide: Decide, tmp_path: Path):
    root = tmp_path.resolve()
    (root / "self").symlink_to(root / "self")
    never = {"name": "never", "if": {"paths": {"roles": ["read-path"], "within": str(root)}}, "then": "deny"}
    made = make(**{**ALL, "rules": [never, *ALL["rules"]]})
    assert "never" == decide(made, "filesystem/read_file", path=f"{root}/self/x").rule
    assert "allow-all" == decide(made, "filesystem/read_file", path="/srv/x").rule


@BOTH
def test_a_permission_for_some_hosts_or_members_does_not_fit_a_call_that_names_none(
    make: Make, decide: Decide, semantics: int
):
    pages = {"roles": ["fetch-url"], "allowed": ["*"]}
    owners = {"roles": ["github-owner"], "allowed": ["acme"], "matchType": "identifiers"}
    rules = [
        {"name": "allow-pages", "if": {"domains": pages}, "then": "allow"},
        {"name": "allow-owners", "if": {"lists": [owners]}, "then": "allow"},
    ]
    made = make(semantics=semantics, rules=rules)
    nothing: list[str] = []
    for value in (None, nothing):
        assert "default-deny" == decide(made, "fetch/get", url=value).rule
        assert "default-deny" == decide(made, "github/merge", owner=value).rule
    assert ["default-deny"] * 2 == [decide(made, tool).rule for tool in ("fetch/get", "github/merge")]


@BOTH
def test_a_list_that_nobody_filled_is_no_member_of_itself(make: Make, decide: Decide, semantics: int):
    made = make(semantics=semantics, dynamicLists={})
    assert "default-deny" == decide(made, "github/merge", owner="@owners").rule
