"""What went wrong in a call, in our own errors: worth another try, or not, and then what to do about it."""

from __future__ import annotations

import re
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
from retouch.models.hosted.waits import asked_wait_s
from retouch.models.hosted.words import causes, code_of, one_line, said_by, status_in
from retouch.models.secrets import redacted, without_password

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.models.endpoints import ModelEndpoint
    from retouch.models.wire import ResponseReader

_PASSING = frozenset({408, 409, 429})
_THROTTLED = frozenset({429, 529})
_HTTP_LIBRARIES = ("httpx", "httpcore", "h11", "h2", "anyio")
_ENDS_RUN = frozenset({401, 402, 403, 404})
_OF_REQUEST = frozenset({400, 422})
_OUTPUT_CAP = re.compile(
    r"max_(?:completion_|output_|new_)?tokens|maxOutputTokens|(?:output|completion) tokens", re.IGNORECASE
)
_ROOM = re.compile(r"(\d+) > (\d+) - (\d+)")  # vLLM: asked > context - input
_TOO_LARGE = "Ask for less at once ('retouch regenerate DIR --repaginate UNIT'), or choose a model that takes more."


def failure_of(error: Exception, endpoint: ModelEndpoint) -> ModelError | None:
    """Return what `error` means to the loop; None when it says nothing about the call and must be raised as it is.

    No message holds the key, whatever a server repeats of it.
    """
    found = list(causes(error))
    ours = next((one for one in found if isinstance(one, ModelError)), None)
    if ours is not None or isinstance(error, Warning):
        return ours
    unsent = next((one for one in found if isinstance(one, UnicodeEncodeError)), None)
    if unsent is not None:
        return _unsendable(unsent, endpoint)
    if isinstance(error, ModelQuotaExceededError):
        return ModelError(
            f"{endpoint.spec!r} has no credit left: {said_by(error)}",
            hint="Add credit at the provider, or choose another model; what arrived is kept.",
        )
    if isinstance(error, ModelHTTPError):
        return _of_status(error, error.status_code, endpoint)
    if isinstance(error, ModelRequestRejectedError | UserError):
        return _refused(error, 0, endpoint)
    if isinstance(error, ModelAPIError):
        unreached = getattr(error, "phase", None) == "connect" and endpoint.address
        hint = f"Is a server listening at {without_password(endpoint.address or '')!r}?" if unreached else ""
        return TransportError(f"{endpoint.spec!r}: {said_by(error)}", retry_after_s=error.retry_after, hint=hint)
    library = type(error).__module__.partition(".")[0].startswith(_HTTP_LIBRARIES)
    if isinstance(error, AgentRunError | OSError | EOFError) or library:
        return TransportError(f"{endpoint.spec!r}: {said_by(error)}")
    return TransportError(f"{endpoint.spec!r} sent an answer that cannot be read ({type(error).__name__})")


def client_failure(error: Exception, endpoint: ModelEndpoint) -> ModelError:
    """Return what an error of a client library means, one that was called without pydantic-ai around it."""
    status: object = getattr(error, "status_code", None)
    if isinstance(status, int):
        headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
        told = ModelHTTPError(status, endpoint.model, getattr(error, "body", None), headers=dict(headers))
        return _of_status(told, status, endpoint)
    return failure_of(error, endpoint) or TransportError(f"{endpoint.spec!r}: {said_by(error)}")


def refusal_in(body: object, status: int, endpoint: ModelEndpoint) -> ModelError:
    """Return what an error that came in a batch means."""
    return _of_status(ModelHTTPError(status, endpoint.model, body), status, endpoint)


def stalled(endpoint: ModelEndpoint) -> TransportError:
    """Return the failure of a call that was silent for too long."""
    tuning = endpoint.tuning
    return TransportError(
        f"{endpoint.spec!r} was silent for too long (its limits are {tuning.first_byte_s:g} s to the first byte, "
        f"{tuning.idle_s:g} s between two, {tuning.call_s:g} s in all)",
        hint=f"Give a slow server more time, as in '{endpoint.with_limit('idle_s=600')}'.",
    )


def in_answer(reader: ResponseReader, endpoint: ModelEndpoint) -> ModelError:
    """Return the failure of a response with a status of success that holds no complete answer."""
    name = endpoint.spec
    if reader.error:
        return _error_in_answer(reader, endpoint)
    if reader.unreadable:
        shown = one_line(reader.unreadable)
        return TransportError(f"{name!r} sent an answer that cannot be read: {shown!r} is not JSON", heals=False)
    if reader.parts or reader.usage or reader.reasoning:
        received = f"{len(reader.text)} characters" if reader.text else "no text"
        return TransportError(
            f"{name!r} ended its answer without a finish reason: it was cut on the way ({received} received)",
            heals=False,
        )
    return TransportError(f"{name!r} sent an answer that cannot be read: it holds no text and no usage", heals=False)


