"""Keys and passwords: where they are found, and how they are kept out of what is said, shown and written."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from retouch._lib.redaction import environment_secrets, forms_of, without_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HIDDEN = "***"
_SHORTEST = 6  # what is shorter stands in ordinary words as well
_TELLING = re.compile(r"_(?:API_KEY|AUTH_TOKEN|BASE_URL)$|_PROXY$", re.IGNORECASE)  # variables that hold secrets


def environment_key(variables: Iterable[str]) -> str:
    """Return the key in the first of the environment `variables` that is set, "" when none is."""
    return next((value for name in variables if (value := os.environ.get(name, "").strip())), "")


def can_be_sent(key: str) -> bool:
    """Return whether `key` can stand in the head of a request: visible ASCII characters and blanks."""
    return key.isascii() and key.isprintable()


def without_password(address: str) -> str:
    """Return an address without the user and the password in it."""
    head, slashes, rest = address.partition("//")
    host, slash, path = rest.partition("/")
    return head + slashes + host.rpartition("@")[2] + slash + path


def redacted(text: str) -> str:
    """Return the words of a provider without this environment's secrets in any case, and without what looks like a key.

    They are replaced however they are written: plain, as JSON, quoted, in base64.
    """
    forms = sorted({form for secret in _secrets() for form in forms_of(secret)}, key=len, reverse=True)
    text = re.sub("|".join(map(re.escape, forms)), HIDDEN, text, flags=re.IGNORECASE) if forms else text
    return without_keys(text)


def _secrets() -> Iterator[str]:
    yield from environment_secrets()
    for name, value in os.environ.items():
        if _TELLING.search(name):
            found = _in_address(value) if "://" in value else [value.strip()]
            yield from (secret for secret in found if len(secret) >= _SHORTEST)


def _in_address(address: str) -> list[str]:
    """Return the password in an address as it stands there and as it is meant, and as a request's head has it."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return []
    if not parts.password:
        return []
    meant = unquote(parts.password)
    return [parts.password, meant, f"{unquote(parts.username or '')}:{meant}"]
