"""Sentences about who gets a copy of an e-mail: "don't cc or bcc anyone unless they are at acme.example"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart

_COPY = r"(?:b?cc(?:ing|['\u2019]ing)?)"
_DOMAIN = r"@?(?P<{}>(?:[a-z0-9-]+\.)+[a-z]{{2,}})"
_WHO = r"(?:any(?:one|body)|some(?:one|body)|people|others)(?: else)?"
_THEY = (
    r"(?:(?:they|those people) (?:are|have an? (?:e-?mail )?address)|"
    r"their (?:e-?mail )?address(?:es)? (?:is|are)|it is)"
)
_SENTENCE = re.compile(
    r"(?:please )?(?:(?P<ask>(?:always )?(?:ask(?: me)?|check with me) before (?:you )?)|"
    r"(?:never|do not|don['\u2019]t) )"
    rf"(?P<how>{_COPY}(?:(?: or | and |/){_COPY})?) {_WHO}"
    rf"(?: (?:from |who is |who are |that is )?(?:outside(?: of)?|not (?:at|from)|except(?: people)?(?: at| from)?) "
    rf"{_DOMAIN.format('outside')}|,? unless {_THEY} (?:at |from |in |on )?{_DOMAIN.format('unless')}|"
    rf" (?:at|from) {_DOMAIN.format('inside')}|)[.!]?",
    re.IGNORECASE,
)


def copying_meaning(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about copies to people inside or outside a domain means. None if it is another one.

    It is about every tool that takes such addresses, drafts included: they are sent as they are.
    """
    found = _SENTENCE.fullmatch(text.strip())
    if found is None:
        return None
    how = {name for name in ("cc", "bcc") if re.search(rf"\b{name}", found["how"].lower())}
    domain = found["outside"] or found["unless"] or found["inside"]
    names = (f"*@{domain.lower()}",) if domain else ()
    parts = frozenset(
        part for one in toolbox.tools for part in _copies(one, how, names, inside=found["inside"] is not None)
    )
    if not parts or any("email-address" in one.roles and not how <= _own(one) for one in _sending(toolbox)):
        return None
    code = frozenset(part_of(one) for one in toolbox.tools if one.code)
    return Meaning(ask=parts | code) if found["ask"] else Meaning(never=parts | code)


def _own(one: KnownTool) -> set[str]:
    """Return the arguments of a tool, in lower case."""
    return {arg.lower() for arg in one.tool.args}


def _sending(toolbox: Toolbox) -> Iterator[KnownTool]:
    """Yield the tools that take some addresses for copies."""
    return (one for one in toolbox.tools if not one.reads and _own(one) & {"cc", "bcc"})


def _copies(one: KnownTool, how: set[str], names: tuple[str, ...], *, inside: bool) -> Iterator[ToolPart]:
    """Yield the calls of a tool that give a copy to somebody whom a sentence is about."""
    for arg in one.tool.args if not one.reads else ():
        if arg.lower() in how:
            among = (Limit(arg=arg, emails=names),) if names else ()
            some = (
                Limit(arg=arg, state="present"),
                *([Limit(arg=arg, size="items", above=0)] if arg in one.lists else []),
            )
            yield part_of(one, where=(*some, *among)) if inside else part_of(one, where=some, unless=among)
