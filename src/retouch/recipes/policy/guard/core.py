"""The core of the guard: decides one call, prompts the user if the policy requires it, and records the outcome."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_hex
from threading import Lock, Thread
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from retouch._lib.logs import redact_record
from retouch.errors import BadInput, RetouchError
from retouch.recipes.policy.deciding.evaluation import ON_DISK, Surroundings, amounts_of, evaluate
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.guard.audit import Audit
from retouch.recipes.policy.guard.counts import CallCounts
from retouch.recipes.policy.language.policy import Policy
from retouch.recipes.policy.language.semantics import STRICT
from retouch.recipes.policy.language.stored import verified_hash
from retouch.recipes.policy.language.values import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.decision import Decision
    from retouch.recipes.policy.language.values import Outcome

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

GUARD_ERROR, NOBODY, TIMED_OUT, REFUSED, CONSENTED, OUTDATED = (
    "guard-error",
    "nobody-to-ask",
    "no-answer-in-time",
    "refused-by-user",
    "allowed-by-user",
    "answer-outdated",
)
DEFAULT_ASK_TIMEOUT_S = 60.0


class NobodyToAsk(Exception):
    """There is no user to ask, for example because the program has no terminal."""


@dataclass(frozen=True, kw_only=True)
class Escalation:
    """A question to the user: may this call be made? `arguments` are those that the tool would get."""

    id: str
    server: str
    tool: str
    arguments: Mapping[str, JSON]
    rule: str
    reason: str
    roles: tuple[str, ...]
    timeout_s: float


Stamp: TypeAlias = "tuple[int, int, int] | None"
Ask: TypeAlias = "Callable[[Escalation], bool]"
Answer: TypeAlias = Literal[
    "allowed-by-user", "refused-by-user", "no-answer-in-time", "nobody-to-ask", "answer-outdated"
]


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """The outcome of a call.

    `allowed` is final: if the policy escalated the call, the user was prompted. `decision` is the policy's decision.
    `arguments` are the values that were checked. Call the tool with them, so that it cannot interpret the call
    differently. They are None if the call is not allowed. `answer` is "answer-outdated" if the user agreed, but the
    policy or a file changed meanwhile, so that a different question would apply now. The call is denied then.
    """

    id: str
    allowed: bool
    decision: Outcome
    rule: str
    reason: str
    arguments: Mapping[str, JSON] | None
    answer: Answer | None = None
    shadow: bool = False

    @property
    def words(self) -> str:
        """The outcome in one sentence, for the caller."""
        if self.allowed:
            return f"allowed by {self.rule}: {self.reason}"
        how = {
            NOBODY: " (it needs the user's consent)",
            TIMED_OUT: " (the user did not answer in time)",
            REFUSED: " (the user refused it)",
            OUTDATED: " (the policy or a file changed while the user was asked; call it again)",
        }
        refused = how.get(self.answer or "", "")
        return f"Denied by the policy{refused}. Rule {self.rule}: {self.reason}"


class AssumedConsent:
    """An `ask` for a program that prompts its user itself, after the guard. It keeps the questions and always agrees.

    The user may refuse. Therefore such calls are counted, but it is uncertain that they were made before other calls.
    """

    def __init__(self) -> None:
        self.asked: list[Escalation] = []

    def __call__(self, question: Escalation) -> bool:
        """Keep a question. Returns True."""
        self.asked.append(question)
        return True


class Guard:
    """Decides calls by a policy and fails closed: if any error occurs, the call is denied.

    `policy` is a policy or its path: a file, or a directory with `policy.json`. If the file changes, it is loaded
    again, but only used if it is verified. An unverified policy is refused unless `allow_unverified`. `ask` is called
    for calls that the policy escalates, in a separate thread. If it does not answer within `ask_timeout_s` seconds, the
    call is denied. If the user agrees, the call is decided again, by the policy that holds then. Every decision is in
    the `audit` file, on disk, before it is returned. If it cannot be written, the call is denied. With `shadow` every
    call is allowed with unchanged arguments, and the audit log shows what the decision would have been. `counts` is the
    file of the calls that were let through, for rules about earlier calls. All guards of one policy must use the same
    file. The default is a file of its own for each path of a policy, in your directory for states of programs. A
    `Policy` object with such rules needs it. No call may write, move or delete the files of the policy, the audit and
    the counts, as far as paths in its arguments show it.

    Example:
        >>> guard = Guard("policy", audit="audit.jsonl")  # doctest: +SKIP
        >>> ruling = guard.decide("filesystem", "read_file", {"path": "~/notes/a.md"})  # doctest: +SKIP
        >>> ruling.allowed, ruling.arguments  # doctest: +SKIP
        (True, {'path': '/home/ada/notes/a.md'})
    """

    def __init__(
        self,
        policy: Policy | str | Path,
        *,
        audit: str | Path | None = None,
        ask: Ask | None = None,
        ask_timeout_s: float = DEFAULT_ASK_TIMEOUT_S,
        shadow: bool = False,
        allow_unverified: bool = False,
        counts: str | Path | None = None,
        surroundings: Surroundings = ON_DISK,
    ) -> None:
        self._path = None if isinstance(policy, Policy) else policy_file(Path(policy))
        self._file = "" if self._path is None else str(self._path)
        self._stamp: Stamp = _stamp(self._file)
        found = policy if isinstance(policy, Policy) else Policy.load(policy)
        if not (allow_unverified or shadow):
            refuse_unverified(found)
        self._policy = found
        self._audit = None if audit is None else Audit(Path(audit))
        self._ask, self._ask_timeout_s = ask, ask_timeout_s
        self._counts = self._counts_in(found, counts)
        files = (self._path, audit, None if self._counts is None else self._counts.path)
        kept = (*surroundings.kept, *spellings(one for one in files if one is not None))
        self._shadow, self._surroundings = shadow, replace(surroundings, kept=kept)
        self._lock = Lock()
        self._run, self._numbers = token_hex(12), count(1)
        self._record("started", {"policy": verified_hash(found), "verified": found.verified, "shadow": shadow})

    def _counts_in(self, policy: Policy, path: str | Path | None) -> CallCounts | None:
        if path is not None:
            return CallCounts(Path(path))
        if self._path is not None:
            return CallCounts(counts_path(self._path))
        if _keeps_calls(policy):
            hint = "Pass counts=FILE. The calls that the guard lets through are kept in it."
            raise BadInput("the policy has rules about earlier calls, and no file to count them", hint=hint)
        return None

    @property
    def shadow(self) -> bool:
        """True if every call passes, and is only recorded."""
        return self._shadow

    @property
    def policy(self) -> Policy:
        """The current policy."""
        return self._policy

    def decide(self, server: str, tool: str, arguments: Mapping[str, JSON] | None, *, ask: Ask | None = None) -> Ruling:
        """Return the ruling on a call. Never raises. `ask` replaces the guard's own callback for this call."""
        return cast("Ruling", self._decide(server, tool, arguments, ask or self._ask))

    def decide_without_user(self, server: str, tool: str, arguments: Mapping[str, JSON] | None) -> Ruling | None:
        """Return the ruling on a call, or None if the user must be prompted: pass it to `decide` then. Never waits."""
        return self._decide(server, tool, arguments, _ask_later)

    def _decide(self, server: str, tool: str, arguments: Mapping[str, JSON] | None, ask: Ask | None) -> Ruling | None:
        call_id = f"{self._run}{next(self._numbers):08x}"
        request = ToolCall(server=server, tool=tool, arguments=arguments or {})
        try:
            ruling = self._ruling(call_id, request, ask)
            if ruling is not None and self._audit is not None:
                self._record("decided", {**_call_row(call_id, request), **_row(ruling)})
        except Exception as error:  # noqa: BLE001 - a guard that fails must deny, whatever happened
            return self._failed(call_id, request, error)
        if ruling is not None:
            _LOG.debug("%s %s: %s by %s", server, tool, ruling.decision, ruling.rule)
        return ruling

    def _failed(self, call_id: str, request: ToolCall, error: Exception) -> Ruling:
        reason = f"the guard could not decide or record the call: {type(error).__name__}: {error}"
        ruling = Ruling(id=call_id, allowed=False, decision="deny", rule=GUARD_ERROR, reason=reason, arguments=None)
        try:
            self._record("failed", {**_call_row(call_id, request), "reason": reason})
            _LOG.info("%s %s: denied, %s", request.server, request.tool, type(error).__name__)
        except Exception:  # noqa: BLE001 - the denial is valid without its line
            return ruling
        return ruling

    def _ruling(self, call_id: str, request: ToolCall, ask: Ask | None) -> Ruling | None:
        self._reload()
        found = self._decided(self._policy, request, lambda one: self._shadow or one.decision == "allow")
        answer = None
        if found.decision == "escalate" and not self._shadow:
            if ask is _ask_later:
                return None
            question = Escalation(
                id=call_id,
                server=request.server,
                tool=request.tool,
                arguments=found.arguments or {},
                rule=found.rule,
                reason=found.reason,
                roles=found.escalated_roles,
                timeout_s=self._ask_timeout_s,
            )
            found, answer = self._after_answer(found, self._answer_of_user(question, ask), request)
        allowed = self._shadow or answer == CONSENTED or (answer is None and found.decision == "allow")
        return Ruling(
            id=call_id,
            allowed=allowed,
            decision=found.decision,
            rule=found.rule,
            reason=found.reason,
            arguments=dict(request.arguments) if self._shadow else found.arguments if allowed else None,
            answer=cast("Answer | None", answer),
            shadow=self._shadow,
        )

    def _after_answer(self, asked: Decision, answer: str, request: ToolCall) -> tuple[Decision, str | None]:
        """Return the decision that holds after the user's answer, and what the answer is worth.

        The policy and files may have changed while the user was deciding. Consent is only worth something for the
        question and the values that were shown.
        """
        if answer != CONSENTED:
            return asked, answer

        def is_agreed(one: Decision) -> bool:
            return one.arguments == asked.arguments and (one == asked or one.decision == "allow")

        self._reload()
        again = self._decided(self._policy, request, is_agreed)
        return again, answer if is_agreed(again) else None if again.decision == "deny" else OUTDATED

    def _decided(self, policy: Policy, request: ToolCall, is_made: Callable[[Decision], bool]) -> Decision:
        """Return the decision about a call. It is counted before any other call is decided, if it will be made."""
        ready = prepared(policy, disk=self._surroundings.disk)
        if not ready.needs_state:
            return evaluate(policy, request, surroundings=self._surroundings)
        if self._counts is None or not _keeps_calls(policy):
            around = replace(self._surroundings, at=datetime.now(UTC))
            return evaluate(policy, request, surroundings=around)
        with self._counts.locked() as counts:
            at = datetime.fromtimestamp(counts.clock, UTC)
            found = evaluate(policy, request, surroundings=replace(self._surroundings, at=at, spent=counts.spent))
            surely = found.decision != "escalate" or not isinstance(self._ask, AssumedConsent)
            if is_made(found) and (amounts := amounts_of(ready, request, at, surely=surely)):
                counts.add(amounts)
        return found

    def _answer_of_user(self, question: Escalation, ask: Ask | None) -> str:
        if ask is None:
            return NOBODY
        event: dict[str, JSON] = {"id": question.id, "server": question.server, "tool": question.tool}
        self._record("asked", {**event, "arguments": dict(question.arguments), "rule": question.rule})
        answers: SimpleQueue[bool | Exception] = SimpleQueue()

        def ask_in_thread() -> None:
            try:
                answers.put(ask(question))
            except Exception as error:  # noqa: BLE001 - raised again where the call is decided
                answers.put(error)

        Thread(target=ask_in_thread, daemon=True, name="retouch-guard-question").start()
        try:
            answer = answers.get(timeout=question.timeout_s)
        except Empty:
            return TIMED_OUT
        if isinstance(answer, NobodyToAsk):
            return NOBODY
        if isinstance(answer, Exception):
            raise answer
        return CONSENTED if answer is True else REFUSED

    def _reload(self) -> None:
        if self._path is None or _stamp(self._file) == self._stamp:
            return
        with self._lock:
            stamp = _stamp(self._file)
            if stamp == self._stamp:
                return
            try:
                found = Policy.load(self._path)
                refuse_unverified(found)
            except RetouchError as error:
                self._stamp = stamp
                self._record("reload-refused", {"reason": error.message})
                _LOG.info("%s is not used: %s", self._path, error.message)
                return
            self._policy, self._stamp = found, stamp  # in this order: other threads look at the stamp without the lock
            _LOG.info("read %s again: %d rules", self._path, len(found.rules))
            self._record("reloaded", {"policy": verified_hash(found), "rules": len(found.rules)})

    def _record(self, event: str, fields: Mapping[str, JSON]) -> None:
        if self._audit is not None:
            self._audit.append(event, fields)


