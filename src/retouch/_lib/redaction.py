"""Removes secrets from text that is written, shown or sent.

There are two kinds. *Exact values* of environment variables that contain keys are replaced everywhere. Text that only
*looks* like a key is replaced if nothing depends on it (command output, provider errors, views). Elsewhere it is
reported.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

T = TypeVar("T")

_PROVIDER = re.compile(r"_(?:API_KEY|AUTH_TOKEN)$", re.IGNORECASE)
_SECRET = re.compile(r"SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_KEY = re.compile(r"KEY|TOKEN", re.IGNORECASE)
_PATH = re.compile(r"(?:[/~.]|[A-Za-z]:[/\\])")
_PASSWORD = re.compile(r"://[^/\s@:]*:([^/\s@]+)@")
_LEAST_PROVIDER, _LEAST_SECRET, _LEAST_KEY, _SURELY_RANDOM = 6, 8, 12, 20
_IDENTITIES = frozenset({"type_name", "unit"})  # names must stay: a run finds its units by them


def environment_secrets(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the secrets of an environment, by default this process's. Maps each value to its variable.

    Variables of providers (`..._API_KEY`, `..._AUTH_TOKEN`) count from 6 characters. Others whose name contains SECRET,
    PASSWORD, PASSWD or CREDENTIAL count from 8, and with KEY or TOKEN from 12 if the value mixes letters with digits or
    both cases; paths, addresses, numbers and values such as `true` never count. A password in a URL counts under any
    variable name.

    For example:
        >>> environment_secrets({"MY_TOKEN": "aB3dE6gH9jK2", "TOKENIZERS_PARALLELISM": "false", "KEY_FILE": "/etc/key"})
        {'aB3dE6gH9jK2': 'MY_TOKEN'}
    """
    found: dict[str, str] = {}
    for name, raw in sorted((os.environ if environment is None else environment).items()):
        value = raw.strip()
        if "://" in value:
            for password in _passwords(value):
                found.setdefault(password, name)
            continue
        if _PROVIDER.search(name):
            is_secret = len(value) >= _LEAST_PROVIDER
        elif _PATH.match(value) or value.isdigit():
            is_secret = False
        elif _SECRET.search(name):
            is_secret = len(value) >= _LEAST_SECRET
        else:
            mixed = any(char.isdigit() for char in value) or value.lower() != value != value.upper()
            random = (len(value) >= _LEAST_KEY and mixed) or len(value) >= _SURELY_RANDOM
            is_secret = bool(_KEY.search(name)) and random and " " not in value
        if is_secret:
            found.setdefault(value, name)
    return found


def _passwords(address: str) -> Iterator[str]:
    from urllib.parse import unquote

    for match in _PASSWORD.finditer(address):
        for one in (match[1], unquote(match[1])):
            if len(one) >= _LEAST_SECRET:
                yield one


class Redactor:
    """Replaces exact values in every encoding: plain, in JSON, in a URL, in base64.

    `secrets` maps each value to the name in its placeholder. `replaced` are the names of the values found so far.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self.secrets = dict(secrets)
        self.replaced: set[str] = set()
        self._forms = _forms_of_all(tuple(self.secrets.items())) if secrets else dict[str, str]()

    def text(self, text: str) -> str:
        """Return `text` with each value replaced by `[redacted:NAME]`; the text itself if it contains none."""
        for form, name in self._forms.items():
            if form in text:
                text = text.replace(form, placeholder(name))
                self.replaced.add(name)
        return text

    def value(self, value: T) -> T:
        """Return plain data with each value replaced in its strings. Without a match, return the same object.

        Keys and unit names stay unchanged, because a run finds its data by them.
        """
        return replaced_in(value, self.text) if self._forms else value


def replaced_in(value: T, change: Callable[[str], str]) -> T:
    """Return plain data with `change` applied to each string except keys and unit names. May return `value` itself."""
    return cast("T", _replaced(value, change))


def _replaced(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        fields = cast("dict[Any, Any]", value)
        new: dict[Any, Any] = {
            key: one if key in _IDENTITIES else _replaced(one, change) for key, one in fields.items()
        }
        return fields if all(new[key] is one for key, one in fields.items()) else new
    if isinstance(value, list | tuple):
        items = cast("list[Any]", value)
        changed = [_replaced(one, change) for one in items]
        same = all(one is other for one, other in zip(items, changed, strict=True))
        return cast("Any", value) if same else tuple(changed) if isinstance(value, tuple) else changed
    return value


def placeholder(name: str) -> str:
    """Return the replacement for the secret `name`."""
    return f"[redacted:{name}]"


def forms_of(secret: str) -> set[str]:
    """Return all encodings of a secret: plain, escaped as JSON one or two times, percent-quoted, in base64."""
    import base64
    from html import escape
    from urllib.parse import quote, quote_plus

    plain = secret.encode("utf-8", "surrogateescape")
    encoded = {base64.b64encode(plain).decode(), base64.urlsafe_b64encode(plain).decode()}
    return {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(secret))[3:-3],
        repr(secret)[1:-1],
        escape(secret),
        quote(plain, safe=""),
        quote_plus(plain),
        *(one.rstrip("=") for one in encoded if len(one) >= _LEAST_KEY),
    }


@lru_cache(maxsize=4)
def _forms_of_all(secrets: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Return each form of each secret with the secret's name, longest first, since one may contain another."""
    forms = {form: name for value, name in secrets for form in forms_of(value)}
    return dict(sorted(forms.items(), key=lambda one: -len(one[0])))


