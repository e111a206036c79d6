"""A session of the wizard without a screen: events in, what they want done is done, and its news are events again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from retouch.recipes.rule.wizard import approving, asking, editing
from retouch.recipes.rule.wizard.desk import SessionState
from retouch.recipes.rule.wizard.events import (
    CancelRound,
    ChangeJob,
    Commit,
    HintGiven,
    Invoked,
    Key,
    OpenEditor,
    RestoreOriginal,
    StartRound,
    SuggestName,
    TakeUpDraft,
    Validate,
)
from retouch.recipes.rule.wizard.machine import step
from retouch.recipes.rule.wizard.states import ENDED, WORKING, Wizard

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from retouch.recipes.rule.drafts.store import Drafts
    from retouch.recipes.rule.wizard.desk import Setup
    from retouch.recipes.rule.wizard.editor import Editor
    from retouch.recipes.rule.wizard.events import Effect, Event, KeyName


class WizardSession:
    """Moves the machine and carries out its effects, one at a time; `on_change` hears that there is something to show.

    `error` is what nobody foresaw; the session is over then.
    """

    def __init__(
        self,
        setup: Setup,
        *,
        editor: Editor | None = None,
        drafts: Drafts | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        self.desk = SessionState.laid(setup, drafts)
        self.wizard = Wizard(editor=editor is not None)
        self.error: BaseException | None = None
        self._editor = editor
        self._on_change = on_change
        self._work: asyncio.Task[None] | None = None

    def begin(self, *, preview: bool = False, drafts: bool = True, questions: bool = True) -> None:
        """Ask for a rule; first come a draft that waits, dates that only a person can read, and what would be sent."""
        desk = self.desk
        self.tell(
            Invoked(
                paths=desk.job.paths,
                draft=drafts and desk.waiting is not None,
                questions=questions and bool(desk.questions),
                preview=preview,
            )
        )

    def press(self, key: KeyName) -> None:
        """Tell that a key was pressed."""
        self.tell(Key(name=key))

    def hint(self, text: str) -> None:
        """Tell that a hint was entered; a word in it may speak of a computation, and then Python is proposed."""
        from retouch.recipes.rule.asking.proposals import looks_like_computation

        settled = self.desk.job.form in {"python", "either"}
        self.tell(HintGiven(text=text, computes="" if settled else looks_like_computation(text)))

    def name(self, name: str) -> None:
        """Tell under which name the artifact is to be kept."""
        self.tell(approving.named(self.desk, name))

    def tell(self, event: Event) -> None:
        """Move the machine by one event and begin what it wants done."""
        self.wizard, effects = step(self.wizard, event)
        for effect in effects:
            self._do(effect)
        self._changed()

    async def settled(self) -> Wizard:
        """Return the wizard when nothing is under way any more.

        Raises:
            BaseException: what nobody foresaw.
        """
        while self._work is not None and not self._work.done():
            await asyncio.wait([self._work])
        if self.error is not None:
            raise self.error
        return self.wizard

    async def close(self) -> None:
        """Stop what is under way and wait for its end; what arrived is in the ledger."""
        if self._work is not None:
            self._work.cancel()
        with suppress(asyncio.CancelledError):
            await self.settled()

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen."""
        return self.wizard.state in ENDED or self.error is not None

    @property
    def is_working(self) -> bool:
        """Whether the person waits for something."""
        return self.wizard.state in WORKING

    def _do(self, effect: Effect) -> None:
        desk = self.desk
        match effect:
            case CancelRound():
                if self._work is not None:
                    self._work.cancel()
            case ChangeJob():
                desk.change(effect)
            case RestoreOriginal():
                desk.written, desk.problem = "", None
            case SuggestName():
                self.tell(approving.named(desk))
            case _:
                self._work = asyncio.create_task(self._carried(self._carrying(effect), self._work))

    def _carrying(self, effect: Effect) -> Coroutine[Any, Any, Event] | None:
        desk = self.desk
        match effect:
            case StartRound():
                return asking.ask(desk, effect, self.tell)
            case OpenEditor() if self._editor is not None:
                return editing.edit(desk, self._editor, effect.line)
            case Validate():
                return editing.validate(desk, effect.text, effect.round)
            case TakeUpDraft():
                return editing.take_up(desk, effect.round)
            case Commit():
                return approving.commit(desk, effect.name)
            case _:
                return None

    async def _carried(self, work: Coroutine[Any, Any, Event] | None, before: asyncio.Task[None] | None) -> None:
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
        except BaseException as error:  # noqa: BLE001 - `settled` raises it; in a task it may break the event loop off
            self.error = error
            self._changed()

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change()