def _keeps_calls(policy: Policy) -> bool:
    """Return whether rules are about earlier calls, so that these must be stored."""
    return any(rule.when.totals or rule.when.afters for rule in policy.rules)


def _ask_later(_question: Escalation) -> bool:
    """Placeholder for a user that is not prompted yet."""
    return False


def refuse_unverified(policy: Policy) -> None:
    """Check that a policy was verified and has not changed since.

    Raises:
        BadInput: it is not verified, was changed, or uses an older version of the semantics.
    """
    why = policy.doubts[0] if policy.doubts else None if policy.verified else "it was not verified"
    if why is None and policy.semantics < STRICT:
        why = f"it uses semantics {policy.semantics}, which allows more than version {STRICT}"
    if why is not None:
        hint = (
            "Generate it with 'retouch generate policy'. To try it without verification, use --unverified "
            "(allow_unverified=True)."
        )
        raise BadInput(f"the guard does not enforce this policy: {why}", hint=hint)


def _call_row(call_id: str, request: ToolCall) -> dict[str, JSON]:
    call: dict[str, JSON] = {"id": call_id, "server": request.server, "tool": request.tool}
    known = isinstance(cast("object", request.arguments), Mapping)  # callers may pass anything
    return {**call, "arguments": dict(request.arguments)} if known else call


