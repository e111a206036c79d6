"""Whatever compiles is valid and safe; whatever is not of the grammar is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from retouch.errors import BadInput
from retouch.recipes.policy import Policy, ToolCall, evaluate, validate_policy
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english import Reading, compile_english, read_sentences
from tests.recipes.policy.english_frames import FRAME, SANDBOX

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Tool

LITTLE = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
DEEDS = {"read": "reading", "write": "writing", "delete": "deleting", "change": "changing", "touch": "touching"}
FOLDERS = ("~/Documents", "~/Documents/private", "~/src", "/data")
SITES = ("a.example", "b.a.example", "evil.example", "@news")
REMOTES = ("github.com", "github.com/ada/engine", "code.example")
TOOLS = {"git": ("git_log", "git_push"), "github": ("list_issues", "create_issue"), "filesystem": ("read_file",)}
PATHS = (*FOLDERS, "~/Documents/a", "~/src/engine", "/etc/passwd", "~/../eve", f"{SANDBOX}/a", "~/.ssh/id", "relative")
URLS = (
    *(f"https://{one}/" for one in (*SITES[:3], "www.evil.example", "news.example", "c.example", "evil.example.")),
    "http://1/",
    "x",
)
GIT_URLS = (
    "git@github.com:ada/engine.git",
    "https://github.com/eve/x",
    "https://code.example/a",
    "git@CODE.example:a",
    "origin",
)


def some(choices: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(choices), min_size=1, max_size=2, unique=True).map(" and ".join)


@st.composite
def path_sentences(draw: st.DrawFn) -> str:
    base, doing = draw(st.sampled_from(sorted(DEEDS.items())))
    noun = draw(st.sampled_from(("files", "repositories", "anything")))
    where = draw(st.one_of(some(FOLDERS).map(lambda one: f" inside {one}"), st.just(" outside the sandbox")))
    return draw(moods(f"{base} {noun}{where}", f"{doing} {noun}{where}"))


def moods(do: str, doing: str) -> st.SearchStrategy[str]:
    return st.sampled_from((f"Allow {doing}.", f"Ask before {doing}.", f"Never {do}."))


@st.composite
def other_sentences(draw: st.DrawFn) -> str:
    site, remote = draw(some(SITES)), draw(some(REMOTES))
    server = draw(st.sampled_from(sorted(TOOLS)))
    tool = draw(st.sampled_from(TOOLS[server]))
    return draw(
        st.one_of(
            moods(f"fetch pages from {site}", f"fetching pages from {site}").filter(lambda one: "Never" not in one),
            st.just("Never fetch pages from evil.example."),
            st.sampled_from(("Allow fetching pages from any site.", "Ask before fetching pages from any other site.")),
            st.sampled_from((f"Allow pushing to {remote}.", f"Ask before pushing to {remote}.", "Never push.")),
            st.just("Ask before writing any other file."),
            moods(f"use the tool {tool} of {server}", f"using the tool {tool} of {server}"),
            moods("use any tool of github for the owner ada", "using any tool of github for the owner ada"),
        )
    )


texts = st.lists(st.one_of(path_sentences(), other_sentences()), min_size=1, max_size=6)


def value_of(roles: set[str]) -> st.SearchStrategy[JSON]:
    if any(role.endswith(("-path", "-history")) for role in roles):
        return st.sampled_from(PATHS)
    if "fetch-url" in roles:
        return st.sampled_from(URLS)
    if "git-remote-url" in roles:
        return st.sampled_from(GIT_URLS)
    return st.sampled_from(("ada", "eve"))


@st.composite
def calls(draw: st.DrawFn) -> ToolCall:
    tool: Tool = draw(st.sampled_from(sorted(FRAME.tools.values(), key=lambda one: (one.server, one.name))))
    said: dict[str, JSON] = {arg: draw(value_of(set(spec.default))) for arg, spec in tool.args.items()}
    if tool.name == "git_branch":
        said["operation"] = draw(st.sampled_from(("list", "create", "delete", "other")))
    return ToolCall(server=tool.server, tool=tool.name, arguments=said)


def compiled(sentences: list[str]) -> Policy | None:
    """Return the policy of some sentences, None where they cannot be held."""
    try:
        made = compile_english(" ".join(sentences), FRAME)
    except BadInput as refused:
        assert "it cannot be enforced" in refused.message  # noqa: PT017 - the only reason that may be given here
        return None
    return replace(FRAME, rules=made.rules, list_defs=made.list_defs)


@pytest.mark.slow
@LITTLE
@given(texts)
@example(["Never use any tool of github for the owner ada."])
def test_whatever_compiles_passes_the_static_checks_and_quotes(sentences: list[str]):
    policy = compiled(sentences)
    if policy is not None:
        found = validate_policy(policy, source_text=" ".join(sentences))
        assert [] == [one.message for one in found if one.severity == "error"]


@LITTLE
@given(texts, st.lists(calls(), min_size=20, max_size=20))
def test_every_decision_is_what_the_sentences_say(sentences: list[str], made: list[ToolCall]):
    policy = compiled(sentences)
    if policy is None:
        return
    reading = Reading(read_sentences(" ".join(sentences)), FRAME)
    for call in made:
        said, was = reading.about(call), evaluate(policy, call, surroundings=LEXICAL)
        assert said.decision in {None, was.decision}, (call, said)
        for sentence in reading.binding(call) if not was.is_structural else ():
            assert was.decision == "deny" if sentence.mood == "never" else was.decision != "allow", (call, sentence)


@pytest.mark.slow
@LITTLE
@given(texts, st.lists(calls(), min_size=10, max_size=10))
def test_the_order_of_sentences_does_not_matter(sentences: list[str], made: list[ToolCall]):
    one, other = compiled(sentences), compiled(sentences[::-1])
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        for call in made:
            was, now = (evaluate(policy, call, surroundings=LEXICAL) for policy in (one, other))
            assert was.decision == now.decision


@LITTLE
@given(texts, st.data())
def test_one_more_sentence_never_allows_what_it_does_not_speak_of(sentences: list[str], data: st.DataObject):
    policy = compiled([one for one in sentences if not one.startswith("Allow")])
    if policy is not None:
        for call in data.draw(st.lists(calls(), min_size=10, max_size=10)):
            was = evaluate(policy, call, surroundings=LEXICAL)
            assert was.decision != "allow" or was.is_structural


@settings(max_examples=40, deadline=None)
@given(texts, st.integers(0, 200), st.sampled_from(("perhaps", "not", "except", "only", "unless", "§", "(", "`")))
def test_a_word_that_is_not_known_is_refused_wherever_it_stands(sentences: list[str], place: int, word: str):
    words = sentences[0].removesuffix(".").split(" ")
    at = place % (len(words) + 1)
    text = " ".join((*words[:at], word, *words[at:])) + "."
    with pytest.raises(BadInput, match="cannot be compiled"):
        read_sentences(text)
