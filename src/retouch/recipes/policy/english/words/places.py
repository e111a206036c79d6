"""Parses directories, hosts and names in sentences. Only those that a rule can represent exactly are accepted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.scanning import Unclear, Words
from retouch.recipes.policy.english.words.sentences import ANYWHERE, Members, Place
from retouch.recipes.policy.resources.hosts import extract_domain, is_host_name
from retouch.recipes.policy.resources.paths import nameable, tidy

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN_FOLDER = re.compile(r"[~/](?:[\w.@+=~/-]*[\w/~+=])?")
_TOP_LEVEL = re.compile(r"(?:xn--[a-z0-9-]+|[a-z]{2,})")
_LIST = re.compile(r"@[a-z0-9]+(?:-[a-z0-9]+)*")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+")


def place(words: Words) -> Place:
    """Return the place that comes next, or ANYWHERE if there is none.

    Raises:
        Unclear: the text is not a directory, or is inside the sandbox, where no rule applies.
    """
    if words.skip("outside"):
        words.need("the sandbox")
        return Place(outside_sandbox=True)
    if words.skip("inside the sandbox", "in the sandbox", "within the sandbox"):
        raise Unclear("calls inside the sandbox are decided before any rule; remove the sentence")
    if words.skip("inside", "within", "in", "under", "below"):
        return Place(folders=words.several(folder))
    return ANYWHERE


SUBFOLDERS = (
    "and its subfolders",
    "and all its subfolders",
    "and its subdirectories",
    "and all its subdirectories",
    "and everything below it",
    "and everything in it",
)
"""What a directory includes anyway."""


def folder(words: Words) -> str:
    """Return a directory, absolute or starting with `~`, without dot segments.

    Raises:
        Unclear: the text is not such a directory.
    """
    quoted = words.next_is_quoted
    found = plain_folder(words.take("a directory such as ~/Documents"), quoted=quoted)
    words.skip(*SUBFOLDERS)
    return found


def plain_folder(text: str, *, quoted: bool) -> str:
    """Return a directory as a rule needs it.

    Raises:
        Unclear: it is not absolute and does not start with `~`, or may include punctuation of the sentence.
    """
    if not quoted and text.startswith(("/", "~/")) and not _PLAIN_FOLDER.fullmatch(text):
        raise Unclear(f"{text!r} may include punctuation of the sentence; write the directory in backticks")
    path = text.rstrip("/") or "/"
    whole = f"/home{path[1:]}" if path == "~" or path.startswith("~/") else path
    if not whole.startswith("/") or not nameable(path) or tidy(whole) != whole or any(one in path for one in "*?"):
        raise Unclear(
            f"{text!r} is not a directory that starts with / or ~/, without dot segments, stars and double slashes"
        )
    return path


def sites(words: Words, *, role: str) -> Members:
    """Return the hosts that come next: `example.com`, `example.com and its subdomains`, `@list`.

    Raises:
        Unclear: one of them is not a host name.
    """
    names = words.several(site)
    return Members(role=role, kind="domains", names=names)


def site(words: Words) -> str:
    """Return one host as a pattern.

    Raises:
        Unclear: the text is not a host name.
    """
    words.skip("the list")
    text = words.take("a host such as example.com")
    if _LIST.fullmatch(text):
        return text
    host = text.lower()
    if not is_host(host):
        why = "write it as example.com, in ASCII; for its subdomains add 'and its subdomains'"
        raise Unclear(f"{text!r} is not a host name: {why}")
    return f"*.{host}" if words.skip("and its subdomains", "and all its subdomains") else host


def is_host(text: str) -> bool:
    """Return whether a text can only be a host. `main` and `origin` are branches and remotes."""
    sound = is_host_name(text) and not text.endswith(".") and extract_domain(f"https://{text}") == text
    _, dot, last = text.rpartition(".")
    return sound and (text == "localhost" or (bool(dot) and _TOP_LEVEL.fullmatch(last) is not None))


def remotes(words: Words) -> Members:
    """Return the git remotes that come next: a host, `github.com/acme/tool`, or `@list`.

    Raises:
        Unclear: one of them is neither.
    """
    return Members(role="git-remote-url", kind="domains", names=words.several(_remote))


def _remote(words: Words) -> str:
    text = words.take("a remote such as github.com/acme/tool")
    if _LIST.fullmatch(text):
        return text
    host, slash, path = text.partition("/")
    known = is_host(host.lower())
    sound = not slash or (_REPOSITORY.fullmatch(path) and not path.endswith(".git") and tidy(f"/{path}") == f"/{path}")
    if not known or not sound:
        raise Unclear(f"{text!r} is not a remote: write host or host/owner/repository, without https:// and .git")
    return f"{host.lower()}{slash}{path}"


def members(words: Words) -> Members | None:
    """Return the members that a sentence about tools is limited to. None if it is not limited.

    Raises:
        Unclear: the kind of members is unknown, or one of them is invalid.
    """
    if not words.skip("for"):
        return None
    words.skip("the")
    if words.skip("github owners", "github owner", "owners", "owner"):
        return Members(role="github-owner", kind="identifiers", names=words.several(_plain(_NAME, "an owner")))
    if words.skip("email addresses", "email address"):
        return Members(role="email-address", kind="emails", names=words.several(_plain(_EMAIL, "an email address")))
    if words.skip("sites", "site"):
        return sites(words, role="fetch-url")
    if words.skip("git remotes", "git remote"):
        return remotes(words)
    raise words.unclear("'the owner', 'the email address', 'the site' or 'the git remote'")


def _plain(pattern: re.Pattern[str], what: str) -> Callable[[Words], str]:
    def one(words: Words) -> str:
        text = words.take(what)
        if not pattern.fullmatch(text) and not _LIST.fullmatch(text):
            raise Unclear(f"{text!r} is not {what}")
        return text

    return one
