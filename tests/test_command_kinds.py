"""What stands in the signature of a command is what its help says."""

from dataclasses import astuple, dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from sda.commands.command_kinds import explained


@dataclass(frozen=True)
class Echo:
    """What comes back."""

    echoes: Annotated[int, "How often it comes back."] = 0
    from_afar: Annotated[bool, "It comes back late."] = False


NONE = Echo()


def shout(
    words: Annotated[str, typer.Argument(help="What is shouted.")],
    times: Annotated[int, "How often it is shouted."] = 1,
    echo: Echo = NONE,
    very_loud: Annotated[bool, "Shout it loudly."] = False,
    softly: Annotated[bool, "Whisper it instead."] = True,
) -> None:
    """Shout."""
    print(words.upper() if very_loud else words, times, softly, *astuple(echo))


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
    assert told("hey") == "hey 1 True 0 False\n"
    assert told("hey", "--very-loud", "--times", "3", "--no-softly") == "HEY 3 False 0 False\n"


def test_the_fields_of_a_dataclass_are_options_in_its_place() -> None:
    options = ("times", "echoes", "from-afar", "very-loud", "softly")
    page = told("--help")
    places = [page.index(f"--{option}") for option in options]
    assert places == sorted(places)
    assert "How often it comes back." in page and "--no-from-afar" not in page
    assert "--echo " not in page
    assert told("hey", "--echoes", "2", "--from-afar") == "hey 1 True 2 True\n"
