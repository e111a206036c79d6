"""Calls that want to be taken for harmless ones. A wrong allow is the worst thing that can happen here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.policy import Policy
    from tests.recipes.policy.conftest import Decide, Make

BOTH = pytest.mark.parametrize("semantics", [1, 2])
ANYWHERE = {
    "name": "allow-everything-on-disk",
    "if": {"server": ["filesystem"]},
    "then": "allow",
    "reason": "Everything but what is protected.",
}


@BOTH
@pytest.mark.parametrize(
    "path",
    [
        "~/Documents/../.ssh/id",
        "~/Documents/../../../etc/passwd",
        "/home/ada/Documents/./../x",
        "/home/ada/Documents-evil/x",
        "/home/ada/documents/x",
        "/home/ada/Documents\u200b/x",
        "/home/ada/Dоcuments/x",  # noqa: RUF001 - a Cyrillic o is the point
        "/home/ada/%44ocuments/x",
        "%2fhome/ada/Documents/x",
        "~ada/Documents/x",
        "~root/x",
        "\\home\\ada\\Documents\\x",
        "file:///home/ada/Documents/x",
        "Documents/x",
        "./home/ada/Documents/x",
        " /home/ada/Documents/x",
        "/home/ada/Documents/x\0/../../../../etc/passwd",
        "/etc/passwd\0/home/ada/Documents/x",
        "/home/ada/Documents/\ud800",
        "",
        "~",
        "/",
    ],
)
def test_a_path_that_only_looks_like_documents_is_not_allowed(make: Make, decide: Decide, semantics: int, path: str):
    assert decide(make(semantics=semantics), "filesystem/read_file", path=path).decision != "allow"


@BOTH
@pytest.mark.parametrize(
    "path", ["/home/ada/Documents/%2e/x", "/home/ada/Documents/..x", "/home//ada/./Documents/y/../x", "~/Documents"]
)
def test_an_odd_path_that_is_inside_is_allowed(make: Make, decide: Decide, semantics: int, path: str):
    assert "allow" == decide(make(semantics=semantics), "filesystem/read_file", path=path).decision


@pytest.mark.parametrize(("semantics", "expected"), [(1, "allow"), (2, "escalate")])
def test_a_path_that_leads_outside_once_it_is_decoded_is_only_inside_by_semantics_1(
    make: Make, decide: Decide, semantics: int, expected: str
):
    found = decide(make(semantics=semantics), "filesystem/read_file", path="/home/ada/Documents/%2e%2e/x")
    assert expected == found.decision


@BOTH
@pytest.mark.parametrize(
    "path", ["~/.ssh/id", "~/Documents/../.ssh", "/home/ada/.ssh", "/srv//audit.log", "//srv/audit.log"]
)
def test_a_protected_path_stays_protected_where_all_is_allowed(make: Make, decide: Decide, semantics: int, path: str):
    found = decide(make(semantics=semantics, rules=[ANYWHERE]), "filesystem/read_file", path=path)
    assert ("deny", "structural-protected-path") == (found.decision, found.rule)


@pytest.mark.parametrize("path", ["~/.SSH/id", "/SRV/audit.log", "/srv/\uff41udit.log"])
def test_strict_protection_does_not_mind_how_a_name_is_spelled(make: Make, decide: Decide, path: str):
    found = decide(make(semantics=2, rules=[ANYWHERE]), "filesystem/read_file", path=path)
    assert "structural-protected-path" == found.rule


@pytest.mark.parametrize(
    "value",
    [
        ["~/Documents/x", ["/etc/passwd"]],
        ["~/Documents/x", {"path": "/etc/passwd"}],
        {"a": "~/Documents/x", "b": {"c": ["/etc/passwd"]}},
        ["~/Documents/x", 7],
        ["~/Documents/x", True],
        7,
        True,
    ],
)
def test_strict_semantics_see_what_is_nested_in_an_argument(strict: Policy, decide: Decide, value: Any):
    assert decide(strict, "filesystem/read_files", paths=value).decision != "allow"


def test_strict_semantics_find_a_protected_path_at_any_depth(make: Make, decide: Decide):
    found = decide(make(semantics=2, rules=[ANYWHERE]), "filesystem/read_files", paths=[{"a": [["~/.ssh/id"]]}])
    assert "structural-protected-path" == found.rule


def test_strict_semantics_refuse_an_argument_that_nobody_has_looked_at(strict: Policy, decide: Decide):
    found = decide(strict, "filesystem/read_file", path="~/Documents/x", target="/etc/passwd")
    assert ("deny", "structural-unknown-argument") == (found.decision, found.rule)


def test_strict_semantics_refuse_a_relative_path_unless_somebody_says_from_where(make: Make, decide: Decide):
    nowhere, somewhere = make(semantics=2), make(semantics=2, workingDirectory="~/Documents")
    assert "structural-unreadable-argument" == decide(nowhere, "filesystem/read_file", path="x").rule
    assert "allow" == decide(somewhere, "filesystem/read_file", path="x").decision
    assert "escalate" == decide(somewhere, "filesystem/read_file", path="../x").decision


def test_strict_protection_holds_inside_the_sandbox_too(make: Make, decide: Decide):
    inner = ["~/sandbox/keys"]
    loose, strict = make(protectedPaths=inner), make(protectedPaths=inner, semantics=2)
    assert "allow" == decide(loose, "filesystem/read_file", path="~/sandbox/keys/a").decision
    assert "deny" == decide(strict, "filesystem/read_file", path="~/sandbox/keys/a").decision
    assert "allow" == decide(strict, "filesystem/read_file", path="~/sandbox/other").decision


def linked(tmp_path: Path) -> dict[str, Any]:
    root = tmp_path.resolve()
    for name in ("box/inner", "outside", "secret"):
        (root / name).mkdir(parents=True)
    links = {"box/link": "outside", "box/dangling": "missing", "box/self": "box/self", "outside/back": "box/inner"}
    for name, target in links.items():
        (root / name).symlink_to(root / target)
    return {"allowedDirectory": f"{root}/box", "protectedPaths": [f"{root}/secret"], "rules": []}


@BOTH
@pytest.mark.parametrize(
    "path",
    ["link/x", "link", "inner/../link/x", "link/../outside/x", "link/../secret/x", "dangling", "dangling/x", "self/x"],
)
def test_a_link_does_not_lead_out_of_the_sandbox(make: Make, decide: Decide, tmp_path: Path, semantics: int, path: str):
    changes = linked(tmp_path)
    found = decide(
        make(semantics=semantics, **changes), "filesystem/write_file", path=f"{changes['allowedDirectory']}/{path}"
    )
    assert "deny" == found.decision


@BOTH
def test_a_path_through_links_that_ends_in_the_sandbox_is_allowed(
    make: Make, decide: Decide, tmp_path: Path, semantics: int
):
    changes = linked(tmp_path)
    found = decide(
        make(semantics=semantics, **changes), "filesystem/write_file", path=f"{tmp_path.resolve()}/outside/back/x"
    )
    assert "structural-sandbox-allow" == found.rule


@BOTH
def test_a_prohibition_holds_for_every_place_that_a_path_may_lead_to(
    make: Make, decide: Decide, tmp_path: Path, semantics: int
):
    """`link/../x` is `box/x` to programs that tidy paths and `x` beside `outside` to the kernel."""
    changes = linked(tmp_path)
    root = tmp_path.resolve()
    rules = [
        {"name": "deny-beside", "if": {"paths": {"roles": ["write-path"], "within": f"{root}/x"}}, "then": "deny"},
        {"name": "allow-all-here", "if": {"paths": {"roles": ["write-path"], "within": str(root)}}, "then": "allow"},
    ]
    made = make(**{**changes, "rules": rules, "semantics": semantics})
    assert "deny-beside" == decide(made, "filesystem/write_file", path=f"{root}/box/link/../x").rule
    assert "allow-all-here" == decide(made, "filesystem/write_file", path=f"{root}/box/link/../y").rule


@BOTH
def test_a_protected_path_that_became_a_link_later_stays_protected(
    make: Make, decide: Decide, tmp_path: Path, semantics: int
):
    root = tmp_path.resolve()
    (root / "elsewhere").mkdir()
    made = make(semantics=semantics, protectedPaths=[f"{root}/keys"], rules=[ANYWHERE])
    assert "allow" == decide(made, "filesystem/read_file", path=f"{root}/elsewhere/id").decision
    (root / "keys").symlink_to(root / "elsewhere")
    assert "structural-protected-path" == decide(made, "filesystem/read_file", path=f"{root}/keys/id").rule
