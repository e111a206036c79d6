"""Extracts the host of a URL by the rules of browsers (WHATWG), and matches hosts with patterns."""

from __future__ import annotations

import re
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import TYPE_CHECKING, Protocol, cast

from retouch.errors import MissingTool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SSH = re.compile(r"(?:[A-Za-z0-9_.+-]+@)?(?P<host>[^:/]+):(?P<path>.*)", re.DOTALL)
_NUMBERS = re.compile(r"\d+(?:\.\d+){3}", re.ASCII)
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:\d+|0[xX][0-9a-fA-F]*)\.?", re.ASCII | re.DOTALL)
_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*", re.ASCII)


_LOOPBACK = "127.0.0.1"
_OWN_HOSTS = frozenset({"localhost", str(IPv4Address(0)), "localhost.localdomain", "ip6-localhost", "ip6-loopback"})
_TRANSLATED = tuple(map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96", "::/96")))  # to IPv4


class _Parsed(Protocol):
    hostname: str
    href: str
    pathname: str


def normalize_url(text: str) -> str:
    """Return the URL as a browser writes it, without one trailing slash. Other text is returned unchanged."""
    url = _parsed(text)
    return text if url is None else url.href.removesuffix("/")


def browser_address(text: str) -> str:
    """Return the URL exactly as a browser writes it. Other text is returned unchanged."""
    url = _parsed(text)
    return text if url is None else url.href


def is_ssh_remote(text: str) -> bool:
    """Return whether a remote has the form `[user@]host:path`."""
    return _ssh(text) is not None


def extract_domain(text: str) -> str:
    """Return the host of a URL: lower case, ASCII, IPv4 as four numbers, IPv6 in brackets.

    Text that is not a URL is returned unchanged. For schemes without a host the result is empty.
    """
    url = _parsed(text)
    return text if url is None else url.hostname


def normalize_git_url(text: str) -> str:
    """Return a remote in normal form: `[user@]host:path` unchanged, anything else as `normalize_url`."""
    return text if _ssh(text) is not None else normalize_url(text)


def extract_git_domain(text: str) -> str:
    """Return host and path of a remote, for example `github.com/acme/tool`. Text that is not a URL is returned
    unchanged.

    The path has no leading or trailing slash and no `.git`. Without a path, only the host is returned.
    """
    ssh = _ssh(text)
    if ssh is not None:
        return _with_path(ssh["host"], ssh["path"])
    url = _parsed(text)
    return text if url is None else _with_path(url.hostname, url.pathname)


def _with_path(host: str, path: str) -> str:
    rest = path.removeprefix("/").removesuffix("/").removesuffix(".git").removesuffix("/")
    return f"{host}/{rest}" if rest else host


def _ssh(text: str) -> re.Match[str] | None:
    return None if "://" in text else _SSH.fullmatch(text)


def _parsed(text: str) -> _Parsed | None:
    try:
        return _parser()(text)
    except ValueError:  # also for text that cannot be encoded as UTF-8
        return None


@cache
def _parser() -> Callable[[str], _Parsed]:
    try:
        from ada_url import URL
    except ImportError as missing:
        hint = "Install it with: pip install 'retouch[policy]'"
        raise MissingTool("decisions about URLs need the extra 'policy' (ada-url)", hint=hint) from missing
    return cast("Callable[[str], _Parsed]", URL)


def is_ip(host: str) -> bool:
    """Return whether a host is an IP address: four numbers with dots, or any text with a colon."""
    return ":" in host or _NUMBERS.fullmatch(host) is not None


def is_host_name(text: str) -> bool:
    """Return whether a text can be a host and cannot be an IP address in any spelling.

    For example, `0x7f.1` and `2130706433` are 127.0.0.1 if they follow `http://`.
    """
    return is_plain_host(text) and _ENDS_IN_NUMBER.fullmatch(text) is None


def is_plain_host(text: str) -> bool:
    """Return whether a text only has letters, digits, dots, dashes and underscores, as hosts do."""
    return _HOST.fullmatch(text) is not None


class DomainPatterns:
    """A set of host patterns that matches with one look-up per label of a host.

    - `*` matches any host that is not an IP address.
    - `*.x` matches x and everything that ends in .x.
    - A pattern with a slash must equal the whole value.
    - Any other pattern must equal the host, which is the part before the first slash.

    Matching is case-sensitive. `strict` patterns only match text that can be a host (semantics 2). Otherwise `*`
    matches any text, as in the public engine. With `any_spelling`, hosts are compared by `one_address`, so that a
    forbidden host cannot be reached by another spelling or another form of its address.
    """

    def __init__(self, patterns: Iterable[str], *, strict: bool = False, any_spelling: bool = False) -> None:
        texts = tuple(map(one_address, patterns) if any_spelling else patterns)
        self.strict = strict
        self.any_spelling = any_spelling
        self.any_name = "*" in texts
        self.endings = frozenset(text[2:] for text in texts if text.startswith("*."))
        self.longest = max(map(len, self.endings), default=0)
        rest = [text for text in texts if text != "*" and not text.startswith("*.")]
        whole = (text for text in rest if "/" in text)
        self.whole = frozenset(map(one_repository, whole) if any_spelling else whole)
        self.hosts = frozenset(text for text in rest if "/" not in text)

    def fit(self, value: str) -> bool:
        """Return whether one of the patterns matches `value`, a host with or without a path."""
        value = one_address(value) if self.any_spelling else value
        host = value.partition("/")[0]
        if host in self.hosts:
            return True
        if self.whole and (one_repository(value) if self.any_spelling else value) in self.whole:
            return True
        if self.any_name and (is_host_name(host) if self.strict else not is_ip(host)):
            return True
        return bool(self.endings) and self._fits_ending(host)

    def _fits_ending(self, host: str) -> bool:
        if host in self.endings:
            return True
        # A text such as `evil.net?.example.com` ends like an allowed host but is not one.
        if not is_plain_host(host):
            return False
        dot = host.find(".", max(0, len(host) - self.longest - 1))  # a longer host costs no more
        while dot >= 0:
            if host[dot + 1 :] in self.endings:
                return True
            dot = host.find(".", dot + 1)
        return False


def one_spelling(value: str) -> str:
    """Return a host, with or without a path, in its usual spelling: lower case, without a final full stop."""
    host, slash, path = value.partition("/")
    return f"{(host.lower() if host.isascii() else host).removesuffix('.')}{slash}{path}"


def one_address(value: str) -> str:
    """Return a host, with or without a path, so that strings for the same machine are equal, as far as is known.

    Addresses of the machine itself become `127.0.0.1`, and IPv6 addresses that represent an IPv4 address become that.

    Example:
        >>> [one_address(one) for one in ("X.Example./a", "[::ffff:a00:1]", "app.localhost")]
        ['x.example/a', '10.0.0.1', '127.0.0.1']
    """
    host, slash, path = one_spelling(value).partition("/")
    if host[:1] == "[":
        host = _plain_address(host)
    elif not host.isascii():
        host = _in_ascii(host)
    own = host in _OWN_HOSTS or host.endswith(".localhost") or (host.startswith("127.") and is_ip(host))
    return f"{_LOOPBACK if own else host}{slash}{path}"


def one_repository(value: str) -> str:
    """Return a host with a path, so that strings for the same repository are equal, as far as is known.

    Forges ignore the case of owners and repositories, and have other hosts for SSH over HTTPS.

    Example:
        >>> one_repository("ssh.github.com/Ada/X.git")
        'github.com/ada/x'
    """
    host, slash, path = one_address(value).partition("/")
    host = host.removeprefix("www.").removeprefix("altssh.").removeprefix("ssh.")
    path = path.lower()
    while path.endswith(".git"):
        path = path.removesuffix(".git")
    return f"{host}{slash}{path}"


def _in_ascii(host: str) -> str:
    """Return a host as it is written in addresses, for example `xn--bcher-kva.example` for `bücher.example`."""
    name = host.removeprefix("*.")
    found = extract_domain(f"http://{name}/")
    return f"{host[: len(host) - len(name)]}{found if is_plain_host(found) else name}"


def _plain_address(host: str) -> str:
    """Return the IPv4 address that an IPv6 address in brackets represents, otherwise its usual spelling."""
    try:
        address = IPv6Address(host[1:-1])
    except ValueError:
        return host
    if address.is_loopback or int(address) == 0:
        return _LOOPBACK
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and any(address in one for one in _TRANSLATED):
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    return f"[{address}]" if inner is None else str(inner)


def domain_matches(value: str, patterns: Iterable[str]) -> bool:
    """Return whether one of `patterns` matches `value`, a host with or without a path. See `DomainPatterns`."""
    return DomainPatterns(patterns).fit(value)
