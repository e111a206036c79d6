"""Plans cache markers: from the provider, the model, the sizes and the expected repairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch._lib.counting import counted
from retouch.models.cache_cost import Conversation, pages_cost, pays
from retouch.models.cache_facts import CacheFacts, cache_facts
from retouch.models.tokens import request_tokens, system_tokens

if TYPE_CHECKING:
    from retouch.engine.types import Request
    from retouch.models.cache_load import Load

_CHARACTERS_PER_TOKEN = 2.5  # texts are rarely denser, so a text that is long by this measure is not counted
_WORTH_A_WAIT = 512  # tokens: a server reads a shorter text in less time than others would wait for its first call
_TURNS = 2  # marked turns of a conversation: the one that is written, and the one before it, which is read


OF_THE_SERVER = (
    "no markers are sent: the server itself decides what it keeps (for example, llama.cpp the beginning that a request "
    "shares with an earlier one of its slot); a hit saves time, and no lower price is assumed"
)


@dataclass(frozen=True, kw_only=True)
class CachePlan:
    """The positions of cache markers, and the reasons.

    mark_shared      after the system text
    mark_first       after a page's own first turn
    mark_follow_ups  after the newest turn of a conversation that has continued
    mark_sessions    after every turn of pages that open a session
    expected_share   input cost of the run's first answers as a share of the cost without a cache; None if the load is
                     not known
    why              one sentence for each decision
    """

    facts: CacheFacts
    mark_shared: bool = False
    mark_first: bool = False
    mark_follow_ups: bool = False
    mark_sessions: bool = False
    expected_share: float | None = None
    why: tuple[str, ...] = ()

    @property
    def caches_prefixes(self) -> bool:
        """Whether the beginning of each request is cached without markers."""
        return self.facts.automatic

    def may_cache(self, shared: str) -> bool:
        """Return whether the cache can store the common prefix of several requests."""
        facts = self.facts
        return (facts.automatic or self.mark_shared) and system_tokens(shared) >= max(facts.min_tokens, _WORTH_A_WAIT)

    def breakpoints(self, request: Request, *, session: bool = False) -> tuple[int, ...]:
        """Return the positions of markers in `request`: -1 after the system text, i after message i, never below the
        minimum.

        The previously marked turn is marked again, so that its entry is found and nothing is written again.
        """
        marks = [-1] if self.mark_shared and system_tokens(request.system) >= self.facts.min_tokens else []
        every = session and self.mark_sessions
        first, further = every or self.mark_first, every or self.mark_follow_ups
        if first or further:
            turns = [number for number, message in enumerate(request.messages) if message.role == "user"]
            wanted = [turn for number, turn in enumerate(turns) if (further if number else first)]
            marks += [turn for turn in wanted[-_TURNS:] if _reaches(request, turn, self.facts.min_tokens)]
        return tuple(marks[-self.facts.markers :])


def cache_plan(
    provider: str, model: str, load: Load | None = None, *, allowed: bool = True, facts: CacheFacts | None = None
) -> CachePlan:
    """Return the positions where markers save money for a model and a load.

    If the load is unknown, assume that the system text is shared by several pages and that every follow-up leads to
    another one. `facts` replaces the facts about the model. If `allowed` is False, no markers are planned.

    Raises:
        BrokenFile: the user's file of facts is invalid.
    """
    known = facts if facts is not None else cache_facts(provider, model)
    if not allowed or not known.markers:
        why = "markers are turned off" if not allowed else _unmarked(provider, known)
        share = _share(load, known, shared=known.automatic)
        return CachePlan(facts=known, expected_share=share, why=(why,))
    shared, why_shared = _shared(load, known)
    first, why_first = _follow_up_mark(load.rates.first if load is not None else 0.0, known, "a page's own text")
    further, why_further = _follow_up_mark(load.rates.further if load is not None else 1.0, known, "a further turn")
    sessions = load.sessions if load is not None else 0
    opening = f"{counted(sessions, 'page')} {'opens' if sessions == 1 else 'open'}"
    why_sessions = (f"{opening} a session: each of their turns is marked for the next",) if sessions else ()
    why_time = f"entries live for {known.ttl_s / 60:.0f} minutes after they were last read"
    return CachePlan(
        facts=known,
        mark_shared=shared,
        mark_first=first,
        mark_follow_ups=further,
        mark_sessions=True,
        expected_share=_share(load, known, shared=shared, first=first),
        why=(why_shared, why_first, why_further, *why_sessions, why_time),
    )


def _unmarked(provider: str, facts: CacheFacts) -> str:
    if facts.automatic:
        return f"{provider} caches prefixes of {facts.min_tokens} tokens or more by itself"
    return f"no markers are sent: nothing is known about the cache of {provider}; what it reports as cached is counted"


def _shared(load: Load | None, facts: CacheFacts) -> tuple[bool, str]:
    if load is None:
        return True, "the system text is marked: it is assumed to be shared by several pages"
    if load.shared_tokens < facts.min_tokens:
        short = facts.min_tokens - load.shared_tokens
        return False, (
            f"the system text is not marked: it has about {load.shared_tokens} tokens, {short} fewer than the "
            f"{facts.min_tokens} that this model needs for caching"
        )
    if pays(load.reads, facts):
        return True, f"the system text is marked: about {load.shared_tokens} tokens, read about {load.reads:.0f} times"
    return False, "the system text is not marked: it would hardly be read again"


def _follow_up_mark(rate: float, facts: CacheFacts, text_name: str) -> tuple[bool, str]:
    """Return whether `text_name` is marked, which is followed by another turn at `rate`, and the reason."""
    mark = pays(rate, facts)
    from_here = f"a marker pays from {(facts.write - 1) / (1 - facts.read):.0%}" if facts.read < 1 else "none pays"
    return (
        mark,
        f"{text_name} is {'' if mark else 'not '}marked: {rate:.0%} are followed by one more turn, and {from_here}",
    )


def _share(load: Load | None, facts: CacheFacts, *, shared: bool, first: bool = False) -> float | None:
    if load is None or not load.pages:
        return None
    talk = Conversation(shared=load.shared_tokens, own=load.page_tokens)
    first_turn = talk.shared + talk.own
    if not first_turn:
        return 1.0
    cached = shared and talk.shared >= facts.min_tokens
    cost = pages_cost(load.pages, talk, facts) if cached else float(load.pages * first_turn)
    marked = (load.pages if first else load.sessions) if facts.markers and first_turn >= facts.min_tokens else 0
    cost += marked * (facts.write - 1) * (talk.own if cached else first_turn)
    return cost / (load.pages * first_turn)


def _reaches(request: Request, turn: int, tokens: int) -> bool:
    """Return whether `request` has at least `tokens` up to a turn. They are counted only if the length is not
    conclusive.
    """
    if system_tokens(request.system) >= tokens:
        return True
    characters = len(request.system) + sum(len(message.text) for message in request.messages[: turn + 1])
    if characters < tokens:
        return False
    return characters > tokens * 5 * _CHARACTERS_PER_TOKEN or request_tokens(request, messages=turn + 1) >= tokens
