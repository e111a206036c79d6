"""A session with a scenario generator. Each turn extends the previous messages verbatim. Failed attempts are dropped.

The class and its three public members are named as in the specification. In this implementation a turn replaces
discarded scenarios and fills gaps. Corrected scenarios stay, because replacing them would lose verified coverage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch._lib.hashing import canonical_hash
from retouch.engine.types import Message, Request
from retouch.errors import BadInput, Invalid, LimitReached, RetouchError
from retouch.recipes.policy.making.asking.pages import plan, scenarios_unit
from retouch.recipes.policy.making.session.feedback import ScenarioFeedback, count_gaps, turn_text
from retouch.recipes.policy.making.session.pages import Page, items_in, next_page, page_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.engine.types import Model, Prompt, Reply
    from retouch.recipes.policy.language.values import Tool
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.scenarios.scenario import Scenario

CUT_OFF = "CUT_OFF"


@dataclass(frozen=True, kw_only=True)
class SessionLimits:
    """The limits of a session. If one is reached, the session ends and the error names it.

    `max_attempts` counts the calls of one turn. `max_cost` is in US dollars. `max_output_tokens` is doubled once if an
    answer is cut off.
    """

    max_turns: int = 3
    max_attempts: int = 2
    max_input_tokens: int | None = None
    max_cost: float | None = None
    max_output_tokens: int = 8_192


class ScenarioGeneratorSession:
    """A conversation about the scenarios of one page of tools. It can be used on its own with any model.

    `history` contains committed exchanges only. An answer that was cut off, refused or could not be parsed is not in
    it. It is plain data: a session that gets an earlier `history` continues from there.
    """

    def __init__(
        self,
        job: PolicyJob,
        server: str,
        model: Model,
        *,
        page: int = 1,
        limits: SessionLimits | None = None,
        history: Sequence[Message] = (),
    ) -> None:
        self._job, self._server, self._model, self._number = job, server, model, page
        self.limits = limits or SessionLimits()
        self.prompt = _prompt(job, server, page)
        self._page: Page | None = None
        self._history: tuple[Message, ...] = ()
        self._tokens, self._cost, self._turns = 0, 0.0, 0
        for asked, answered in zip(history[::2], history[1::2], strict=True):
            self._fold(asked, answered.text)

    @property
    def turn_count(self) -> int:
        """The number of committed turns."""
        return self._turns

    @property
    def history(self) -> tuple[Message, ...]:
        """The committed messages, which every later request starts with."""
        return self._history

    @property
    def key(self) -> str:
        """The hash of the exact messages, which identifies the session."""
        return canonical_hash([self.prompt.system, [[one.role, one.text] for one in self._history]])

    @property
    def page(self) -> Page:
        """The state of the session: its scenarios, discards, and refused items.

        Raises:
            BadInput: nothing has been generated yet.
        """
        if self._page is None:
            raise BadInput("nothing has been generated yet", hint="Call generate first.")
        return self._page

    async def generate(self, on_progress: Callable[[str], None] | None = None) -> list[Scenario]:
        """Return the handwritten scenarios of this page and those of the first turn.

        Raises:
            BadInput: it was called before.
            LimitReached: a limit ended the session.
            Invalid: no answer could be used. The session is unchanged.
            ModelError: the model returned no answer.
        """
        if self._page is not None:
            raise BadInput("the first turn has already been generated", hint="Call regenerate with feedback.")
        await self._turn(Message(role="user", text=self.prompt.user), on_progress)
        return [*self._by_hand, *self.page.scenarios]

    async def regenerate(
        self, feedback: ScenarioFeedback, on_progress: Callable[[str], None] | None = None
    ) -> list[Scenario]:
        """Return only the new scenarios of a later turn: replacements of discarded ones, and additions for gaps.

        Raises:
            BadInput: there was no first turn.
            LimitReached: a limit ended the session.
            Invalid: no answer could be used. The session is unchanged.
            ModelError: the model returned no answer.
        """
        before = {one.id for one in self.page.scenarios}
        text = turn_text(self._server, self._number, self._turns + 1, feedback)
        await self._turn(Message(role="user", text=text), on_progress)
        return [one for one in self.page.scenarios if one.id not in before]

    @property
    def _tools(self) -> tuple[Tool, ...]:
        return self._job.pages_of(self._server)[self._number - 1]

    @property
    def _by_hand(self) -> tuple[Scenario, ...]:
        names = {tool.name for tool in self._tools}
        return tuple(one for one in self._job.handwritten_of(self._server) if one.request.tool in names)

    async def _turn(self, asked: Message, on_progress: Callable[[str], None] | None) -> None:
        """Retry on a copy of the history until an answer is usable. Only the question and that answer are committed."""
        messages, cap = (*self._history, asked), self.limits.max_output_tokens
        failure: RetouchError | None = None
        for attempt in range(self.limits.max_attempts):
            self._expect_room()
            if on_progress is not None:
                on_progress(f"scenarios of {self._server}: turn {self._turns + 1}, attempt {attempt + 1}")
            reply = await self._call(messages, cap)
            try:
                _expect_whole(reply)
                self._fold(asked, reply.text)
            except Invalid as wrong:
                if wrong.code == CUT_OFF and cap > self.limits.max_output_tokens:
                    raise
                failure = wrong
                if wrong.code == CUT_OFF:
                    cap *= 2
                else:
                    fix = f"{wrong.message}\n{wrong.fix}\nAnswer again, completely."
                    answered = Message(role="assistant", text=reply.text)
                    messages = (*self._history, asked, answered, Message(role="user", text=fix))
            else:
                return
        raise failure or LimitReached("no attempt is allowed", hint="Raise max_attempts.")

    async def _call(self, messages: tuple[Message, ...], cap: int) -> Reply:
        request = Request(
            prompt=self.prompt,
            system=self.prompt.system,
            messages=messages,
            max_output_tokens=cap,
            breakpoints=self._breakpoints(messages),
            answer_schema=self.prompt.answer_schema,
        )
        reply = await self._model(request)
        self._tokens += reply.input_tokens
        self._cost += reply.cost or 0.0
        return reply

    def _breakpoints(self, messages: tuple[Message, ...]) -> tuple[int, ...]:
        """Return the messages at which a provider may cache: the end of the last request, and the end of this one."""
        last = len(messages) - 1
        ends = (last - 2, last) if self._turns + 1 < self.limits.max_turns else (last - 2,)
        return (-1, *(end for end in ends if end >= 0))

    def _expect_room(self) -> None:
        limits = self.limits
        reached = {
            f"{limits.max_turns} turns": self._turns >= limits.max_turns,
            f"{limits.max_input_tokens} input tokens": self._tokens >= (limits.max_input_tokens or float("inf")),
            f"{limits.max_cost} US dollars": limits.max_cost is not None and self._cost >= limits.max_cost,
        }
        for what, over in reached.items():
            if over:
                hint = "The generated scenarios are kept. Open slots are recorded."
                raise LimitReached(f"the session about {self.prompt.unit!r} ended: limit reached ({what})", hint=hint)

    def _fold(self, asked: Message, answer: str) -> None:
        """Commit one exchange, or raise `Invalid` without changes."""
        frame = self._job.frame_of(self._server)
        if self._page is None:
            page = page_in(frame, self._tools, self._by_hand, answer)
        else:
            items = items_in(answer, turn=self._turns + 1)
            page, _ = next_page(frame, self._tools, self._page, self._by_hand, items, additions=count_gaps(asked.text))
        self._page = replace(page, turns=self._turns + 1)
        self._history = (*self._history, asked, Message(role="assistant", text=answer))
        self._turns += 1


def _prompt(job: PolicyJob, server: str, page: int) -> Prompt:
    unit = scenarios_unit(server)
    return next(one for one in plan(job) if one.key == (unit, page))


def _expect_whole(reply: Reply) -> None:
    if reply.finish == "length":
        fix = "Raise the limit, or put fewer tools on a page."
        raise Invalid(CUT_OFF, "the answer was cut off at the output limit", fix=fix)
    if reply.finish != "end":
        raise Invalid("NO_ANSWER", f"the answer ended with {reply.finish!r}", fix="Answer completely.")
