"""The batch APIs of Anthropic and OpenAI, through their client libraries."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from retouch.errors import ModelError
from retouch.models.batch.api import UNREADABLE, BatchProgress, Line, Listed, ResultsGone
from retouch.models.hosted.call import Hosted
from retouch.models.hosted.entries import Entries
from retouch.models.hosted.failures import client_failure
from retouch.models.hosted.messages import STATUSES

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Mapping

    from anthropic import AsyncAnthropic
    from anthropic.types.messages import MessageBatch
    from openai import AsyncOpenAI
    from openai.types import Batch

    from retouch._lib.json_text import JSON
    from retouch.models.batch.api import BatchApi
    from retouch.models.endpoints import ModelEndpoint

_KEY = "retouch"  # the metadata key that identifies our batches at OpenAI
_CHAT = "/v1/chat/completions"
_OPENAI_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_PAGE = 100  # batches in one page of a list


def open_batch_api(endpoint: ModelEndpoint) -> BatchApi:
    """Return the batch API of an endpoint's provider."""
    return AnthropicBatches(endpoint) if endpoint.provider.name == "anthropic" else OpenAIBatches(endpoint)


class _ClientBatches(Entries):
    """The common part of both APIs."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        super().__init__(endpoint)
        self._online = Hosted(endpoint)

    async def _sdk(self) -> Any:
        model: Any = await self._online.client()
        return model.client

    @contextmanager
    def _converted_errors(self, batch: str = "") -> Generator[None]:
        """Convert exceptions of the client library."""
        try:
            yield
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - any exception of a client library is converted
            if batch and getattr(error, "status_code", None) == 404:
                raise self._unknown(batch) from None
            raise client_failure(error, self._endpoint) from None

    @contextmanager
    def _converted_result_errors(self, batch: str) -> Generator[None]:
        """Convert exceptions of the client library while the results of a known batch are read."""
        try:
            yield
        except Exception as error:
            if getattr(error, "status_code", None) == 404:
                raise ResultsGone(
                    f"the results of the batch {batch} were deleted; its pages are requested online"
                ) from None
            with self._converted_errors():
                raise

    def _unknown(self, batch: str) -> ModelError:
        return ModelError(
            f"{self._endpoint.provider.name} has no batch {batch!r} in this account",
            hint="Use the key of the account that created it. 'retouch resume DIR --online' abandons it.",
        )


class AnthropicBatches(_ClientBatches):
    """Anthropic's Message Batches, which have no labels."""

    async def create(self, key: str, bodies: Mapping[str, Mapping[str, JSON]]) -> str:  # noqa: ARG002 - see above
        """Return the id of a new batch."""
        sdk: AsyncAnthropic = await self._sdk()
        requests: Any = [{"custom_id": entry, "params": body} for entry, body in bodies.items()]
        with self._converted_errors():
            return (await sdk.messages.batches.create(requests=requests)).id

    async def progress(self, batch: str) -> BatchProgress:
        """Return the progress of a batch. Entries count as done when all of them are."""
        sdk: AsyncAnthropic = await self._sdk()
        with self._converted_errors(batch):
            found = await sdk.messages.batches.retrieve(batch)
        total = _total(found)
        return BatchProgress(
            ended=found.processing_status == "ended", done=total - found.request_counts.processing, total=total
        )

    async def lines(self, batch: str) -> AsyncGenerator[Line]:
        """Yield the results."""
        sdk: AsyncAnthropic = await self._sdk()
        with self._converted_result_errors(batch):
            results = await sdk.messages.batches.results(batch)
            try:
                async for line in _lines(results.http_response.aiter_bytes(), _anthropic_line):
                    yield line
            finally:
                await results.close()

    async def listed(self) -> AsyncGenerator[Listed]:
        """Yield the workspace's batches."""
        sdk: AsyncAnthropic = await self._sdk()
        with self._converted_errors():
            async for one in sdk.messages.batches.list(limit=_PAGE):
                ended = one.processing_status == "ended"
                yield Listed(id=one.id, created_at=one.created_at.timestamp(), total=_total(one), ended=ended)

    async def cancel(self, batch: str) -> None:
        """Stop a batch."""
        sdk: AsyncAnthropic = await self._sdk()
        with self._converted_errors(batch):
            await sdk.messages.batches.cancel(batch)


def _total(batch: MessageBatch) -> int:
    counts = batch.request_counts
    return counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired


