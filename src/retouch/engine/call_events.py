"""The rows of a ledger about calls: prompts, requests and replies as JSON. `events` has the other rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from retouch._lib.frozen import made
from retouch._lib.hashing import schema_text
from retouch._lib.json_text import shared_json
from retouch.engine.types import Message, Prompt, Reply, Request

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

Store: TypeAlias = Callable[[str], str]
Texts: TypeAlias = Mapping[str, str]
Row: TypeAlias = Mapping[str, Any]


class LedgerEvent(Protocol):
    """One row before it is appended to the ledger.

    `attempt` is the sequence number of its intent, `unit` its unit. Both may be None.
    """

    @property
    def kind(self) -> str:
        """The row's kind."""
        ...

    @property
    def attempt(self) -> int | None:
        """The attempt that the row is about."""

    @property
    def unit(self) -> str | None:
        """The unit that the row is about."""

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the row's data. Long strings go through `store` and are replaced by their hash."""
        ...


@dataclass(frozen=True, kw_only=True)
class PlainRow:
    """Base class of most rows: a constant kind, and neither attempt nor unit."""

    kind: str = field(init=False)
    attempt: int | None = field(default=None, init=False)
    unit: str | None = field(default=None, init=False)


@dataclass(frozen=True, kw_only=True)
class TextStored(PlainRow):
    """A long text, stored once. Other rows refer to it by hash."""

    kind: str = field(default="text", init=False)
    hash: str
    text: str

    def to_json(self, store: Store) -> dict[str, JSON]:  # noqa: ARG002 - the protocol's signature
        """Return the data of the row."""
        return {"hash": self.hash, "text": self.text}

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> TextStored:
        """Return the event with the data of a row."""
        return TextStored(hash=data["hash"], text=data["text"])


def prompt_to_json(prompt: Prompt, store: Store) -> dict[str, JSON]:
    """Return the data of a prompt inside a row."""
    texts: dict[str, JSON] = {"system": store(prompt.system), "user": store(prompt.user)}
    return {**prompt.to_json(), **texts, **_schema_to_json(prompt.answer_schema, store)}


def prompt_from_json(data: Row, texts: Texts) -> Prompt:
    """Return the prompt with the data of a row."""
    return made(
        Prompt,
        unit=data["type_name"],
        is_root=data["is_root"],
        page=data["page"],
        total_pages=data["total_pages"],
        system=texts[data["system"]],
        user=texts[data["user"]],
        answer_schema=_schema_from_json(data, texts),
    )


def _schema_to_json(schema: Mapping[str, Any] | None, store: Store) -> dict[str, JSON]:  # as a text: many share one
    return {} if schema is None else {"answer_schema": store(schema_text(schema))}


def _schema_from_json(data: Row, texts: Texts) -> Mapping[str, Any] | None:
    return cast("Any", shared_json(texts[data["answer_schema"]])) if "answer_schema" in data else None


@dataclass(frozen=True, kw_only=True)
class CallIntended:
    """A request is about to be sent. The row is on disk before that. Its sequence number identifies the attempt."""

    kind: str = field(default="intent", init=False)
    why: str
    model: str
    request: Request
    stage: int = 0  # of a fallback, see `repairs`
    attempt: int | None = field(default=None, init=False)

    @property
    def unit(self) -> str | None:
        """The unit that the call is for."""
        return self.request.prompt.unit

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        request = self.request
        messages: list[JSON] = [[message.role, store(message.text)] for message in request.messages]
        return {
            "why": self.why,
            "model": self.model,
            "prompt": prompt_to_json(request.prompt, store),
            "system": store(request.system),
            "messages": messages,
            "max_output_tokens": request.max_output_tokens,
            "temperature": request.temperature,
            "breakpoints": list(request.breakpoints),
            **_schema_to_json(request.answer_schema, store),
            **({"stage": self.stage} if self.stage else {}),
        }

    @staticmethod
    def from_json(data: Row, texts: Texts) -> CallIntended:
        """Return the event with the data of a row."""
        request = made(
            Request,
            prompt=prompt_from_json(data["prompt"], texts),
            system=texts[data["system"]],
            messages=tuple([made(Message, role=role, text=texts[name]) for role, name in data["messages"]]),
            max_output_tokens=data["max_output_tokens"],
            temperature=data["temperature"],
            breakpoints=tuple(data["breakpoints"]),
            answer_schema=_schema_from_json(data, texts),
            parts=(),
        )
        return made(
            CallIntended,
            kind=CallIntended.kind,
            why=data["why"],
            model=data["model"],
            request=request,
            stage=data.get("stage", 0),
            attempt=None,
        )


_REPLY_KEYS = frozenset(one.name for one in fields(Reply))
_NO_REPLY: Mapping[str, Any] = {one.name: one.default for one in fields(Reply) if one.default is not MISSING}
_OPTIONAL = frozenset({"parts", "reasoning", "reasoning_tokens", "finish_raw", "request_id", "usage", "schema_mode"})


def _reply_to_json(reply: Reply, store: Store) -> dict[str, JSON]:
    """Return a reply's data. Empty values are left out, as in older ledgers without these keys."""
    data: dict[str, JSON] = {
        **vars(reply),
        "text": store(reply.text),
        "parts": [store(part) for part in reply.parts],
        "reasoning": store(reply.reasoning) if reply.reasoning else "",
        "usage": dict(reply.usage),
    }
    return {key: value for key, value in data.items() if value or key not in _OPTIONAL}


