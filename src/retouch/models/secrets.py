"""Keys and passwords: finds them in the environment, and removes them from messages and files."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from retouch._lib.redaction import environment_secrets, forms_of, without_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HIDDEN = "***"
_SHORTEST = 6  # a shorter text also occurs in ordinary words
_SECRET_VARIABLES = re.compile(r"_(?:API_KEY|AUTH_TOKEN|BASE_URL)$|_PROXY$", re.IGNORECASE)  # variables with secrets


def environment_key(variables: Iterable[str]) -> str:
    """Return the key in the first of the environment `variables` that is set, or ""."""
    return next((value for name in variables if (value := os.environ.get(name, "").strip())), "")


def can_be_sent(key: str) -> bool:
    """Return whether `key` is valid in a request header: visible ASCII characters and blanks."""
    return key.isascii() and key.isprintable()


def without_password(address: str) -> str:
    """Return an address without its user and password."""
    head, slashes, rest = address.partition("//")
    host, slash, path = rest.partition("/")
    return head + slashes + host.rpartition("@")[2] + slash + path


def redacted(text: str) -> str:
    """Return a provider's text without this environment's secrets, in any case, and without anything that looks like a
    key.

    They are replaced in every encoding: plain, as JSON, quoted, in base64.
    """
    forms = sorted({form for secret in _secrets() for form in forms_of(secret)}, key=len, reverse=True)
    text = re.sub("|".join(map(re.escape, forms)), HIDDEN, text, flags=re.IGNORECASE) if forms else text
    return without_keys(text)


def _secrets() -> Iterator[str]:
    yield from environment_secrets()
    for name, value in os.environ.items():
        if _SECRET_VARIABLES.search(name):
            found = _in_address(value) if "://" in value else [value.strip()]
            yield from (secret for secret in found if len(secret) >= _SHORTEST)


def _in_address(address: str) -> list[str]:
    """Return the password in an address: as written, decoded, and as in a request header."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return []
    if not parts.password:
        return []
    decoded = unquote(parts.password)
    return [parts.password, decoded, f"{unquote(parts.username or '')}:{decoded}"]
