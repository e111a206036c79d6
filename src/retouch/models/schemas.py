"""How each provider is given the schema of an answer, from the strictest form that it may accept to none.

A provider that rejects one form gets the next. What it accepted is remembered for the model and the schema, so that a
run pays for each rejection once, with a request that costs nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from retouch._lib.hashing import content_key
from retouch.engine.types import CURRENT_RUN
from retouch.engine.usage import SCHEMA_REFUSED
from retouch.models.subsets import ANTHROPIC, CORE, GOOGLE, OPENAI, rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.types import CurrentRun, Request, SchemaMode
    from retouch.models.endpoints import ModelEndpoint

_JSON_MODE_ONLY = frozenset({"deepseek"})
_STRICT_RULES = frozenset({"openrouter", "groq", "mistral"})  # servers that check schemas as OpenAI does
_NAME = "answer"
_REFUSALS = 3  # different schemas that a form must fail for, and none pass, until it is no longer tried


@dataclass(frozen=True, kw_only=True)
class SchemaForm:
    """One form of a schema: `mode`, and the provider's parameter for it (`response_format` of OpenAI, `format` of
    Anthropic's `output_config`, a part of Google's `generationConfig`). None sends nothing.
    """

    mode: SchemaMode
    parameter: Mapping[str, Any] | None = None


_TEXT_ALONE = SchemaForm(mode="prompt")


def forms_of(endpoint: ModelEndpoint, schema: Mapping[str, Any]) -> tuple[SchemaForm, ...]:
    """Return the forms of a schema for an endpoint, the strictest first. The last one sends nothing.

    A form that cannot express the schema is left out.
    """
    make = {"anthropic": _anthropic, "google": _google, "bedrock": _bedrock}.get(endpoint.provider.dialect, _openai)
    return (*make(endpoint, schema), _TEXT_ALONE)


def _anthropic(_endpoint: ModelEndpoint, schema: Mapping[str, Any]) -> Iterator[SchemaForm]:
    found = rewritten(schema, ANTHROPIC)
    if found is not None:
        yield SchemaForm(mode="strict", parameter={"type": "json_schema", "schema": found})


def _bedrock(endpoint: ModelEndpoint, schema: Mapping[str, Any]) -> Iterator[SchemaForm]:
    """Yield the form for models that Bedrock offers it for, in the subset of Anthropic's own API."""
    from retouch.models.hosted.profiles import profile_of

    found = rewritten(schema, ANTHROPIC) if profile_of(endpoint).get("supports_json_schema_output") else None
    if found is not None:
        yield SchemaForm(mode="strict", parameter={"responseJsonSchema": found})


def _google(_endpoint: ModelEndpoint, schema: Mapping[str, Any]) -> Iterator[SchemaForm]:
    found = rewritten(schema, GOOGLE)
    if found is not None:
        yield SchemaForm(mode="strict", parameter={"responseMimeType": "application/json", "responseJsonSchema": found})
    yield SchemaForm(mode="json", parameter={"responseMimeType": "application/json"})


def _openai(endpoint: ModelEndpoint, schema: Mapping[str, Any]) -> Iterator[SchemaForm]:
    """Yield the forms for OpenAI and for servers with its protocol.

    Local servers turn any schema into a grammar. If they do not support a keyword of it, they get the schema without
    rare keywords.
    """
    if endpoint.provider.name not in _JSON_MODE_ONLY:
        by_rules = endpoint.caps_completion or endpoint.provider.name in _STRICT_RULES
        strict = rewritten(schema, OPENAI) if by_rules else dict(schema)
        if strict is not None:
            yield SchemaForm(mode="strict", parameter=_response_format(endpoint, strict, strict=True))
        relaxed = dict(schema) if by_rules else rewritten(schema, CORE)
        if relaxed is not None:
            yield SchemaForm(mode="relaxed", parameter=_response_format(endpoint, relaxed, strict=False))
    if schema.get("type") == "object":
        yield SchemaForm(mode="json", parameter={"type": "json_object"})


def _response_format(endpoint: ModelEndpoint, schema: Mapping[str, Any], *, strict: bool) -> dict[str, JSON]:
    """Return `response_format` of chat completions, or `text.format` of the Responses API."""
    named: dict[str, JSON] = {"name": _NAME, "schema": dict(schema), "strict": strict}
    if endpoint.provider.dialect == "responses":
        return {"type": "json_schema", **named}
    return {"type": "json_schema", "json_schema": named}


class SchemaLadder:
    """The form that a model gets for each schema, and the forms that it rejected.

    What earlier processes of the current run learned is read from its attempts.
    """

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._forms: dict[bytes, tuple[SchemaForm, ...]] = {}
        self._accepted: set[SchemaMode] = set()
        self._rejected: Counter[SchemaMode] = Counter()
        self._learned: WeakKeyDictionary[CurrentRun, bool] = WeakKeyDictionary()

    def form(self, request: Request) -> SchemaForm | None:
        """Return the form for a request that is sent now, None if it has no schema."""
        if request.answer_schema is None:
            return None
        run = CURRENT_RUN.get()
        if run is not None and run not in self._learned:
            self._learned[run] = True
            self._learn(run)
        forms = self._remaining(request.answer_schema)
        return next(one for one in forms if self._is_worth_a_try(one, request))

    def accepted(self, form: SchemaForm) -> None:
        """Record that the model answered a request with a form."""
        self._accepted.add(form.mode)

    def rejected(self, request: Request, form: SchemaForm, message: str) -> None:
        """Record that the model rejected a form. The schema's next request gets the next form."""
        schema = request.answer_schema or {}
        if form not in self._remaining(schema):
            return  # a request that was sent at the same time found it out
        self._rejected[form.mode] += 1
        self._lower(schema, below=form.mode)
        run = CURRENT_RUN.get()
        if run is not None:
            run.journal.note(SCHEMA_REFUSED, {"model": self._endpoint.spec, "mode": form.mode, "error": message})

    def _is_worth_a_try(self, form: SchemaForm, request: Request) -> bool:
        if form.parameter is None:
            return True
        if form.mode == "json" and self._endpoint.provider.dialect in {"openai", "responses"}:
            texts = (request.system, *(message.text for message in request.messages))
            if not any("json" in text.lower() for text in texts):
                return False  # servers reject a request without the word, or never end their answer
        return form.mode in self._accepted or self._rejected[form.mode] < _REFUSALS

    def _remaining(self, schema: Mapping[str, Any]) -> tuple[SchemaForm, ...]:
        key = content_key(schema)
        forms = self._forms.get(key)
        if forms is None:
            forms = self._forms[key] = forms_of(self._endpoint, schema)
        return forms

    def _lower(self, schema: Mapping[str, Any], *, below: SchemaMode) -> None:
        forms = self._remaining(schema)
        place = next((number for number, one in enumerate(forms) if one.mode == below), -1)
        self._forms[content_key(schema)] = forms[place + 1 :] or (_TEXT_ALONE,)

    def _learn(self, run: CurrentRun) -> None:
        """Skip the forms above the one that the latest answer to each schema had."""
        own = self._endpoint.spec.partition("?")[0]  # options after the question mark change no form
        for attempt in run.attempts.values():
            schema, reply = attempt.request.answer_schema, attempt.reply
            if schema is None or reply is None or not reply.schema_mode or attempt.model.partition("?")[0] != own:
                continue
            forms = self._remaining(schema)
            if any(one.mode == reply.schema_mode for one in forms):
                place = next(number for number, one in enumerate(forms) if one.mode == reply.schema_mode)
                self._forms[content_key(schema)] = forms[place:]