def _reply_from_json(data: Row, texts: Texts) -> Reply:
    raw: dict[str, Any] = {
        **data,
        "text": texts[data["text"]],
        "parts": tuple([texts[name] for name in data.get("parts", ())]),
        "reasoning": texts[data["reasoning"]] if data.get("reasoning") else "",
    }
    if not _REPLY_KEYS.issuperset(raw):
        raise TypeError(f"a reply has no {', '.join(sorted(raw.keys() - _REPLY_KEYS))}")
    return made(Reply, **{**_NO_REPLY, "usage": {}, "model": data["model"], **raw})


@dataclass(frozen=True, kw_only=True)
class ReplyReceived:
    """The reply to an attempt, exactly as received. The row is appended before anything reads the text."""

    kind: str = field(default="reply", init=False)
    attempt: int | None
    reply: Reply
    seconds: float
    unit: str | None = field(default=None, init=False)

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        return {"reply": _reply_to_json(self.reply, store), "seconds": self.seconds}

    @staticmethod
    def from_json(data: Row, texts: Texts, attempt: int | None = None) -> ReplyReceived:
        """Return the event with the data of a row."""
        reply = _reply_from_json(data["reply"], texts)
        received = {"attempt": attempt, "unit": None, "reply": reply, "seconds": data["seconds"]}
        return made(ReplyReceived, kind=ReplyReceived.kind, **received)


@dataclass(frozen=True, kw_only=True)
class CallFailed:
    """The error of an attempt without a reply, and the part of a reply that was received."""

    kind: str = field(default="failure", init=False)
    attempt: int | None
    error: str
    seconds: float
    received: Reply | None = None
    unit: str | None = field(default=None, init=False)

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        data: dict[str, JSON] = {"error": self.error, "seconds": self.seconds}
        return data if self.received is None else {**data, "received": _reply_to_json(self.received, store)}

    @staticmethod
    def from_json(data: Row, texts: Texts, attempt: int | None = None) -> CallFailed:
        """Return the event with the data of a row."""
        received = _reply_from_json(data["received"], texts) if "received" in data else None
        return CallFailed(attempt=attempt, error=data["error"], seconds=data["seconds"], received=received)


@dataclass(frozen=True, kw_only=True)
class PackIntended(PlainRow):
    """A request for several pages is about to be sent. The row is on disk before that. It names all its pages.

    `segments` are the pieces of the request's message, among them the users' texts of the pages, which are stored once.
    `ReplyReceived` and `CallFailed` refer to this row by its sequence number, as to that of an attempt.
    """

    kind: str = field(default="pack", init=False)
    why: str
    model: str
    request: Request
    segments: tuple[str, ...]

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        request = self.request
        return {
            "why": self.why,
            "model": self.model,
            "system": store(request.system),
            "message": [store(one) for one in self.segments],
            "max_output_tokens": request.max_output_tokens,
            "temperature": request.temperature,
            **_schema_to_json(request.answer_schema, store),
            "parts": [{"key": key, **prompt_to_json(prompt, store)} for key, prompt in request.parts],
        }

    @staticmethod
    def from_json(data: Row, texts: Texts) -> PackIntended:
        """Return the event with the data of a row."""
        segments = tuple(texts[name] for name in data["message"])
        rows = [dict(one) for one in data["parts"]]
        request = packed_request(
            [(row.pop("key"), prompt_from_json(row, texts)) for row in rows],
            system=texts[data["system"]],
            text="".join(segments),
            max_output_tokens=data["max_output_tokens"],
            temperature=data["temperature"],
            answer_schema=_schema_from_json(data, texts),
        )
        return PackIntended(why=data["why"], model=data["model"], request=request, segments=segments)


def alone_row(pack: Row, key: str) -> dict[str, Any]:
    """Return the data of the `CallIntended` row that one page of a packed request would have had alone.

    `pack` is the data of the `PackIntended` row. For readers that copy rows without their long strings.
    """
    found = {
        name: one for name, one in next(one for one in pack["parts"] if one["key"] == key).items() if name != "key"
    }
    schema = {"answer_schema": found["answer_schema"]} if "answer_schema" in found else {}
    return {
        **{name: pack[name] for name in ("why", "model", "system", "max_output_tokens", "temperature")},
        "prompt": found,
        "messages": [["user", found["user"]]],
        "breakpoints": [],
        **schema,
    }


def packed_request(
    parts: Sequence[tuple[str, Prompt]],
    *,
    system: str,
    text: str,
    max_output_tokens: int,
    temperature: float | None,
    answer_schema: Mapping[str, Any] | None,
) -> Request:
    """Return the request with this `text` for all the `parts`."""
    return Request(
        prompt=replace(parts[0][1], system=system, user=text, answer_schema=answer_schema),
        system=system,
        messages=(Message(role="user", text=text),),
        max_output_tokens=max_output_tokens,
        temperature=temperature,
        answer_schema=answer_schema,
        parts=tuple(parts),
    )


@dataclass(frozen=True, kw_only=True)
class PartReceived:
    """The part of one page in the reply to a packed request, or the error instead of it. The row is an attempt.

    `pack` is the sequence number of the `PackIntended` row, `key` the key of the page there.
    """

    kind: str = field(default="part", init=False)
    pack: int
    key: str
    unit: str | None
    page: int
    reply: Reply | None = None
    error: str | None = None
    attempt: int | None = field(default=None, init=False)

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        outcome: dict[str, JSON] = (
            {"error": self.error} if self.reply is None else {"reply": _reply_to_json(self.reply, store)}
        )
        return {"pack": self.pack, "key": self.key, "page": self.page, **outcome}

    @staticmethod
    def from_json(data: Row, texts: Texts, unit: str | None = None) -> PartReceived:
        """Return the event with the data of a row."""
        reply = _reply_from_json(data["reply"], texts) if "reply" in data else None
        return PartReceived(
            pack=data["pack"], key=data["key"], unit=unit, page=data["page"], reply=reply, error=data.get("error")
        )
