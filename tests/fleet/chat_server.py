"""A chat server on loopback that answers as a recipe's offline model does, and counts its calls."""

from __future__ import annotations

import json
import math
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from retouch import Prompt
from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

INPUT, OUTPUT = 100, 50
USAGE = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}


class ChatServer:
    """The server. `calls` holds the text of each prompt that was received; a reply takes `delay_s` seconds.

    Only the first `answers` calls are answered; the others wait until `hold_after` or `let_go` allows more.
    """

    def __init__(
        self, offline: Callable[[Prompt], str] | None, delay_s: float = 0.0, *, answers: float = math.inf
    ) -> None:
        self.calls: list[str] = []
        self._answers, self._more = answers, threading.Condition()
        arrived, its_turn = self._arrived, self._its_turn
        assert offline is not None

        class ChatAnswer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                system, user = (one["content"] for one in body["messages"][:2])
                number = arrived(user)
                time.sleep(delay_s)
                its_turn(number)
                text = offline(Prompt(unit="any", system=system, user=user))
                streams = bool(body.get("stream"))
                data = _body(text, f"c{number}", body["model"], streams=streams)
                try:
                    self.send_response(200)
                    self.send_header("content-type", "text/event-stream" if streams else "application/json")
                    self.send_header("content-length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    return  # the worker was killed

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base's
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), ChatAnswer)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def _arrived(self, user: str) -> int:
        with self._more:
            self.calls.append(user)
            return len(self.calls)

    def _its_turn(self, number: int) -> None:
        with self._more:
            self._more.wait_for(lambda: number <= self._answers, timeout=MOST_S)

    def allow(self, answers: float) -> None:
        """Give so many answers in all."""
        with self._more:
            self._answers = answers
            self._more.notify_all()

    def hold_after(self, answers: int) -> None:
        """Give so many answers in all, and wait until a further call is in flight."""
        self.allow(answers)
        wait_until(lambda: len(self.calls) > answers, seen=lambda: f"{len(self.calls)} calls")

    def let_go(self) -> None:
        """Answer every call."""
        self.allow(math.inf)

    @property
    def spec(self) -> str:
        """The spec of the model, with a price of one dollar per thousand tokens."""
        return f"openai:test@http://127.0.0.1:{self._server.server_address[1]}/v1?price_in=1000&price_out=1000"

    @property
    def paid_usd(self) -> float:
        """What all calls have cost."""
        return len(self.calls) * (INPUT + OUTPUT) * 1e-3

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_go()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _body(text: str, number: str, model: str, *, streams: bool) -> bytes:
    """Return the body of a reply, as one chunk of a stream if it `streams`."""
    part = {"delta" if streams else "message": {"role": "assistant", "content": text}}
    choice = {"index": 0, "finish_reason": "stop", **part}
    kind = "chat.completion.chunk" if streams else "chat.completion"
    reply = {"id": number, "object": kind, "created": 1, "model": model, "choices": [choice], "usage": USAGE}
    data = json.dumps(reply).encode()
    return b"data: " + data + b"\n\ndata: [DONE]\n\n" if streams else data
