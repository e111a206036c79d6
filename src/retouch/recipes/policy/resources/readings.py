"""Tests whether programs agree about a text: URLs by WHATWG and RFC 3986, paths, and names that become part of URLs.

A policy decides about one interpretation. If a tool may interpret the text differently, the decision does not cover
what the tool does, so the call is denied.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address
from unicodedata import category, normalize

from retouch.recipes.policy.resources.hosts import extract_domain, is_plain_host

_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_AUTHORITY = re.compile(
    r"(?:[A-Za-z0-9._~!$&'()*+,;=:%-]*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^@:\[\]]*)(?::[0-9]*)?", re.DOTALL
)
_SSH = re.compile(r"(?:[A-Za-z0-9_.+-]+@)?(?P<host>[^:/@]+):(?P<path>.*)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SCHEMES = frozenset({"http", "https", "ftp", "ftps", "ssh", "git", "file", "ws", "wss", "ext", "fd", "rsync"})
_UNRESERVED = re.compile(r"%(?:2[dDeEfF]|5[cCfF]|7[eE]|3[0-9]|4[1-9a-fA-F]|5[0-9aA]|6[1-9a-fA-F]|7[0-9aA])")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./@+=-]*")
_SEVERAL_PATHS = re.compile(r"[,;:|]\s*(?:~|\.\.?)?/|\s(?:~|\.\.)/")
_SEVERAL_URLS = re.compile(r"[,;|\s]\s*[A-Za-z][A-Za-z0-9+.-]*://")
_LOOSE_SPACE = re.compile(r"(?:^|/)\s|\s(?:/|$)")
_DOTS = re.compile(r"(?:^|/)\.{1,2}(?:/|$)")
_IDEOGRAPHIC_STOPS = frozenset("\u3002\uff0e\uff61")
_VARIABLE = re.compile(r"\$[A-Za-z_{(]|`")
_OTHER_HOME = re.compile(r"~[^/]")
_IN_ADDRESS = re.compile(r"[/\\%?#\s\x00-\x1f\x7f]|^\.{1,2}$")


def why_url_is_ambiguous(text: str) -> str | None:
    """Return why programs may extract different hosts from a URL. None if they agree.

    For example, in `http://example.com\\@127.0.0.1/` a browser sees example.com, and curl sees 127.0.0.1.
    """
    reason = _why_characters_are_ambiguous(text)
    if reason:
        return reason
    found = _URI.fullmatch(text)
    authority = None if found is None else _AUTHORITY.fullmatch(found["authority"])
    if found is None or authority is None:
        return "it does not have the form scheme://host/path"
    if found["rest"][:1] in {"?", "#"} and "@" in found["rest"]:
        return "programs disagree about where its host ends"
    if _SEVERAL_URLS.search(text):
        return "some programs read it as several URLs"
    return _why_host(authority["host"], extract_domain(text))


def why_remote_is_ambiguous(text: str) -> str | None:
    """Return why git and other programs may extract different hosts or repositories from a remote. None if they agree.

    A name without a colon, such as `origin`, is not a URL. The rules decide about it.
    """
    reason = _why_characters_are_ambiguous(text)
    if reason:
        return reason
    if "://" in text:
        path = _URI.fullmatch(text)
        rest = "" if path is None else path["rest"]
        return why_url_is_ambiguous(text) or _why_repository(rest)
    if ":" not in text:
        return None
    if "@[" in text:
        return "git connects to what is in brackets, wherever it stands"
    ssh = _SSH.fullmatch(text)
    if ssh is None or not is_plain_host(ssh["host"]) or ssh["host"].lower() in _SCHEMES:
        return "it is neither a URL nor of the form user@host:path"
    return "its path starts with a dash" if ssh["path"].startswith("-") else _why_repository(ssh["path"])


def _why_characters_are_ambiguous(text: str) -> str | None:
    if text != text.strip():
        return "it starts or ends with white space"
    if "\\" in text:
        return "it contains a backslash, which some programs read as a slash"
    return "it contains a control character" if _CONTROL.search(text) else None


def _why_host(host: str, whatwg: str) -> str | None:
    if host.startswith("["):
        try:
            same = ip_address(whatwg.strip("[]")) == IPv6Address(host[1:-1])
        except ValueError:
            same = False
        return None if same else "programs disagree about its address"
    if "%" in host:
        return "its host is percent-encoded"
    if host.isascii() and not is_plain_host(host):
        return "its host has characters that no host has, and some programs expand them"
    if host.isascii():
        return None if host.lower() == whatwg.lower() else f"programs disagree about its host: {host!r} or {whatwg!r}"
    try:
        other = host.encode("idna").decode()
    except UnicodeError:
        other = ""
    plain = normalize("NFKC", host.lower()) == host.lower() and _IDEOGRAPHIC_STOPS.isdisjoint(host)
    # some programs drop invisible characters
    plain = plain and all(one in "-._" or category(one)[0] in "LMN" for one in host)
    return None if plain and other == whatwg else f"programs disagree about its host: {host!r} or {whatwg!r}"


def _why_repository(path: str) -> str | None:
    if "?" in path or "#" in path:
        return "a remote has no query and no fragment"
    if _DOTS.search(path) or "//" in path:
        return "its path has dots or double slashes that programs resolve differently"
    return "its path has unnecessary percent-encoding" if _UNRESERVED.search(path) else None


def why_path_is_ambiguous(text: str) -> str | None:
    """Return why a tool may open another file than the path names. None if no reason is known."""
    if _PLAIN_PATH.fullmatch(text):
        return None
    if _LOOSE_SPACE.search(text) or _CONTROL.search(text):
        return "a name in it starts or ends with white space, or it contains a control character"
    if "\\" in text:
        return "it contains a backslash, which some programs read as a slash"
    if _URI.match(text) or text[:5].lower() == "file:":
        return "it is a URL, which some programs open as a file"
    if _SEVERAL_PATHS.search(text):
        return "some programs read it as several paths, or as a path on another machine"
    if _OTHER_HOME.match(text) or _VARIABLE.search(text):
        return "some programs replace a part of it: another user's home, a variable or a command"
    return None


def why_name_is_ambiguous(text: str, *, port: bool = False) -> str | None:
    """Return why a name that a tool inserts into a URL may lead elsewhere. None if it cannot. With `port` it may have
    one.

    For example, the repository `../../eve/x` of the owner ada is eve's.
    """
    if _IN_ADDRESS.search(text):
        return "it contains a separator of URLs"
    return "it contains a colon, which some programs read as a qualifier" if ":" in text and not port else None
