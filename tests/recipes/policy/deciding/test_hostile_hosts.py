"""Addresses, remotes and members that want to be taken for good ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.recipes.policy.conftest import Decide, Make

BOTH = pytest.mark.parametrize("semantics", [1, 2])
PAGES = {
    "name": "allow-pages",
    "if": {"server": ["fetch"], "domains": {"roles": ["fetch-url"], "allowed": ["good.example", "*.good.example"]}},
    "then": "allow",
    "reason": "Good pages.",
}


@BOTH
@pytest.mark.parametrize(
    "url",
    [
        "https://good.example@evil.example/",
        "https://good.example:x@evil.example/",
        "https://evil.example\\@good.example/",
        "https://evil.example/.good.example",
        "https://evil.example?.good.example",
        "https://evil.example#.good.example",
        "evil.example?.good.example",
        "evil.example#.good.example",
        "evil.example\\.good.example",
        "evil.example .good.example",
        "evil.example\n.good.example",
        "user@evil.example:80#.good.example",
        "https://good.example.evil.example/",
        "https://xgood.example/",
        "https://gооd.example/",  # noqa: RUF001 - Cyrillic letters are the point
        "https://good.example\u3002evil.example/",
        "https://good.example./",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://[::1]/",
        "http://127.1/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,good.example",
        "https:///evil.example",
        "//good.example/",
        "https://good.example\0.evil.example/",
        "https://\ud800good.example/",
        "",
    ],
)
def test_an_address_that_only_looks_like_a_good_one_is_not_allowed(
    make: Make, decide: Decide, semantics: int, url: str
):
    assert decide(make(semantics=semantics, rules=[PAGES]), "fetch/get", url=url).decision != "allow"


@BOTH
@pytest.mark.parametrize(
    "url",
    [
        "https://good.example/",
        "HTTPS://GOOD.EXAMPLE",
        "https://user:secret@good.example:8443/a?b#c",
        "https://a.b.good.example",
    ],
)
def test_an_address_is_understood_as_browsers_do(make: Make, decide: Decide, semantics: int, url: str):
    assert "allow" == decide(make(semantics=semantics, rules=[PAGES]), "fetch/get", url=url).decision


@pytest.mark.parametrize(
    "url", ["https://g%6Fod.example/%2e%2e/x", "https://\uff47ood.example/", "ht\ntps://good.example/"]
)
def test_an_address_that_only_browsers_understand_is_denied_by_strict_semantics(make: Make, decide: Decide, url: str):
    decisions = [decide(make(semantics=one, rules=[PAGES]), "fetch/get", url=url).decision for one in (1, 2)]
    assert ["allow", "deny"] == decisions


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://0x7f.1/", "http://2130706433/", "http://[::1]/"])
@BOTH
def test_a_star_fits_no_ip_address_however_it_is_written(make: Make, decide: Decide, semantics: int, url: str):
    rule = {**PAGES, "if": {"domains": {"roles": ["fetch-url"], "allowed": ["*"]}}}
    assert "deny" == decide(make(semantics=semantics, rules=[rule]), "fetch/get", url=url).decision


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "javascript:1", "0x7f.1", "2130706433", "localhost", "//h/x", "", 7]
)
def test_strict_semantics_refuse_what_is_no_address_even_where_all_pages_are_allowed(
    make: Make, decide: Decide, url: object
):
    rule = {"name": "allow-all-pages", "if": {"server": ["fetch"]}, "then": "allow"}
    assert "structural-unreadable-argument" == decide(make(semantics=2, rules=[rule]), "fetch/get", url=url).rule


@pytest.mark.parametrize(
    "remote",
    [
        "ext::sh -c touch% /tmp/x",
        "github.com::x",
        "--upload-pack=touch x:github.com",
        "-oProxyCommand=x.github.com:y",
        "ssh://-oProxyCommand=x.github.com/y",
        "file:///home/ada/.ssh",
        "https://github.com@evil.example/x",
        "git@evil.example:github.com/acme",
        "github.com.evil.example:acme/tool",
        "origin",
    ],
)
@BOTH
def test_a_remote_that_only_looks_like_a_good_one_is_not_let_through(
    make: Make, decide: Decide, semantics: int, remote: str
):
    rule = {
        "name": "allow-good-remotes",
        "if": {"domains": {"roles": ["git-remote-url"], "allowed": ["*.github.com"]}},
        "then": "allow",
    }
    push = decide(make(semantics=semantics, rules=[rule]), "git/push", path="~/sandbox/a", remote=remote)
    assert push.decision != "allow"


def test_strict_prohibitions_hold_whoever_else_is_named(make: Make, decide: Decide):
    """By the first semantics a rule on hosts or members fits all values of a call or none."""
    rules = [
        {"name": "deny-evil", "if": {"domains": {"roles": ["fetch-url"], "allowed": ["evil.example"]}}, "then": "deny"},
        {
            "name": "deny-eve",
            "if": {"lists": [{"roles": ["email-address"], "allowed": ["eve@x.example"], "matchType": "emails"}]},
            "then": "deny",
        },
        {"name": "allow-the-rest", "if": {"server": ["fetch", "mail"]}, "then": "allow"},
    ]
    both = {"url": ["https://good.example/", "https://evil.example/"]}, {"to": ["ada@x.example", "eve@x.example"]}
    tools = ("fetch/get", "mail/send")
    loose, strict = make(rules=rules), make(rules=rules, semantics=2)
    assert ["allow", "allow"] == [decide(loose, tool, said).decision for tool, said in zip(tools, both, strict=True)]
    assert ["deny-evil", "deny-eve"] == [
        decide(strict, tool, said).rule for tool, said in zip(tools, both, strict=True)
    ]


def test_a_letter_that_only_lowers_to_an_allowed_one_is_another_address(make: Make, decide: Decide):
    team = {"roles": ["email-address"], "allowed": ["kim@team.example"], "matchType": "emails"}
    made = make(rules=[{"name": "allow-kim", "if": {"lists": [team]}, "then": "allow"}])
    kelvin = "\u212aim@team.example"
    assert "kim@team.example" == kelvin.lower()
    assert ["allow", "deny"] == [decide(made, "mail/send", to=one).decision for one in ("KIM@team.example", kelvin)]


KEPT_OUT = [
    {
        "name": "no-evil",
        "if": {"server": ["fetch"], "domains": {"roles": ["fetch-url"], "allowed": ["evil.example", "*.evil.example"]}},
        "then": "deny",
        "reason": "Kept out.",
    },
    {
        "name": "allow-any",
        "if": {"server": ["fetch"], "domains": {"roles": ["fetch-url"], "allowed": ["*"]}},
        "then": "allow",
        "reason": "All the rest.",
    },
]


@pytest.mark.parametrize("url", ["https://evil.example./", "https://a.EVIL.example./x", "HTTPS://EVIL.EXAMPLE"])
@pytest.mark.parametrize("then", ["deny", "escalate"])
def test_whoever_is_kept_out_does_not_come_in_by_another_spelling(make: Make, decide: Decide, url: str, then: str):
    rules = [{**KEPT_OUT[0], "then": then}, KEPT_OUT[1]]
    assert then == decide(make(semantics=2, rules=rules), "fetch/get", url=url).decision
    assert "allow" == decide(make(semantics=2, rules=rules), "fetch/get", url="https://good.example/").decision
