"""Real models by name: `anthropic:NAME`, `openai:NAME`, `google:NAME`, `ollama:NAME`, and OpenAI-compatible servers.

An address follows the name, for example `openai:NAME@http://127.0.0.1:8000/v1`. Limits follow a question mark, for
example `anthropic:claude-haiku-4-5?requests_per_minute=50&tries=8`. A provider's library is imported at the first call.
A missing key or extra is reported when the model is opened.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.models.batch.batches import Batches, Patience
from retouch.models.batch.facts import BatchFacts, batch_facts
from retouch.models.cache_facts import SERVER_FACTS, cache_facts, for_an_hour
from retouch.models.cache_marks import RunPlans, planned
from retouch.models.cache_plan import OF_THE_SERVER, cache_plan
from retouch.models.endpoints import PROVIDERS, ModelEndpoint, endpoint_of, expect_usable
from retouch.models.knobs import expect_knobs
from retouch.models.limits import CALL_LIMITS, Pace, adaptive, paced
from retouch.models.named import NamedModel
from retouch.models.wrappers import retrying

if TYPE_CHECKING:
    from retouch.engine.recipe import ModelSpec
    from retouch.engine.types import Model, OnEvent, Reply, Request
    from retouch.models.batch.api import BatchApi
    from retouch.models.cache_load import Load
    from retouch.models.cache_plan import CachePlan


def open_provider(spec: ModelSpec) -> Model:
    """Return the real model of `spec`, with retries, an adaptive limit and a plan for its prompt cache.

    Raises:
        BadInput: no model is named, a limit is invalid, or the key is missing.
        MissingTool: the extra is not installed.
    """
    endpoint = endpoint_of(spec.scheme, spec.rest)
    tuning = endpoint.tuning
    expect_usable(endpoint)
    expect_knobs(endpoint)
    model: Model = _imported_on_first_call(endpoint)
    shared = CALL_LIMITS.get()
    if shared is not None:
        model = shared(model)
    if tuning.requests_per_minute or tuning.tokens_per_minute:
        pace = Pace(requests_per_minute=tuning.requests_per_minute, tokens_per_minute=tuning.tokens_per_minute)
        model = paced(model, pace)
    first = tuning.first_calls if shared is None else None  # shared limits start slowly by themselves
    model = adaptive(model, first=first, most=tuning.most_calls, longest_pause_s=tuning.max_wait_s)
    model = retrying(model, tries=tuning.tries, first_wait_s=tuning.first_wait_s, max_wait_s=tuning.max_wait_s)
    return planned(model, _plans(endpoint))


def open_batches(spec: str, *, give_up: bool = False) -> Batches:
    """Return the batch API of the model of `spec`, under the same name.

    With `give_up` it cancels batches in progress instead of waiting for them.

    Raises:
        BadInput: the model has no batch API, a limit is invalid, or the key is missing.
        MissingTool: the extra is not installed.
    """
    scheme, _, rest = spec.partition(":")
    endpoint = endpoint_of(scheme, rest) if scheme in PROVIDERS else None
    facts = batch_facts(endpoint.provider.name, endpoint.model) if endpoint is not None else BatchFacts()
    if endpoint is None or endpoint.url or not facts.max_requests:
        hint = "Leave out --batch, or use a model of a provider that has one: anthropic, openai."
        raise BadInput(f"{spec!r} has no known batch API", hint=hint)
    expect_usable(endpoint)
    expect_knobs(endpoint)
    tuning = endpoint.tuning
    patience = Patience(
        first_poll_s=tuning.first_poll_s,
        max_poll_s=tuning.max_poll_s,
        tries=tuning.tries,
        create_s=tuning.first_byte_s,
    )
    api, plans = partial(_open_batch_api, endpoint), _plans(endpoint)
    return Batches(spec, api, facts, plans=plans, patience=patience, give_up=give_up)


def _plans(endpoint: ModelEndpoint) -> RunPlans:
    return RunPlans(partial(plan_of, endpoint))


def plan_of(endpoint: ModelEndpoint, load: Load | None) -> CachePlan:
    """Return the cache plan of an endpoint for a load.

    Raises:
        BadInput: an entry lifetime of one hour is requested, which the model does not offer.
    """
    provider, model, wanted = endpoint.family, endpoint.model, endpoint.tuning.cache
    facts = SERVER_FACTS if endpoint.is_own_server else cache_facts(provider, model)
    if wanted == "hour" and not facts.write_1h:
        raise BadInput(f"{endpoint.spec!r} keeps no cache entries for an hour", hint="Leave out '?cache=hour'.")
    facts = for_an_hour(facts) if wanted == "hour" else facts
    plan = cache_plan(provider, model, load, allowed=wanted != "none", facts=facts)
    return replace(plan, why=(OF_THE_SERVER,)) if endpoint.is_own_server else plan


def has_batches(spec: str) -> bool:
    """Return whether the model of `spec` can be opened with a batch API."""
    try:
        open_batches(spec)
    except BadInput:
        return False
    return True


def _open_batch_api(endpoint: ModelEndpoint) -> BatchApi:
    from retouch.models.hosted.batches import open_batch_api

    return open_batch_api(endpoint)


def _imported_on_first_call(endpoint: ModelEndpoint) -> Model:
    """Return the model. Its client libraries are imported at the first call."""
    opened: list[Model] = []

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        if not opened:
            from retouch.models.hosted import Hosted

            opened.append(Hosted(endpoint))
        return await opened[0](request, on_event=on_event)

    return NamedModel(name=endpoint.spec, answer=answer)
