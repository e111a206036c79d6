"""Network failures: whether they are retried, how often, and with which message."""

from __future__ import annotations

import time

import pytest

from retouch import open_model
from retouch.errors import BadInput, MissingTool, ModelError, Throttled, TransportError
from retouch.models.endpoints import PROVIDERS, endpoint_of
from retouch.testing import FAULTS, Fault, model_server, retry_after_date, scripted, status
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT, Ask
from tests.waiting import MOST_S

EACH = pytest.mark.parametrize("spec", [CLAUDE, GPT, GEMINI])
ONCE = "?tries=1"
PASSING = [
    *("408", "409", "429", "500", "503", "529"),
    *("stall", "cut_head", "cut_body", "early_end", "error_event", "garbage", "wrong_shape", "html"),
]


def patience(fault: str) -> str:
    """Return how long a client waits for the next piece of an answer: short only if the server stops in the middle."""
    return "idle_s=3" if fault == "stall" else "idle_s=60"


HARMLESS = ["slow_head", "slow_body", "wrong_type", "duplicate_id"]


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("name", PASSING)
def test_a_passing_failure_is_raised_as_such_after_one_request(ask: Ask, spec: str, name: str):
    with (
        model_server(scripted(lambda _: "word " * 200), faults=[FAULTS[name]]) as server,
        pytest.raises(TransportError, match=spec),
    ):
        ask(server, f"{spec}?tries=1&{patience(name)}")
    assert 1 == len(server.calls)


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("name", PASSING)
def test_a_temporary_failure_is_fixed_by_one_more_request(ask: Ask, spec: str, name: str):
    with model_server(scripted(lambda _: "word " * 200), faults=[FAULTS[name]]) as server:
        reply = ask(server, f"{spec}?tries=2&first_wait_s=0.01&{patience(name)}")
    assert ("word " * 200, 2) == (reply.text, len(server.calls))
    assert server.calls[0].body == server.calls[1].body


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("name", HARMLESS)
def test_what_does_no_harm_costs_no_second_request(ask: Ask, spec: str, name: str):
    with model_server(scripted(lambda _: "word " * 200), faults=[None, FAULTS[name]]) as server:
        replies = [ask(server, spec + ONCE) for _ in range(2)]
    assert [("word " * 200, "end")] * 2 == [(reply.text, reply.finish) for reply in replies]
    assert 2 == len(server.calls)


@EACH
@pytest.mark.parametrize(("code", "kind"), [(429, Throttled), (529, Throttled), (500, TransportError)])
def test_throttling_is_distinguished_from_other_failures(ask: Ask, spec: str, code: int, kind: type):
    with model_server(scripted([]), faults=[status(code)]) as server, pytest.raises(TransportError) as caught:
        ask(server, spec + ONCE)
    assert kind is type(caught.value)


@EACH
@pytest.mark.parametrize(
    ("headers", "least_s", "most_s"),
    [({"retry_after": "7"}, 7, 7), ({"retry_after_ms": "2500"}, 2.5, 2.5), ({"retry_after": "DATE"}, 3_000, 3_600)],
)
def test_what_the_server_asks_to_wait_is_understood(
    ask: Ask, spec: str, headers: dict[str, str], least_s: float, most_s: float
):
    given = {name: value.replace("DATE", retry_after_date(3_600, time.time())) for name, value in headers.items()}
    with (
        model_server(scripted([]), faults=[status(529, **given)]) as server,
        pytest.raises(TransportError) as caught,
    ):
        ask(server, spec + ONCE)
    assert least_s <= (caught.value.retry_after_s or 0.0) <= most_s


@EACH
def test_a_wait_that_the_server_asks_for_is_kept(ask: Ask, spec: str):
    with model_server(scripted(["yes"]), faults=[status(429, retry_after_ms="400")]) as server:
        began = time.monotonic()
        assert "yes" == ask(server, spec + "?first_wait_s=0.01").text
    assert 0.4 <= time.monotonic() - began


@EACH
def test_a_wait_beyond_all_patience_ends_the_tries(ask: Ask, spec: str):
    with model_server(scripted([]), faults=[status(429, retry_after="90")] * 3) as server, pytest.raises(Throttled):
        ask(server, spec + "?max_wait_s=2")
    assert 1 == len(server.calls)


