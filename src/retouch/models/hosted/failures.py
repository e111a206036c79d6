"""Converts the failures of a call to the errors of Retouch, with the next step if a retry does not help."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    UserError,
)

from retouch.errors import ModelError, OutputCapTooLarge, Throttled, TransportError
from retouch.models.hosted.messages import causes, code_of, kind_of, message_of, one_line, status_in
from retouch.models.hosted.waits import asked_wait_s
from retouch.models.secrets import redacted, without_password

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.models.endpoints import ModelEndpoint
    from retouch.models.wire import ResponseReader

_PASSING = frozenset({408, 409, 429})
_THROTTLED = frozenset({429, 529})
_HTTP_LIBRARIES = ("httpx", "httpcore", "h11", "h2", "anyio", "aiohttp")
_NO_CREDIT = {
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "project_spend_limit_exceeded",
}
_LOW_BALANCE = re.compile(r"credit balance is too low", re.IGNORECASE)
_TOO_LONG = re.compile(r"prompt is too long|maximum context length|reduce the length of the messages", re.IGNORECASE)
_ENDS_RUN = frozenset({401, 402, 403, 404})
_TOO_LARGE = "Use smaller pages ('retouch regenerate DIR --repaginate UNIT') or a model with a larger context window."
_OF_REQUEST = frozenset({400, 422})
_OUTPUT_CAP = re.compile(
    r"max_(?:completion_|output_|new_)?tokens|maxOutputTokens|(?:output|completion) tokens", re.IGNORECASE
)
_GRAMMAR = re.compile(r"schema|response_?format|grammar", re.IGNORECASE)
_SCHEMA = re.compile(
    r"schema|response_?format|grammar|json|structured.?output|output_?(?:config|format)|response_?mime_?type",
    re.IGNORECASE,
)
_WITHHELD = {"content_filter", "content_policy_violation", "data_inspection_failed"}
_FILTER = re.compile(
    r"content (?:management|filtering) policy|content exists risk|your input was flagged", re.IGNORECASE
)  # Azure, Anthropic, DeepSeek, OpenRouter
_ROOM = re.compile(r"(\d+) > (\d+) - (\d+)")  # vLLM: asked > context - input


class PromptWithheld(ModelError):
    """A provider's filter withholds the answer to one prompt with an error status. Other prompts can be answered."""


def failure_of(error: Exception, endpoint: ModelEndpoint) -> ModelError | None:
    """Return the error that `error` means for the engine, or None if it is unrelated to the call and must be raised.

    No message contains the key, even if the server's message does.
    """
    found = list(causes(error))
    ours = next((one for one in found if isinstance(one, ModelError)), None)
    if ours is not None or isinstance(error, Warning):
        return ours
    if any(type(one).__name__ == "TooManyRedirects" for one in found):
        return redirected_in_circle(endpoint)
    unsent = next((one for one in found if isinstance(one, UnicodeEncodeError)), None)
    if unsent is not None:
        return _unsendable(unsent, endpoint)
    if isinstance(error, ModelQuotaExceededError):
        return _without_credit(error, endpoint)
    if isinstance(error, ModelHTTPError):
        return _of_status(error, error.status_code, endpoint)
    if isinstance(error, ModelRequestRejectedError | UserError):
        return _refused(error, 0, endpoint)
    if isinstance(error, ModelAPIError):
        unreached = getattr(error, "phase", None) == "connect" and endpoint.address
        hint = f"Is a server listening at {without_password(endpoint.address or '')!r}?" if unreached else ""
        return TransportError(f"{endpoint.spec!r}: {message_of(error)}", retry_after_s=error.retry_after, hint=hint)
    if _is_unreached(error):
        address = without_password(endpoint.address or "")
        hint = f"Is a server listening at {address!r}?" if address else ""
        return TransportError(f"{endpoint.spec!r}: {message_of(error)}", hint=hint)
    library = type(error).__module__.partition(".")[0].startswith(_HTTP_LIBRARIES)
    if isinstance(error, AgentRunError | OSError | EOFError) or library:
        return TransportError(f"{endpoint.spec!r}: {message_of(error)}")
    return TransportError(f"{endpoint.spec!r} sent an invalid response ({type(error).__name__})")


def _is_unreached(error: Exception) -> bool:
    """Return whether the HTTP client of calls without a library found no server."""
    return type(error).__name__ == "ClientConnectorError"


