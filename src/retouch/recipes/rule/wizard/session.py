"""A session of the wizard without a screen: it runs the effects of events and feeds their results back as events."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from retouch.recipes.rule.wizard import approving, asking, changing, editing
from retouch.recipes.rule.wizard.events import (
    CancelRound,
    ChangeGiven,
    ChangeRule,
    ChangeSource,
    Commit,
    HintGiven,
    Invoked,
    Key,
    OpenEditor,
    RestoreOriginal,
    ResumeDraft,
    StartRound,
    SuggestName,
    UndoChange,
    Validate,
)
from retouch.recipes.rule.wizard.machine import step
from retouch.recipes.rule.wizard.session_state import SessionState
from retouch.recipes.rule.wizard.states import ENDED, WORKING, Wizard

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from retouch.recipes.rule.drafts.store import Drafts
    from retouch.recipes.rule.wizard.editor import Editor
    from retouch.recipes.rule.wizard.events import Effect, Event, KeyName
    from retouch.recipes.rule.wizard.session_state import Setup


class WizardSession:
    """Drives the state machine and runs its effects, one at a time. `on_change` is called after every change.

    `error` is an unexpected exception. It ends the session.
    """

    def __init__(
        self,
        setup: Setup,
        *,
        editor: Editor | None = None,
        drafts: Drafts | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        self.data = SessionState.initial(setup, drafts)
        self.wizard = Wizard(editor=editor is not None)
        self.error: BaseException | None = None
        self._editor = editor
        self._on_change = on_change
        self._work: asyncio.Task[None] | None = None

    def begin(self, *, preview: bool = False, drafts: bool = True, questions: bool = True) -> None:
        """Start the session. A waiting draft, ambiguous dates and the preview of the request come before the first
        request.
        """
        data = self.data
        self.tell(
            Invoked(
                paths=data.job.paths,
                draft=drafts and data.waiting is not None,
                questions=questions and bool(data.questions),
                preview=preview,
            )
        )

    def press(self, key: KeyName) -> None:
        """Report a pressed key."""
        self.tell(Key(name=key))

    def hint(self, text: str) -> None:
        """Report an entered hint. If a word in it describes a computation, Python is proposed."""
        from retouch.recipes.rule.asking.proposals import looks_like_computation

        settled = self.data.job.form in {"python", "either"}
        self.tell(HintGiven(text=text, computes="" if settled else looks_like_computation(text)))

    def change(self, text: str, *, start: int | None = None) -> None:
        """Report the text of a change, about the path under the cursor, in which a piece may be marked at `start`."""
        self.tell(ChangeGiven(text=text, path=self.data.at_path, start=start))

    def name(self, name: str) -> None:
        """Report the name for the artifact."""
        self.tell(approving.checked_name(self.data, name))

    def tell(self, event: Event) -> None:
        """Apply one event to the state machine and start its effects."""
        self.wizard, effects = step(self.wizard, event)
        for effect in effects:
            self._do(effect)
        self._changed()

    async def settled(self) -> Wizard:
        """Return the wizard when no work is in progress.

        Raises:
            BaseException: the unexpected exception of an effect.
        """
        while self._work is not None and not self._work.done():
            await asyncio.wait([self._work])
        if self.error is not None:
            raise self.error
        return self.wizard

    async def close(self) -> None:
        """Stop the work in progress and wait for its end. Responses that arrived are in the ledger."""
        if self._work is not None:
            self._work.cancel()
        with suppress(asyncio.CancelledError):
            await self.settled()

    @property
    def is_over(self) -> bool:
        """Whether the session has ended."""
        return self.wizard.state in ENDED or self.error is not None

    @property
    def is_working(self) -> bool:
        """Whether the user is waiting for something."""
        return self.wizard.state in WORKING

    def _do(self, effect: Effect) -> None:
        data = self.data
        match effect:
            case CancelRound():
                if self._work is not None:
                    self._work.cancel()
            case ChangeSource():
                data.change(effect)
            case RestoreOriginal():
                data.written, data.problem = "", None
            case SuggestName():
                self.tell(approving.checked_name(data))
            case _:
                self._work = asyncio.create_task(self._run_effect(self._work_of(effect), self._work))

    def _work_of(self, effect: Effect) -> Coroutine[Any, Any, Event] | None:
        data = self.data
        match effect:
            case StartRound():
                return asking.ask(data, effect, self.tell)
            case OpenEditor() if self._editor is not None:
                return editing.edit(data, self._editor, effect.line)
            case Validate():
                return editing.validate(data, effect.text, effect.round)
            case ChangeRule():
                return changing.change(data, effect)
            case UndoChange():
                return changing.undo(data, effect.round)
            case ResumeDraft():
                return editing.resume_draft(data, effect.round)
            case Commit():
                return approving.commit(data, effect.name)
            case _:
                return None

    async def _run_effect(self, work: Coroutine[Any, Any, Event] | None, before: asyncio.Task[None] | None) -> None:
        if work is None:
            return
        try:
            if before is not None and not before.done():
                await asyncio.wait([before])
        except asyncio.CancelledError:
            work.close()
            raise
        try:
            self.tell(await work)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - `settled` raises it; a task could end the event loop
            self.error = error
            self._changed()

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change()
