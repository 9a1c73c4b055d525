"""How little the judge of the preset `recommended` should keep, on seeds that no table shows.

    python tools/choose_share.py --runs RUNS --out FILE.json --seeds 3 4 5

A run of the row `coarse-2000` of the experiment `budget` (profile small) is made for each seed, and
its end is repeated in several forms: from the least share up in so many steps, with so much
self-BLEU-5 allowed on validation data. Of what each would hand over 2,000 fresh sentences are
written. The form that is taken has the most grammatical ones on average, among those whose
self-BLEU-5 is above the start's by at most 0.035 on average: the aim is 0.04, and other seeds
differ. Of equal ones it is that with the largest least share, for which less has to be written.
Runs that are done are not made again.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import torch

import sda
from sda.archive import Archive
from sda.baselines.selection import kept_rows
from sda.randomness import seeded
from sda.reproduction.definitions import experiment
from sda.reproduction.jobs import make_job
from sda.reproduction.measure import commit
from sda.reproduction.work import Places, train_job
from sda.runs.assemble import build_metric
from sda.runs.hand_over import LAST, MLE
from sda.runs.keeping import Offer, decide, shares
from sda.sampling import Decoding
from sda.scoring.comparison import Diversity, find_changes
from sda.scoring.writing import writer
from sda.source import load_source
from sda.training.state import under

# Fine steps are a fortieth of all that is written.
LEAST_AND_STEPS = ((0.3, 4), (0.3, 28), (0.4, 4), (0.4, 24), (0.5, 4), (0.5, 20))
ALLOWED = (0.045, 0.053)
CHECKED = 200
SAMPLES = 2000
MOST = 0.035
QUICK = sda.Options(ceiling=False, language_model=False, features=False)


class Ending:
    """What a run could hand over, with all that has to be known for it."""

    def __init__(self, run: sda.Run) -> None:
        self.run, self.settings = run, run.settings
        self.loaded = load_source(run.settings)
        self.judge = run.judge()
        name = run.folder.checkpoints.latest()
        assert name is not None
        tensors = run.folder.checkpoints.load(name).tensors
        self.archive = Archive(keeps=True)
        self.archive.load_state_dict(under("archive", tensors))
        rng = torch.Generator().manual_seed(0)
        start = run.generator(MLE)
        self.metric = build_metric(self.settings, self.loaded.corpus, start, rng)
        self.figures = Diversity(self.loaded.held_out.real, self.loaded.held_out.train)
        self.measured: dict[tuple[str, float], tuple[Any, Any, float]] = {}
        self.written = {
            stage: self._write(stage, math.ceil(self.samples / min(LEAST_AND_STEPS)[0]))
            for stage in (LAST, MLE)
        }
        self.verdicts = {stage: self.judge(some) for stage, some in self.written.items()}
        words = self.loaded.vocabulary.words
        self.start = self.figures(words(self.written[MLE][: self.samples]))

    @property
    def samples(self) -> int:
        return self.settings.hand_over.samples

    def _write(self, stage: str, n: int) -> Any:
        rng = seeded(self.settings.seed, "hand over")
        decoding = Decoding(never=self.loaded.vocabulary.unk)
        generator = self.run.generator(stage)
        return writer(generator, self.loaded.corpus.valid, decoding, rng)(n).to("cpu")

    def kept(self, stage: str, share: float) -> tuple[Any, Any, float]:
        """The sentences that a share keeps, their diversity, and the judge's mean opinion."""
        if (stage, share) not in self.measured:
            written, verdicts = self.written[stage], self.verdicts[stage]
            count = min(len(written), math.ceil(self.samples / share))
            rows = kept_rows(verdicts[:count], written.lengths[:count], share)[: self.samples]
            sentences = written[rows]
            diversity = self.figures(self.loaded.vocabulary.words(sentences))
            self.measured[stage, share] = sentences, diversity, float(verdicts[rows].mean())
        return self.measured[stage, share]

    def offers(self, least: float, steps: int, allowed: float) -> Iterator[Offer]:
        limits = self.settings.hand_over.model_copy(update={"self_bleu": allowed})
        for stage, share in product((LAST, MLE), shares(least, steps)):
            if share == 1 and stage == MLE:
                continue
            sentences, diversity, verdict = self.kept(stage, share)
            changes = tuple(find_changes(self.start, diversity, limits))
            if not any(change.is_broken for change in changes):
                yield Offer(stage, share, 0.0, sentences, verdict, changes)

    def handed(self, least: float, steps: int, allowed: float) -> tuple[str, float]:
        """The stage and the share that would be handed over."""
        firsts: dict[str, Offer] = {}
        for offer in self.offers(least, steps, allowed):
            firsts.setdefault(offer.stage, offer)
        offers = list(firsts.values())
        found = decide(
            self.settings, offers, self.judge, self.metric, self.archive, CHECKED, updates=0
        )
        return found.stage, found.keep

    def measure(self, stage: str, share: float) -> dict[str, float]:
        """What the metric and self-BLEU-5 say of fresh sentences."""
        texts = self.run.sample(SAMPLES, stage=stage, keep=share, seed=1)
        sentences = self.loaded.vocabulary.encode(texts)
        real = self.loaded.vocabulary.decode(self.loaded.corpus.valid)
        found = sda.evaluate(texts[:1000], real, options=QUICK)
        scores = {score.name: score.value for score in found.scores}
        good = float(self.metric(sentences).total.mean())
        return {"grammatical": good, "self-bleu-5": scores["self-bleu-5"]}