def rejects_schema(error: Exception) -> bool:
    """Return whether a server rejected a request because of its answer schema, as far as its message shows."""
    found = ((getattr(one, "status_code", None), getattr(one, "body", ""), one) for one in causes(error))
    if any(names_schema(status, f"{body} {one}") for status, body, one in found):
        return True
    return isinstance(error, UserError) and names_schema(400, str(error))


def names_schema(status: int | None, message: str) -> bool:
    """Return whether an error is about the schema of a request that has one.

    Some servers answer 500 to a schema that their grammars cannot express.
    """
    if status in _OF_REQUEST:
        return _SCHEMA.search(message) is not None
    return status in {500, 501} and _GRAMMAR.search(message) is not None


def client_failure(error: Exception, endpoint: ModelEndpoint) -> ModelError:
    """Return the error that an exception of a client library means if it was called without pydantic-ai."""
    status: object = getattr(error, "status_code", None)
    if isinstance(status, int):
        headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
        converted = ModelHTTPError(status, endpoint.model, getattr(error, "body", None), headers=dict(headers))
        return _of_status(converted, status, endpoint)
    return failure_of(error, endpoint) or TransportError(f"{endpoint.spec!r}: {message_of(error)}")


def http_failure(endpoint: ModelEndpoint, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
    """Return the error that an error response means if no client library read it."""
    parsed: object = body.decode(errors="replace")
    with suppress(ValueError, RecursionError):
        parsed = json.loads(body)
    return _of_status(ModelHTTPError(status, endpoint.model, parsed, headers=dict(headers)), status, endpoint)


def refusal_in(body: object, status: int, endpoint: ModelEndpoint) -> ModelError:
    """Return the error that an error response in a batch means."""
    return _of_status(ModelHTTPError(status, endpoint.model, body), status, endpoint)


def stalled(endpoint: ModelEndpoint) -> TransportError:
    """Return the failure of a call that exceeded a time limit."""
    tuning = endpoint.tuning
    return TransportError(
        f"{endpoint.spec!r} timed out (the limits are {tuning.first_byte_s:g} s to the first byte, "
        f"{tuning.idle_s:g} s between two, {tuning.call_s:g} s in all)",
        hint=f"Give a slow server more time, as in '{endpoint.with_limit('idle_s=600')}'.",
    )


def in_answer(reader: ResponseReader, endpoint: ModelEndpoint) -> ModelError:
    """Return the failure of a successful response without a complete answer."""
    name = endpoint.spec
    if reader.error:
        return _error_in_answer(reader, endpoint)
    if reader.unreadable:
        shown = one_line(reader.unreadable)
        return TransportError(f"{name!r} sent an invalid response: {shown!r} is not JSON", heals=False)
    if reader.parts or reader.usage or reader.reasoning:
        received = f"{len(reader.text)} characters" if reader.text else "no text"
        return TransportError(
            f"{name!r} ended its response without a finish reason, so it is incomplete ({received} received)",
            heals=False,
        )
    return TransportError(f"{name!r} sent an invalid response: it has no text and no usage", heals=False)


def not_read(endpoint: ModelEndpoint) -> ModelError:
    """Return the failure of a call whose client library sent nothing, or used another HTTP client."""
    return ModelError(
        f"the client library of {endpoint.spec!r} did not use the given HTTP client, so its response cannot be read",
        hint="Install the versions that Retouch was tested with: pip install --upgrade retouch.",
    )


def sent_elsewhere(endpoint: ModelEndpoint, status: int, address: str) -> ModelError:
    """Return the failure of a call that the server redirects to another `address`. Nothing was sent there."""
    shown = redacted(address)
    return ModelError(
        f"{endpoint.spec!r} answered {status}, a redirect to {shown!r}. Neither key nor prompt was sent there",
        hint=f"If the address is right, set it, for example in {endpoint.provider.url_variable}.",
    )


def redirected_in_circle(endpoint: ModelEndpoint) -> ModelError:
    """Return the failure of a call that the same server redirects again and again."""
    address = without_password(endpoint.address or "")
    return ModelError(
        f"{endpoint.spec!r} redirects its calls in a circle, or very often",
        hint=f"Check the address{f' {address!r}' if address else ''}, or the server behind it.",
    )


def _without_credit(error: Exception, endpoint: ModelEndpoint) -> ModelError:
    return ModelError(
        f"{endpoint.spec!r} has no credit left: {message_of(error)}",
        hint="Add credit at the provider, or choose another model. Received responses are kept.",
    )


def _lacks_credit(error: ModelHTTPError, status: int) -> bool:
    names = {code_of(error), kind_of(error)}
    return status == 402 or bool(names & _NO_CREDIT) or _LOW_BALANCE.search(message_of(error)) is not None


def _of_status(error: ModelHTTPError, status: int, endpoint: ModelEndpoint) -> ModelError:
    if _lacks_credit(error, status):
        return _without_credit(error, endpoint)
    if status not in _PASSING and status < 500:
        return _refused(error, status, endpoint)
    kind = Throttled if status in _THROTTLED else TransportError
    headers = {name.lower(): value.strip() for name, value in (error.headers or {}).items()}
    wait_s = asked_wait_s(headers)
    return kind(
        f"{endpoint.spec!r} answered {status}: {message_of(error)}",
        retry_after_s=error.retry_after if wait_s is None else wait_s,  # Gemini sends the wait in the body
        again=headers.get("x-should-retry", "").lower() != "false",
    )


def _error_in_answer(reader: ResponseReader, endpoint: ModelEndpoint) -> ModelError:
    """Return the failure of a response that ends with an error of the provider.

    Errors about a key, a balance or a model's name end the run. For other errors the request was already accepted once,
    so it is retried.
    """
    error = reader.error
    status = status_in(error)
    converted = ModelHTTPError(status or 500, endpoint.model, error)
    if status in _ENDS_RUN or _lacks_credit(converted, status):
        return _of_status(converted, status, endpoint)
    kind = Throttled if status in _THROTTLED else TransportError
    return kind(
        f"{endpoint.spec!r} aborted its response: {message_of(converted)}", heals=status >= 500 or status in _PASSING
    )


def _refused(error: Exception, status: int, endpoint: ModelEndpoint) -> ModelError:
    provider_message, name, code = message_of(error), endpoint.spec, code_of(error)
    variables = " or ".join(endpoint.provider.key_variables)
    if status in {400, 403, 422} and (code in _WITHHELD or _FILTER.search(provider_message)):
        return PromptWithheld(provider_message)
    if status == 401 or (status == 400 and "api key not valid" in provider_message.lower()):
        given = "does not accept the key in" if endpoint.provider.key else "needs a key in"
        return ModelError(f"{name!r} {given} {variables}: {provider_message}", hint="Set the variable to a valid key.")
    if status == 403:
        return ModelError(
            f"the key in {variables} has no access to {name!r}: {provider_message}", hint="Request access to the model."
        )
    if status == 404 or code == "model_not_found":
        message = f"{endpoint.provider.name} has no model {endpoint.model!r}: {provider_message}"
        address = without_password(endpoint.address or "")
        where = f"the address {address!r}" if address else "the provider's list of models"
        return ModelError(message, hint=f"Check the model's name against {where}.")
    answered = f" answered {status}" if status else " rejected the call"
    if status in _OF_REQUEST and _OUTPUT_CAP.search(provider_message):
        hint = "Give a lower --max-output-tokens."
        return OutputCapTooLarge(
            f"{name!r}{answered}: {provider_message}", hint=hint, limits=_numbers_in(provider_message)
        )
    large = status == 413 or isinstance(error, ModelContextWindowExceededError) or code == "context_length_exceeded"
    large = large or _TOO_LONG.search(provider_message) is not None
    hint = _TOO_LARGE if large else "The request itself is invalid, so a retry would not help."
    return ModelError(f"{name!r}{answered}: {provider_message}", hint=hint)


def _numbers_in(said: str) -> list[int]:
    """Return the limits that a refusal may name; what is left of a context window counts, not the whole of it."""
    room = _ROOM.search(said)
    if room is not None:
        return [int(room[2]) - int(room[3])]
    return [int(one.replace(",", "")) for one in re.findall(r"\d[\d,]*", said)]


def _unsendable(error: UnicodeEncodeError, endpoint: ModelEndpoint) -> ModelError:
    character = f"U+{ord(error.object[error.start]):04X}"
    return ModelError(
        f"a text for {endpoint.spec!r} contains the lone surrogate {character}, which cannot be sent",
        hint="Remove it from the source of the prompts, then generate again.",
    )