def _row(ruling: Ruling) -> dict[str, JSON]:
    found: dict[str, JSON] = {
        "decision": ruling.decision,
        "rule": ruling.rule,
        "reason": ruling.reason,
        "allowed": ruling.allowed,
        "sent": None if ruling.arguments is None else dict(ruling.arguments),
    }
    more: dict[str, JSON] = {"answer": ruling.answer, "shadow": ruling.shadow or None}
    return found | {key: one for key, one in more.items() if one is not None}


def spellings(files: Iterable[str | Path]) -> tuple[str, ...]:
    """Return files as absolute paths, as they are written and with links resolved."""
    found = [Path(one).absolute() for one in files]
    return tuple(dict.fromkeys(str(one) for file in found for one in (file, file.resolve())))


def counts_path(policy: Path) -> Path:
    """Return the file that counts the calls of a policy, by the path of the policy."""
    from platformdirs import user_state_path

    name = sha256(str(policy.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return user_state_path("retouch") / "policy-counts" / f"{name}.jsonl"


def policy_file(path: Path) -> Path:
    """Return the file of a policy: the path itself, or the policy in a directory."""
    names = ("policy.json", "compiled-policy.json")
    return next((path / name for name in names if (path / name).is_file()), path)


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)  # noqa: PTH116 - at every call, and four times as fast as with a Path
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
