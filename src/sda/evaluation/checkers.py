"""The grammar checker that a user asked for."""

from __future__ import annotations

from sda.errors import UserError
from sda.evaluation.grammar import Checker


def find_checker(harper: bool, languagetool: str | None) -> Checker | None:
    """Harper, the LanguageTool server at that URL, or none."""
    if harper and languagetool is not None:
        raise UserError("--grammar and --languagetool are two checkers: choose one.")
    if harper:
        from sda.text.harper import HarperChecker

        return HarperChecker()
    if languagetool is not None:
        from sda.evaluation.language_tool import LanguageToolChecker

        return LanguageToolChecker(languagetool)
    return None