def _anthropic_line(line: Mapping[str, Any]) -> Line:
    entry, result = str(line["custom_id"]), line["result"]
    outcome = str(result.get("type"))
    if outcome == "succeeded":
        return Line(entry=entry, outcome=outcome, status=200, body=result.get("message"))
    if outcome != "errored":
        return Line(entry=entry, outcome=outcome)
    body: dict[str, Any] = result.get("error") or {}
    error: dict[str, Any] = body.get("error") or {}
    kind = str(error.get("type"))
    return Line(entry=entry, outcome=outcome, status=STATUSES.get(kind, 500), body=body)


class OpenAIBatches(_ClientBatches):
    """OpenAI's Batch API: entries are uploaded as one file, results are downloaded as two."""

    async def create(self, key: str, bodies: Mapping[str, Mapping[str, JSON]]) -> str:
        """Return the id of a new batch with `key` in its metadata."""
        sdk: AsyncOpenAI = await self._sdk()
        line = {"method": "POST", "url": _CHAT}
        lines = [json.dumps({"custom_id": entry, **line, "body": body}) for entry, body in bodies.items()]
        with self._converted_errors():
            file = await sdk.files.create(file=(f"{key}.jsonl", "\n".join(lines).encode()), purpose="batch")
            batch = await sdk.batches.create(
                input_file_id=file.id, endpoint=_CHAT, completion_window="24h", metadata={_KEY: key}
            )
        return batch.id

    async def progress(self, batch: str) -> BatchProgress:
        """Return the progress of a batch. A batch that failed processed none of its entries."""
        found = await self._found(batch)
        counts = found.request_counts
        refused = ""
        if found.status == "failed":
            errors = (found.errors.data if found.errors is not None else None) or []
            refused = "; ".join(str(one.message) for one in errors[:3]) or "it gives no reason"
        return BatchProgress(
            ended=found.status in _OPENAI_ENDED,
            done=counts.completed + counts.failed if counts is not None else 0,
            total=counts.total if counts is not None else 0,
            refused=refused,
        )

    async def lines(self, batch: str) -> AsyncGenerator[Line]:
        """Yield the results: successful ones, then failed ones."""
        sdk: AsyncOpenAI = await self._sdk()
        found = await self._found(batch)
        for file in (found.output_file_id, found.error_file_id):
            if not file:
                continue
            with self._converted_result_errors(batch):
                content = (await sdk.files.content(file)).content
            async for line in _lines(_at_once(content), _openai_line):
                yield line

    async def listed(self) -> AsyncGenerator[Listed]:
        """Yield the project's batches."""
        sdk: AsyncOpenAI = await self._sdk()
        with self._converted_errors():
            async for one in sdk.batches.list(limit=_PAGE):
                yield Listed(
                    id=one.id,
                    created_at=float(one.created_at),
                    total=one.request_counts.total if one.request_counts is not None else 0,
                    ended=one.status in _OPENAI_ENDED,
                    key=(one.metadata or {}).get(_KEY, ""),
                )

    async def cancel(self, batch: str) -> None:
        """Stop a batch."""
        sdk: AsyncOpenAI = await self._sdk()
        with self._converted_errors(batch):
            await sdk.batches.cancel(batch)

    async def _found(self, batch: str) -> Batch:
        sdk: AsyncOpenAI = await self._sdk()
        with self._converted_errors(batch):
            return await sdk.batches.retrieve(batch)


def _openai_line(line: Mapping[str, Any]) -> Line:
    response: Any = line.get("response")
    if response:
        status = int(response.get("status_code") or 500)
        outcome = "succeeded" if status < 300 else "errored"
        return Line(entry=str(line.get("custom_id")), outcome=outcome, status=status, body=response.get("body"))
    error: Any = line.get("error") or {}
    outcome = str(error.get("code") or "lost").removeprefix("batch_")
    return Line(entry=str(line.get("custom_id")), outcome=outcome)


async def _at_once(content: bytes) -> AsyncGenerator[bytes]:
    yield content


async def _lines(chunks: AsyncIterable[bytes], read: Callable[[Mapping[str, Any]], Line]) -> AsyncGenerator[Line]:
    """Yield the result of `read` for each line of JSON. An invalid line is unreadable, not an error.

    Only a line feed ends a line, because strings contain other line ends, unescaped.
    """
    rest = b""
    async for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line.strip():
                yield _line(line, read)
    if rest.strip():
        yield _line(rest, read)


def _line(line: bytes, read: Callable[[Mapping[str, Any]], Line]) -> Line:
    try:
        return read(json.loads(line))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Line(entry="", outcome=UNREADABLE)
