"""The export to Cedar: it decides as the engine does, and refuses what it cannot say."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.errors import BadInput, MissingTool
from retouch.recipes.policy import Policy, Rule, ToolCall, When
from retouch.recipes.policy.cedar import (
    Asker,
    CedarEngine,
    CedarExport,
    check_export,
    checked_export,
    checking,
    export_cedar,
)
from retouch.recipes.policy.cedar.text import is_like, quoted
from retouch.recipes.policy.deciding.evaluation import as_request
from retouch.recipes.policy.language.values import ListWhen, PathsWhen
from tests.recipes.policy.english_frames import EXAMPLE, compiled

if TYPE_CHECKING:
    from pathlib import Path

    from tests.recipes.policy.conftest import Make

REFUSED = {"synth-00": ["r4"], "synth-06": ["r1"], "synth-14": ["r0", "r2", "r5"], "synth-19": ["r5", "r6"]}
FILES = When(server=("filesystem",), tool=("read_file",))


@pytest.mark.parametrize("semantics", [1, 2])
def test_the_small_policy_is_decided_alike_on_every_region(make: Make, semantics: int):
    policy = make(semantics=semantics)
    _, check = checked_export(policy)
    assert check.passed
    assert check.asked > 50
    assert () == check.skipped


def test_compiled_english_with_prohibitions_is_decided_alike():
    policy = compiled((EXAMPLE / "constitution.md").read_text(encoding="utf-8"))
    assert "deny" in {rule.then for rule in policy.rules}
    _, check = checked_export(policy)
    assert check.passed
    assert check.asked > 50


@pytest.mark.slow
def test_the_export_agrees_on_every_call_of_the_oracle(shared_data: Path):
    folder = shared_data / "policy"
    calls: dict[str, list[ToolCall]] = {}
    for line in (folder / "dev/oracle/decisions.jsonl").read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        request = as_request(row["request"])
        assert request is not None
        calls.setdefault(row["policy"], []).append(request)
    asked, refused = 0, dict[str, list[str]]()
    for name, requests in calls.items():
        policy = Policy.load(folder / f"dev/oracle/policies/{name}.json", common=folder / "common")
        try:
            _, check = checked_export(policy, requests)
        except BadInput as error:
            refused[name] = [rule.name for rule in policy.rules if f"rule {rule.name!r}:" in error.message]
            continue
        assert check.passed, (name, check.disagreements[:1], check.errors)
        asked += check.asked
    assert REFUSED == refused
    assert asked > 5_000


def test_a_wrong_export_is_seen(make: Make):
    policy = make()
    wrong = export_cedar(replace(policy, rules=policy.rules[1:]))
    check = check_export(policy, wrong)
    assert not check.passed
    assert {("allow", "escalate"), ("allow", "deny")} & {(one.ours, one.cedar) for one in check.disagreements}


def test_a_misspelled_attribute_is_seen(make: Make):
    export = export_cedar(make())
    wrong = CedarExport(policies=export.policies.replace("context.server", "context.sever"), schema=export.schema)
    assert "sever" in check_export(make(), wrong).errors[0]


def test_hostile_names_stay_text(make: Make):
    name = 'a" } ; permit (principal, action, resource); // *\\'
    folder = 'a" } ; permit (principal, action, resource);*'  # a path with backslashes would be denied
    rule = Rule(
        name=name, principle=name, then="allow", when=When(paths=PathsWhen(roles=("read-path",), within=f"/x/{folder}"))
    )
    policy = replace(make(semantics=2), rules=(rule,))
    calls = [
        ToolCall(server="filesystem", tool="read_file", arguments={"path": one}) for one in ("/x/a", f"/x/{folder}/b")
    ]
    export, check = checked_export(policy, calls)
    assert check.passed
    outcomes = [CedarEngine(export).outcomes(Asker(policy).questions(call).contexts) for call in calls]
    assert [["deny"], ["allow"]] == outcomes


@settings(max_examples=40, deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8), st.text(alphabet='a*"\\\n\0é', max_size=8)
)
def test_text_and_patterns_mean_themselves(text: str, other: str):
    policies = f'permit (principal, action == Action::"allow", resource) when {{ context.x == {quoted(text)} && '
    policies += f"{is_like('context.y', before=other)} }};"
    contexts: list[Any] = [{"x": text, "y": f"{other}b"}, {"x": f"{text}!", "y": other}, {"x": text, "y": f"b{other}"}]
    expected = ["allow", "deny", "allow" if f"b{other}".startswith(other) else "deny"]
    assert expected == CedarEngine(CedarExport(policies=policies, schema="")).outcomes(contexts)


@pytest.mark.parametrize(
    ("when", "why"),
    [
        (
            replace(
                FILES,
                lists=tuple(
                    ListWhen(roles=(one,), allowed=("x",), match="identifiers")
                    for one in ("github-owner", "github-repo")
                ),
            ),
            "its lists apply to different roles",
        ),
        (
            replace(FILES, lists=(ListWhen(roles=("branch-name", "none"), allowed=("x",), match="identifiers"),)),
            "a list of identifiers applies to branch-name, none",
        ),
        (
            replace(FILES, lists=(ListWhen(roles=("email-body",), allowed=("x",), match="emails"),)),
            "a list of emails applies to email-body",
        ),
    ],
)
def test_what_cannot_be_said_is_refused_by_name(make: Make, when: When, why: str):
    policy = replace(
        make(), rules=(Rule(name="fine", when=FILES, then="deny"), Rule(name="odd", when=when, then="allow"))
    )
    with pytest.raises(BadInput) as refused:
        export_cedar(policy)
    assert f"1 rule cannot be exported to Cedar:\n  rule 'odd': {why}" in refused.value.message


CORNERS = (
    ToolCall(server="filesystem", tool="read_file", arguments={"path": "/"}),
    ToolCall(server="filesystem", tool="read_file", arguments={"path": "/elsewhere"}),
    ToolCall(server="fetch", tool="get", arguments={"url": "evil net.news.example"}),
    ToolCall(server="fetch", tool="get", arguments={"url": "https://evil.net/?.news.example"}),
    ToolCall(server="mail", tool="send", arguments={"to": ["ADA@team.example", "eve@evil.example"], "body": ""}),
    ToolCall(server="mail", tool="send", arguments={"to": ["eve@evil.example"], "body": ""}),
    ToolCall(server="mail", tool="send", arguments={"to": [], "body": ""}),
)


@pytest.mark.parametrize("semantics", [1, 2])
@pytest.mark.parametrize("then", ["allow", "deny"])
def test_corners_are_decided_alike(make: Make, semantics: int, then: Literal["allow", "deny"]):
    team = ListWhen(roles=("email-address",), allowed=("ada@team.example",), match="emails")
    first = (
        Rule(name="root", then=then, when=When(paths=PathsWhen(roles=("read-path",), within="/"))),
        Rule(name="team", then=then, when=When(server=("mail",), lists=(team,))),
        Rule(name="mail", then="escalate", when=When(server=("mail",))),
    )
    policy = make(semantics=semantics)
    _, check = checked_export(replace(policy, rules=(*first, *policy.rules)), CORNERS)
    assert () == check.disagreements
    assert check.asked > 50


def test_several_hosts_at_once_are_not_compared_by_the_first_semantics(make: Make):
    call = ToolCall(server="fetch", tool="get", arguments={"url": ["https://news.example", "https://other.example"]})
    assert "several values of fetch-url at once" == Asker(make()).questions(call).unsayable
    assert 2 == len(Asker(make(semantics=2)).questions(call).contexts)


def test_without_the_extra_it_is_said_what_to_install(make: Make, monkeypatch: pytest.MonkeyPatch):
    checking.cedarpy_module.cache_clear()
    monkeypatch.setitem(sys.modules, "cedarpy", None)
    with pytest.raises(MissingTool, match=r"pip install 'retouch\[cedar\]'"):
        checked_export(make())
