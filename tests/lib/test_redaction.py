"""What counts as a secret, how it is found however it is written, and what only looks like a key."""

from __future__ import annotations

import base64
import json
import tomllib
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch._lib import redaction
from retouch._lib.redaction import Redactor, environment_secrets, keys_in, mark_searches, view_of, without_keys

SECRET = 'aB3$/+"quoted\\"&9ü'


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("ANTHROPIC_API_KEY", "short6", True),
        ("ANTHROPIC_API_KEY", "short", False),
        ("DB_PASSWORD", "hunter2!", True),
        ("DB_PASSWORD", "hunter2", False),
        ("MY_SECRET", "all small letters", True),
        ("GITHUB_TOKEN", "aB3dE6gH9jK2", True),
        ("npm_config__authToken", "abcdefghijklmnopqrst", True),
        ("KEYBOARD_LAYOUT", "altgr-intl-x", False),
        ("TOKENIZERS_PARALLELISM", "false", False),
        ("SSH_KEY_PATH", "/home/me/.ssh/id_ed25519", False),
        ("GOOGLE_APPLICATION_CREDENTIALS", "~/key-0123456789.json", False),
        ("TOKEN_COUNT", "123456789012345", False),
        ("HOME_DIR", "aB3dE6gH9jK2mN5p", False),
        ("KEY_SERVER", "https://keys.example.org/v1", False),
    ],
)
def test_a_value_is_a_secret_by_its_variable_and_its_form(name: str, value: str, *, expected: bool):
    assert ({value: name} if expected else {}) == environment_secrets({name: f" {value}\n"})


def test_the_password_in_any_address_is_a_secret():
    found = environment_secrets({"DATABASE_URL": "postgres://me:p%40ssword@db/x", "HTTPS_PROXY": "http://proxy:1"})
    assert {"p%40ssword": "DATABASE_URL", "p@ssword": "DATABASE_URL"} == found


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps(json.dumps({"a": SECRET})),
        repr(SECRET),
        escape(SECRET),
        quote(SECRET, safe=""),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
    ],
)
def test_a_secret_is_replaced_however_it_is_written(written: str):
    clean = Redactor({SECRET: "MY_KEY"})
    text = clean.text(f"before {written} after")
    assert ("before", "after") == (text.split()[0], text.split()[-1])
    assert ("[redacted:MY_KEY]" in text, {"MY_KEY"}) == (True, clean.replaced)
    assert "quoted" not in text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just(f"a {SECRET} b"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    )
)
def test_plain_data_keeps_its_shape_and_is_the_same_object_where_nothing_is_replaced(value: Any):
    clean = Redactor({SECRET: "K"})
    found = clean.value(value)
    assert json.dumps(value).replace(json.dumps(SECRET)[1:-1], "[redacted:K]") == json.dumps(found)
    assert (found is value) == (not clean.replaced)


def test_names_of_units_and_keys_of_objects_stay():
    row = {"type_name": SECRET, "prompt": {"unit": SECRET}, SECRET: 1}
    assert row is Redactor({SECRET: "K"}).value(row)


KEYS = [
    ("private key", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"),
    ("AWS access key", "AKIA" + "A2B3C4D5E6F7G2H3"),
    ("GitHub token", "ghp_" + "a1B2" * 9),
    ("GitHub token", "github_pat_" + "a" * 22 + "_" + "b1" * 29 + "c"),
    ("GitLab token", "glpat-" + "a1B2c3D4e5F6g7H8i9J0"),
    ("OpenAI key", "sk-proj-" + "a1_B" * 10),
    ("OpenAI key", "sk-" + "a1B2" * 12),
    ("Anthropic key", "sk-ant-api03-" + "a1_B" * 10),
    ("Google API key", "AIza" + "a1B2c" * 7),
    ("Slack token", "xoxb-" + "123456789012-" + "a1B2" * 6),
    ("webhook address", "https://hooks.slack.com/services/" + "T0/B0/" + "a1B2" * 8),
    ("Stripe key", "sk_live_" + "a1B2" * 6),
    ("npm token", "npm_" + "a1B2" * 9),
    ("Hugging Face token", "hf_" + "aB" * 17),
    ("SendGrid key", "SG." + "a" * 22 + "." + "b" * 43),
    ("Telegram bot token", "123456789:AA" + "a1B" * 11),
    ("JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ"),
    ("Azure storage key", "AccountKey=" + "aB" * 43 + "=="),
    ("cloud provider token", "hvs." + "a1B2" * 6),
    ("registry or service token", "dckr_pat_" + "a1B" * 9),
]


@pytest.mark.parametrize(("kind", "key"), KEYS)
def test_a_key_of_a_known_service_is_found_with_its_line(kind: str, key: str):
    found = keys_in(f"first\nx = '{key}'\n")
    assert [(kind, 2, key)] == [(one.kind, one.line, f"first\nx = '{key}'\n"[one.start : one.end]) for one in found]
    assert f"a [redacted:{kind}] b" == without_keys(f"a {key} b")


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn and sk-based-names-with-many-parts-in-them",
        "a hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "d290f1ee-6c54-4b01-90e6-d701748f0851",
        "ghp_short npm_config_registry key-value AIzaShort hf_hub_download gsk_x",
        "AKIAIOSFODNN7 and MAKIAIOSFODNN7EXAMPLEX",
        "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
        "https://user@example.org/path and http://[::1]:8080/a:b",
    ],
)
def test_ordinary_text_is_no_key(text: str):
    assert ([], text) == (keys_in(text), without_keys(text))


def test_what_examples_are_full_of_is_replaced_in_views_and_never_reported():
    text = "postgres://me:passw0rd@db Authorization: Bearer abcdefghijklmnop0123"
    assert [] == keys_in(text)
    expected = "postgres://[redacted:password in an address]@db [redacted:authorization header]"
    assert {"a": [expected]} == view_of({"a": [text]})


@given(st.text(max_size=200))
def test_any_text_can_be_looked_at(text: str):
    assert isinstance(without_keys(text), str)


PATTERNS = tomllib.loads(Path(redaction.__file__).with_name("key_patterns.toml").read_text(encoding="utf-8"))
MARKS = [mark for key in PATTERNS["key"] for mark in key["has"]]


@given(st.text(), st.sampled_from(MARKS), st.text())
def test_a_text_with_the_mark_of_a_key_is_never_passed_over(before: str, mark: str, after: str):
    def is_marked(text: str) -> bool:
        return any(rare in text and search.search(text) for rare, search in mark_searches(weak=True))

    assert is_marked(before + mark + after)
    shorter = before + mark[1:] + after
    assert any(one in shorter for one in MARKS) is is_marked(shorter)
