"""Captions of the embedded grammar in the present and in the past.

No finite form of a verb is any other word of the grammar, so the past of a caption is found word by
word. The way back is harder, since "held" is "hold" or "holds" as its subject asks; a rewriting is
right if it is a caption and its past is the source. "read" is spelled alike in both tenses:
captions with it as a finite verb are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import torch

from sda.text.captions.caption_grammar import caption_automaton
from sda.text.captions.lexicon import lexicon
from sda.transfer.grammar_texts import are_sentences, spelled

STYLES = ("present", "past")
LEFT_OUT = ("read", "reads")

# The others add -ed, or -d behind an e.
IRREGULAR = {
    "hold": "held",
    "ride": "rode",
    "eat": "ate",
    "stand": "stood",
    "wear": "wore",
    "sit": "sat",
    "feed": "fed",
    "throw": "threw",
    "carry": "carried",
    "drive": "drove",
    "catch": "caught",
    "drink": "drank",
    "swim": "swam",
    "sleep": "slept",
    "run": "ran",
    "lie": "lay",
    "stop": "stopped",
    "sing": "sang",
}


@cache
def past_forms() -> dict[str, str]:
    """The past of every finite form of the present."""
    forms = {"is": "was", "are": "were"}
    for verbs in lexicon().verbs.values():
        for verb in verbs:
            if verb.base not in LEFT_OUT:
                forms[verb.base] = forms[verb.third] = _past(verb.base)
    return forms


def _past(base: str) -> str:
    return IRREGULAR.get(base, f"{base}d" if base.endswith("e") else f"{base}ed")


def in_past(text: str) -> str:
    """The caption in the past; one that is there already stays as it is."""
    forms = past_forms()
    return " ".join(forms.get(word, word) for word in text.split())


def sample_captions(size: int, rng: torch.Generator) -> list[str]:
    """So many independent captions in the present, without those that are left out."""
    automaton = caption_automaton()
    found: list[str] = []
    while len(found) < size:
        # A few more than are missing, for those that are left out.
        drawn = automaton.sample(size - len(found) + size // 10 + 1, rng)
        found += [text for text in spelled(automaton, drawn) if _is_kept(text)]
    return found[:size]


def are_right_tenses(sources: Sequence[str], outputs: Sequence[str], to: int) -> list[bool]:
    """Whether each output is the source in the tense."""
    present, past = (sources, outputs) if to else (outputs, sources)
    good = are_sentences(caption_automaton(), present)
    return [
        bool(is_caption) and _is_kept(now) and in_past(now) == then
        for is_caption, now, then in zip(good, present, past, strict=True)
    ]


def _is_kept(text: str) -> bool:
    return set(text.split()).isdisjoint(LEFT_OUT)