@pytest.mark.slow
@EACH
@pytest.mark.parametrize(
    ("code", "said"),
    [(400, "400"), (401, "_API_KEY"), (402, "credit"), (403, "has no access"), (404, "has no model"), (413, "413")],
)
def test_a_failure_that_a_retry_cannot_fix_is_not_retried(ask: Ask, spec: str, code: int, said: str):
    with (
        model_server(scripted([]), faults=[status(code)] * 9) as server,
        pytest.raises(ModelError, match=said) as caught,
    ):
        ask(server, spec + "?tries=5&first_wait_s=0.01")
    assert 1 == len(server.calls)
    assert (False, True) == (isinstance(caught.value, TransportError), caught.value.hint != "")


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("after", [1, 2, 6])
def test_a_stall_is_noticed_wherever_the_answer_stops(ask: Ask, spec: str, after: int):
    began = time.monotonic()
    fault = Fault(kind="stall", seconds=MOST_S, after_events=after)
    limits = f"?tries=9&idle_s=1&first_wait_s=0.01&first_byte_s={MOST_S}"
    with model_server(scripted(lambda _: "word " * 200), faults=[fault]) as server:
        assert "word " * 200 == ask(server, spec + limits).text
    assert time.monotonic() - began < MOST_S


@pytest.mark.slow
@EACH
def test_a_server_that_trickles_for_ever_is_left(ask: Ask, spec: str):
    slow = scripted(["word " * 400])
    fault = FAULTS["slow_body"]
    with (
        model_server(slow, faults=[type(fault)(kind="slow_body", seconds=30.0)]) as server,
        pytest.raises(TransportError, match="timed out"),
    ):
        ask(server, spec + "?tries=1&call_s=0.6")


@pytest.mark.slow
@pytest.mark.parametrize("spec", [CLAUDE, GPT, "ollama:x", "openai:x@http://127.0.0.1:9/v1"])
def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, ask: Ask, spec: str):
    with model_server(scripted([])) as server:
        pass
    monkeypatch.setenv("OLLAMA_BASE_URL", server.openai_url)
    with pytest.raises(TransportError) as caught:
        ask(server, spec + "?tries=1")
    assert "Is a server listening at 'http://127.0.0.1" in caught.value.hint


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_missing_extra_is_reported_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch, name: str):
    def found_nowhere(_: str) -> None:
        return None

    monkeypatch.setattr("retouch.models.endpoints.find_spec", found_nowhere)
    with pytest.raises(MissingTool) as caught:
        open_model(f"{name}:some-model")
    assert f'pip install "retouch[{PROVIDERS[name].extra}]"' in caught.value.hint


@pytest.mark.parametrize("name", ["anthropic", "openai", "google"])
def test_a_missing_key_is_reported_before_any_call(monkeypatch: pytest.MonkeyPatch, name: str):
    for variable in (*PROVIDERS[name].key_variables, PROVIDERS[name].url_variable):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(BadInput) as caught:
        open_model(f"{name}:some-model")
    assert PROVIDERS[name].key_variables[0] in str(caught.value)


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OLLAMA_API_KEY", raising=False)
    names = [open_model(spec).name for spec in ("ollama:llama3.2", "openai:x@http://127.0.0.1:8000/v1?tries=2")]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    assert ["ollama:llama3.2", "openai:x@http://127.0.0.1:8000/v1"] == names


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("anthropic:", "names a provider but no model"),
        ("openai:x@localhost:80", "is not a server address"),
        ("openai:x?tres=3", "no limit 'tres'; known are: tries"),
        ("openai:x?tries=three", "'three', which is not a number"),
        ("openai:x?tries=0", "out of range"),
        ("openai:x?idle_s=-1", "out of range"),
        ("openai:x?idle_s=nan", "out of range"),
        ("openai:x?cache=maybe", "'maybe'"),
    ],
)
def test_a_model_that_cannot_be_understood_is_refused(spec: str, said: str):
    with pytest.raises(BadInput, match=said):
        open_model(spec)


def test_limits_stand_behind_the_question_mark():
    endpoint = endpoint_of("ollama", "qwen3:8b@http://10.0.0.1:1/v1/?tries=2&tokens_per_minute=9e3&cache=none")
    assert ("qwen3:8b", "http://10.0.0.1:1/v1") == (endpoint.model, endpoint.url)
    tuning = endpoint.tuning
    assert (2, 9_000.0, "none", 300.0) == (tuning.tries, tuning.tokens_per_minute, tuning.cache, tuning.first_byte_s)
