"""Servers that a call names by their host: "on backup.example.com" for an argument `host` that is no URL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.binding import aimed_at
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import VERBS, word_set
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.acts import Qualifier

_HOSTS = word_set("host hostname server domain fqdn")
_BRINGING = word_set("download fetch get pull")
_TAKING = word_set("upload put push")
_NO_HOST = re.compile(r"\b(?:ids?|identifier|number|uuid|alias|label|ip)\b")


def host_limit(one: KnownTool, qualifier: Qualifier, *, widened: bool) -> Limit | None:
    """Return the test of hosts for the argument that takes one. None if no or several arguments do.

    `widened`: hosts below a domain are meant as well, as a prohibition has to.
    """
    args = [arg for arg in one.tool.args if _takes_host(one, arg)]
    args = args if len(args) == 1 else aimed_at(args, qualifier.word)
    if len(args) != 1 or any("/" in name for name in qualifier.names):
        return None
    starred = any("*" in name for name in qualifier.names)
    if widened:
        names = tuple(dict.fromkeys(each for name in qualifier.names for each in (name, f"*.{name.lstrip('*.')}")))
        return Limit(arg=args[0], like=names)
    return Limit(arg=args[0], like=qualifier.names) if starred else Limit(arg=args[0], among=qualifier.names)


def is_on_other_side(one: KnownTool, verb: str) -> bool:
    """Return whether what a verb does to files is not done on the host: a download writes to the local disk."""
    known = VERBS.get(verb)
    deeds = known.deeds if known is not None else frozenset[str]()
    brings, takes = one.verbs <= _BRINGING, one.verbs <= _TAKING
    return bool(deeds) and ((brings and "read" not in deeds) or (takes and deeds == frozenset({"read"})))


def is_host_argument(arg: str | None) -> bool:
    """Return whether the name of an argument says that it is a host."""
    return arg is not None and split_name(arg)[-1:] != [] and split_name(arg)[-1] in _HOSTS


def _takes_host(one: KnownTool, arg: str) -> bool:
    roles = set(one.tool.args[arg].all_roles)
    plain = one.takes_one_text(arg) and arg not in one.listed and not roles & (PATH_ROLES | URL_ROLES)
    return plain and is_host_argument(arg) and _NO_HOST.search(one.described(arg).lower()) is None
