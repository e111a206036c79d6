"""One request and its response, whose bytes are read here, below the client library that sent the request.

The libraries build, sign and send requests, and turn error statuses into exceptions. They never parse a successful
response: the HTTP client's response hook passes it to the `Exchange` of the running call, and `AnswerRead` then ends
the library's part. So nothing that a library would change or drop is lost, for example `<think>` tags in an answer's
code.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from retouch.engine.types import Event
from retouch.models.wire import response_reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import OnEvent

_ID_HEADERS = ("request-id", "x-request-id", "x-amzn-requestid", "apim-request-id", "x-goog-request-id")


class AnswerRead(Exception):
    """The client library's part of a call is over. Some libraries convert this to an error of their own."""


class Exchange:
    """The response of one call.

    `alive` is called when data arrives, with whether the response is complete, so that only the connection has to end.
    `ended` is True if the body was read to its end. `listener_error` is an exception of the event listener.
    `rejects_schema` is True if the server rejected the request because of its answer schema, as far as its message
    shows.
    """

    def __init__(self, dialect: str, on_event: OnEvent | None = None) -> None:
        self.reader = response_reader(dialect)
        self.request_id = ""
        self.alive: Callable[[bool], None] = lambda _complete: None
        self.ended = self.rejects_schema = False
        self.listener_error: Exception | None = None
        self._begun = self._first_reported = False
        self._on_event = on_event

    async def read(self, response: Any) -> None:
        """Read the body of `response` to its end.

        Raises:
            AnswerRead: it was read, whatever its content, or the event listener failed.
        """
        if self._begun:
            return  # one response per call: a second one belongs to another request
        self._begun = True
        self.request_id = next((one for name in _ID_HEADERS if (one := response.headers.get(name))), "")
        async for data in response.aiter_bytes():
            self._report(self.reader.feed(data))
            self.alive(self.reader.over or bool(self.reader.finish_raw and self.reader.usage))
        self._report(self.reader.close())
        self.ended = True
        raise AnswerRead

    def _report(self, text: str) -> None:
        if self._on_event is None or not self.reader.values:
            return
        try:
            if not self._first_reported:
                self._first_reported = True
                self._on_event(Event(kind="first_byte"))
            if text:
                self._on_event(Event(kind="text", text=text))
        except Exception as error:  # noqa: BLE001 - any exception of the listener
            self.listener_error = error
            raise AnswerRead from None


CURRENT: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
"""The exchange of the running call; None for calls that a client library reads itself, such as those for batches."""
