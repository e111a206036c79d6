"""Other spellings of what is forbidden, and texts that took a guard minutes to decide."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy import Policy
from tests.counted import calls_of
from tests.trust.policies import ASK, EVERYWHERE, GOOD_SITE, HOME, NEVER, decided, made, members, rule, within


@pytest.mark.parametrize(
    "path",
    [
        "~/Documents/pri\ufe0fvate/key",  # directories that ignore case on Linux ignore these letters, too
        "~/Documents/pri\u034fvate",
        "~/Documents/p\u3164rivate/key",
        "~/Documents/private\U000e0100/key",
        "~/ok/\u2025/Documents/private/key",  # a program that normalises letters sees two dots
        "~/ok/\uff0e\uff0e/Documents/private",
        "~/Documents/private/\u2025/x",
        "~/Documents/pr\u0131vate/key",
        "/System/Volumes/Data/home/ada/Documents/private/key",
    ],
)
def test_a_prohibition_finds_its_directory_in_letters_that_a_disk_or_a_program_reads_as_others(path: str):
    assert "deny" == decided(made(NEVER, EVERYWHERE), "filesystem/read_file", path=path)
    assert "deny" == decided(
        made(EVERYWHERE, protectedPaths=["~/Documents/private"]), "filesystem/read_file", path=path
    )
    assert "escalate" == decided(made(ASK, EVERYWHERE), "filesystem/read_file", path=path)


@pytest.mark.parametrize("path", ["/.vol/1234/2", "/proc/self/map_files/1-2", "~/ok ~/x", "~/ok ../x"])
def test_a_path_that_leads_elsewhere_in_another_program_is_denied(path: str):
    assert "deny" == decided(made(EVERYWHERE), "filesystem/read_file", path=path)


def test_two_addresses_with_a_space_between_them_are_denied():
    policy = made(GOOD_SITE)
    assert "deny" == decided(policy, "web/fetch", url="http://good.example/ http://evil.example/")
    assert "allow" == decided(policy, "web/fetch", url="http://good.example/?from=http://evil.example/")


@pytest.mark.parametrize(
    "url",
    [
        "http://[::10.0.0.1]/",
        "http://[::ffff:0:10.0.0.1]/",
        "http://[64:ff9b:1::a00:1]/",
        "http://[::127.0.0.1]/",
        "http://b\u00fccher.example/",
        "http://BU\u0308CHER.example/",
        "http://xn--bcher-kva.example/",
        "http://www.b\u00fccher.example/",
    ],
)
def test_a_forbidden_host_is_found_in_each_form_of_its_address_and_its_name(url: str):
    hosts = ["10.0.0.1", "localhost", "*.b\u00fccher.example"]
    never = rule("never", "deny", domains={"roles": ["fetch-url"], "allowed": hosts})
    assert "deny" == decided(made(never, rule("all", "allow", server=["web"])), "web/fetch", url=url)


@pytest.mark.parametrize("address", ["evil.example!eve@acme.example", "eve%evil.example@acme.example"])
def test_an_address_that_names_the_way_to_another_one_is_not_plain(address: str):
    inside = rule("inside", "allow", where=[{"arg": "to", "emails": ["*@acme.example"]}])
    assert "allow" == decided(made(inside, semantics=3), "mail/send", to="eve@acme.example")
    assert "deny" == decided(made(inside, semantics=3), "mail/send", to=address)


@pytest.mark.parametrize("address", ["eve%40evil.example", "eve\uff20evil.example", "evil.example!eve@x.example"])
def test_a_forbidden_recipient_is_found_in_a_text_that_only_some_programs_read_as_an_address(address: str):
    never = rule("never", "deny", lists=members("email-address", "emails", "eve@evil.example"))
    assert "deny" == decided(made(never, rule("all", "allow", server=["mail"])), "mail/send", to=address)


def deep(name: str, role: str, *more: str) -> Policy:
    args = {"path": [role], **{arg: ["none"] for arg in more}}
    tools: Any = {"servers": {"disk": {"tools": [{"toolName": name, "args": args}]}}}
    return made(NEVER, rule("files", "allow", server=["disk"], paths=within("/")), annotations=tools)


@pytest.mark.parametrize(
    ("tool", "role", "more"),
    [
        ("list_directory", "read-path", ["recursive"]),
        ("list_directory", "read-path", ["maxDepth"]),
        ("list_directory", "write-path", ["recurse"]),
        ("share_folder", "read-path", []),
        ("download_folder", "read-path", []),
        ("export_files", "read-path", []),
        ("ripgrep", "read-path", []),
        ("copytree", "read-path", []),
        ("unpack", "write-path", []),
        ("chgrp", "write-path", []),
        ("replace_in_files", "write-path", []),
    ],
)
def test_a_tool_that_goes_deeper_is_kept_from_what_is_above_a_forbidden_directory(
    tool: str, role: str, more: list[str]
):
    assert "deny" == decided(deep(tool, role, *more), f"disk/{tool}", path="~/Documents")
    assert "allow" == decided(deep(tool, role, *more), f"disk/{tool}", path="~/Downloads")


def test_a_tool_that_looks_at_one_directory_may_be_used_above_a_forbidden_one():
    assert "allow" == decided(deep("list_directory", "read-path", "sort"), "disk/list_directory", path="~/Documents")


@pytest.mark.parametrize(
    "path",
    ["/a/.." + "/b" * 50_000, "/x/." + "[" * 50_000, "~/" + "[a" * 25_000, "~/Documents/" + "[a" * 25_000, "~" * 4097],
)
def test_a_path_that_is_longer_than_any_is_denied_before_it_is_looked_at(path: str):
    found: list[str] = []
    calls = calls_of(lambda: found.append(decided(made(NEVER, EVERYWHERE), "filesystem/read_file", path=path)))
    assert ["deny"] == found
    assert calls < 2_000


def test_the_work_for_a_pattern_of_names_grows_with_the_length_of_the_name():
    where = [{"arg": "to", "like": ["a*b*c*d*e*f*g*h"]}]
    policy = made(rule("named", "allow", server=["mail"], where=where), semantics=3)
    assert "deny" == decided(policy, "mail/send", to="abcdefg" * 5_000)
    assert "allow" == decided(policy, "mail/send", to="abcdefg" * 5_000 + "h")


def test_the_work_for_items_that_must_differ_grows_with_their_number():
    assert _work_for(800) < 5 * _work_for(200)


def _work_for(count: int) -> int:
    schema = {"type": "object", "properties": {"paths": {"type": "array", "uniqueItems": True}}}
    tools: Any = {
        "servers": {"disk": {"tools": [{"toolName": "t", "args": {"paths": ["none"]}, "inputSchema": schema}]}}
    }
    policy = Policy.of_json(
        {"semantics": 2, "home": HOME, "rules": [rule("all", "allow", server=["disk"])], "annotations": tools}
    )
    found: list[str] = []
    calls = calls_of(lambda: found.append(decided(policy, "disk/t", paths=[f"~/{number}" for number in range(count)])))
    assert ["allow"] == found
    return calls
