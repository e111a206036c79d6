"""Which real models there are, and what a spec such as `openai:NAME@http://127.0.0.1:8000/v1?tries=3` names."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from retouch.errors import BadInput, MissingTool
from retouch.models.secrets import can_be_sent, environment_key, without_password
from retouch.models.tuning import CHANGING, Tuning, tuning_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_OPENAI = "openai.com"
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com")
_HOST = re.compile(r"[\w.-]+:\d+(?:/|$)|localhost(?:/|$)")  # what looks like an address without its scheme
_OPENAI_MODEL = re.compile(r"(?:ft:)?(?:gpt-(?!oss)|chatgpt|codex|o\d)")  # gpt-oss runs anywhere


@dataclass(frozen=True, kw_only=True)
class Provider:
    """One provider: where its key and address are looked for, and what must be installed.

    `key_variables` are tried in order; none are needed where a server runs on this machine. `home` is the address
    that is used when neither the spec nor `url_variable` names one, "" for the client library's own. `dialect` is the
    protocol in which it answers. `tested` says that recorded answers of the provider are part of the conformance suite;
    support for the others is experimental.
    """

    name: str
    key_variables: tuple[str, ...]
    url_variable: str
    extra: str
    modules: tuple[str, ...]
    needs_key: bool = True
    home: str = ""
    dialect: str = "openai"
    tested: bool = False

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


_CHAT = ("pydantic_ai", "openai", "genai_prices")


def _chat(name: str, home: str) -> Provider:
    """Return a provider that speaks as OpenAI does, at an address of its own, with recorded answers."""
    key, url = f"{name.upper()}_API_KEY", f"{name.upper()}_BASE_URL"
    return Provider(
        name=name, key_variables=(key,), url_variable=url, extra="llm", modules=_CHAT, home=home, tested=True
    )


PROVIDERS: Mapping[str, Provider] = {
    one.name: one
    for one in (
        Provider(
            name="anthropic",
            key_variables=("ANTHROPIC_API_KEY",),
            url_variable="ANTHROPIC_BASE_URL",
            extra="llm",
            modules=("pydantic_ai", "anthropic", "genai_prices"),
            dialect="anthropic",
            tested=True,
        ),
        Provider(
            name="openai",
            key_variables=("OPENAI_API_KEY",),
            url_variable="OPENAI_BASE_URL",
            extra="llm",
            modules=_CHAT,
            tested=True,
        ),
        Provider(
            name="google",
            key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            url_variable="GOOGLE_GEMINI_BASE_URL",
            extra="google",
            modules=("pydantic_ai", "google.genai"),
            dialect="google",
            tested=True,
        ),
        Provider(
            name="ollama",
            key_variables=("OLLAMA_API_KEY",),
            url_variable="OLLAMA_BASE_URL",
            extra="llm",
            modules=_CHAT,
            needs_key=False,
            home="http://127.0.0.1:11434/v1",
        ),
        _chat("openrouter", "https://openrouter.ai/api/v1"),
        _chat("groq", "https://api.groq.com/openai/v1"),
        _chat("mistral", "https://api.mistral.ai/v1"),
        _chat("deepseek", "https://api.deepseek.com"),
        Provider(
            name="litellm",
            key_variables=("LITELLM_API_KEY",),
            url_variable="LITELLM_BASE_URL",
            extra="llm",
            modules=_CHAT,
            needs_key=False,
            home="http://127.0.0.1:4000",
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class ModelEndpoint:
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
    def caps_completion(self) -> bool:
        """Whether the output cap is sent as `max_completion_tokens`, which many servers ignore and Azure demands."""
        host = urlsplit(self.address or "").hostname or ""
        return self.of_openai or host.endswith(_AZURE)

    @property
    def spec(self) -> str:
        """The model as a user writes it, without limits but with what changes its answers: its name in the ledger."""
        named = f"{self.provider.name}:{self.model}" + (f"@{self.url}" if self.url else "")
        given = {name: getattr(self.tuning, name) for name in CHANGING}
        changed = "&".join(
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in given.items()
            if value is not None
        )
        return f"{named}?{changed}" if changed else named

    def with_limit(self, limit: str) -> str:
        """Return the spec with a further limit, such as `idle_s=600`, for a hint."""
        return self.spec + ("&" if "?" in self.spec else "?") + limit


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that would hold it is not there
        return False


def endpoint_of(scheme: str, rest: str) -> ModelEndpoint:
    """Return what a spec such as `openai:NAME@URL?tries=3` names.

    Raises:
        BadInput: it names no model, or a limit is not understood.
    """
    provider = PROVIDERS[scheme]
    named, _, query = rest.partition("?")
    model, url = name_and_address(named)
    if not model:
        raise BadInput(
            f"{scheme!r} names a provider and no model", hint=f"Write it as '{scheme}:NAME', with the model's name."
        )
    name, _, host = model.rpartition("@")
    if name and _HOST.match(host):
        raise BadInput(f"{host!r} is no address of a server", hint=f"Write '{scheme}:{name}@http://{host}'.")
    if (plain := without_password(url)) != url:
        raise BadInput(
            f"the address {plain!r} was given with a password, which would be written into every run",
            hint=f"Set {provider.key_variables[0]}, or put the address into {provider.url_variable}.",
        )
    tuning = tuning_of(query)
    if (tuning.price_in is None) != (tuning.price_out is None):
        raise BadInput("price_in and price_out belong together", hint="Write '?price_in=0.5&price_out=1.5'.")
    if tuning.seed is not None and provider.name == "anthropic":
        raise BadInput("models of Anthropic take no seed", hint="Leave 'seed' out.")
    return ModelEndpoint(provider=provider, model=model, url=url.rstrip("/"), tuning=tuning)


def name_and_address(named: str) -> tuple[str, str]:
    """Return a model's name and its server's address, "" if there is none; names may hold `@` and `/` themselves.

    assert ("org/model@v2", "http://localhost:8000/v1") == name_and_address("org/model@v2@http://localhost:8000/v1")
    """
    place = max(named.rfind("@http://"), named.rfind("@https://"))
    return (named, "") if place < 0 else (named[:place], named[place + 1 :])


def expect_usable(endpoint: ModelEndpoint) -> None:
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
