"""How well discriminators tell the sentences of two files apart.

    python tools/measure_judges.py REAL WRITTEN --judge rnn --judge hf:FOLDER --count 500

Each judge learns from `count` sentences of either file and is asked about as many others. The
figure is the AUC: how often a real sentence scores higher than a written one, .5 for chance. One
line of JSON a judge and seed; the last line of each judge has the mean.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from statistics import mean

import torch

from sda.models.discriminator import Discriminator
from sda.randomness import seeded
from sda.rewards import judge as opinion
from sda.runs.components import build
from sda.settings.layers import discriminator_section
from sda.text.reading import read_lines
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer
from sda.text.vocabulary import WordVocabulary
from sda.training.fitting import auc, fit
from sda.training.stages import JudgeSettings

CHUNK = 500  # sentences judged at a time


def measure(name: str, real: list[str], written: list[str], count: int, seed: int) -> float:
    """The AUC on sentences that the judge did not learn from."""
    words = Counter(word for text in (*real, *written) for word in text.split())
    vocabulary = WordVocabulary.from_counts(words, 1, False, tokenizer("whitespace"))
    sides = []
    for number, texts in enumerate((real, written)):
        order = torch.randperm(len(texts), generator=seeded(seed, "side", number)).tolist()
        sides.append(vocabulary.encode([texts[place] for place in order[: 2 * count]]))
    is_real = torch.arange(2 * count) < count
    shown, asked = (
        Sentences.join([side[first : first + count] for side in sides]) for first in (0, count)
    )
    judge: Discriminator = build(
        discriminator_section(name),
        f"--judge {name}",
        Discriminator,
        vocabulary_size=len(vocabulary),
        vocabulary=vocabulary,
        rng=seeded(seed, "judge"),
        labels=0,
    )
    torch.manual_seed(seed)  # of dropout
    fit(judge, shown, is_real, JudgeSettings(unseen=0.2), seed)
    parts = [opinion(judge, asked[a : a + CHUNK]) for a in range(0, len(asked), CHUNK)]
    return auc(torch.cat(parts), is_real)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("real", type=Path)
    parser.add_argument("written", type=Path)
    parser.add_argument("--judge", action="append", required=True)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    # A sentence that came twice could be learned by heart and asked again.
    real, written = (list(dict.fromkeys(read_lines(path))) for path in (given.real, given.written))
    if min(len(real), len(written)) < 2 * given.count:
        parser.error(f"either file needs {2 * given.count} distinct sentences")
    for name in given.judge:
        found = []
        for seed in range(given.seeds):
            began = time.process_time()
            found.append(measure(name, real, written, given.count, seed))
            seconds = round(time.process_time() - began, 1)
            print(json.dumps({"judge": name, "seed": seed, "auc": found[-1], "cpu": seconds}))
        print(
            json.dumps({"judge": name, "count": given.count, "mean_auc": mean(found)}), flush=True
        )


if __name__ == "__main__":
    main()
