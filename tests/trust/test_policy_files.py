"""Policy files that meant less than they said, and work that grew with the square of its input."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import Policy
from tests.counted import calls_of
from tests.trust.policies import EVERYWHERE, HOME, NEVER, TOOLS, decided, made, rule, within

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(
    "when",
    [
        {"server": []},
        {"tool": []},
        {"roles": []},
        {"paths": {"roles": [], "within": "/x"}},
        {"domains": {"roles": [], "allowed": ["x.example"]}},
        {"lists": [{"roles": [], "allowed": ["x"], "matchType": "identifiers"}]},
    ],
)
def test_a_rule_with_an_empty_list_that_would_never_apply_is_refused(when: dict[str, Any]):
    with pytest.raises(BadInput, match="'never' has an empty list"):
        made(rule("never", "deny", **when), EVERYWHERE)


def test_true_is_no_version_of_the_semantics():
    with pytest.raises(BadInput, match="True is no number"):
        made(EVERYWHERE, semantics=True)


def test_notes_of_the_author_are_no_unknown_keys():
    assert made(EVERYWHERE, **{"x-owner": "ada", "$schema": "policy", "description": "mine"}).rules


def test_a_verified_policy_that_was_changed_is_not_verified(tmp_path: Path):
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
    keys: list[dict[str, Any]] = [
        {"servers": {}},
        {"workingDirectory": "/x"},
        {"verified": True},
        {"engineVersion": "2"},
    ]
    for own in keys:
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
    policy = made(rule("a", "allow", paths=within("~/a")), rule("b", "escalate", paths=within("~/b")))
    paths = [f"/home/ada/{'ab'[number % 2]}/{number}" for number in range(count)]
    decisions: list[str] = []
    calls = calls_of(lambda: decisions.append(decided(policy, "filesystem/read_files", paths=paths)))
    assert ["escalate"] == decisions
    return calls


def test_a_pattern_reaches_what_its_links_reach(tmp_path: Path):
    """`~/ok/*` is allowed only if every file that a program may take it for is allowed."""
    (tmp_path / "ok" / "sub").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "ok" / "[id].tsx").write_text("", encoding="utf-8")
    policy = made(rule("files", "allow", paths=within(f"{tmp_path}/ok", "read-path")))

    def read(path: str) -> str:
        return decided(policy, "filesystem/read_file", path=f"{tmp_path}/{path}")

    assert ["allow"] * 4 == [read(one) for one in ("ok/*", "ok/[id].tsx", "ok/**/x", "ok/{a,b}")]
    (tmp_path / "ok" / "sub" / "link").symlink_to(tmp_path / "secret")
    assert ["allow", "allow"] == [read(one) for one in ("ok/*", "ok/s*/other")]
    for one in (
        "ok/*/../*",
        "ok/*/link",
        "ok/*/l*",
        "ok/*/*",
        "ok/**/x",
        "ok/sub/{link,x}",
        "ok/{sub/link,x}",
        "ok/[s]ub/link/key",
    ):
        assert "deny" == read(one)


@pytest.mark.parametrize("pattern", ["ok/*", "ok/*/file", "ok/h*", "ok/**"])
def test_a_pattern_that_crosses_a_link_of_a_process_is_denied(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The link leads elsewhere in the process of the tool. Found by `make fuzz-readers`."""
    (tmp_path / "ok").mkdir()
    (tmp_path / "ok" / "file").touch()
    monkeypatch.chdir(tmp_path / "ok")
    policy = made(rule("files", "allow", paths=within(f"{tmp_path}/ok", "read-path")))
    assert "allow" == decided(policy, "filesystem/read_file", path=f"{tmp_path}/{pattern}")
    (tmp_path / "ok" / "here").symlink_to("/proc/self/cwd")
    assert "deny" == decided(policy, "filesystem/read_file", path=f"{tmp_path}/{pattern}")


