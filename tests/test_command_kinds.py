"""What stands in the signature of a command is what its help says."""

from typing import Annotated

import typer
from typer.testing import CliRunner

from sda.commands.command_kinds import explained


def shout(
    words: Annotated[str, typer.Argument(help="What is shouted.")],
    times: Annotated[int, "How often it is shouted."] = 1,
    very_loud: Annotated[bool, "Shout it loudly."] = False,
    softly: Annotated[bool, "Whisper it instead."] = True,
) -> None:
    """Shout."""
    print(words.upper() if very_loud else words, times, softly)


app = typer.Typer()
app.command()(explained(shout))


def told(*arguments: str) -> str:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "100"}).output


def test_a_text_beside_a_type_is_the_help_of_an_option() -> None:
    page = told("--help")
    assert all(text in page for text in ("What is shouted.", "How often it is shouted."))


def test_what_is_false_unless_given_has_no_opposite() -> None:
    page = told("--help")
    assert "--very-loud" in page and "--no-very-loud" not in page
    assert "--no-softly" in page


def test_options_have_their_values() -> None:
    assert told("hey") == "hey 1 True\n"
    assert told("hey", "--very-loud", "--times", "3", "--no-softly") == "HEY 3 False\n"
