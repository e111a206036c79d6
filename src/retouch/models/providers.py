"""Real models by name: `anthropic:NAME`, `openai:NAME`, `google:NAME`, `ollama:NAME`, and any server that speaks as \
OpenAI does: `openai:NAME@http://127.0.0.1:8000/v1`.

Behind a question mark stand limits, as in `anthropic:claude-haiku-4-5?requests_per_minute=50&tries=8`. Nothing of a
provider is imported before the first call; what is missing, a key or an extra, is said when the model is opened.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from retouch.engine.errors import BadInput, MissingTool
from retouch.models.batch.batches import Batches, Patience
from retouch.models.batch.facts import BatchFacts, batch_facts
from retouch.models.cache_marks import RunPlans, planned
from retouch.models.cache_plan import cache_plan
from retouch.models.limits import Pace, adaptive, paced
from retouch.models.named import NamedModel
from retouch.models.wrappers import retrying

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.core import Model, OnEvent, Reply, Request
    from retouch.engine.plugins import ModelSpec
    from retouch.models.batch.desk import Desk


_FOR_EVER = 1e9  # seconds, calls or tokens: more is not a limit


@dataclass(frozen=True, kw_only=True)
class Provider:
    """One provider: where its key and address are looked for, and what must be installed.

    `key_variables` are tried in order; none are needed where a server runs on this machine. `home` is the address
    that is used when neither the spec nor `url_variable` names one, "" for the client library's own.
    """

    name: str
    key_variables: tuple[str, ...]
    url_variable: str
    extra: str
    modules: tuple[str, ...]
    needs_key: bool = True
    home: str = ""

    @property
    def key(self) -> str:
        """The key from the environment, "" when there is none."""
        return next((value for name in self.key_variables if (value := os.environ.get(name, "").strip())), "")

    @property
    def missing(self) -> str:
        """What keeps this provider from being used here and what to do about it, "" when nothing does."""
        if not all(_installed(module) for module in self.modules):
            return f'not installed: pip install "retouch[{self.extra}]"'
        return "" if self.key or not self.needs_key else f"no key: set {' or '.join(self.key_variables)}"


PROVIDERS: Mapping[str, Provider] = {
    one.name: one
    for one in (
        Provider(
            name="anthropic",
            key_variables=("ANTHROPIC_API_KEY",),
            url_variable="ANTHROPIC_BASE_URL",
            extra="llm",
            modules=("pydantic_ai", "anthropic", "genai_prices"),
        ),
        Provider(
            name="openai",
            key_variables=("OPENAI_API_KEY",),
            url_variable="OPENAI_BASE_URL",
            extra="llm",
            modules=("pydantic_ai", "openai", "genai_prices"),
        ),
        Provider(
            name="google",
            key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            url_variable="GOOGLE_GEMINI_BASE_URL",
            extra="google",
            modules=("pydantic_ai", "google.genai"),
        ),
        Provider(
            name="ollama",
            key_variables=("OLLAMA_API_KEY",),
            url_variable="OLLAMA_BASE_URL",
            extra="llm",
            modules=("pydantic_ai", "openai", "genai_prices"),
            needs_key=False,
            home="http://127.0.0.1:11434/v1",
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Limits of one model; in a spec they stand behind the question mark by these names.

    tries                how often one request is sent in all while passing failures come back
    first_wait_s         the wait after the first failure; it doubles up to `max_wait_s`
    max_wait_s           a server that asks for a longer wait than this ends the tries
    first_byte_s         how long an answer may take to begin
    idle_s               how long it may then be silent
    call_s               how long it may take in all
    concurrency          the most calls under way at once; it halves when the server says 429, and grows back
    requests_per_minute  and tokens_per_minute (input and the output that was seen): 0 is no limit
    first_poll_s         when a batch is first looked at; the time between two looks grows up to `max_poll_s`
    cache                "auto" lets a plan place cache markers, "none" sends none
    """

    tries: int = 8
    first_wait_s: float = 1.0
    max_wait_s: float = 120.0
    first_byte_s: float = 300.0
    idle_s: float = 120.0
    call_s: float = 1_800.0
    concurrency: int = 64
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    first_poll_s: float = 5.0
    max_poll_s: float = 60.0
    cache: str = "auto"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Which model is asked and where: `url` is "" for the provider's own address."""

    provider: Provider
    model: str
    url: str = ""
    tuning: Tuning = Tuning()

    @property
    def address(self) -> str | None:
        """The server's address: named in the spec, the environment or at home; None for the client library's own."""
        return self.url or os.environ.get(self.provider.url_variable, "").strip() or self.provider.home or None

    @property
    def spec(self) -> str:
        """The model as a user writes it, without limits: its name in the ledger."""
        return f"{self.provider.name}:{self.model}" + (f"@{self.url}" if self.url else "")


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that would hold it is not there
        return False


