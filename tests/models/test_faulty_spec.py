"""The spec of a faulty model: `faulty:<model>?rate=...`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.recipe import Read, Recipe, open_model
from retouch.errors import BadInput, UnknownName
from retouch.testing import faulty, scripted

if TYPE_CHECKING:
    from random import Random

    from tests.models.conftest import MakeRequest

TEXT = "one\ntwo\nthree\n"


def upside_down(text: str, random: Random) -> str:
    del random
    return "\n".join(reversed(text.splitlines()))


RECIPE: Recipe[str, str] = Recipe[str, str](
    name="lines",
    source=str,
    plan=lambda _source: (),
    read=lambda _source, _unit, pages: Read(pages[0]),
    check=lambda _source, _values, _options: (),
    assemble=lambda _source, _values: {},
    faults={"upside_down": upside_down},
    offline=lambda _prompt: TEXT,
)


def test_a_spec_and_the_python_door_give_the_same_answers(make_request: MakeRequest):
    spec = open_model("faulty:offline?rate=0.5&seed=7&kinds=upside_down,empty&heal=0.3", recipe=RECIPE)
    offline = open_model("offline", recipe=RECIPE)
    kinds = ["upside_down", "empty"]
    door = faulty(offline, rate=0.5, seed=7, kinds=kinds, heal=0.3, faults={"upside_down": upside_down})
    requests = [make_request(page=page) for page in range(1, 31)]
    assert [asyncio.run(door(request)) for request in requests] == [asyncio.run(spec(request)) for request in requests]


def test_without_parameters_one_page_in_ten_is_faulty(make_request: MakeRequest):
    model = open_model("faulty:offline", recipe=RECIPE)
    wrong = sum(asyncio.run(model(make_request(page=page))).text != TEXT for page in range(1, 401))
    assert 24 <= wrong <= 60


def test_faulty_models_can_be_nested(make_request: MakeRequest):
    model = open_model("faulty:faulty:offline?rate=1&kinds=upside_down?rate=1&kinds=fence", recipe=RECIPE)
    text = asyncio.run(model(make_request())).text
    assert text.startswith(("```", "~~~"))
    assert "three\ntwo\none" in text


@pytest.mark.parametrize(
    ("spec", "seen"),
    [
        ("faulty:", "wraps another model, which is missing"),
        ("faulty:?rate=0.2", "wraps another model, which is missing"),
        ("faulty:offline?rats=0.2", "'rats=0.2'.*known: rate, seed, kinds, heal"),
        ("faulty:offline?rate", "has no parameter 'rate'"),
        ("faulty:offline?rate=", "has no parameter 'rate='"),
        ("faulty:offline?rate=0.2&", "has no parameter ''"),
        ("faulty:offline?rate=0.2&rate=0.3", "'rate' is given twice"),
        ("faulty:offline?rate=much", "rate is 'much'"),
        ("faulty:offline?rate=1.5", "rate is 1.5"),
        ("faulty:offline?rate=nan", "rate is nan"),
        ("faulty:offline?heal=-0.1", "heal is -0.1"),
        ("faulty:offline?seed=1.5", "seed is '1.5'"),
        (
            "faulty:offline?kinds=fense",
            "'fense'; known are: empty, fence, prose, refusal, summary, truncation, upside_down",
        ),
        ("faulty:offline?kinds=fence,,empty", "no kind of fault ''"),
    ],
)
def test_an_invalid_spec_is_refused_with_the_known_names(spec: str, seen: str):
    with pytest.raises(BadInput, match=seen) as caught:
        open_model(spec, recipe=RECIPE)
    assert "" != caught.value.hint


def test_the_wrapped_model_must_exist():
    with pytest.raises(UnknownName, match="'ofline'"):
        open_model("faulty:ofline?rate=0.2", recipe=RECIPE)


def test_no_kinds_at_all_are_no_faults(make_request: MakeRequest):
    model: Any = faulty(scripted([TEXT]), rate=1.0, kinds=[])
    assert TEXT == asyncio.run(model(make_request())).text