def not_read(endpoint: ModelEndpoint) -> ModelError:
    """Return the failure of a call whose client library sent nothing, or did not send it by the client given to it."""
    return ModelError(
        f"the client library of {endpoint.spec!r} did not let its answer be read",
        hint="Install the versions that Retouch was tested with: pip install --upgrade retouch.",
    )


def sent_elsewhere(endpoint: ModelEndpoint, status: int, address: str) -> ModelError:
    """Return the failure of a call that the server wants sent to another `address`, which got nothing."""
    shown = redacted(address)
    return ModelError(
        f"{endpoint.spec!r} answered {status}: it wants calls sent to {shown!r}, where neither key nor prompt went",
        hint=f"If that is right, name that address, as in {endpoint.provider.url_variable}.",
    )


def _of_status(error: ModelHTTPError, status: int, endpoint: ModelEndpoint) -> ModelError:
    if status not in _PASSING and status < 500:
        return _refused(error, status, endpoint)
    kind = Throttled if status in _THROTTLED else TransportError
    headers = {name.lower(): value.strip() for name, value in (error.headers or {}).items()}
    wait_s = asked_wait_s(headers)
    return kind(
        f"{endpoint.spec!r} answered {status}: {said_by(error)}",
        retry_after_s=error.retry_after if wait_s is None else wait_s,  # Gemini asks in the body
        again=headers.get("x-should-retry", "").lower() != "false",
    )


def _error_in_answer(reader: ResponseReader, endpoint: ModelEndpoint) -> ModelError:
    """Return the failure of an answer that breaks off with an error of the provider's.

    Those of a key, a balance or a model's name end the run. What else was wrong with the request has been accepted
    once, so it is tried once more.
    """
    error = reader.error
    status = status_in(error)
    told = ModelHTTPError(status or 500, endpoint.model, error)
    if status in _ENDS_RUN:
        return _of_status(told, status, endpoint)
    kind = Throttled if status in _THROTTLED else TransportError
    return kind(f"{endpoint.spec!r} broke off its answer: {said_by(told)}", heals=status >= 500 or status in _PASSING)


def _refused(error: Exception, status: int, endpoint: ModelEndpoint) -> ModelError:
    said, name, code = said_by(error), endpoint.spec, code_of(error)
    variables = " or ".join(endpoint.provider.key_variables)
    if status == 401 or (status == 400 and "api key not valid" in said.lower()):
        given = "does not accept the key in" if endpoint.provider.key else "wants a key in"
        return ModelError(f"{name!r} {given} {variables}: {said}", hint="Set the variable to a valid key.")
    if status == 403:
        return ModelError(f"the key in {variables} may not use {name!r}: {said}", hint="Ask for access to the model.")
    if status == 404 or code == "model_not_found":
        message = f"{endpoint.provider.name} has no model {endpoint.model!r}: {said}"
        address = without_password(endpoint.address or "")
        where = f"the address {address!r}" if address else "the provider's list of models"
        return ModelError(message, hint=f"Check the model's name against {where}.")
    answered = f" answered {status}" if status else " refused the call"
    if status in _OF_REQUEST and _OUTPUT_CAP.search(said):
        hint = "Give a lower --max-output-tokens."
        return OutputCapTooLarge(f"{name!r}{answered}: {said}", hint=hint, limits=_numbers_in(said))
    large = status == 413 or isinstance(error, ModelContextWindowExceededError) or code == "context_length_exceeded"
    hint = _TOO_LARGE if large else "The request is at fault: asking again would not help."
    return ModelError(f"{name!r}{answered}: {said}", hint=hint)


def _numbers_in(said: str) -> list[int]:
    """Return the limits that a refusal may name; what is left of a context window counts, not the whole of it."""
    room = _ROOM.search(said)
    if room is not None:
        return [int(room[2]) - int(room[3])]
    return [int(one.replace(",", "")) for one in re.findall(r"\d[\d,]*", said)]


def _unsendable(error: UnicodeEncodeError, endpoint: ModelEndpoint) -> ModelError:
    character = f"U+{ord(error.object[error.start]):04X}"
    return ModelError(
        f"a text for {endpoint.spec!r} holds {character}, half of a character, which cannot be sent",
        hint="Remove it from what the prompts are made from, then generate again.",
    )
