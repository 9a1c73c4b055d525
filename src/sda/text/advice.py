"""What to do about a text that would not be learned well as it is, in sentences for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from statistics import mean

from sda.text.counts import Summary
from sda.text.preparation import Preparation

LOOKED_AT = 10_000
"""Lines that are enough to know the habits of a text."""
FEW_SENTENCES = 1_000
"""Training sentences below which scores are rough, and a model repeats what it has seen."""

# The least shares of a text at which something is worth a sentence.
GLUED = 0.05  # sentences with punctuation that sticks to a word
CAPITALS = 0.02  # words that occur less without capitals
UNSPACED = 0.3  # letters of scripts without spaces
REPEATED = 0.05  # sentences that another one equals
UNKNOWN = 0.1  # running words written as unknown
DROPPED = 0.1  # sentences left out for their length

_GLUED_WORD = re.compile(r"(?:^|\s)[^\W_]+[.,;:!?](?=\s|$)")
_LETTERS = re.compile(r"[^\W\d_]+")
# Chinese and Japanese characters; and Thai, Lao, Khmer and Burmese ones, with their vowel signs.
_HAN = "\u3005\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_INDIC = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3"
# The mean length of a run of them above which it cannot be a single word.
_RUNS = ((re.compile(f"[{_HAN}]+"), 4), (re.compile(f"[{_INDIC}]+"), 10))


def advise(
    summary: Summary, texts: Sequence[str], lines: Sequence[str], preparation: Preparation
) -> tuple[str, ...]:
    """What the counts, some `texts` as they stand in the file, and the `lines` of words call for.

    Options are named as the commands have them.
    """
    is_unspaced = _is_unspaced(texts)
    script = advise_on_script(texts, preparation)
    found = [] if script is None else [script]
    if not is_unspaced and preparation.tokenizer == "whitespace":
        found += _glued(texts)
    if not preparation.lowercase and not is_unspaced:
        found += _capitals(lines[:LOOKED_AT])
    if not preparation.deduplicate:
        found += _repeated(lines)
    found += _unknown(summary, preparation, is_unspaced)
    found += _too_long(summary)
    if summary.train < FEW_SENTENCES:
        found.append(
            f"{summary.train:,} training sentences and {summary.test:,} to test by are few, so"
            " scores are rough: look at the samples rather than at the digits; a few thousand"
            " sentences are a good start"
        )
    return tuple(found)


def advise_on_script(texts: Sequence[str], preparation: Preparation) -> str | None:
    """What to do about a script without spaces that is cut as if it had some; None for others."""
    if preparation.tokenizer == "characters" or preparation.has_pieces:
        return None
    if not _is_unspaced(texts):
        return None
    return (
        "this is a script without spaces, so that a whole line counts as one word; give"
        " --tokenizer characters"
    )


def _is_unspaced(texts: Sequence[str]) -> bool:
    """Whether much of the text is of scripts that set no spaces, and nobody has set them."""
    text = "\n".join(texts)
    letters = sum(map(len, _LETTERS.findall(text)))
    runs = [([len(run) for run in pattern.findall(text)], limit) for pattern, limit in _RUNS]
    of_such = sum(sum(lengths) for lengths, _ in runs)
    is_long = any(lengths and mean(lengths) > limit for lengths, limit in runs)
    return is_long and of_such > UNSPACED * letters


def _glued(texts: Sequence[str]) -> Iterator[str]:
    found = [match for text in texts if (match := _GLUED_WORD.search(text))]
    if texts and len(found) >= GLUED * len(texts):
        word = found[0][0].strip()
        yield (
            f"punctuation sticks to words in {len(found) / len(texts):.0%} of the lines, so that"
            f" {word!r} and {word[:-1]!r} are different words; give --tokenizer words"
        )


def _capitals(lines: Sequence[str]) -> Iterator[str]:
    counts = Counter(chain.from_iterable(map(str.split, lines)))
    spellings: dict[str, list[str]] = {}
    for word in counts:
        spellings.setdefault(word.lower(), []).append(word)
    lost = len(counts) - len(spellings)
    if not lost or lost < CAPITALS * len(counts):
        return
    several = (words for words in spellings.values() if len(words) > 1)
    # The one whose rarer spelling is seen most.
    pair = max(several, key=lambda words: sorted(counts[word] for word in words)[-2])
    first, second = sorted(pair, key=lambda word: counts[word])[-2:]
    yield (
        f"{second!r} and {first!r} are different words, and {lost:,} of {len(counts):,} words"
        " differ from another only in capitals; if these do not matter to you, give --lower"
    )


def _repeated(lines: Sequence[str]) -> Iterator[str]:
    counts = Counter(lines)
    repeats = len(lines) - len(counts)
    if not repeats or repeats < REPEATED * len(lines):
        return
    (line, times), *_ = counts.most_common(1)
    shown = line if len(line) <= 60 else f"{line[:57]}..."
    yield (
        f"{repeats:,} of {len(lines):,} sentences repeat another one ({shown!r} comes {times:,}"
        " times), and the model will repeat them too; give --deduplicate to keep one of each"
    )


def _unknown(summary: Summary, preparation: Preparation, is_unspaced: bool) -> Iterator[str]:
    share = summary.unknown_words / summary.words if summary.words else 0.0
    # Where words are not what they should be, the advice on that comes first.
    if share >= UNKNOWN and (not is_unspaced or preparation.tokenizer == "characters"):
        yield (
            f"{share:.0%} of all words come fewer than {preparation.min_count} times, and are"
            " learned as one unknown word; give --min-count 1, or --subwords 2000"
        )


def _too_long(summary: Summary) -> Iterator[str]:
    text = summary.files[0]
    if text.too_long and text.too_long >= DROPPED * text.read:
        yield (
            f"{text.too_long:,} of {text.read:,} sentences are left out for their length; raise"
            " --max-length to learn from them too"
        )
