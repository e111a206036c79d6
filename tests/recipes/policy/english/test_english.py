"""Sentences of controlled English, and what they decide."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import validate_policy
from retouch.recipes.policy.english import Reading, compile_english, read_sentences
from retouch.recipes.policy.language.values import Condition, Mode, RoleSpec, ToolCall
from tests.recipes.policy.english_frames import EXAMPLE, FRAME, SANDBOX, compiled, decided, notes

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy

PUSH = {"path": f"{SANDBOX}/engine"}
ISSUES = {"owner": "ada", "repo": "engine"}


def test_files_may_be_read_where_the_sentence_says_and_nowhere_else():
    policy = compiled("Allow reading files inside ~/Documents.")
    assert "allow" == decided(policy, "filesystem/read_file", path="~/Documents/a")
    for path in ("~/Documents/../a", "~/Documents2/a", "/etc/passwd", "~", "~/.ssh/id"):
        assert "deny" == decided(policy, "filesystem/read_file", path=path)
    assert "deny" == decided(policy, "filesystem/write_file", path="~/Documents/a", content="")
    assert "deny" == decided(policy, "git/git_status", path="~/Documents/a")


def test_a_question_about_pushing_asks_about_the_whole_call():
    policy = compiled("Ask before pushing to any git remote.")
    assert "escalate" == decided(policy, "git/git_push", **PUSH, remote="https://github.com/ada/engine")
    assert "escalate" == decided(policy, "git/git_push", path="/elsewhere", remote="git@github.com:ada/engine.git")
    assert "deny" == decided(policy, "git/git_clone", url="https://github.com/ada/engine", localPath="/elsewhere")


def test_nothing_is_deleted_outside_the_sandbox_whatever_is_allowed():
    policy = compiled(
        "Allow changing files inside ~/Downloads.",
        "Never delete anything outside the sandbox.",
        "Allow using any tool of github.",
    )
    assert "deny" == policy.rules[0].then
    assert "deny" == decided(policy, "filesystem/delete_file", path="~/Downloads/a")
    assert "deny" == decided(policy, "github/delete_file", **ISSUES, path="a")
    assert "allow" == decided(policy, "filesystem/delete_file", path=f"{SANDBOX}/a")
    assert "allow" == decided(policy, "filesystem/write_file", path="~/Downloads/a", content="")
    assert "allow" == decided(policy, "github/create_issue", **ISSUES, title="")


def test_a_question_about_what_is_left_leaves_permissions_alone():
    rest = "Ask before pushing to any other git remote."
    policy = compiled(rest, "Allow pushing to github.com/ada/engine.")
    assert "allow" == decided(policy, "git/git_push", **PUSH, remote="git@github.com:ada/engine.git")
    assert "escalate" == decided(policy, "git/git_push", **PUSH, remote="https://github.com/eve/engine")
    strict = compiled(rest.replace("other ", ""), "Allow pushing to github.com/ada/engine.")
    assert "escalate" == decided(strict, "git/git_push", **PUSH, remote="git@github.com:ada/engine.git")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://evil.example/", "deny"),
        ("https://www.evil.example/", "deny"),
        ("https://evil.example./", "deny"),
        ("https://good.example@EVIL.example/", "deny"),
        ("https://devil.example/", "allow"),
        ("https://evil.example.org/", "allow"),
        ("http://0x7f.1/", "deny"),
    ],
)
def test_a_forbidden_site_cannot_be_reached_under_another_spelling(url: str, expected: str):
    policy = compiled("Allow fetching pages from any site.", "Never fetch pages from evil.example.")
    assert expected == decided(policy, "fetch/fetch_page", url=url)


def test_a_question_about_a_site_is_asked_in_every_spelling():
    text = "Ask before fetching pages from a.example. Ask before cloning from code.example."
    policy, reading = compiled(text), Reading(read_sentences(text), FRAME)
    page = ToolCall(server="fetch", tool="fetch_page", arguments={"url": "https://A.example./"})
    arguments = {"url": "git@CODE.example:x/y.git", "localPath": f"{SANDBOX}/y"}
    for call in (page, ToolCall(server="git", tool="git_clone", arguments=arguments)):
        was = decided(policy, f"{call.server}/{call.tool}", **call.arguments)
        assert "escalate" == was == reading.about(call).decision


def test_sites_are_the_host_alone_or_with_subdomains_or_a_list():
    policy = compiled("Allow fetching pages from a.example, b.example and its subdomains, and @news.")
    allowed = ("a.example", "b.example", "www.b.example", "news.example", "live.news.example", "weather.example")
    for host in allowed:
        assert "allow" == decided(policy, "fetch/fetch_page", url=f"https://{host}/")
    for host in ("www.a.example", "www.weather.example", "c.example"):
        assert "deny" == decided(policy, "fetch/fetch_page", url=f"https://{host}/")
    assert ["news"] == [one.name for one in policy.list_defs]


def test_an_owner_brings_the_repositories_and_no_other_owner():
    policy = compiled(
        "Allow using the tool list_issues of github for the owner ada.",
        "Ask before using the tool create_issue of github for the owner ada.",
    )
    assert "allow" == decided(policy, "github/list_issues", **ISSUES)
    assert "escalate" == decided(policy, "github/create_issue", **ISSUES, title="")
    assert "deny" == decided(policy, "github/list_issues", owner="eve", repo="engine")
    assert "deny" == decided(policy, "github/create_issue", owner="eve", repo="engine", title="")
    assert "deny" == decided(policy, "github/list_issues", repo="engine")
    assert "deny" == decided(policy, "github/get_file_contents", **ISSUES)


def test_a_message_needs_every_address_on_the_list():
    policy = compiled("Allow using the tool send_message of mail for the email addresses @family.")
    assert "allow" == decided(policy, "mail/send_message", to=["grace@example.com", "Alan@example.com"], body="")
    assert "deny" == decided(policy, "mail/send_message", to=["grace@example.com", "eve@example.com"], body="")


def test_a_tool_is_narrowed_by_a_folder():
    policy = compiled("Allow using the tools git_log and git_status of git inside ~/src.")
    assert "allow" == decided(policy, "git/git_log", path="~/src/engine")
    assert "deny" == decided(policy, "git/git_log", path="~/other")
    assert "deny" == decided(policy, "git/git_branch", path="~/src/engine", operation="list")


def test_a_mode_of_an_argument_counts():
    policy = compiled("Allow reading repositories inside ~/src.", "Never delete anything outside the sandbox.")
    assert "allow" == decided(policy, "git/git_branch", path="~/src/engine", operation="list")
    assert "deny" == decided(policy, "git/git_branch", path="~/src/engine", operation="delete", name="a")
    assert "deny" == decided(policy, "git/git_branch", path="~/src/engine", operation="create", name="a")


def test_a_name_that_says_more_than_the_roles_is_no_reading():
    tool = replace(FRAME.tools["filesystem", "read_file"], name="run_script")
    frame = replace(FRAME, tools={**FRAME.tools, ("filesystem", "run_script"): tool})
    policy = compiled("Allow reading files anywhere.", within=frame)
    assert "allow" == decided(policy, "filesystem/read_file", path="/data/a")
    assert "deny" == decided(policy, "filesystem/run_script", path="/data/a")


def with_tool(like: tuple[str, str], name: str, **args: RoleSpec) -> Policy:
    """Return the frame with one more tool that is like another and has more arguments."""
    tool = FRAME.tools[like]
    more = replace(tool, name=name, args={**tool.args, **args}, input_schema=None)
    return replace(FRAME, tools={**FRAME.tools, (like[0], name): more})


@pytest.mark.parametrize(
    "sentence", ["Never read files inside ~/secret.", "Never push.", "Never delete anything outside the sandbox."]
)
def test_a_prohibition_also_means_what_runs_programs(sentence: str):
    frame = with_tool(("mail", "send_message"), "run_command")
    policy = compiled("Allow using any tool of mail.", sentence, within=frame)
    assert "deny" == decided(policy, "mail/run_command", to="x", body="rm")
    assert "allow" == decided(policy, "mail/send_message", to="x", body="rm")


def test_a_name_that_says_deleting_counts_beside_roles_that_do_not():
    frame = with_tool(("filesystem", "write_file"), "purge_file")
    sentences = ("Never delete anything outside the sandbox.", "Allow using any tool of filesystem.")
    policy = compiled(*sentences, within=frame)
    assert "deny" == decided(policy, "filesystem/purge_file", path="/data/a", content="")
    assert "allow" == decided(policy, "filesystem/write_file", path="/data/a", content="")


@pytest.mark.parametrize(("name", "arg"), [("http_request", "note"), ("fetch_form", "method"), ("post_page", "note")])
def test_fetching_is_not_sending(name: str, arg: str):
    frame = with_tool(("fetch", "fetch_page"), name, **{arg: RoleSpec(default=("none",))})
    policy = compiled("Allow fetching pages from any site.", within=frame)
    assert "allow" == decided(policy, "fetch/fetch_page", url="https://a.example/")
    assert "deny" == decided(policy, f"fetch/{name}", url="https://a.example/")


def test_committing_is_nothing_more():
    frame = with_tool(("git", "git_commit"), "drop_commit", extra=RoleSpec(default=("delete-history",)))
    policy = compiled("Allow committing anywhere.", "Allow reading repositories anywhere.", within=frame)
    assert "allow" == decided(policy, "git/git_commit", path="/data/a", message="")
    assert "deny" == decided(policy, "git/drop_commit", path="/data/a", message="", extra="/data/a")


@pytest.mark.parametrize(("owner", "expected"), [("eve", "deny"), ("EVE", "deny"), ("ada", "allow")])
def test_a_forbidden_owner_is_forbidden_in_every_case(owner: str, expected: str):
    policy = compiled("Allow using any tool of github.", "Never use any tool of github for the owner Eve.")
    assert expected == decided(policy, "github/list_issues", owner=owner, repo="x")


def test_a_question_about_what_is_left_asks_only_where_it_is_surely_meant():
    rest = compiled("Ask before writing any other file.", "Allow reading repositories inside ~/src.")
    assert "escalate" == decided(rest, "filesystem/write_file", path="/data/a", content="")
    assert "deny" == decided(rest, "git/git_commit", path="~/src/engine", message="")


def test_an_owner_that_depends_on_a_mode_allows_nothing():
    tool = FRAME.tools["github", "list_issues"]
    mode = Mode(condition=Condition(arg="repo", kind="equals", equals="x"), roles=("none",))
    args = {**tool.args, "owner": RoleSpec(default=("github-owner",), modes=(mode,))}
    frame = replace(FRAME, tools={**FRAME.tools, ("github", "list_issues"): replace(tool, args=args)})
    with pytest.raises(BadInput, match="none of these tools has such arguments"):
        compiled("Allow using the tool list_issues of github for the owner ada.", within=frame)


def test_every_rule_quotes_its_sentence_and_prohibitions_stand_first():
    text = (EXAMPLE / "constitution.md").read_text(encoding="utf-8")
    made = compile_english(text, FRAME)
    policy = replace(FRAME, rules=made.rules, list_defs=made.list_defs)
    assert [] == [one.message for one in validate_policy(policy, source_text=text) if one.severity == "error"]
    order = [rule.then for rule in made.rules]
    assert order == sorted(order, key=lambda then: then != "deny")
    assert len(made.sentences) > 10
    assert () == made.notes


def test_a_sentence_that_changes_nothing_is_told():
    made = notes("Allow reading files inside ~/Documents.", "Allow reading files inside ~/Documents/work.")
    assert 1 == len(made.rules)
    assert made.notes[0].startswith("line 3: 'Allow reading files inside ~/Documents/work.' changes no decision")


def test_lists_headings_and_comments_are_layout_and_lines_are_counted():
    text = "# My agent\n\n<!-- for later:\nNever. -->\n1. Allow reading files\n   inside ~/a b.\n"
    text += "- Never push. Do not pull.\n"
    with pytest.raises(BadInput, match=r"line 5: 'Allow reading files inside ~/a b.': not understood at 'b'"):
        read_sentences(text)
    found = read_sentences(text.replace("~/a b", "`~/a b`"))
    assert [(5, "allow"), (7, "never"), (7, "never")] == [(one.line, one.mood) for one in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Please allow everything.", "not understood at 'everything'"),
        ("Allow reading files.", "needs a place"),
        ("Allow reading files inside ~/a sometimes.", "not understood at 'sometimes'"),
        ("Allow reading files inside ~/a unless it is Sunday.", "not understood at 'unless'"),
        ("Allow reading files inside Papers.", "not a directory that starts with / or ~/"),
        ("Allow reading files inside ~/a/../b.", "not a directory"),
        ("Allow reading files inside ~eve/a.", "not a directory"),
        ("Allow reading files inside the sandbox.", "decided before any rule"),
        ("Allow reading any other file anywhere.", "only in a sentence with 'Ask'"),
        ("Never delete anything else.", "only in a sentence with 'Ask'"),
        ("Never delete all files.", "can be read in two ways"),
        ("Never delete files outside ~/a.", "write 'outside the sandbox'"),
        ("Allow creating sonnets inside ~/a.", "no tool here does this"),
        ("Never push to evil.example.", "hidden behind a name"),
        ("Never fetch pages from @news.", "the list lacks"),
        ("Allow fetching pages from https://a.example.", "not a host name"),
        ("Allow fetching pages from *.a.example.", "not a host name"),
        ("Allow fetching pages from 127.0.0.1.", "not a host name"),
        ("Allow fetching pages from \N{CYRILLIC SMALL LETTER A}.example.", "not a host name"),
        ("Allow fetching pages from @gossip.", "no list '@gossip' with members; known lists: family, news"),
        ("Allow pushing to github.com/ada/engine.git.", "is not a remote"),
        ("Allow using the tool git_pull of git.", "has no tool 'git_pull'"),
        ("Never use the tool git_push of gti.", "no server 'gti'; known servers: fetch, filesystem"),
        ("Allow using the tool git_log of git for the owner ada.", "none of these tools has such arguments"),
        ("Allow using any tool of git for the neighbours.", "no tool here does this"),
        ("Never delete anything.", "it cannot be enforced: filesystem/"),
        ("Ask before writing files.", "it cannot be enforced: filesystem/"),
        ("Never read files inside ~.", "write 'outside the sandbox'"),
        ("# Never delete anything", "a heading may change the meaning"),
        ("Allow reading `files inside ~/a.", "not understood at '`'"),
        ("Allow reading files inside ~/a!", "may include punctuation"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(sentence: str, why: str):
    with pytest.raises(BadInput) as refused:
        notes("Allow reading files inside ~/papers.", sentence)
    assert f"line 3: {sentence!r}: " in refused.value.message
    assert why in refused.value.message
    assert "~/papers" not in refused.value.message
    assert "'Allow reading files inside ~/Documents.'" in refused.value.hint


def test_sentences_about_another_server_are_none_of_this_ones_business():
    text = "Allow using the tool pour of kettle."
    assert () == compile_english(text, FRAME, elsewhere=("kettle",)).rules


def test_old_semantics_are_refused():
    with pytest.raises(BadInput, match="needs semantics 2"):
        compile_english("Never push.", replace(FRAME, semantics=1))


def test_the_second_reading_leaves_open_what_the_sentences_do():
    reading = Reading(
        read_sentences("Never write anything outside the sandbox. Allow using any tool of github."), FRAME
    )

    def said(name: str) -> str | None:
        return reading.about(ToolCall(server="github", tool=name, arguments=dict(ISSUES))).decision

    assert [None, "allow"] == [said("create_issue"), said("list_issues")]
