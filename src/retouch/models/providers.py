"""Real models by name: `anthropic:NAME`, `openai:NAME`, `google:NAME`, `ollama:NAME`, and any server that speaks as \
OpenAI does: `openai:NAME@http://127.0.0.1:8000/v1`.

Behind a question mark stand limits, as in `anthropic:claude-haiku-4-5?requests_per_minute=50&tries=8`. Nothing of a
provider is imported before the first call; what is missing, a key or an extra, is said when the model is opened.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.models.batch.batches import Batches, Patience
from retouch.models.batch.facts import BatchFacts, batch_facts
from retouch.models.cache_facts import cache_facts, for_an_hour
from retouch.models.cache_marks import RunPlans, planned
from retouch.models.cache_plan import cache_plan
from retouch.models.endpoints import PROVIDERS, ModelEndpoint, endpoint_of, expect_usable
from retouch.models.limits import Pace, adaptive, paced
from retouch.models.named import NamedModel
from retouch.models.wrappers import retrying

if TYPE_CHECKING:
    from retouch.engine.recipe import ModelSpec
    from retouch.engine.types import Model, OnEvent, Reply, Request
    from retouch.models.batch.desk import BatchApi
    from retouch.models.cache_load import Load
    from retouch.models.cache_plan import CachePlan


def open_provider(spec: ModelSpec) -> Model:
    """Return the real model that `spec` names, with retries, an adaptive limit and a plan for its prompt cache.

    Raises:
        BadInput: no model is named, a limit is not understood, or the key is missing.
        MissingTool: the extra is not installed.
    """
    endpoint = endpoint_of(spec.scheme, spec.rest)
    tuning = endpoint.tuning
    expect_usable(endpoint)
    model: Model = _lazily(endpoint)
    if tuning.requests_per_minute or tuning.tokens_per_minute:
        pace = Pace(requests_per_minute=tuning.requests_per_minute, tokens_per_minute=tuning.tokens_per_minute)
        model = paced(model, pace)
    model = adaptive(model, most=tuning.concurrency, longest_pause_s=tuning.max_wait_s)
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
    expect_usable(endpoint)
    tuning = endpoint.tuning
    patience = Patience(
        first_poll_s=tuning.first_poll_s,
        max_poll_s=tuning.max_poll_s,
        tries=tuning.tries,
        create_s=tuning.first_byte_s,
    )
    desk, plans = partial(_open_batch_api, endpoint), _plans(endpoint)
    return Batches(spec, desk, facts, plans=plans, patience=patience, give_up=give_up)


def _plans(endpoint: ModelEndpoint) -> RunPlans:
    return RunPlans(partial(plan_of, endpoint))


def plan_of(endpoint: ModelEndpoint, load: Load | None) -> CachePlan:
    """Return where cache markers go for an endpoint and a load.

    Raises:
        BadInput: entries are to live for an hour, which the model does not offer.
    """
    provider, model, wanted = endpoint.provider.name, endpoint.model, endpoint.tuning.cache
    facts = cache_facts(provider, model)
    if wanted == "hour" and not facts.write_1h:
        raise BadInput(f"{endpoint.spec!r} keeps no cache entries for an hour", hint="Leave '?cache=hour' out.")
    facts = for_an_hour(facts) if wanted == "hour" else facts
    return cache_plan(provider, model, load, allowed=wanted != "none", facts=facts)


def has_batches(spec: str) -> bool:
    """Return whether the model that `spec` names can be opened as one with a batch API here."""
    try:
        open_batches(spec)
    except BadInput:
        return False
    return True


def _open_batch_api(endpoint: ModelEndpoint) -> BatchApi:
    from retouch.models.hosted.batches import open_batch_api

    return open_batch_api(endpoint)


def _lazily(endpoint: ModelEndpoint) -> Model:
    """Return the model, whose client libraries are imported at the first call."""
    opened: list[Model] = []

    async def asked(request: Request, on_event: OnEvent | None) -> Reply:
        if not opened:
            from retouch.models.hosted import Hosted

            opened.append(Hosted(endpoint))
        return await opened[0](request, on_event=on_event)

    return NamedModel(name=endpoint.spec, answer=asked)
