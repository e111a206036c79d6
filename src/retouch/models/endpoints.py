"""Which real models there are, and what a spec such as `openai:NAME@http://127.0.0.1:8000/v1?tries=3` names."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from retouch.errors import BadInput, MissingTool
from retouch.models.secrets import can_be_sent, environment_key, without_password

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOR_EVER = 1e9  # seconds, calls or tokens: more is not a limit
_OPENAI = "openai.com"
_OPENAI_MODEL = re.compile(r"(?:ft:)?(?:gpt-(?!oss)|chatgpt|codex|o\d)")  # gpt-oss runs anywhere


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
        return environment_key(self.key_variables)

    @property
    def installed(self) -> bool:
        """Whether its client libraries are here."""
        return all(_installed(module) for module in self.modules)

    @property
    def missing(self) -> str:
        """What keeps this provider from being used here and what to do about it, "" when nothing does."""
        if not self.installed:
            return f'not installed: pip install "retouch[{self.extra}]"'
        if not can_be_sent(self.key):
            return f"no key: {' or '.join(self.key_variables)} holds a line end or another character that none has"
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
    cache                "auto" lets a plan place cache markers, "hour" lets entries live for an hour, at a higher
                         price, "none" sends none
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
    def of_openai(self) -> bool:
        """Whether OpenAI answers, or a server that stands in for it; others that speak alike know less than it does."""
        if self.provider.name != "openai":
            return False
        host = urlsplit(self.address or "").hostname or _OPENAI
        return host.endswith(_OPENAI) or (not self.url and _OPENAI_MODEL.match(self.model) is not None)

    @property
    def spec(self) -> str:
        """The model as a user writes it, without limits: its name in the ledger."""
        return f"{self.provider.name}:{self.model}" + (f"@{self.url}" if self.url else "")


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that would hold it is not there
        return False


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
    if (plain := without_password(url)) != url:
        raise BadInput(
            f"the address {plain!r} was given with a password, which would be written into every run",
            hint=f"Set {provider.key_variables[0]}, or put the address into {provider.url_variable}.",
        )
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
        if name == "cache" and value not in {"auto", "hour", "none"}:
            raise BadInput(f"cache is {value!r}", hint="It is 'auto', 'hour' or 'none'.")
        if not isinstance(given, str) and not 0 < given < _FOR_EVER and not (given == 0 and name.endswith("_minute")):
            raise BadInput(f"{name} is {value!r}, which no call can keep to", hint="Give it a number above 0.")
        tuning = replace(tuning, **{name: given})
    return tuning


def expect_usable(endpoint: Endpoint) -> None:
    """Make sure that a model can be asked.

    Raises:
        BadInput: the key is missing, or cannot be one.
        MissingTool: the extra is not installed.
    """
    provider = endpoint.provider
    variables = " or ".join(provider.key_variables)
    if not provider.installed:
        raise MissingTool(
            f"{endpoint.spec!r} needs client libraries that are not installed",
            hint=f'Install them: pip install "retouch[{provider.extra}]"',
        )
    if not can_be_sent(provider.key):
        raise BadInput(
            f"the key in {variables} holds a line end or another character that no key has",
            hint="Set the variable to the key as the provider shows it, without quotes or line ends around it.",
        )
    elsewhere = endpoint.url or (provider.name == "openai" and os.environ.get(provider.url_variable))
    if provider.needs_key and not provider.key and not elsewhere:
        raise BadInput(
            f"{endpoint.spec!r} needs a key, and {variables} is not set",
            hint=f"Set the environment variable: export {provider.key_variables[0]}=...",
        )
