"""What went wrong in a call, in our own errors: worth another try, or not, and then what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    UserError,
)

from retouch.engine.errors import ModelError, Throttled, TransportError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.models.providers import Endpoint

_PASSING = frozenset({408, 409, 429})
_THROTTLED = frozenset({429, 529})
_GARBLED = (TypeError, KeyError, IndexError, AttributeError, ValueError)
_HTTP_LIBRARIES = ("httpx", "httpcore", "h11", "h2", "anyio")
_LONGEST = 300


def failure_of(error: Exception, endpoint: Endpoint) -> ModelError | None:
    """Return what `error` means to the loop; None when it says nothing about the call and must be raised as it is.

    No message holds the key, whatever a server repeats of it.
    """
    if isinstance(error, ModelQuotaExceededError):
        return ModelError(
            f"{endpoint.spec!r} has no credit left: {_said(error, endpoint)}",
            hint="Add credit at the provider, or choose another model; what arrived is kept.",
        )
    if isinstance(error, ModelHTTPError):
        return _of_status(error, error.status_code, endpoint)
    if isinstance(error, ModelRequestRejectedError | UserError):
        return _refused(error, 0, endpoint)
    if isinstance(error, ModelAPIError):
        unreached = getattr(error, "phase", None) == "connect" and endpoint.address
        hint = f"Is a server listening at {endpoint.address!r}?" if unreached else ""
        return TransportError(
            f"{endpoint.spec!r}: {_said(error, endpoint)}", retry_after_s=error.retry_after, hint=hint
        )
    library = type(error).__module__.partition(".")[0].startswith(_HTTP_LIBRARIES)
    if isinstance(error, AgentRunError | OSError | EOFError) or library:
        return TransportError(f"{endpoint.spec!r}: {_said(error, endpoint)}")
    if isinstance(error, _GARBLED):
        return TransportError(f"{endpoint.spec!r} sent an answer that cannot be read ({type(error).__name__})")
    return None


def client_failure(error: Exception, endpoint: Endpoint) -> ModelError:
    """Return what an error of a client library means, one that was called without pydantic-ai around it."""
    status: object = getattr(error, "status_code", None)
    if isinstance(status, int):
        headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
        told = ModelHTTPError(status, endpoint.model, getattr(error, "body", None), headers=dict(headers))
        return _of_status(told, status, endpoint)
    return failure_of(error, endpoint) or TransportError(f"{endpoint.spec!r}: {_said(error, endpoint)}")


def stalled(endpoint: Endpoint) -> TransportError:
    """Return the failure of a call that was silent for too long."""
    tuning = endpoint.tuning
    return TransportError(
        f"{endpoint.spec!r} was silent for too long (its limits are {tuning.first_byte_s:g} s to the first byte, "
        f"{tuning.idle_s:g} s between two, {tuning.call_s:g} s in all)",
        hint=f"Give a slow server more time, as in '{endpoint.spec}?idle_s=600'.",
    )


def early_end(endpoint: Endpoint) -> TransportError:
    """Return the failure of an answer that ended without saying why."""
    return TransportError(f"{endpoint.spec!r} ended its answer without a finish reason: it was cut on the way")


def _of_status(error: ModelHTTPError, status: int, endpoint: Endpoint) -> ModelError:
    if status not in _PASSING and status < 500:
        return _refused(error, status, endpoint)
    kind = Throttled if status in _THROTTLED else TransportError
    return kind(f"{endpoint.spec!r} answered {status}: {_said(error, endpoint)}", retry_after_s=error.retry_after)


def _refused(error: Exception, status: int, endpoint: Endpoint) -> ModelError:
    said, name = _said(error, endpoint), endpoint.spec
    variables = " or ".join(endpoint.provider.key_variables)
    if status == 401:
        given = "does not accept the key in" if endpoint.provider.key else "wants a key in"
        return ModelError(f"{name!r} {given} {variables}: {said}", hint="Set the variable to a valid key.")
    if status == 403:
        return ModelError(f"the key in {variables} may not use {name!r}: {said}", hint="Ask for access to the model.")
    if status == 404:
        message = f"{endpoint.provider.name} has no model {endpoint.model!r}: {said}"
        where = f"the address {endpoint.address!r}" if endpoint.address else "the provider's list of models"
        return ModelError(message, hint=f"Check the model's name against {where}.")
    answered = f" answered {status}" if status else " refused the call"
    return ModelError(f"{name!r}{answered}: {said}", hint="The request is at fault: asking again would not help.")


def _said(error: Exception, endpoint: Endpoint) -> str:
    """Return the provider's own words, short, in one line and without the key."""
    body: object = getattr(error, "body", None)
    text = _message_in(body) or str(error) or type(error).__name__
    key = endpoint.provider.key
    text = text.replace(key, "***") if key else text
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."


def _message_in(body: object) -> str:
    while _is_object(body):
        if isinstance(message := body.get("message"), str):
            return message
        body = body.get("error")
    return body if isinstance(body, str) else ""


def _is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)
