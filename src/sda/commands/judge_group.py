"""The commands of `sda judge`."""

from __future__ import annotations

import typer

from sda.commands.command_kinds import PlainCommand, PlainGroup, explained
from sda.commands.human_results import export, import_, results
from sda.commands.human_studies import invite, new, plan, purge, revoke, serve

app = typer.Typer(cls=PlainGroup)
for step in (plan, new, serve, invite, revoke, results, export, import_, purge):
    app.command(step.__name__.rstrip("_"), cls=PlainCommand)(explained(step))
