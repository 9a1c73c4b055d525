"""Rare words and repetition (E9, E10): what a judge that has asked a metric 2,000 times can choose.

    python tools/measure_controls.py RUN [RUN ...] --out FILE.json [--only "repetition, T = 0.5"]

Each run is a start, one for each seed, as `sda reproduce vocabulary --rows judged` leaves them. For
each metric the start writes sentences at the temperatures given with it: what it writes as trained
hardly ever repeats a 3-gram, and colder it does. The metric scores 2,000 of them, judges are
fitted, and of as many fresh ones as are needed a part is kept, as `sda sample RUN --keep` does: the
better share of the shorter and of the longer sentences alike. Both sides are scored on as many
sentences; nothing is trained.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch

from sda.archive import Answered
from sda.baselines.selection import Kept
from sda.evaluation.catalogue import kind_of
from sda.evaluation.scorer import Scorer
from sda.reference.metric import ReferenceMetric
from sda.reference.rare_words import RareWords
from sda.reference.repetition import Repetition
from sda.runs.assemble import build_judge
from sda.runs.hand_over import MLE
from sda.runs.run import Run
from sda.sampling import Decoding, Write, sample
from sda.settings.layers import Choices
from sda.source import Loaded, load_source
from sda.text.sentences import Sentences
from sda.training.fitting import accepted, auc

ASKED, SHOWN = 2000, 2000
SHARES = (0.75, 0.5, 0.25)
SCORES = (
    *("bleu-2", "bleu-3", "bleu-5", "self-bleu-3", "self-bleu-5", "seq-rep-3", "copy-share"),
    "rare-sentence-share",
)


def measure(path: Path, only: str) -> dict[str, Any]:
    """For each metric and temperature the scores of the start, and of what is kept.

    `only` begins the names of those that are wanted.
    """
    run = Run(path)
    loaded = load_source(run.settings)
    vocabulary, train = loaded.vocabulary, loaded.corpus.train
    cases: list[tuple[str, ReferenceMetric, float]] = [
        ("rare-words", RareWords(vocabulary, train, bonus_cap=1.0), 1.0),
        ("repetition", Repetition(vocabulary), 0.5),
        ("repetition", Repetition(vocabulary), 0.42),
    ]
    named = {f"{name}, T = {t:g}": (metric, t) for name, metric, t in cases}
    wanted = {name: case for name, case in named.items() if name.startswith(only)}
    return {name: _case(run, loaded, metric, t) for name, (metric, t) in wanted.items()}


def _case(run: Run, loaded: Loaded, metric: ReferenceMetric, temperature: float) -> dict[str, Any]:
    seed = run.settings.seed
    start = run.generator(MLE)
    rng = torch.Generator().manual_seed(seed)
    decoding = Decoding(temperature=temperature, never=loaded.vocabulary.unk)
    asked, fresh = (sample(start, n, rng, decoding) for n in (ASKED, int(SHOWN / min(SHARES))))
    scores = metric(asked)
    preset = Choices("captions", preset="recommended", profile="small").settle()[0]
    parts = {"judge": preset.judge, "discriminator_phase": preset.discriminator_phase}
    settings = run.settings.model_copy(update=parts)
    judge = build_judge(settings, loaded.vocabulary, start)
    assert judge is not None
    answered = Answered(asked, scores, scores[:, None], torch.zeros(ASKED).long())
    if not judge.learn(answered, rng):
        return {"start": _figures(loaded, fresh[:SHOWN]), "judge": None}
    verdicts = judge(fresh)
    wanted = accepted(scores, settings.judge.accept)
    is_good = metric(fresh) >= scores[wanted].min()
    kept = {
        f"kept {share:g}": _figures(loaded, Kept(judge.model, share)(_again(fresh), SHOWN))
        for share in SHARES
    }
    return {
        "start": _figures(loaded, fresh[:SHOWN]),
        **kept,
        "judge": judge.name,
        "auc": auc(verdicts, is_good),
        "accepted": float(is_good.double().mean()),
    }


def _again(sentences: Sentences) -> Write:
    """Writes the first of these sentences, the same ones each time."""
    return lambda n, _=1: sentences[:n]


def _figures(loaded: Loaded, sentences: Sentences) -> dict[str, float]:
    held_out = loaded.held_out
    scorer = Scorer(held_out.real, held_out.train, map(kind_of, SCORES))
    found = scorer.scores(loaded.vocabulary.words(sentences))
    return {score.name: round(score.value, 5) for score in found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    found: dict[str, Any] = {}
    for path in given.runs:
        found[path.name] = measure(path, given.only)
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(found[path.name], indent=1), flush=True)


if __name__ == "__main__":
    main()