_LATEST: list[Any] = [None, {}]  # a snapshot of the environment, and its secrets


def redactor() -> Redactor:
    """Return a new redactor for the secrets in this process's current environment.

    The environment is only read again if a variable has changed. `os.environ` decodes each variable at each reading,
    which took a fifth of a run's time, so the undecoded mapping behind it is compared where there is one.
    """
    raw = getattr(os.environ, "_data", os.environ)
    if _LATEST[0] != raw:
        _LATEST[:] = [dict(raw), environment_secrets(dict(os.environ))]
    return Redactor(_LATEST[1])


def redacted(value: T) -> T:
    """Return a text or plain data without the secrets of this environment. Without a match, return the same object."""
    return redactor().value(value)


def with_own_secrets(text: str, present: str) -> str:
    """Return the new text of a file with the secrets of its `present` text, which no model has seen.

    A placeholder of any other secret stays, so that an answer cannot copy it into the file.
    """
    for secret, name in redactor().secrets.items():
        if secret in present:
            text = text.replace(placeholder(name), secret)
    return text


@dataclass(frozen=True, kw_only=True)
class KeyFound:
    """A part of a text that looks like a key: the kind of key, its start and end, and its line."""

    kind: str
    start: int
    end: int
    line: int


_BY_RARITY = "_=/-:.9876543210ZJQXKVYWBGPFHUMDLNCRISTOAEzqjxvkwypbgfmcudlhrsnioate "  # the rarest in strings first


@cache
def mark_searches(*, weak: bool) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return expressions that find every text of which one is in each key. Each begins with a character, given with it.

    Searching a string for a rare character is much faster than for all of these substrings.
    """
    marks = dict.fromkeys(one for _, marks, _, is_weak in _key_patterns() if weak or not is_weak for one in marks)
    by_character: dict[str, list[str]] = {}
    for mark in marks:
        rare = min(mark, key=_BY_RARITY.index)
        before, _, after = mark.rpartition(rare)
        by_character.setdefault(rare, []).append(f"(?<={re.escape(before + rare)}){re.escape(after)}")
    return tuple((rare, re.compile(f"{re.escape(rare)}(?:{'|'.join(found)})")) for rare, found in by_character.items())


def keys_in(text: str, *, weak: bool = False) -> list[KeyFound]:
    """Return the parts of `text` that look like keys of well-known services, in order.

    With `weak`, also patterns that are common in examples: passwords in URLs and request headers.

    For example:
        >>> [one.kind for one in keys_in("token = 'ghp_" + "a1B2" * 9 + "'")]
        ['GitHub token']
    """
    for rare, search in mark_searches(weak=weak):
        if rare in text and search.search(text):
            break
    else:
        return []
    found = [
        KeyFound(kind=kind, start=match.start(), end=match.end(), line=text.count("\n", 0, match.start()) + 1)
        for kind, marks, pattern, is_weak in _key_patterns()
        if (weak or not is_weak) and any(mark in text for mark in marks)
        for match in pattern.finditer(text)
    ]
    return sorted(found, key=lambda one: (one.start, -one.end))


def without_keys(text: str) -> str:
    """Return `text` with each part that looks like a key replaced by its kind, and without this environment's secrets.

    Use it for command output, provider errors and views, where nothing depends on the text.
    """
    text = redacted(text)
    parts: list[str] = []
    done = 0
    for one in keys_in(text, weak=True):
        if one.start >= done:
            parts += [text[done : one.start], placeholder(one.kind)]
        done = max(done, one.end)
    return "".join((*parts, text[done:])) if parts else text


def view_of(value: T) -> T:
    """Return plain data for display, with likely keys removed from each string."""
    return replaced_in(value, without_keys)


@cache
def _key_patterns() -> tuple[tuple[str, tuple[str, ...], re.Pattern[str], bool], ...]:
    import tomllib
    from importlib.resources import files

    text = files("retouch._lib").joinpath("key_patterns.toml").read_text(encoding="utf-8")
    return tuple(
        (one["name"], tuple(one["has"]), re.compile(one["regex"]), one.get("weak", False))
        for one in tomllib.loads(text)["key"]
    )
