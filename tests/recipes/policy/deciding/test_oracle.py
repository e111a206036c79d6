"""Agreement with 2,720 decisions and 371 helper results of the public engine; needs the shared data."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import (
    Policy,
    ToolCall,
    domain_matches,
    evaluate,
    extract_domain,
    extract_git_domain,
    is_within,
    normalize_git_url,
    normalize_url,
    prepare_arguments,
    real_path,
    tool_spaces,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HOME = "/oracle/home"
LINKS = "/tmp/oracle-symlinks"
Row = dict[str, Any]


@pytest.fixture(scope="session")
def data(shared_data: Path) -> Path:
    return shared_data / "policy"


def rows(path: Path) -> Iterator[Row]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


@pytest.fixture(scope="session")
def load(data: Path) -> Callable[[str], Policy]:
    @cache
    def loaded(name: str) -> Policy:
        return Policy.load(data / f"dev/oracle/policies/{name}.json", common=data / "common")

    return loaded


def test_every_decision_is_that_of_the_oracle(data: Path, load: Callable[[str], Policy]):
    count, wrong = 0, list[str]()
    for row in rows(data / "dev/oracle/decisions.jsonl"):
        found, expected = evaluate(load(row["policy"]), row["request"]), row["expect"]
        wanted = (expected["decision"], expected["rule"], tuple(expected.get("escalatedRoles", ())))
        count += 1
        if wanted != (found.decision, found.rule, found.escalated_roles):
            wrong.append(row["id"])
        assert found.rule in found.trace.text, row["id"]
    assert (2_720, []) == (count, wrong)


def test_one_call_stands_for_its_region_exactly(data: Path, load: Callable[[str], Policy]):
    """The decision about a call of the oracle is that about the representative of the call's region."""
    spaces: dict[str, dict[tuple[str, str], Any]] = {}
    compared, wrong = 0, list[str]()
    for row in rows(data / "dev/oracle/decisions.jsonl"):
        policy, said = load(row["policy"]), row["request"]
        if row["policy"] not in spaces:
            found = tool_spaces(policy, disk=False)
            spaces[row["policy"]] = {
                (one.tool.server, one.tool.name): (one, {one.region_of(call): call for call in one.calls()})
                for one in found
            }
        request = ToolCall(server=said["serverName"], tool=said["toolName"], arguments=said["arguments"])
        space, calls = spaces[row["policy"]].get((request.server, request.tool), (None, {}))
        region = None if space is None else space.region_of(request)
        if region is None:
            continue
        one, other = evaluate(policy, request), evaluate(policy, calls[region])
        compared += 1
        if (one.decision, one.rule) != (other.decision, other.rule):
            wrong.append(row["id"])
    assert [] == wrong
    assert compared > 2_000


@pytest.fixture
def links(tmp_path: Path) -> str:
    """The tree of symbolic links that some rows speak of."""
    root = tmp_path.resolve()
    for folder in ("sandbox/sub", "outside/secret", "real"):
        (root / folder).mkdir(parents=True)
    targets = {"sandbox/link": root / "outside", "alias": root / "sandbox", "sandbox/dangling": root / "missing"}
    for name, target in {**targets, "loop1": "loop2", "loop2": "loop1", "sandbox/rel": "../real"}.items():
        (root / name).symlink_to(target)
    return str(root)


def roles_first(arguments: Row, roles: Row, folder: str | None, _server: object = None) -> Row:
    done = prepare_arguments(arguments, roles, home=HOME, allowed_directory=folder)
    return {"argsForTransport": done.for_tool, "argsForPolicy": done.for_policy}


def real(path: str) -> object:
    return real_path(path, home=HOME, working_directory="/nowhere")


def within(path: str, folder: str) -> object:
    return is_within(path, folder, home=HOME, working_directory="/nowhere")


def twice(text: str) -> object:
    return extract_domain(normalize_url(text))


def git_twice(text: str) -> object:
    return extract_git_domain(normalize_git_url(text))


FUNCTIONS: dict[str, Callable[..., object]] = {
    "normalize_url": normalize_url,
    "normalize_git_url": normalize_git_url,
    "extract_domain": extract_domain,
    "extract_git_domain": extract_git_domain,
    "extract_domain_of_normalized": twice,
    "extract_git_domain_of_normalized": git_twice,
    "domain_matches": domain_matches,
    "resolve_real_path": real,
    "is_within": within,
    "prepare_tool_args": roles_first,
}


def test_every_primitive_answers_as_the_oracle(data: Path, links: str):
    count, wrong = 0, list[Row]()
    text = (data / "dev/oracle/helpers.jsonl").read_text(encoding="utf-8").replace(LINKS, links)
    for row in map(json.loads, text.splitlines()):
        count += 1
        if FUNCTIONS[row["fn"]](*row["args"]) != row["result"]:
            wrong.append(row)
    assert (371, []) == (count, wrong)
