"""The responses of the server by address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch.errors import ModelError, TransportError
from retouch.testing.answer_schemas import expect_supported
from retouch.testing.anthropic_wire import AnthropicDialect
from retouch.testing.batch_api import BatchEntryResult, ServedBatches
from retouch.testing.bedrock_wire import STREAM_TYPE, BedrockDialect, in_bedrock_address
from retouch.testing.delivery import EVENTS_TYPE, JSON_TYPE, Delivery
from retouch.testing.google_wire import GoogleDialect, in_address
from retouch.testing.http_wire import to_bytes, whole
from retouch.testing.openai_wire import OpenAIDialect
from retouch.testing.responses_wire import ResponsesDialect
from retouch.testing.server_faults import Fault, fault_of, with_model_fault
from retouch.testing.wire import Answered, Dialect, WireCall, WireRefusal, WireUsage, is_object, pieces_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import Model, Reply
    from retouch.testing.answer_schemas import SchemaSupport
    from retouch.testing.http_wire import HttpRequest
    from retouch.testing.prompt_cache import PromptCache
    from retouch.testing.recognised import Recognised
    from retouch.testing.server_faults import FaultScript

Body: TypeAlias = Mapping[str, Any]
BatchFaults: TypeAlias = "Callable[[str, bool], Fault | None]"
"""A function from a call such as `POST /v1/batches`, and whether it was already executed, to its fault."""

_DIALECTS: Mapping[str, Dialect] = {
    "anthropic": AnthropicDialect(),
    "openai": OpenAIDialect(),
    "responses": ResponsesDialect(),
    "google": GoogleDialect(),
    "bedrock": BedrockDialect(),
}
_ANSWERS = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai", "/v1/responses": "responses"}
_SCHEMA_RULES = {"responses": "openai", "bedrock": "anthropic"}  # the provider whose rules another dialect has
_LINES_TYPE = "application/x-jsonl"
_KEY_HEADERS = ("x-api-key", "authorization", "x-goog-api-key")
_KINDS = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}


@dataclass(kw_only=True)
class Call:
    """One call for an answer: its dialect and body, its fault, and the reply and usage that it received."""

    dialect: str
    body: Body
    fault: Fault | None = None
    reply: Reply | None = None
    usage: WireUsage | None = None


class Routes:
    """Answers the requests of all connections of one server."""

    def __init__(
        self,
        model: Model,
        recognised: Recognised,
        cache: PromptCache,
        faults: FaultScript,
        *,
        api_key: str,
        batch_polls: int,
    ) -> None:
        self.calls: list[Call] = []
        self.cache = cache
        self.api_key = api_key
        self.url = ""
        self.first_byte_s = 0.0
        self.schemas: SchemaSupport = "any"
        self._model = model
        self._recognised = recognised
        self._faults = faults
        self._ids = count(1)
        self._last_id = "msg_0"
        self.batch_faults: BatchFaults = _no_fault
        self.batch_api = ServedBatches(self._in_batch, polls=batch_polls, url=lambda: self.url)

    async def serve(self, request: HttpRequest, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        name = _dialect_of(request)
        dialect = _DIALECTS[name]
        try:
            self._expect_key(request)
            in_path = in_address(request.path) or in_bedrock_address(request.path)
            if request.method == "POST" and (in_path is not None or request.path in _ANSWERS):
                await self._answer(name, {**_json(request), **(in_path or {})}, writer)
                return
            await self._serve_other(request, writer)
        except WireRefusal as refused:
            body = dialect.error(refused.kind, refused.message)
            writer.write(whole(refused.status, to_bytes(body), JSON_TYPE))

    def _expect_key(self, request: HttpRequest) -> None:
        keys = (request.headers.get(name, "").removeprefix("Bearer ") for name in _KEY_HEADERS)
        given = next((key for key in keys if key), "")
        if not given or (self.api_key and given != self.api_key):
            raise WireRefusal(401, "authentication_error", "invalid x-api-key")

    async def _serve_other(self, request: HttpRequest, writer: asyncio.StreamWriter) -> None:
        """Answer a request that is not a single call. A fault before it prevents it, a fault after it damages the
        response.
        """
        call_name = f"{request.method} {request.path}"
        before = self.batch_faults(call_name, False)
        if before is not None:
            error = _DIALECTS[_dialect_of(request)].error("api_error", before.message)
            writer.write(whole(before.status, to_bytes(error), JSON_TYPE, before.headers))
            return
        found = await self._other(request)
        after = self.batch_faults(call_name, True)
        body = found if isinstance(found, bytes) else to_bytes(found)
        kind = _LINES_TYPE if isinstance(found, bytes) else JSON_TYPE
        await Delivery(writer, lambda: None, after).json(body, kind=kind)

    async def _other(self, request: HttpRequest) -> Any:
        """Answer a request that is not a single call: batches, files, the list of models."""
        tables = (
            ("/v1/messages/batches", self.batch_api.anthropic),
            ("/v1/batches", self.batch_api.openai),
        )
        for prefix, answer in tables:
            if request.path == prefix or request.path.startswith(f"{prefix}/"):
                return await answer(request, _below(request.path, prefix))
        if request.path.startswith("/v1/files"):
            return self.batch_api.openai_files(request, _below(request.path, "/v1/files"))
        raise WireRefusal(404, "not_found_error", f"{request.method} {request.path} is not supported")

    async def _answer(self, name: str, body: Body, writer: asyncio.StreamWriter) -> None:
        dialect = _DIALECTS[name]
        call = Call(dialect=name, body=body, fault=fault_of(self._faults, len(self.calls), body))
        self.calls.append(call)
        asked, fault = dialect.read(body), call.fault
        expect_supported(_SCHEMA_RULES.get(name, name), asked.schema, self.schemas)
        stopped = fault is not None and (fault.kind == "status" or (fault.kind == "error_event" and not asked.stream))
        if fault is not None and stopped:
            status = fault.status if fault.kind == "status" else 529
            error = dialect.error(_KINDS.get(status, "api_error"), fault.message)
            writer.write(whole(status, to_bytes(error), JSON_TYPE, fault.headers))
            return
        lookup = self.cache.lookup(asked)
        call.usage = lookup.usage
        answered = Answered(id=self._id(fault), asked=asked, reply=await self._reply(call, asked), usage=lookup.usage)
        await asyncio.sleep(self.first_byte_s)
        delivery = Delivery(writer, lambda: self.cache.begun(lookup), fault)
        if asked.stream:
            events = dialect.events(answered, pieces_of(answered.reply.text))
            kind = STREAM_TYPE if name == "bedrock" else EVENTS_TYPE
            await delivery.stream(events, dialect.error_event("overloaded_error", "Overloaded"), kind=kind)
        else:
            await delivery.json(to_bytes(dialect.whole(answered)))

    async def _reply(self, call: Call, asked: WireCall) -> Reply:
        """Return the reply of the model behind the server. Its errors become the provider's.

        Raises:
            WireRefusal: the model raised.
        """
        try:
            reply = await self._model(self._recognised.request(asked))
        except TransportError as error:
            raise WireRefusal(529, "overloaded_error", error.message) from error
        except ModelError as error:
            raise WireRefusal(400, "invalid_request_error", error.message) from error
        call.reply = with_model_fault(replace(reply, model=asked.model), call.fault)
        return call.reply

    def _id(self, fault: Fault | None) -> str:
        if fault is None or fault.kind != "duplicate_id":
            self._last_id = f"msg_{next(self._ids)}"
        return self._last_id

    async def _in_batch(self, name: str, body: Body) -> BatchEntryResult:
        """Answer one entry of a batch. A status fault makes it an error, a stall makes it expire."""
        dialect = _DIALECTS[name]
        call = Call(dialect=name, body=body, fault=fault_of(self._faults, len(self.calls), body))
        self.calls.append(call)
        if call.fault is not None and call.fault.kind == "stall":
            return BatchEntryResult(kind="expired", body={})
        if call.fault is not None and call.fault.kind == "status":
            kind = _KINDS.get(call.fault.status, "api_error")
            return BatchEntryResult(kind="errored", body=dialect.error(kind, call.fault.message))
        try:
            asked = dialect.read(body)
            expect_supported(_SCHEMA_RULES.get(name, name), asked.schema, self.schemas)
            reply = await self._reply(call, asked)
        except WireRefusal as refused:
            return BatchEntryResult(kind="errored", body=dialect.error(refused.kind, refused.message))
        lookup = self.cache.lookup(asked)
        call.usage = lookup.usage
        self.cache.begun(lookup)
        answered = Answered(id=self._id(call.fault), asked=asked, reply=reply, usage=lookup.usage)
        times = 2 if call.fault is not None and call.fault.kind == "duplicate_id" else 1
        return BatchEntryResult(kind="succeeded", body=dialect.whole(answered), times=times)


def _no_fault(_call_name: str, _done: bool) -> Fault | None:
    return None


def _dialect_of(request: HttpRequest) -> str:
    if in_address(request.path) is not None:
        return "google"
    if in_bedrock_address(request.path) is not None:
        return "bedrock"
    return _ANSWERS.get(request.path, "openai" if "authorization" in request.headers else "anthropic")


def _below(path: str, prefix: str) -> Sequence[str]:
    return [part for part in path.removeprefix(prefix).split("/") if part]


def _json(request: HttpRequest) -> Body:
    try:
        body = json.loads(request.body)
    except ValueError as error:
        raise WireRefusal(400, "invalid_request_error", f"the body is not JSON: {error}") from error
    if not is_object(body):
        raise WireRefusal(400, "invalid_request_error", "the body is not an object")
    return body
