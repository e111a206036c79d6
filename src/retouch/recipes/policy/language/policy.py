"""A policy: rules, and the settings for decisions that come before any rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.language.files import policy_in, read_policy
from retouch.recipes.policy.language.stored import stored_policy, verified_hash
from retouch.recipes.policy.language.values import ListDef, ResolvedList, Rule, Server, ServerNote, Tool

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON

Tools = Mapping[tuple[str, str], Tool]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Rules in order, the tools they apply to, and the settings of directories and servers.

    The keys of `tools` are (server, tool). `allowed_directory` is the sandbox, None for none. `lists` is None if there
    is no file of lists, so that `@name` in a rule stays a literal. `time_zone` is the zone of hours and days in rules
    (`Europe/Berlin`), UTC if it is None. `roles` are roles of your own, each with its description. Calls of a server in
    `failed` are denied. `verified`: all scenarios passed when the policy was stored, and the file was not changed since
    (it contains a hash of the rest). `doubts` are reasons, as text, not to rely on the file. To change a policy, create
    another one with `dataclasses.replace`.
    """

    rules: tuple[Rule, ...]
    tools: Tools
    home: str
    semantics: int = 1
    time_zone: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    working_directory: str | None = None
    allowed_directory: str | None = None
    protected_paths: tuple[str, ...] = ()
    servers: Mapping[str, Server] = field(default_factory=dict[str, Server])
    list_defs: tuple[ListDef, ...] = ()
    lists: Mapping[str, ResolvedList] | None = None
    source_hash: str | None = None
    input_hash: str | None = None
    engine_version: str | None = None
    verified: bool = False
    skipped: tuple[ServerNote, ...] = ()
    failed: tuple[ServerNote, ...] = ()
    verified_hash: str | None = field(default=None, compare=False, repr=False)
    doubts: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def load(cls, path: str | Path, *, common: str | Path | None = None, home: str | None = None) -> Policy:
        """Return the policy of a file, or of a directory with `policy.json` or `compiled-policy.json`.

        `common` is the directory of the annotations that the file refers to. If it refers to none, they are read from
        the file's directory (`tool-annotations.json`), then from `common`. Lists are read from the file or from
        `dynamic-lists.json` in its directory. `home` is the meaning of `~` if the file does not define it. The default
        is your home directory.

        Raises:
            BadInput: it cannot be read. Every error is listed with its path in the file.
        """
        return _unless_changed(cls(**read_policy(path, common=common, home=home)))

    @classmethod
    def of_json(cls, value: JSON, *, name: str = "policy") -> Policy:
        """Return the policy of a self-contained JSON value, as written by `as_json`.

        Raises:
            BadInput: it has another shape. The message uses `name` for the policy.
        """
        return _unless_changed(cls(**policy_in(value, name=name)))

    def as_json(self) -> dict[str, JSON]:
        """Return the policy in its stored form. It is self-contained: `load` reads it without other files."""
        return stored_policy(self)


def _unless_changed(policy: Policy) -> Policy:
    """Return the policy, not verified if it was changed after verification."""
    if not policy.verified or policy.verified_hash == verified_hash(policy):
        return policy
    why = "it was changed after it was verified" if policy.verified_hash else "it has no hash of the verified policy"
    return replace(
        policy, verified=False, doubts=(*policy.doubts, f"{why}; generate it again with 'retouch generate policy'")
    )
