"""Parses e-mail addresses in a text: plain, with a display name, or several in a list."""

from __future__ import annotations

import re
from unicodedata import normalize
from urllib.parse import unquote

_ADDRESS = r"[A-Za-z0-9.#$&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?"
_ONE = re.compile(rf"(?:(?:\"[^\"\\@<>,;]*\"|[^\"\\@<>,;:()\[\]]*)[ \t]*<(?P<angled>{_ADDRESS})>|(?P<bare>{_ADDRESS}))")
_ENCODED_WORD = "=?"
_DOTS_IGNORED = frozenset({"gmail.com", "googlemail.com"})


def addresses_in(text: str) -> tuple[str, ...] | None:
    """Return the plain addresses in a text. None if mail programs may parse it differently.

    `Bob <bob@corp.example>, eve@corp.example` contains two. Mail programs differ on comments, quoted local parts,
    groups, routes (`evil.example!eve@corp.example`) and encoded words, so a text with one of these gives None.

    Example:
        >>> addresses_in("Bob <bob@corp.example>; eve@corp.example")
        ('bob@corp.example', 'eve@corp.example')
    """
    if _ENCODED_WORD in text:
        return None
    found: list[str] = []
    for piece in re.split(r"[,;]", text):
        one = _ONE.fullmatch(piece.strip(" \t"))
        if one is None:
            return None
        found.append(one["angled"] or one["bare"])
    return tuple(found)


def mailbox_of(address: str) -> str:
    """Return the mailbox of an address, for prohibitions: without suffix, in lower case, without dots if they are
    ignored.

    Example:
        >>> mailbox_of("E.ve+news@GMail.com.")
        'eve@gmail.com'
    """
    local, _, domain = address.lower().rpartition("@")
    domain = domain.removesuffix(".")
    local = local.partition("+")[0] or local
    if domain in _DOTS_IGNORED:
        return f"{local.replace('.', '')}@gmail.com"
    return f"{local}@{domain}"


def may_name_mailbox(text: str) -> bool:
    """Return whether a mail program may find an address in a text that `addresses_in` cannot parse."""
    return "=?" in text or "@" in normalize("NFKC", unquote(text))


def normalized_addresses(text: str) -> str:
    """Return the plain addresses of a text, separated by commas. A text that cannot be parsed is returned unchanged."""
    found = addresses_in(text)
    return text if found is None else ", ".join(found)
