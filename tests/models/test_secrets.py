"""Secrets are never repeated, in any encoding."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from retouch.errors import BadInput
from retouch.models.endpoints import endpoint_of
from retouch.models.secrets import HIDDEN, can_be_sent, environment_key, redacted, without_password

KEY = 'sk-ant-"quoted\\"/+0123456789'


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.upper(),
        repr(KEY),
        json.dumps({"key": KEY}),
        json.dumps(json.dumps(KEY)),
        quote(KEY, safe=""),
        base64.b64encode(KEY.encode()).decode(),
        f"Bearer {KEY}.",
    ],
)
def test_a_key_is_hidden_however_it_is_written(monkeypatch: pytest.MonkeyPatch, written: str):
    monkeypatch.setenv("ANTHROPIC_API_KEY", f" {KEY}\n")
    told = redacted(f"before {written} after")
    assert (True, False, False) == (HIDDEN in told, "0123456789" in told, "quoted" in told)
    assert ("before ", " after") == (told[:7], told[-6:])


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "HTTPS_PROXY", "all_proxy"])
def test_the_password_in_an_address_is_hidden(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setenv(name, "http://me:pass%2Fword@host:1/v1")
    basic = base64.b64encode(b"me:pass/word").decode()
    assert f"me:{HIDDEN} {HIDDEN} {HIDDEN} host" == redacted(f"me:pass%2Fword pass/word {basic} host")


def test_what_is_short_or_no_secret_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://[broken:1/v1")
    monkeypatch.setenv("SOME_FOLDER", "a-folder-of-mine")
    assert "the key of a-folder-of-mine" == redacted("the key of a-folder-of-mine")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://me:word@host:1/v1@2", "http://host:1/v1@2"),
        ("https://me@host", "https://host"),
        ("http://host/v1", "http://host/v1"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, expected: str):
    assert expected == without_password(address)


def test_an_address_with_a_password_is_refused_where_it_would_be_written_down():
    with pytest.raises(BadInput) as caught:
        endpoint_of("openai", "x@http://me:secret-word@127.0.0.1:1/v1?tries=2")
    assert ("secret-word" in str(caught.value), "'http://127.0.0.1:1/v1'" in str(caught.value)) == (False, True)
    assert "OPENAI_BASE_URL" in caught.value.hint


def test_the_first_variable_that_is_set_gives_the_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("GEMINI_API_KEY", " second ")
    assert "second" == environment_key(("GOOGLE_API_KEY", "GEMINI_API_KEY"))
    monkeypatch.setenv("GOOGLE_API_KEY", "first")
    assert "first" == environment_key(("GOOGLE_API_KEY", "GEMINI_API_KEY"))


@pytest.mark.parametrize(
    ("key", "expected"), [("sk-1", True), ("", True), ("a b", True), ("a\tb", False), ("ä", False)]
)
def test_a_key_is_made_of_visible_characters(key: str, *, expected: bool):
    assert expected is can_be_sent(key)
