"""Prints the bill of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.output import counted, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.usage import CostReport, TransportReport

_SAYINGS = 5


def print_bill(bill: CostReport) -> None:
    """Print what was paid for: by unit, by model, by the tier that had failed, by the kind of repair."""
    heads = ("unit", "model", "asked after", "asked as")
    for head, entries in zip(heads, (bill.by_unit, bill.by_model, bill.by_tier, bill.by_why), strict=True):
        rows = [[name, one.calls, one.tokens, one.cached_tokens, one.price] for name, one in entries.items()]
        print_table([head, "calls", "tokens", "cached", "cost"], rows)
        click.echo()
    share = bill.total.cached_tokens / bill.total.tokens if bill.total.tokens else 0.0
    click.echo(f"{bill.total.calls:,} calls, {bill.total.tokens:,} tokens, {share:.0%} cached, {bill.total.price}")


def print_network(network: TransportReport, plan: Sequence[str]) -> None:
    """Print what was sent again and why, if anything was, and the sentences of the cache `plan`."""
    if network.retries or network.surrenders:
        given_up = f", {counted(network.surrenders, 'request')} given up" if network.surrenders else ""
        click.echo(f"{counted(network.retries, 'request')} sent again after {network.waited_s:,.1f} s{given_up}")
    for said, times in list(network.said.items())[:_SAYINGS]:
        click.echo(printable(f"  {times} x {said}"))
    for sentence in plan:
        click.echo(f"cache: {sentence}")