def test_a_pattern_over_very_many_files_is_denied_in_time(tmp_path: Path):
    for name in range(300):
        (tmp_path / f"{name}").mkdir()
    policy = made(rule("files", "allow", paths=within(str(tmp_path), "read-path")))
    paths = [f"{tmp_path}/*{number}" for number in range(1_000)]
    assert "deny" == decided(policy, "filesystem/read_files", paths=paths)


PARENTS = [".*", ".?", ".[.]", "{..,sub}", "{.,x}.", "@(..)", "?(x|..)", "*(..)"]
LINKS = ["[^a]ink", "[[:alpha:]]ink", "{{l,m}ink,b}", "@(link|f)", "+(link)", "!(a)", "l\\i*", "l[^a][^a]k"]


@pytest.mark.parametrize("part", [*PARENTS, *LINKS])
def test_no_spelling_of_a_pattern_reaches_what_is_outside_of_a_directory(part: str, tmp_path: Path):
    """`dash` expands `work/.*` to `work/..`; `bash` and the glob of Node read braces, classes and alternatives."""
    root = tmp_path.resolve()
    (root / "secret").mkdir()
    (root / "work/sub").mkdir(parents=True)
    (root / "work/link").symlink_to(root / "secret")
    inside = rule("work", "allow", server=["filesystem"], paths=within(f"{root}/work"))
    all_but = rule("never", "deny", paths=within(f"{root}/secret"))
    for policy in (made(inside, semantics=3), made(all_but, EVERYWHERE, semantics=3)):
        for path in (f"{root}/work/{part}/secret/key", f"{root}/work/{part}/key"):
            assert "deny" == decided(policy, "filesystem/read_file", path=path)


@pytest.mark.parametrize("part", ["[id]", "(auth)", "{a,b}", "{.git,.svn}", "s*", "s[u]b", "*.md", ".hidden", "a(1)"])
def test_an_ordinary_pattern_or_name_inside_of_a_directory_is_allowed(part: str, tmp_path: Path):
    root = tmp_path.resolve()
    (root / "work/sub").mkdir(parents=True)
    inside = rule("work", "allow", server=["filesystem"], paths=within(f"{root}/work"))
    assert "allow" == decided(made(inside, semantics=3), "filesystem/read_file", path=f"{root}/work/{part}/page.tsx")


SAVING: dict[str, Any] = {
    "servers": {"mail": {"tools": [{"toolName": "save", "args": {"dir": ["write-path"], "name": ["file-name"]}}]}}
}


@pytest.mark.parametrize(
    ("name", "decision"),
    [
        ("a b.pdf", "allow"),
        (None, "allow"),
        ("../x", "deny"),
        ("/etc/x", "deny"),
        ("a\\b", "deny"),
        ("C:x", "deny"),
        ("..", "deny"),
        ("~", "deny"),
        ("a\uff0fb", "deny"),
        ("a\0", "deny"),
        (["a"], "deny"),
    ],
)
def test_the_name_of_a_file_leads_out_of_no_directory(name: Any, decision: str):
    policy = made(rule("out", "allow", paths=within("~/out", "write-path")), annotations=SAVING)
    assert decision == decided(policy, "mail/save", dir=f"{HOME}/out", name=name)


@pytest.mark.parametrize(("mode", "decision"), [("plain", "deny"), ("other", "allow")])
def test_a_path_is_no_file_name_in_a_mode_in_which_the_argument_is_one(mode: str, decision: str):
    name = {"default": ["none"], "when": [{"condition": {"arg": "mode", "equals": "plain"}, "roles": ["file-name"]}]}
    arguments = {"dir": ["write-path"], "name": name, "mode": ["none"]}
    tools = {"servers": {"mail": {"tools": [{"toolName": "save", "args": arguments}]}}}
    policy = made(rule("out", "allow", paths=within("~/out", "write-path")), annotations=tools)
    assert decision == decided(policy, "mail/save", dir=f"{HOME}/out", name="../x", mode=mode)
    assert "allow" == decided(policy, "mail/save", dir=f"{HOME}/out", name="x", mode=mode)
