"""Grammar issues found by Harper, a checker that works offline (extra `grammar`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from sda.errors import UserError

# Harper's own groups of rules that are about grammar, and the kind under which each is counted.
# The other groups are about spelling, capitals, punctuation, compounds, idiom and style: what they
# find depends on how a corpus was tokenised and lower-cased more than on who wrote the sentence.
GROUPS = {"Grammar and Agreement": "agreement", "Pronouns and Possession": "pronoun"}
# Rules of grammar that Harper files under other groups: "a apple", "the the".
RULES = {"AnA": "article", "RepeatedWords": "repetition"}


class HarperChecker:
    """Counts what Harper's rules of grammar find in American English.

    All other rules are switched off, which halves the time.
    """

    kinds = (*GROUPS.values(), *RULES.values())

    def __init__(self) -> None:
        try:
            # Another package is imported by the same name; it has no Linter.
            from harper import Language, Linter
        except ImportError as error:
            raise UserError(
                "Grammar issues need the package harper-py: pip install 'sda-text[grammar]'."
            ) from error
        self.name = f"harper-py-{version('harper-py')}"
        self._linter = Linter()
        self._language = Language.PLAINTEXT
        default = self._linter.get_default_lint_config()
        counted = dict(_rules(self._linter.get_structured_lint_config()))
        missing = {*GROUPS.values(), *RULES.values()} - set(counted.values())
        if missing:
            raise UserError(f"{self.name} has no rules for {', '.join(sorted(missing))}.")
        self._kinds = {rule: kind for rule, kind in counted.items() if default[rule]}
        self._linter.set_lint_config({rule: rule in self._kinds for rule in default})

    def issues(self, texts: Sequence[str]) -> list[list[str]]:
        """The kinds of the issues in each text."""
        return [list(self._found(text)) for text in texts]

    def _found(self, text: str) -> Iterator[str]:
        by_rule = self._linter.organized_lints(text, language=self._language)
        for rule, lints in by_rule.items():
            for _ in lints:
                yield self._kinds[rule]


def _rules(settings: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, str]]:
    """The name and kind of every rule that counts, from Harper's tree of settings."""
    for entry in settings["settings"]:
        for form, value in entry.items():
            if form == "Group":
                yield from _rules(value["child"], value["label"])
            elif form == "Bool" and (value["name"] in RULES or group in GROUPS):
                yield value["name"], RULES.get(value["name"]) or GROUPS[group]
