"""A model server on this machine for tests: real client libraries call it, and any `Model` answers.

    with model_server(model, faults=[FAULTS["529"]]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
        retouch.generate(recipe, source, folder, retouch.open_model("anthropic:claude-haiku-4-5"))
    assert 2 >= server.cache.most_writes

It supports Anthropic Messages, OpenAI chat completions and Gemini, streamed or not, and the batch APIs of the first
two. It listens on a free port of the loopback address, in a thread with its own event loop, so plain and async tests
can use it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import TYPE_CHECKING

from retouch.errors import RetouchError
from retouch.testing.http_wire import MAX_HEAD_BYTES, NotHttp, read_request
from retouch.testing.prompt_cache import PromptCache
from retouch.testing.recognised import Recognised
from retouch.testing.routes import Routes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType
    from typing import Self

    from retouch.engine.types import Model, Prompt
    from retouch.testing.answer_schemas import SchemaSupport
    from retouch.testing.batch_api import ServedBatch
    from retouch.testing.routes import BatchFaults, Call
    from retouch.testing.server_faults import FaultScript

_START_TIMEOUT_S = 10.0


class ModelServer:
    """A server that runs as long as its `with` block; created by `model_server`."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self._thread = threading.Thread(target=self._run, name="retouch model server", daemon=True)
        self._started = threading.Event()
        self._open: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._port = 0
        self._broken: list[BaseException] = []

    @property
    def url(self) -> str:
        """The server's address, the value of `ANTHROPIC_BASE_URL`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_url(self) -> str:
        """The value of `OPENAI_BASE_URL`."""
        return f"{self.url}/v1"

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that direct the real clients to this server, without a proxy."""
        key = self._routes.api_key or "loopback"
        of_accounts = {"AZURE_OPENAI_API_KEY": key, "CLOUDSDK_AUTH_ACCESS_TOKEN": key}
        of_aws = {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": key, "AWS_REGION": "eu-west-1"}
        addresses = ("AZURE_OPENAI_BASE_URL", "VERTEX_BASE_URL")
        alike = ("OPENAI", "OLLAMA", "OPENROUTER", "GROQ", "MISTRAL", "DEEPSEEK", "LITELLM")
        return {
            **{f"{name}_BASE_URL": self.openai_url for name in alike},
            **{f"{name}_API_KEY": key for name in alike},
            **dict.fromkeys(addresses, self.openai_url),
            **of_accounts,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.url,
            **of_aws,
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": key,
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "GOOGLE_API_KEY": key,
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }

    @property
    def calls(self) -> list[Call]:
        """Every call for an answer, oldest first, including those with a fault."""
        return self._routes.calls

    @property
    def batches(self) -> Mapping[str, ServedBatch]:
        """Every batch that was created, by id."""
        return self._routes.batch_api.jobs

    @property
    def cache(self) -> PromptCache:
        """The emulated prompt cache with its counts."""
        return self._routes.cache

    def break_batches(self, faults: BatchFaults) -> None:
        """Use `faults` for calls about batches and files. It is called before and after each call.

        The faults of single entries are those of the server itself.
        """
        self._routes.batch_faults = faults

    def accept_schemas(self, support: SchemaSupport) -> None:
        """Accept "any" answer schema (the default), the "documented" ones of each provider, only the request for
        "json", or "none". Everything else gets a 400 in the provider's words.
        """
        self._routes.schemas = support

    def __enter__(self) -> Self:
        """Start listening."""
        self._thread.start()
        if not self._started.wait(_START_TIMEOUT_S) or not self._port:
            raise RetouchError(
                "the model server did not start", hint="Check that the loopback address 127.0.0.1 can be used."
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening. Open connections are aborted.

        If a model or script behind the server raised anything other than `ModelError`, it is raised here, unless the
        block itself raises.
        """
        if self._loop is not None and self._over is not None:
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        if self._broken and error is None:
            raise self._broken[0]

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        try:
            listening = await asyncio.start_server(
                self._connection, "127.0.0.1", 0, limit=MAX_HEAD_BYTES, backlog=1_024
            )
            self._port = listening.sockets[0].getsockname()[1]
            self._routes.url = self.url
        finally:
            self._started.set()
        await self._over.wait()
        listening.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        try:
            while (request := await read_request(reader)) is not None:
                await self._routes.serve(request, writer)
                await writer.drain()
                if writer.is_closing():
                    break
        except (NotHttp, OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client disconnected, or the server is closing
        except Exception as error:  # noqa: BLE001 - kept for the test that runs the server
            self._broken.append(error)
        finally:
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()


def model_server(
    model: Model,
    *,
    faults: FaultScript = (),
    prompts: Iterable[Prompt] = (),
    min_cache_tokens: int = 1_024,
    api_key: str = "",
    first_byte_s: float = 0.0,
    batch_polls: int = 1,
    clock: Callable[[], float] = time.monotonic,
) -> ModelServer:
    """Return a server for a `with` statement, with `model` behind it.

    faults            the faults of the calls: a list of `Fault` or None, a function from the number of a call (from 0)
                      and its body to one, or `at_rate`
    prompts           the prompts of the run, by whose text a call is recognised, so that `offline` and `faulty` know
                      the unit and page, which the client does not send
    min_cache_tokens  the shortest prefix that the Anthropic dialect caches
    api_key           the only accepted key; "" accepts any non-empty key
    first_byte_s      the delay before a response begins
    batch_polls       the number of polls until a batch ends
    clock             seconds for the cache's lifetimes; a test can replace it
    """
    cache = PromptCache(min_tokens=min_cache_tokens, clock=clock)
    recognised = Recognised(prompts)
    routes = Routes(model, recognised, cache, faults, api_key=api_key, batch_polls=batch_polls)
    routes.first_byte_s = first_byte_s
    return ModelServer(routes)
