"""The policy itself: rules, and everything that is decided before a rule is looked at."""

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
    """Rules in order, the tools they speak of, and the folders and servers around them.

    `tools` has the key (server, tool). `allowed_directory` is the sandbox folder, None for none. `lists` is None when
    there is no file of lists at all, so that `@name` in a rule stays a literal. Calls of a server in `failed` are
    denied. `verified` says that all scenarios passed when it was stored, and that nothing was changed since: the file
    holds a hash of the rest of it. `doubts` are reasons not to rely on the file, in words. A policy is a value: make
    another with `dataclasses.replace` instead of changing what it holds.
    """

    rules: tuple[Rule, ...]
    tools: Tools
    home: str
    semantics: int = 1
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
        """Return the policy of a file, or of a folder that holds `policy.json` or `compiled-policy.json`.

        `common` is where annotations lie that the file refers to; a file without any takes those beside it
        (`tool-annotations.json`), then those in `common`. Lists come from the file or from `dynamic-lists.json`
        beside it. `home` is what `~` means where the file does not say it; the default is this user's home.

        Raises:
            BadInput: it cannot be read; every error is listed with its path in the file.
        """
        return _unless_changed(cls(**read_policy(path, common=common, home=home)))

    @classmethod
    def of_json(cls, value: JSON, *, name: str = "policy") -> Policy:
        """Return the policy of a JSON value that is complete in itself: what `as_json` gives.

        Raises:
            BadInput: it has another shape; `name` is what the message calls it.
        """
        return _unless_changed(cls(**policy_in(value, name=name)))

    def as_json(self) -> dict[str, JSON]:
        """Return the policy as it is stored, complete: what `load` reads without looking anywhere else."""
        return stored_policy(self)


def _unless_changed(policy: Policy) -> Policy:
    """Return a policy that was read, no longer verified if it is not what was verified."""
    if not policy.verified or policy.verified_hash == verified_hash(policy):
        return policy
    why = "it was changed after it was verified" if policy.verified_hash else "it holds no hash of what was verified"
    return replace(
        policy, verified=False, doubts=(*policy.doubts, f"{why}; make it again with 'retouch generate policy'")
    )
