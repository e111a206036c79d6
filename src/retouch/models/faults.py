"""General failures of models, which need no knowledge of a recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from retouch.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from retouch.engine.types import Reply, Request

TextFault: TypeAlias = Callable[[str, Random], str]
ReplyFault: TypeAlias = "Callable[[Request, Reply, Random], Reply]"

_LANGUAGES = ("", "text", "csharp", "cs", "json", "yaml", "python")
_INTROS = (
    "Sure! Here is the code you asked for:",
    "Here's the complete result:",
    "Below is the implementation, following all the rules above.",
    "Certainly. I have taken care of every requirement:",
)
_OUTROS = (
    "Let me know if you would like any changes!",
    "This covers everything that was listed.",
    "Note that I kept the order of the input.",
    "I hope this helps.",
)
_REFUSALS = (
    "I'm sorry, but I can't help with that request.",
    "I am not able to produce this content.",
    "I can't assist with that. Is there something else I can do?",
    "Sorry, this is something that I have to decline.",
)
_SUMMARIES = (
    "I have produced the {lines} lines that were asked for, in the requested order and without omissions.",
    "The result has {lines} lines and follows all rules. It is complete and ready to use.",
    "Done: everything that the request lists is covered ({lines} lines).",
    "The output was written as described. It contains {lines} lines; nothing else was changed.",
)
_EMPTY = ("", "\n", " ", "\n\n")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of failure: its weight among others, its effect, and what makes it disappear.

    `heals` is "named" if a retry must name the issue, "asked" if any retry can help, and "cap" if only a larger output
    cap helps.
    """

    weight: float
    damage: ReplyFault
    heals: str = "named"


def of_recipe(fault: TextFault, *, weight: float) -> Kind:
    """Return a recipe's fault, a function from text and random generator to text, as a kind."""
    return Kind(weight=weight, damage=lambda _request, reply, random: _with_text(reply, fault(reply.text, random)))


def general_kinds() -> Mapping[str, Kind]:
    """Return the failures that any model shows, by name. Their weights sum to one."""
    return {
        "fence": Kind(weight=0.25, damage=_fence),
        "prose": Kind(weight=0.25, damage=_prose),
        "summary": Kind(weight=0.2, damage=_summary),
        "truncation": Kind(weight=0.15, damage=_truncation, heals="cap"),
        "refusal": Kind(weight=0.075, damage=_refusal, heals="asked"),
        "empty": Kind(weight=0.075, damage=_empty, heals="asked"),
    }


def _with_text(reply: Reply, text: str) -> Reply:
    return reply if text == reply.text else replace(reply, text=text, output_tokens=estimate_tokens(text))


def _fenced(text: str, random: Random) -> str:
    bar = random.choice(("```", "```", "~~~", "````"))
    end = random.choice((f"\n{bar}", f"\n{bar}\n", f"\n\n{bar}", ""))  # the last one: a fence that is never closed
    return f"{bar}{random.choice(_LANGUAGES)}\n{text.rstrip()}{end}"


def _fence(_request: Request, reply: Reply, random: Random) -> Reply:
    return _with_text(reply, _fenced(reply.text, random))


def _prose(_request: Request, reply: Reply, random: Random) -> Reply:
    body = _fenced(reply.text, random) if random.random() < 0.5 else reply.text.rstrip()
    return _with_text(reply, f"{random.choice(_INTROS)}\n\n{body}\n\n{random.choice(_OUTROS)}\n")


def _summary(_request: Request, reply: Reply, random: Random) -> Reply:
    return _with_text(reply, random.choice(_SUMMARIES).format(lines=len(reply.text.splitlines())))


def _truncation(request: Request, reply: Reply, random: Random) -> Reply:
    keep = random.randint(len(reply.text) // 4, max(len(reply.text) * 9 // 10, 1))
    return replace(reply, text=reply.text[:keep], finish="length", output_tokens=request.max_output_tokens)


def _refusal(_request: Request, reply: Reply, random: Random) -> Reply:
    return replace(_with_text(reply, random.choice(_REFUSALS)), finish="refused")


def _empty(_request: Request, reply: Reply, random: Random) -> Reply:
    return replace(reply, text=random.choice(_EMPTY), output_tokens=0)
