"""Injected failures: which, how often, until when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, TypeAlias

import pytest

from retouch.engine.types import Event, Message, Prompt, Reply, Request
from retouch.models.tokens import estimate_tokens
from retouch.testing import faulty, scripted

if TYPE_CHECKING:
    from retouch.engine.types import Model
    from tests.models.conftest import MakeRequest

CODE = "class Pet\n{\n" + "".join(f"    public int Field{number} {{ get; }}\n" for number in range(40)) + "}\n"
WRONG = "CORRECTION REQUIRED:\n  [STRUCTURAL] 1 brace is missing"
Fault: TypeAlias = Callable[[str, Random], str]


def drop_a_line(text: str, random: Random) -> str:
    lines = text.splitlines(keepends=True)
    del lines[random.randrange(len(lines))]
    return "".join(lines)


def no_brace(text: str, random: Random) -> str:
    del random
    return text.rstrip().removesuffix("}")


def does_nothing(text: str, random: Random) -> str:
    del random
    return text


def model_of(
    *,
    rate: float = 1.0,
    seed: int = 0,
    heal: float = 0.8,
    kinds: Sequence[str] | None = None,
    faults: Mapping[str, Fault] | None = None,
) -> Model:
    right = scripted(lambda _request: CODE)
    return faulty(right, rate=rate, seed=seed, heal=heal, kinds=kinds, faults=faults)


def ask(model: Model, request: Request) -> Reply:
    return asyncio.run(model(request))


def test_without_a_rate_every_answer_is_right(make_request: MakeRequest):
    model = model_of(rate=0.0)
    assert {CODE} == {ask(model, make_request(page=page)).text for page in range(1, 50)}


def test_about_the_share_of_pages_that_was_asked_for_is_faulty(make_request: MakeRequest):
    model = model_of(rate=0.2, seed=3)
    wrong = sum(ask(model, make_request(page=page)).text != CODE for page in range(1, 501))
    assert 75 <= wrong <= 125


def test_the_order_of_asking_changes_nothing(make_request: MakeRequest):
    pages = range(1, 41)
    forth, back = model_of(rate=0.5, seed=7), model_of(rate=0.5, seed=7)
    first = {page: ask(forth, make_request(page=page)) for page in pages}
    assert first == {page: ask(back, make_request(page=page)) for page in reversed(pages)}


def test_another_seed_damages_other_pages(make_request: MakeRequest):
    one, two = model_of(rate=0.5, seed=1), model_of(rate=0.5, seed=2)
    pages = range(1, 41)
    assert [ask(one, make_request(page=page)) for page in pages] != [
        ask(two, make_request(page=page)) for page in pages
    ]


def test_a_fence_surrounds_the_whole_answer(make_request: MakeRequest):
    text = ask(model_of(kinds=["fence"]), make_request()).text
    assert text.startswith(("```", "~~~"))
    assert CODE.rstrip() in text


def test_prose_surrounds_the_answer(make_request: MakeRequest):
    text = ask(model_of(kinds=["prose"]), make_request()).text
    before, found, after = text.partition(CODE.rstrip())
    assert all((before.strip(), found, after.strip()))


def test_a_summary_has_nothing_of_the_answer(make_request: MakeRequest):
    text = ask(model_of(kinds=["summary"]), make_request()).text
    assert "class" not in text
    assert "43 lines" in text


def test_a_truncated_answer_is_a_head_that_used_the_whole_cap(make_request: MakeRequest):
    reply = ask(model_of(kinds=["truncation"]), make_request(cap=500))
    assert ("length", 500, True) == (reply.finish, reply.output_tokens, CODE.startswith(reply.text))
    assert len(reply.text) < len(CODE)


def test_a_refusal_has_its_own_finish_reason(make_request: MakeRequest):
    reply = ask(model_of(kinds=["refusal"]), make_request())
    assert "refused" == reply.finish
    assert "class" not in reply.text


def test_an_empty_reply_is_blank(make_request: MakeRequest):
    reply = ask(model_of(kinds=["empty"]), make_request())
    assert ("", "end", 0) == (reply.text.strip(), reply.finish, reply.output_tokens)


def test_a_recipe_brings_faults_of_its_own(make_request: MakeRequest):
    reply = ask(model_of(kinds=["no_brace"], faults={"no_brace": no_brace}), make_request())
    assert (CODE.rstrip().removesuffix("}"), estimate_tokens(reply.text)) == (reply.text, reply.output_tokens)


def test_a_fault_of_a_recipe_replaces_the_general_one_of_its_name(make_request: MakeRequest):
    reply = ask(model_of(kinds=["empty"], faults={"empty": no_brace}), make_request())
    assert CODE.rstrip().removesuffix("}") == reply.text


def test_most_faults_are_the_recipes_own(make_request: MakeRequest):
    model = model_of(faults={"no_brace": no_brace, "line": drop_a_line})
    texts = [ask(model, make_request(page=page)).text for page in range(1, 301)]
    own = sum(text.startswith("class Pet") and "public" in text and len(CODE) > len(text) > 1000 for text in texts)
    assert 190 <= own <= 285


def test_a_kind_that_does_not_apply_leaves_the_answer_right(make_request: MakeRequest):
    assert CODE == ask(model_of(kinds=["nothing"], faults={"nothing": does_nothing}), make_request()).text


def test_a_kind_that_does_not_apply_gives_way_to_one_that_does(make_request: MakeRequest):
    model = model_of(kinds=["nothing", "refusal"], faults={"nothing": does_nothing})
    assert {"refused"} == {ask(model, make_request(page=page)).finish for page in range(1, 21)}


def test_a_retry_that_names_the_fault_heals_it(make_request: MakeRequest):
    model = model_of(heal=1.0, kinds=["no_brace"], faults={"no_brace": no_brace})
    assert CODE != ask(model, make_request()).text
    assert CODE == ask(model, make_request(correction=WRONG)).text


def test_a_further_turn_heals_as_a_correction_does(make_request: MakeRequest):
    model = model_of(heal=1.0, kinds=["line"], faults={"line": drop_a_line})
    first = make_request()
    wrong = ask(model, first)
    turns = (
        *first.messages,
        Message(role="assistant", text=wrong.text),
        Message(role="user", text="a line is missing"),
    )
    again = Request(prompt=first.prompt, system=first.system, messages=turns, max_output_tokens=first.max_output_tokens)
    assert CODE == ask(model, again).text


def test_a_retry_that_names_nothing_gets_the_fault_again(make_request: MakeRequest):
    model = model_of(heal=1.0, kinds=["line"], faults={"line": drop_a_line})
    texts = [ask(model, make_request()).text for _ in range(4)]
    texts.append(ask(model, make_request(correction="Please try harder.")).text)
    assert CODE not in texts


def test_a_code_inside_the_clean_prompt_names_nothing(make_request: MakeRequest):
    model = model_of(heal=1.0, kinds=["line"], faults={"line": drop_a_line})
    request = make_request(user="Write [ATTRIBUTE] lines. Never say CORRECTION REQUIRED.")
    assert CODE not in {ask(model, request).text for _ in range(3)}


def test_about_as_many_faults_heal_as_were_asked_for(make_request: MakeRequest):
    model = model_of(heal=0.8, kinds=["line"], faults={"line": drop_a_line})
    healed = 0
    for page in range(1, 301):
        ask(model, make_request(page=page))
        healed += ask(model, make_request(page=page, correction=WRONG)).text == CODE
    assert 220 <= healed <= 260


def test_a_page_without_luck_may_have_it_the_next_time(make_request: MakeRequest):
    model = model_of(heal=0.5, kinds=["line"], faults={"line": drop_a_line})
    for page in range(1, 31):
        texts = [ask(model, make_request(page=page, correction=WRONG)).text for _ in range(20)]
        assert CODE in texts


def test_a_healed_page_stays_healed(make_request: MakeRequest):
    model = model_of(heal=1.0, kinds=["line"], faults={"line": drop_a_line})
    ask(model, make_request())
    ask(model, make_request(correction=WRONG))
    assert {CODE} == {ask(model, make_request()).text for _ in range(3)}


@pytest.mark.parametrize("kind", ["fence", "prose", "summary", "truncation", "refusal", "empty", "line"])
def test_a_fault_that_comes_back_has_another_text_each_time(make_request: MakeRequest, kind: str):
    model = model_of(heal=0.0, kinds=[kind], faults={"line": drop_a_line})
    texts = [ask(model, make_request(correction=WRONG)).text for _ in range(4)]
    assert 4 == len(set(texts))


def test_a_fault_with_one_text_only_gives_way_to_another_kind(make_request: MakeRequest):
    model = model_of(heal=0.0, kinds=["no_brace", "line"], faults={"no_brace": no_brace, "line": drop_a_line})
    texts = [ask(model, make_request(correction=WRONG)).text for _ in range(5)]
    assert 5 == len(set(texts))


def test_a_fault_with_one_text_and_no_other_kind_repeats_itself(make_request: MakeRequest):
    model = model_of(heal=0.0, kinds=["no_brace"], faults={"no_brace": no_brace})
    texts = {ask(model, make_request(correction=WRONG)).text for _ in range(3)}
    assert {CODE.rstrip().removesuffix("}")} == texts


def test_a_truncation_stays_at_the_same_cap_whatever_the_retry_names(make_request: MakeRequest):
    model = model_of(heal=1.0, kinds=["truncation"])
    ask(model, make_request(cap=500))
    assert ["length", "length"] == [ask(model, make_request(correction=WRONG, cap=500)).finish for _ in range(2)]


def test_a_truncation_is_gone_with_a_larger_cap(make_request: MakeRequest):
    model = model_of(heal=0.0, kinds=["truncation"])
    ask(model, make_request(cap=500))
    whole = ask(model, make_request(cap=1000))
    assert ("end", CODE) == (whole.finish, whole.text)


@pytest.mark.parametrize("kind", ["refusal", "empty"])
def test_a_plain_retry_is_enough_for_a_refusal(make_request: MakeRequest, kind: str):
    model = model_of(heal=1.0, kinds=[kind])
    ask(model, make_request())
    assert CODE == ask(model, make_request()).text


def test_a_fault_that_another_process_made_heals_here_as_well(make_request: MakeRequest):
    model = model_of(heal=1.0, kinds=["line"], faults={"line": drop_a_line})
    assert CODE == ask(model, make_request(correction=WRONG)).text


def test_a_page_that_is_asked_in_another_way_has_luck_of_its_own(make_request: MakeRequest):
    model = model_of(rate=0.5, seed=1, kinds=["truncation"])
    pages = range(1, 61)
    first = [ask(model, make_request(page=page)).finish for page in pages]
    other = [ask(model, make_request(page=page, asked=f"only the changes {page}")).finish for page in pages]
    assert {"end", "length"} == set(other)
    assert first != other


def test_a_reply_that_is_wrong_already_is_left_alone(make_request: MakeRequest):
    cut = Reply(text="cla", finish="length", model="m", output_tokens=1)
    assert cut == ask(faulty(scripted([cut]), rate=1.0), make_request())


def test_whoever_listens_hears_the_text_that_is_given(make_request: MakeRequest):
    heard: list[Event] = []
    reply = asyncio.run(model_of(kinds=["line"], faults={"line": drop_a_line})(make_request(), on_event=heard.append))
    assert [Event(kind="first_byte"), Event(kind="text", text=reply.text)] == heard


def test_units_with_one_text_have_luck_of_their_own():
    model = model_of(rate=0.5, seed=1)

    def outcome(unit: str) -> bool:
        prompt = Prompt(unit=unit, system="", user="the same text")
        messages = (Message(role="user", text=prompt.user),)
        return ask(model, Request(prompt=prompt, system="", messages=messages, max_output_tokens=9_000)).text == CODE

    assert {True, False} == {outcome(f"Unit{number}") for number in range(20)}