def table(found: list[dict[str, Any]]) -> str:
    """The forms as a Markdown table, and the one that is taken."""
    lines = ["| least share, steps, allowed | grammatical | above the start | kept |", "|---" * 4]
    lines[-1] += "|"
    allowed: dict[str, tuple[float, str]] = {}
    for form in dict.fromkeys(one["form"] for one in found):
        some = [one for one in found if one["form"] == form]
        good = [one["handed"]["grammatical"] for one in some]
        paid = [one["handed"]["self-bleu-5"] - one["start"]["self-bleu-5"] for one in some]
        if mean(paid) <= MOST:
            allowed[form] = (mean(good), form)
        cells = [
            form,
            f"{mean(good):.4f} ({', '.join(f'{value:.3f}' for value in good)})",
            f"{mean(paid):+.4f} ({', '.join(f'{value:+.3f}' for value in paid)})",
            ", ".join(f"{one['stage']} {one['kept']:g}" for one in some),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    taken = max(allowed, key=lambda form: allowed[form]) if allowed else "none"
    return "\n".join([*lines, "", f"taken: {taken}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[3, 4, 5])
    chosen = parser.parse_args()
    places = Places(Path("data"), chosen.runs, chosen.runs / "ledger")
    budget = experiment("budget")
    found: list[dict[str, Any]] = []
    for seed in chosen.seeds:
        job = make_job(budget, budget.row("coarse-2000"), "rnn", "small", seed)
        ending = Ending(train_job(job, places))
        start = ending.measure(MLE, 1)
        known: dict[tuple[str, float], dict[str, float]] = {}
        for pair, allowed in product(LEAST_AND_STEPS, ALLOWED):
            form = (*pair, allowed)
            stage, share = ending.handed(*form)
            if (stage, share) not in known:
                known[stage, share] = ending.measure(stage, share)
            name = ", ".join(f"{value:g}" for value in form)
            what = {"stage": stage, "kept": share, "start": start, "handed": known[stage, share]}
            found.append({"form": name, "seed": seed, **what})
            print(found[-1], flush=True)
        chosen.out.write_text(
            json.dumps({"commit": commit(), "runs": found}, indent=1) + "\n", encoding="utf-8"
        )
    print(table(found))


if __name__ == "__main__":
    main()