def open_provider(spec: ModelSpec) -> Model:
    """Return the real model that `spec` names, with retries, an adaptive limit and a plan for its prompt cache.

    Raises:
        BadInput: no model is named, a limit is not understood, or the key is missing.
        MissingTool: the extra is not installed.
    """
    endpoint = endpoint_of(spec.scheme, spec.rest)
    tuning = endpoint.tuning
    _expect_usable(endpoint)
    model: Model = _lazily(endpoint)
    if tuning.requests_per_minute or tuning.tokens_per_minute:
        pace = Pace(requests_per_minute=tuning.requests_per_minute, tokens_per_minute=tuning.tokens_per_minute)
        model = paced(model, pace)
    model = adaptive(model, most=tuning.concurrency)
    model = retrying(model, tries=tuning.tries, first_wait_s=tuning.first_wait_s, max_wait_s=tuning.max_wait_s)
    return planned(model, _plans(endpoint))


def open_batches(spec: str, *, give_up: bool = False) -> Batches:
    """Return the batch API of the model that `spec` names, under this very name.

    With `give_up` it stops what is under way instead of waiting for it.

    Raises:
        BadInput: the model has no batch API, a limit is not understood, or the key is missing.
        MissingTool: the extra is not installed.
    """
    scheme, _, rest = spec.partition(":")
    endpoint = endpoint_of(scheme, rest) if scheme in PROVIDERS else None
    facts = batch_facts(endpoint.provider.name, endpoint.model) if endpoint is not None else BatchFacts()
    if endpoint is None or endpoint.url or not facts.max_requests:
        hint = "Leave --batch out, or name a model of a provider that has one: anthropic, openai."
        raise BadInput(f"{spec!r} has no batch API that is known", hint=hint)
    _expect_usable(endpoint)
    tuning = endpoint.tuning
    patience = Patience(
        first_poll_s=tuning.first_poll_s,
        max_poll_s=tuning.max_poll_s,
        tries=tuning.tries,
        create_s=tuning.first_byte_s,
    )
    desk, plans = partial(_open_desk, endpoint), _plans(endpoint)
    return Batches(spec, desk, facts, plans=plans, patience=patience, give_up=give_up)


def _plans(endpoint: Endpoint) -> RunPlans:
    allowed = endpoint.tuning.cache == "auto"
    return RunPlans(lambda load: cache_plan(endpoint.provider.name, endpoint.model, load, allowed=allowed))


def has_batches(spec: str) -> bool:
    """Return whether the model that `spec` names can be opened as one with a batch API here."""
    try:
        open_batches(spec)
    except BadInput:
        return False
    return True


def _open_desk(endpoint: Endpoint) -> Desk:
    from retouch.models.hosted.batches import open_desk

    return open_desk(endpoint)


def endpoint_of(scheme: str, rest: str) -> Endpoint:
    """Return what a spec such as `openai:NAME@URL?tries=3` names.

    Raises:
        BadInput: it names no model, or a limit is not understood.
    """
    provider = PROVIDERS[scheme]
    named, _, query = rest.partition("?")
    model, _, url = named.partition("@")
    if not model:
        raise BadInput(
            f"{scheme!r} names a provider and no model", hint=f"Write it as '{scheme}:NAME', with the model's name."
        )
    if url and not url.startswith(("http://", "https://")):
        raise BadInput(f"{url!r} is no address of a server", hint=f"Write '{scheme}:{model}@http://host:port/v1'.")
    return Endpoint(provider=provider, model=model, url=url.rstrip("/"), tuning=_tuning(query))


def _tuning(query: str) -> Tuning:
    tuning = Tuning()
    kinds: dict[str, type] = {name: type(value) for name, value in asdict(tuning).items()}
    for part in query.split("&") if query else ():
        name, _, value = part.partition("=")
        known = f"known are: {', '.join(kinds)}"
        if name not in kinds:
            raise BadInput(f"a model has no limit {name!r}; {known}", hint="Write them as '?tries=3&idle_s=60'.")
        try:
            given: str | float = kinds[name](value)
        except ValueError:
            raise BadInput(f"{name} is {value!r}, which is no number", hint="Give it a number.") from None
        if name == "cache" and value not in {"auto", "none"}:
            raise BadInput(f"cache is {value!r}", hint="It is 'auto' or 'none'.")
        if not isinstance(given, str) and not 0 < given < _FOR_EVER and not (given == 0 and name.endswith("_minute")):
            raise BadInput(f"{name} is {value!r}, which no call can keep to", hint="Give it a number above 0.")
        tuning = replace(tuning, **{name: given})
    return tuning


def _expect_usable(endpoint: Endpoint) -> None:
    provider = endpoint.provider
    missing = provider.missing
    if missing.startswith("not installed"):
        raise MissingTool(
            f"{endpoint.spec!r} needs client libraries that are not installed",
            hint=f'Install them: pip install "retouch[{provider.extra}]"',
        )
    elsewhere = endpoint.url or (provider.name == "openai" and os.environ.get(provider.url_variable))
    if missing and not elsewhere:
        raise BadInput(
            f"{endpoint.spec!r} needs a key, and {' or '.join(provider.key_variables)} is not set",
            hint=f"Set the environment variable: export {provider.key_variables[0]}=...",
        )


def _lazily(endpoint: Endpoint) -> Model:
    """Return the model, whose client libraries are imported at the first call."""
    opened: list[Model] = []

    async def asked(request: Request, on_event: OnEvent | None) -> Reply:
        if not opened:
            from retouch.models.hosted import Hosted

            opened.append(Hosted(endpoint))
        return await opened[0](request, on_event=on_event)

    return NamedModel(name=endpoint.spec, answer=asked)
