"""Where cache markers save money: the plan, its formulas and its table of facts."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch import Message
from retouch.engine.types import Prompt, Request
from retouch.errors import BrokenFile
from retouch.models.cache_cost import Conversation, Marks, conversation_cost, pages_cost, pays
from retouch.models.cache_facts import VARIABLE, CacheFacts, cache_facts, for_an_hour
from retouch.models.cache_load import Load, Rates, load_of
from retouch.models.cache_marks import planned
from retouch.models.cache_plan import cache_plan
from retouch.models.endpoints import endpoint_of
from retouch.models.providers import plan_of
from retouch.models.tokens import estimate_tokens
from retouch.testing import scripted

if TYPE_CHECKING:
    from pathlib import Path

FIVE_MINUTES = CacheFacts(min_tokens=1_024, write=1.25, read=0.1, markers=4)
AN_HOUR = replace(FIVE_MINUTES, write=2.0)
SONNET = "claude-sonnet-4-6"
HOUR = for_an_hour(cache_facts("anthropic", SONNET))


def request(*turns: str, system: str = "word " * 3_000) -> Request:
    messages = tuple(Message(role="assistant" if n % 2 else "user", text=turn) for n, turn in enumerate(turns))
    prompt = Prompt(unit="Pet", system=system, user=turns[0])
    return Request(prompt=prompt, system=system, messages=messages, max_output_tokens=9)


@pytest.mark.parametrize(
    ("sizes", "turns", "uncached", "system", "moving", "not_on_last"),
    [
        ((3_500, 500, 3_000, 400), 1, 4_000, 1.22, 1.25, 1.00),
        ((3_500, 500, 3_000, 400), 2, 11_400, 0.80, 0.85, 0.77),
        ((3_500, 500, 3_000, 400), 3, 22_200, 0.76, 0.66, 0.62),
        ((3_500, 500, 3_000, 400), 4, 36_400, 0.76, 0.55, 0.53),
        ((3_500, 500, 3_000, 400), 6, 75_000, 0.80, 0.42, 0.41),
        ((10_000, 1_000, 2_000, 500), 2, 24_500, 0.73, 0.73, 0.71),
        ((10_000, 1_000, 2_000, 500), 4, 59_000, 0.58, 0.46, 0.45),
    ],
)
def test_conversations_cost_what_the_reference_worked_out(
    sizes: tuple[int, int, int, int], turns: int, uncached: int, system: float, moving: float, not_on_last: float
):
    shared, own, answer, feedback = sizes
    talk = Conversation(shared=shared, own=own, answer=answer, feedback=feedback, turns=turns)
    assert uncached == conversation_cost(talk, FIVE_MINUTES, "none")
    expected: dict[Marks, float] = {"system": system, "moving": moving, "moving, not on last": not_on_last}
    shares = {marks: conversation_cost(talk, FIVE_MINUTES, marks) / uncached for marks in expected}
    assert pytest.approx(expected, abs=0.006) == shares


@pytest.mark.parametrize(
    ("shared", "own", "pages", "at_once", "first_alone"),
    [
        (3_500, 800, 2, 1.20, 0.74),
        (3_500, 800, 6, 1.20, 0.42),
        (3_500, 800, 100, 1.20, 0.28),
        (10_000, 800, 20, 1.23, 0.22),
    ],
)
def test_pages_cost_what_the_reference_worked_out(
    shared: int, own: int, pages: int, at_once: float, first_alone: float
):
    talk, uncached = Conversation(shared=shared, own=own), pages * (shared + own)
    found = [pages_cost(pages, talk, FIVE_MINUTES, writers=writers) / uncached for writers in (pages, 1)]
    assert pytest.approx([at_once, first_alone], abs=0.006) == found


@pytest.mark.parametrize(
    ("rate", "facts", "expected"), [(0.27, FIVE_MINUTES, False), (0.28, FIVE_MINUTES, True), (1.0, AN_HOUR, False)]
)
def test_a_marker_pays_from_the_probability_that_the_prices_give(rate: float, facts: CacheFacts, *, expected: bool):
    assert expected == pays(rate, facts)


@given(
    st.integers(1_024, 50_000),
    st.integers(0, 9_000),
    st.integers(1, 300),
    st.floats(0, 1),
    st.sampled_from([FIVE_MINUTES, AN_HOUR]),
)
def test_the_shared_text_is_marked_exactly_when_that_is_cheaper(
    shared: int, own: int, pages: int, rate: float, facts: CacheFacts
):
    load = Load(shared_tokens=shared, page_tokens=own, pages=pages, rates=Rates(first=rate))
    plan = cache_plan("anthropic", SONNET, load, facts=facts)
    reads = pages * (1 + rate) - 1
    assert plan.mark_shared == (facts.write + reads * facts.read < 1 + reads - 1e-12)


def test_a_long_shared_text_of_several_pages_is_marked():
    plan = cache_plan("anthropic", SONNET, Load(shared_tokens=3_000, page_tokens=300, pages=10))
    assert (True, False) == (plan.mark_shared, plan.mark_first)
    assert (-1,) == plan.breakpoints(request("page"))
    assert "read about 10 times" in plan.why[0]
    assert (plan.expected_share or 1) < 0.35


def test_below_the_minimum_nothing_is_marked_and_the_plan_says_why():
    plan = cache_plan("anthropic", "claude-haiku-4-5-20251001", Load(shared_tokens=3_000, pages=10))
    assert () == plan.breakpoints(request("page"))
    assert "about 3000 tokens, 1096 fewer than the 4096" in plan.why[0]
    assert 1.0 == plan.expected_share


def test_a_single_page_that_hardly_ever_needs_repair_is_not_marked():
    plan = cache_plan("anthropic", SONNET, Load(shared_tokens=3_000, pages=1))
    assert () == plan.breakpoints(request("page"))
    assert "it would hardly be read again" in plan.why[0]


TURNS = ("page", "answer", "mend", "other", "again")


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        (Rates(first=0.1, further=0.1), [(-1,), (-1,), (-1,)]),
        (Rates(first=0.5, further=0.1), [(-1, 0), (-1, 0), (-1, 0)]),
        (Rates(first=0.1, further=0.5), [(-1,), (-1, 2), (-1, 2, 4)]),
        (Rates(first=0.5, further=0.5), [(-1, 0), (-1, 0, 2), (-1, 2, 4)]),
    ],
)
def test_a_turn_is_marked_where_one_more_is_likely_and_again_where_its_entry_is_found(
    rates: Rates, expected: list[tuple[int, ...]]
):
    plan = cache_plan("anthropic", SONNET, Load(shared_tokens=3_000, pages=10, rates=rates))
    assert expected == [plan.breakpoints(request(*TURNS[:length])) for length in (1, 3, 5)]


def test_the_plan_names_the_share_of_further_turns_from_which_a_marker_pays():
    rates = Rates(first=0.5, further=0.2)
    plan = cache_plan("anthropic", SONNET, Load(shared_tokens=3_000, pages=10, rates=rates))
    own = "a page's own text is marked: 50% are followed by one more turn, and a marker pays from 28%"
    further = "a further turn is not marked: 20% are followed by one more turn, and a marker pays from 28%"
    assert (own, further) == plan.why[1:3]


def test_every_turn_of_a_session_is_marked_however_rarely_other_pages_go_on():
    plan = cache_plan("anthropic", SONNET, Load(shared_tokens=3_000, pages=10, sessions=4))
    found = [plan.breakpoints(request(*TURNS[:length]), session=True) for length in (1, 3, 5)]
    assert [(-1, 0), (-1, 0, 2), (-1, 2, 4)] == found
    assert "4 pages open a session: each of their turns is marked for the next" == plan.why[-2]


def test_a_session_alone_has_its_system_text_read_again_by_its_next_turn():
    assert cache_plan("anthropic", SONNET, Load(shared_tokens=3_000, pages=1, sessions=1)).mark_shared


def test_what_is_expected_of_first_answers_counts_what_marking_them_costs():
    load = Load(shared_tokens=3_000, page_tokens=1_000, pages=10)
    usual, sessions = (cache_plan("anthropic", SONNET, one) for one in (load, replace(load, sessions=10)))
    assert pytest.approx(0.25 * 10 * 1_000 / 40_000) == (sessions.expected_share or 0) - (usual.expected_share or 0)


def test_an_hour_takes_more_reads_to_pay_and_lasts_longer():
    load = Load(shared_tokens=3_000, pages=2, rates=Rates(first=0.0))
    usual, hour = (cache_plan("anthropic", SONNET, load, facts=one) for one in (cache_facts("anthropic", SONNET), HOUR))
    assert (True, False) == (usual.mark_shared, hour.mark_shared)
    assert cache_plan("anthropic", SONNET, replace(load, pages=3), facts=HOUR).mark_shared
    assert ["5 minutes", "60 minutes"] == [plan.why[-1].partition("for ")[2][:10].strip() for plan in (usual, hour)]


def test_no_more_markers_are_sent_than_a_provider_takes():
    plan = cache_plan("anthropic", SONNET, facts=replace(FIVE_MINUTES, markers=2))
    assert (2, 4) == plan.breakpoints(request(*TURNS))


def test_of_an_unknown_load_a_conversation_that_goes_on_is_marked_from_then_on():
    plan = cache_plan("anthropic", SONNET)
    assert [(-1,), (-1, 2), (-1, 2, 4)] == [plan.breakpoints(request(*TURNS[:length])) for length in (1, 3, 5)]


def test_a_short_conversation_is_not_marked_even_if_it_goes_on():
    plan = cache_plan("anthropic", SONNET)
    assert () == plan.breakpoints(request("page", "answer", "mend", system="short"))
    assert (2,) == plan.breakpoints(request("page " * 2_000, "answer", "mend", system="short"))


def test_what_the_user_does_not_want_is_not_marked():
    plan = cache_plan("anthropic", SONNET, allowed=False)
    assert () == plan.breakpoints(request("page", "answer", "mend"))
    assert ("markers are turned off",) == plan.why


@pytest.mark.parametrize(
    ("provider", "model", "said", "cached"),
    [
        ("openai", "gpt-5-mini", "1024 tokens or more by itself", True),
        ("google", "gemini-2.5-pro", "4096 tokens or more by itself", True),
        ("groq", "some", "nothing is known about the cache of groq", False),
    ],
)
def test_providers_without_markers_get_none(provider: str, model: str, said: str, *, cached: bool):
    plan = cache_plan(provider, model, Load(shared_tokens=9_000, pages=9))
    assert () == plan.breakpoints(request("page"))
    assert said in plan.why[0]
    assert cached == ((plan.expected_share or 0) < 1)


def test_models_of_openai_that_take_breakpoints_get_them():
    assert (-1,) == cache_plan("openai", "gpt-5.6-mini").breakpoints(request("page"))


def test_the_load_of_a_run_counts_the_text_that_most_prompts_share():
    def prompt(system: str, user: str) -> Prompt:
        return Prompt(unit=user, system=system, user=user)

    prompts = [prompt("shared text " * 50, f"page {n}") for n in range(4)] + [prompt("lonely", "else")]
    load = load_of(prompts, session=lambda prompt: prompt.user > "page 2")
    assert (4, estimate_tokens("shared text " * 50)) == (load.pages, load.shared_tokens)
    assert (estimate_tokens("page 1"), 1) == (load.page_tokens, load.sessions)
    assert 0 == load_of([]).pages


def test_a_planned_model_marks_what_is_not_marked_yet():
    script = scripted(lambda _: "yes")
    model = planned(script, cache_plan("anthropic", SONNET))
    for one in (request("page"), replace(request("page"), breakpoints=(0,))):
        asyncio.run(model(one))
    assert [(-1,), (0,)] == [one.breakpoints for one in script.requests]
    assert "scripted" == model.name


def test_a_new_plan_takes_the_place_of_the_old_one():
    script = scripted(lambda _: "yes")
    model = planned(script, cache_plan("anthropic", SONNET))
    asyncio.run(planned(model, cache_plan("anthropic", SONNET, allowed=False))(request("page")))
    assert () == script.requests[0].breakpoints


@pytest.mark.parametrize(
    ("model", "tokens", "read"),
    [
        ("claude-haiku-4-5-20251001", 4_096, 0.1),
        ("claude-opus-4-7", 2_048, 0.1),
        ("claude-opus-5-5", 512, 0.05),
        ("claude-sonnet-9", 1_024, 0.1),
    ],
)
def test_the_longest_name_that_fits_gives_the_facts(model: str, tokens: int, read: float):
    facts = cache_facts("anthropic", model)
    assert (tokens, read, 4) == (facts.min_tokens, facts.read, facts.markers)


def test_nothing_is_known_of_a_provider_that_no_table_names():
    assert CacheFacts() == cache_facts("acme", "any")


def test_a_file_of_ones_own_goes_before_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    own = tmp_path / "facts.toml"
    own.write_text('[[model]]\nprovider = "anthropic"\nname = "claude-sonnet"\nmin_tokens = 2048\n', "utf-8")
    monkeypatch.setenv(VARIABLE, str(own))
    assert 2_048 == cache_facts("anthropic", SONNET).min_tokens
    assert 4_096 == cache_facts("anthropic", "claude-haiku-4-5").min_tokens


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[model", "is not TOML"),
        ('[[model]]\nprovider = "anthropic"\nname = ""\nminimum = 3\n', "minimum = 3"),
        ('[[model]]\nprovider = "anthropic"\nname = ""\nread = "cheap"\n', "read = 'cheap'"),
        ('[[model]]\nprovider = "anthropic"\nname = ""\nread = -1\n', "read = -1"),
        ('[[model]]\nprovider = "anthropic"\nname = ""\nautomatic = 1\n', "automatic = 1"),
        (None, "cannot be read"),
    ],
)
def test_a_file_of_ones_own_that_is_not_understood_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, said: str
):
    own = tmp_path / "facts.toml"
    if text is not None:
        own.write_text(text, "utf-8")
    monkeypatch.setenv(VARIABLE, str(own))
    with pytest.raises(BrokenFile, match=said) as caught:
        cache_facts("anthropic", SONNET)
    assert "facts.toml" in caught.value.message


@pytest.mark.parametrize("spec", ["openai:llama3.2@http://127.0.0.1:8080/v1", "ollama:gemma3", "litellm:gpt-4o"])
def test_the_users_own_server_gets_no_price_and_no_minimum_of_another(spec: str):
    scheme, _, rest = spec.partition(":")
    plan = plan_of(endpoint_of(scheme, rest), Load(shared_tokens=9_000, page_tokens=100, pages=9))
    assert (1.0, ()) == (plan.expected_share, plan.breakpoints(request("page")))
    (sentence,) = plan.why
    assert "the server itself decides" in sentence
    assert "openai" not in sentence


def test_openais_models_at_azure_keep_the_facts_of_openai():
    endpoint = endpoint_of("openai", "gpt-5-mini@https://some.openai.azure.com/openai/v1")
    assert "1024 tokens or more by itself" in plan_of(endpoint, Load(shared_tokens=9_000, pages=9)).why[0]


@pytest.mark.parametrize(
    ("spec", "words", "expected"),
    [
        ("anthropic:claude-sonnet-4-6", 400, False),
        ("anthropic:claude-sonnet-4-6", 3_000, True),
        ("anthropic:claude-sonnet-4-6?cache=none", 3_000, False),
        ("anthropic:claude-haiku-4-5", 3_000, False),  # from 4,096 tokens on
        ("openai:gpt-5-mini", 3_000, True),
        ("openai:local@http://127.0.0.1:8000/v1", 3_000, True),
        ("openai:local@http://127.0.0.1:8000/v1", 100, False),
    ],
)
def test_a_cache_takes_texts_from_its_shortest_prefix_on(spec: str, words: int, *, expected: bool):
    scheme, _, rest = spec.partition(":")
    assert expected is plan_of(endpoint_of(scheme, rest), None).may_cache("word " * words)
