"""The commands of `sda transfer`."""

from __future__ import annotations

import typer

from sda.commands.command_kinds import PlainCommand, PlainGroup, PlainListCommand, explained
from sda.commands.transfer_rivals import rival
from sda.commands.transfer_scoring import evaluate
from sda.commands.transferring import apply, demo, train

app = typer.Typer(cls=PlainGroup)
app.command(cls=PlainCommand)(explained(demo))
app.command(cls=PlainCommand)(explained(train))
app.command(cls=PlainCommand)(explained(apply))
app.command(cls=PlainListCommand)(explained(evaluate))
app.command(cls=PlainListCommand)(explained(rival))
