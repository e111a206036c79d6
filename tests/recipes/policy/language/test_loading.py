"""Reading policies: what is taken, what is refused, and that every error is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import Policy, read_scenarios

if TYPE_CHECKING:
    from pathlib import Path

    from tests.recipes.policy.conftest import Make

RULE = {"name": "r", "if": {"server": ["fetch"]}, "then": "allow"}


def with_condition(**condition: Any) -> list[dict[str, Any]]:
    return [{"name": "r", "if": condition, "then": "allow"}]


def test_a_stored_policy_is_read_back_as_it_was(make: Make, tmp_path: Path):
    for one in (make(), make(semantics=2, workingDirectory="~/x", verified=True, dynamicLists=None)):
        path = tmp_path / "again.json"
        path.write_text(json.dumps(one.as_json()), encoding="utf-8")
        assert one == Policy.load(path)


def test_a_file_without_a_version_means_the_first(make: Make):
    assert [1, 2] == [make().semantics, make(semantics=2).semantics]


def test_a_folder_may_hold_rules_lists_and_annotations_apart(fixtures: Path, tmp_path: Path):
    whole = json.loads((fixtures / "policy.json").read_text(encoding="utf-8"))
    (tmp_path / "dynamic-lists.json").write_text(json.dumps({"lists": whole.pop("dynamicLists")}), encoding="utf-8")
    (tmp_path / "tool-annotations.json").write_text(json.dumps(whole.pop("annotations")), encoding="utf-8")
    (tmp_path / "compiled-policy.json").write_text(json.dumps(whole), encoding="utf-8")
    assert Policy.load(fixtures) == Policy.load(tmp_path)


def test_annotations_that_a_file_refers_to_lie_in_the_common_folder(fixtures: Path, tmp_path: Path):
    whole = json.loads((fixtures / "policy.json").read_text(encoding="utf-8"))
    common = tmp_path / "common"
    common.mkdir()
    (common / "annotations-real.json").write_text(json.dumps(whole.pop("annotations")), encoding="utf-8")
    (tmp_path / "p.json").write_text(json.dumps({**whole, "annotationsRef": "real-annotations"}), encoding="utf-8")
    assert Policy.load(fixtures).tools == Policy.load(tmp_path / "p.json", common=common).tools
    with pytest.raises(BadInput, match="real-annotations") as caught:
        Policy.load(tmp_path / "p.json")
    assert "--common" in caught.value.hint


def test_the_home_of_a_file_wins_over_the_one_that_is_given(fixtures: Path, tmp_path: Path):
    whole = json.loads((fixtures / "policy.json").read_text(encoding="utf-8"))
    del whole["home"]
    (tmp_path / "p.json").write_text(json.dumps(whole), encoding="utf-8")
    assert "/home/ada" == Policy.load(fixtures, home="/home/eve").home
    assert "/home/eve" == Policy.load(tmp_path / "p.json", home="/home/eve").home
    with pytest.raises(BadInput, match="not an absolute path"):
        Policy.load(tmp_path / "p.json", home="eve")


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"rules": with_condition(sideEffects=False)}, r"\$\.rules\[0\]\.if\.sideEffects"),
        ({"rules": with_condition(roles=["raed-path"])}, r"no role 'raed-path'"),
        ({"rules": with_condition(tool=None)}, "a condition is null"),
        ({"rules": with_condition(paths={"roles": ["read-path"], "within": "Documents"})}, "must start with / or ~"),
        ({"rules": with_condition(paths={"roles": ["read-path"], "within": "/a\0b"})}, "must start with / or ~"),
        ({"rules": [{**RULE, "then": "permit"}]}, r"\$\.rules\[0\]\.then"),
        ({"rules": [{**RULE, "unless": {}}]}, r"\$\.rules\[0\]\.unless"),
        ({"rules": [{"name": "r", "then": "allow"}]}, r"\$\.rules\[0\]\.if"),
        ({"rules": None}, r"\$\.rules: Field required"),
        ({"protectedPath": ["/etc"]}, "did you mean 'protectedPaths'"),
        ({"protectedPaths": ["etc"]}, r"\$\.protectedPaths\[0\]"),
        ({"allowedDirectory": "sandbox"}, r"\$\.allowedDirectory"),
        ({"home": "~"}, r"\$\.home"),
        ({"semantics": 4}, r"\$\.semantics"),
        ({"trustedServers": "clock"}, r"\$\.trustedServers"),
        ({"annotationsRef": "../../etc/x"}, r"\$\.annotationsRef"),
        ({"servers": {"fetch": {"trust": True}}}, r"\$\.servers\.fetch\.trust"),
    ],
)
def test_a_policy_that_cannot_be_used_says_where_it_is_wrong(make: Make, changes: dict[str, Any], place: str):
    with pytest.raises(BadInput, match=place):
        make(**changes)


def test_all_errors_of_a_file_are_listed(make: Make):
    rules = [{**RULE, "then": "permit"}, {**RULE, "if": {"roles": ["no role"]}}, {**RULE, "name": ""}]
    with pytest.raises(BadInput, match="errors: 3") as caught:
        make(rules=rules)
    assert all(f"$.rules[{index}]" in caught.value.message for index in range(3))


def annotated(args: Any, name: str = "get", server: str = "fetch") -> dict[str, Any]:
    return {"servers": {"fetch": {"tools": [{"toolName": name, "serverName": server, "args": args}]}}}


def twice() -> dict[str, Any]:
    one = annotated({})["servers"]["fetch"]["tools"]
    return {"servers": {"fetch": {"tools": one + one}}}


@pytest.mark.parametrize(
    ("annotations", "words"),
    [
        (annotated({"url": ["fetch-ulr"]}), "no role 'fetch-ulr'"),
        (
            annotated({"url": {"default": ["fetch-url"], "when": [{"condition": {"arg": "a"}, "roles": []}]}}),
            "exactly one",
        ),
        (
            annotated(
                {
                    "url": {
                        "default": ["fetch-url"],
                        "when": [{"condition": {"arg": "a", "is": "absent", "equals": 1}, "roles": []}],
                    }
                }
            ),
            "exactly one",
        ),
        (annotated({}, server="git"), "has the server 'git'"),
        (twice(), "occurs twice"),
    ],
)
def test_annotations_that_cannot_be_used_are_refused(make: Make, annotations: Any, words: str):
    with pytest.raises(BadInput, match=words):
        make(annotations=annotations)


def test_a_single_role_may_be_a_bare_text(make: Make):
    found = make(annotations=annotated({"url": "fetch-url"})).tools["fetch", "get"]
    assert ("fetch-url",) == found.args["url"].default


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"rules": [], "rules": []}', "duplicate keys: 'rules'"),
        ('{"rules": [], "x": NaN}', "NaN"),
        ('{"rules": [}', "line 1 column 12"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "should be an object"),
        ("", "line 1 column 1"),
    ],
)
def test_text_that_means_nothing_or_two_things_is_refused(tmp_path: Path, text: str, words: str):
    (tmp_path / "policy.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=words):
        Policy.load(tmp_path)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path):
    with pytest.raises(BadInput, match=r"contains neither 'policy\.json'"):
        Policy.load(tmp_path)
    with pytest.raises(BadInput, match=r"nowhere\.json' cannot be read"):
        Policy.load(tmp_path / "nowhere.json")
    (tmp_path / "policy.json").write_bytes(b'{"rules": "\xff"}')
    with pytest.raises(BadInput, match="not UTF-8: byte 11"):
        Policy.load(tmp_path)


def test_scenarios_are_read_as_an_object_or_a_list(fixtures: Path, tmp_path: Path):
    whole = json.loads((fixtures / "scenarios.json").read_text(encoding="utf-8"))
    (tmp_path / "list.json").write_text(json.dumps(whole["scenarios"]), encoding="utf-8")
    assert read_scenarios(fixtures / "scenarios.json") == read_scenarios(tmp_path / "list.json")


@pytest.mark.parametrize(
    "wrong",
    [
        {"expectedDecision": "maybe"},
        {"source": "dreamt"},
        {"request": {"serverName": "x"}},
        {"request": {"serverName": 1, "toolName": "x"}},
    ],
)
def test_scenarios_that_cannot_be_used_are_refused(tmp_path: Path, wrong: dict[str, Any]):
    good: dict[str, Any] = {
        "request": {"serverName": "x", "toolName": "y", "arguments": {}},
        "expectedDecision": "allow",
    }
    (tmp_path / "s.json").write_text(json.dumps([good, {**good, **wrong}]), encoding="utf-8")
    with pytest.raises(BadInput, match=r"scenarios\[1\]"):
        read_scenarios(tmp_path / "s.json")
