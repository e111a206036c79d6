"""A stdio proxy between an MCP client and a server that decides every tool call.

Only requests that a policy covers are forwarded. Other requests (reading resources, unknown methods) are refused. A
forwarded call is rebuilt from the values that were checked.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from retouch.errors import BadInput
from retouch.recipes.policy.guard.listing import listed, reach_of_tools
from retouch.recipes.policy.guard.messages import (
    INVALID,
    MAX_BYTES,
    NOT_ALLOWED,
    OWN_ID,
    TOO_LARGE,
    denial_of,
    error_to,
    line_of,
    lines,
    may_pass,
    messages_in,
    plain,
)
from retouch.recipes.policy.guard.terminal import question_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.guard.core import Ask, Escalation, Guard, Ruling
    from retouch.recipes.policy.guard.listing import Listing, Reach
    from retouch.recipes.policy.guard.messages import Message

_HARMLESS_METHODS = """
    initialize ping tools/list logging/setLevel prompts/list prompts/get completion/complete resources/list
    resources/templates/list
"""
HARMLESS = frozenset(_HARMLESS_METHODS.split())
RESOURCES = frozenset({"resources/read", "resources/subscribe", "resources/unsubscribe"})
GRACE_S = 15.0
MAX_CALLS = 64


@dataclass(frozen=True, kw_only=True)
class ProxyOptions:
    """The options of a proxy. `server` is the name of the server in the policy.

    `resources` forwards requests that read resources, which policies do not cover. With `client_asks`, the client
    prompts its user if it supports that. `terminal` is used if it does not.
    """

    server: str
    listing: Listing = "filter"
    resources: bool = False
    client_asks: bool = True
    terminal: Ask | None = None
    max_bytes: int = MAX_BYTES


@dataclass
class _Client:
    """The state of the client: whether it can ask its user, and the requests that wait for a response.

    `waiting` has the calls that are being decided, and whether the client cancelled them.
    """

    can_ask: bool = False
    questions: dict[str, SimpleQueue[bool]] = field(default_factory=dict[str, "SimpleQueue[bool]"])
    waiting: dict[str, bool] = field(default_factory=dict[str, bool])


class Proxy:
    """Forwards messages between a client and a server process. Tool calls are only forwarded if they are allowed."""

    def __init__(
        self,
        guard: Guard,
        command: Sequence[str],
        options: ProxyOptions,
        *,
        client_in: BinaryIO | None = None,
        client_out: BinaryIO | None = None,
    ) -> None:
        self._guard, self._command, self._options = guard, list(command), options
        self._in = client_in if client_in is not None else sys.stdin.buffer
        self._out = client_out if client_out is not None else sys.stdout.buffer
        self._client, self._lock = _Client(), Lock()
        self._to_client, self._to_server = Lock(), Lock()
        self._calls: SimpleQueue[Message] = SimpleQueue()
        self._busy, self._threads, self._done = 0, 0, Condition(self._lock)
        self._reach: tuple[object, dict[str, Reach]] | None = None

    def run(self) -> int:
        """Start the server, forward messages until one side ends, and return the exit status of the server.

        Raises:
            BadInput: the server cannot be started.
        """
        try:
            process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            hint = "Pass the command that starts the MCP server after --."
            raise BadInput(f"{self._command[0]!r} cannot be started: {error.strerror}", hint=hint) from error
        self._process = process
        reader = Thread(target=self._from_client, daemon=True, name="retouch-guard-client")
        reader.start()
        try:
            self._from_server()
            return process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            return 1
        finally:
            _end(process)
            with suppress(OSError, ValueError):
                cast("BinaryIO", process.stdout).close()

    def _from_client(self) -> None:
        try:
            for line in lines(self._in, max_bytes=self._options.max_bytes):
                self._client_line(line)
        except (OSError, ValueError):
            pass  # the client or the server has exited; the end of one ends the other
        finally:
            self._close_server()

    def _close_server(self) -> None:
        with self._lock:
            unanswered = list(self._client.questions.values())
        for waiting in unanswered:
            waiting.put(False)
        with self._done:
            self._done.wait_for(lambda: self._busy == 0, GRACE_S)
        with suppress(OSError, ValueError):
            cast("BinaryIO", self._process.stdin).close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
            return
        _end(self._process)

    def _client_line(self, line: bytes | None) -> None:
        if line is None:
            self._answer(error_to(None, TOO_LARGE, f"messages are limited to {self._options.max_bytes} bytes"))
            return
        try:
            messages = messages_in(line)
        except BadInput as error:
            self._answer(error_to(None, INVALID, error.message))
            return
        for message in messages:
            try:
                self._client_message(message)
            except BadInput as error:
                number = message.get("id")
                self._answer(error_to(number if isinstance(number, (str, int)) else None, INVALID, error.message))

    def _client_message(self, message: Message) -> None:
        method, message_id = message.get("method"), message.get("id")
        if method == "tools/call" and type(message_id) in {int, str}:
            self._start_call(message)
        elif "method" not in message:
            self._client_answer(message)
        elif not isinstance(method, str) or isinstance(message_id, (dict, list, bool, float)):
            self._answer(error_to(None, INVALID, "a request needs a method, and an id that is a string or an integer"))
        elif message_id is None:
            if method.startswith("notifications/"):
                self._note_cancelled(method, message)
                self._forward(message)
        elif method in HARMLESS or (self._options.resources and method in RESOURCES):
            self._remember_request(method, message)
            self._forward(message)
        else:
            self._answer(error_to(message_id, NOT_ALLOWED, f"the guard does not forward {method!r}"))

    def _start_call(self, message: Message) -> None:
        """Decide a call here, or in a thread if it must wait for the user. Threads are used again."""
        name, arguments = _call_in(message)
        ruling = self._guard.decide_without_user(self._options.server, name, arguments)
        if ruling is not None:
            try:
                self._rule(message, ruling)
            except BadInput as error:
                self._answer(denial_of(message["id"], f"Denied: {error.message}."))
            return
        with self._lock:
            busy = self._busy >= MAX_CALLS
            self._busy += not busy
            more = self._busy > self._threads
            self._threads += more
            self._client.waiting[_key_of(message["id"])] = False
        if busy:
            words = f"Denied: {MAX_CALLS} calls are waiting for a decision. Try again later."
            self._answer(denial_of(message["id"], words))
            return
        if more:
            Thread(target=self._decide_calls, daemon=True, name="retouch-guard-call").start()
        self._calls.put(message)

    def _decide_calls(self) -> None:
        while True:
            self._call(self._calls.get())

    def _note_cancelled(self, method: str, message: Message) -> None:
        """Remember that the client cancelled a call, so that it is not made when the user agrees afterwards."""
        params = message.get("params")
        key = _key_of(params.get("requestId")) if isinstance(params, dict) else ""
        with self._lock:
            if method == "notifications/cancelled" and key in self._client.waiting:
                self._client.waiting[key] = True

    def _remember_request(self, method: str, message: Message) -> None:
        if method == "initialize":
            params = cast("dict[str, Any]", message.get("params") or {})
            capabilities = params.get("capabilities")
            self._client.can_ask = isinstance(capabilities, dict) and "elicitation" in capabilities

    def _client_answer(self, message: Message) -> None:
        message_id = message.get("id")
        if not (isinstance(message_id, str) and message_id.startswith(OWN_ID)):
            self._forward(message)
            return
        with self._lock:
            waiting = self._client.questions.pop(message_id, None)
        if waiting is not None:
            result = message.get("result")
            accepted = isinstance(result, dict) and result.get("action") == "accept"
            content = result.get("content") if isinstance(result, dict) else None
            waiting.put(accepted and isinstance(content, dict) and content.get("allow") is True)

    def _call(self, message: Message) -> None:
        try:
            self._decided_call(message)
        except (OSError, ValueError):
            return  # one side has exited
        except Exception as error:  # noqa: BLE001 - whatever fails here, the call does not go through
            self._answer(denial_of(message["id"], f"Denied: the guard failed ({type(error).__name__})."))
        finally:
            with self._done:
                self._busy -= 1
                self._done.notify_all()
                self._client.waiting.pop(_key_of(message["id"]), None)

    def _decided_call(self, message: Message) -> None:
        """Decide a call, and ask the user if the policy requires it. Forward it if it is allowed."""
        name, arguments = _call_in(message)
        ask = self._elicited if self._client.can_ask and self._options.client_asks else self._options.terminal
        ruling = self._guard.decide(self._options.server, name, arguments, ask=ask)
        if not self._client.waiting.get(_key_of(message["id"])):  # a client ignores the answer to a cancelled call
            self._rule(message, ruling)

    def _rule(self, message: Message, ruling: Ruling) -> None:
        if not ruling.allowed:
            self._answer(denial_of(message["id"], ruling.words))
            return
        params: Any = message["params"]
        sent: dict[str, JSON] = {"name": params["name"], "arguments": dict(ruling.arguments or {})}
        sent |= {key: params[key] for key in ("_meta", "task") if key in params}
        self._send(line_of({"jsonrpc": "2.0", "id": message["id"], "method": "tools/call", "params": sent}))

    def _elicited(self, question: Escalation) -> bool:
        """Ask the user through the client. Return False if there is no answer in time."""
        waiting: SimpleQueue[bool] = SimpleQueue()
        own = f"{OWN_ID}{uuid4().hex}"  # a server must not be able to guess it
        with self._lock:
            self._client.questions[own] = waiting
        schema: JSON = {
            "type": "object",
            "properties": {"allow": {"type": "boolean", "title": "Allow this call"}},
            "required": ["allow"],
        }
        text = question_text(question).removesuffix("Allow? [y/N] ").strip()
        params: JSON = {"mode": "form", "message": text, "requestedSchema": schema}
        self._answer({"jsonrpc": "2.0", "id": own, "method": "elicitation/create", "params": params})
        try:
            return waiting.get(timeout=question.timeout_s + GRACE_S)  # the guard's own timeout is shorter
        except Empty:
            return False
        finally:
            with self._lock:
                self._client.questions.pop(own, None)

    def _from_server(self) -> None:
        for line in lines(cast("BinaryIO", self._process.stdout), max_bytes=self._options.max_bytes):
            if line is None:
                print("retouch guard: a message of the server was too long and was dropped", file=sys.stderr)
                continue
            try:
                self._server_line(line)
            except BadInput as error:
                print(f"retouch guard: a message of the server was dropped: {error.message}", file=sys.stderr)

    def _server_line(self, line: bytes) -> None:
        messages = messages_in(line, from_server=True)
        if may_pass(line, messages[0]):
            self._receive(line + b"\n")
            return
        for message in messages:
            if "method" in message and str(message.get("id")).startswith(OWN_ID):
                print("retouch guard: a request of the server with an id of the guard was dropped", file=sys.stderr)
            else:
                self._answer(self._filtered(message))

    def _filtered(self, message: Message) -> Message:
        """Return a message of the server. A list of tools is filtered, whether the client requested it or not.

        In shadow mode it is not, because the agent works as without a guard.
        """
        found = plain(message)
        result = found.get("result")
        if (
            self._guard.shadow
            or "method" in found
            or not isinstance(result, dict)
            or not isinstance(result.get("tools"), list)
        ):
            return found
        return {**found, "result": listed(result, self._tools(), self._options.listing)}

    def _tools(self) -> dict[str, Reach]:
        policy = self._guard.policy
        if self._reach is None or self._reach[0] is not policy:
            self._reach = (policy, reach_of_tools(policy, self._options.server))
        return self._reach[1]

    def _answer(self, message: Message) -> None:
        self._receive(line_of(message))

    def _receive(self, data: bytes) -> None:
        with self._to_client:
            self._out.write(data)
            self._out.flush()

    def _forward(self, message: Message) -> None:
        self._send(line_of(plain(message)))

    def _send(self, data: bytes) -> None:
        stream: Any = self._process.stdin
        with self._to_server:
            stream.write(data)
            stream.flush()


def _key_of(message_id: JSON) -> str:
    """Return the key of a request. The ids 1 and "1" are two requests."""
    return f"{type(message_id).__name__}:{message_id}"


def _call_in(message: Message) -> tuple[str, dict[str, JSON]]:
    """Return the tool and the arguments of a call.

    Raises:
        BadInput: it has none.
    """
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise BadInput("a call needs a name and arguments", hint="Send the parameters of MCP's tools/call.")
    return name, arguments


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        if process.poll() is None:
            process.kill()
            process.wait()
