"""What runs hand over, on texts and metrics of many kinds.

    python tools/measure_handed_over.py worse --data DATA --runs RUNS --out FILE.json
    python tools/measure_handed_over.py metrics --data DATA --runs RUNS --out FILE.json
    python tools/measure_handed_over.py table FILE.json

`worse` trains on six texts with the defaults: without a metric, and with BLEU, which likes stock
phrases. It says how much more than its start what is handed over repeats, copies, and departs from
the text. `metrics` asks three metrics of different kinds 2,000 times, and says what each bought,
which judge was chosen, and how well each candidate knows fresh sentences. Runs that are done are
not made again; `--only captions` leaves out cases whose name does not begin like that.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from dear_metrics import Measure, fewer_issues, sentiment, taste

import sda
from sda.archive import Answered
from sda.runs.assemble import build_judge
from sda.runs.hand_over import MLE, read_handed_over
from sda.sampling import sample
from sda.settings.layers import Choices
from sda.source import load_source
from sda.training.fitting import accepted, auc

FRESH = 2000  # sentences that candidates are compared on, and that other opinions are asked about
SIDES = ("start", "handed")
SCORES = ("duplicate-share", "copy-share", "self-bleu-5", "mauve-ngram")


@dataclass(frozen=True)
class Case:
    """One text, and what it is learned with."""

    name: str
    source: str | Path
    metric: str | Measure | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    """Opinions on what start and result write; the run does not ask them."""


def texts_for(data: Path, room: Path) -> dict[str, Path]:
    """Files by name, made from the data; the last is the captions in a script without spaces."""
    reviews = _drawn(4000, data / "yelp" / "train.pos", data / "yelp" / "train.neg")
    cells = [text.replace('"', '""') for text in reviews]
    embedded = load_source(Choices("captions", values={"embedded": {"train": 5000}}).settle()[0])
    captions = embedded.vocabulary.decode(embedded.corpus.train)
    signs = {
        word: chr(0x4E00 + number)
        for number, word in enumerate(sorted({word for text in captions for word in text.split()}))
    }
    kept = {
        "reviews.csv": ["id,text", *(f'{number},"{cell}"' for number, cell in enumerate(cells))],
        "coco.txt": _drawn(3000, data / "coco" / "train.txt"),
        "news.txt": _drawn(3000, data / "emnlp_news" / "train.txt"),
        "signs.txt": ["".join(signs[word] for word in text.split()) for text in captions],
    }
    room.mkdir(parents=True, exist_ok=True)
    for name, lines in kept.items():
        (room / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {Path(name).stem: room / name for name in kept}


def _drawn(count: int, *files: Path) -> list[str]:
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return random.Random(0).sample(lines, count)


def cases_of_worse(data: Path, room: Path) -> Iterator[Case]:
    files = texts_for(data, room)
    column = {
        "reviews": {"data": {"column": "text"}},
        "signs": {"data": {"tokenizer": "characters"}},
    }
    for name in ("reviews", "coco", "news", "oracle", "captions", "signs"):
        settings = column.get(name, {})
        yield Case(name, files.get(name, name), settings=settings)
        if name in files:
            yield Case(f"{name}, BLEU", files[name], "bleu", settings)


def cases_of_metrics(data: Path, room: Path) -> Iterator[Case]:
    files = texts_for(data, room)
    asked, other = (sentiment(data / "yelp", half) for half in (0, 1))
    column = {"data": {"column": "text"}}
    measures = {"asked": asked, "of the other half": other}
    yield Case("reviews, sentiment", files["reviews"], asked, column, measures)
    yield Case("coco, grammar issues", files["coco"], "checked", {}, {"asked": fewer_issues})
    yield Case("captions, taste", "captions", taste, {}, {"asked": taste})


def trained(case: Case, seed: int, out: Path) -> sda.Run:
    own = None if isinstance(case.metric, str) else case.metric
    if (out / "finished.json").is_file():
        return sda.Run(out, metric=own)
    return sda.train(
        case.source,
        out,
        metric=case.metric,
        settings=case.settings,
        seed=seed,
        # Embedded sources have the paper's preset by default, which is not about calls.
        preset="recommended" if callable(case.metric) else None,
        resume=out.is_dir(),
    )


def what_came(case: Case, run: sda.Run) -> dict[str, Any]:
    """Figures of the start and of what is handed over, on test data."""
    handed = read_handed_over(run.folder.handed_over)
    # Maximum likelihood alone has nothing to check, and hands over what it ends with.
    is_start = handed is None or handed.is_start
    rows = run.scores()
    start = rows[1]
    result = start if is_start else rows[-1]
    figures = {
        side: {score.name: score.value for score in row.scores if score.name in SCORES}
        for side, row in (("start", start), ("handed", result))
    }
    for name, measure in case.measures.items():
        for side, stage in (("start", MLE), ("handed", "handed")):
            found = measure(run.sample(FRESH, stage=stage))
            figures[side][name] = sum(found) / len(found)
    return {
        **figures,
        "kept": run.keep,
        "calls": run.costs().get("calls", 0),
        "verdict": run.verdict,
    }


def candidates(run: sda.Run, metric: Measure) -> dict[str, Any]:
    """Which judge was chosen, and the AUC of each candidate on sentences that it did not see."""
    settings = run.settings
    vocabulary, _ = run.folder.load_vocabulary()
    start = run.generator(MLE)
    lines = run.folder.archive.read_text(encoding="utf-8").splitlines()
    asked = [line for line in map(json.loads, lines) if line["epoch"] == 0]
    sentences = vocabulary.encode([line["text"] for line in asked])
    scores = torch.tensor([line["score"] for line in asked], dtype=torch.float64)
    answered = Answered(sentences, scores, scores[:, None], torch.zeros(len(asked)).long())
    fresh = sample(start, FRESH, torch.Generator().manual_seed(1))
    cut = scores[accepted(scores, settings.judge.accept)].min()
    is_real = torch.tensor(metric(vocabulary.decode(fresh)), dtype=torch.float64) >= cut
    areas = {}
    for name in settings.judge.candidates:
        alone = settings.judge.model_copy(update={"candidates": [name]})
        judge = build_judge(settings.model_copy(update={"judge": alone}), vocabulary, start)
        assert judge is not None
        judge.learn(answered, torch.Generator().manual_seed(2))
        areas[name] = auc(judge(fresh), is_real)
    return {"chosen": run.judge().name, "auc": areas}


def measure(kind: str, data: Path, runs: Path, out: Path, seeds: int, only: str) -> None:
    """Every run that is not there is made; the file holds what is known after each."""
    is_worse = kind == "worse"
    cases = (cases_of_worse if is_worse else cases_of_metrics)(data, runs / "texts")
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True
    )
    found: dict[str, Any] = {"commit": commit.stdout.strip(), "profile": "small", "cases": {}}
    for case in (case for case in cases if case.name.startswith(only)):
        for seed in range(seeds):
            run = trained(case, seed, runs / f"{case.name.replace(', ', '-')}-{seed}")
            report = what_came(case, run)
            if not is_worse and run.folder.archive.is_file():
                report |= candidates(run, case.measures["asked"])
            found["cases"].setdefault(case.name, []).append(report)
            out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            print(case.name, seed, report["verdict"], flush=True)


def table(file: Path) -> None:
    """The file as a Markdown table: start and what is handed over, means over the seeds."""
    cases = json.loads(file.read_text(encoding="utf-8"))["cases"]
    for name, reports in cases.items():
        names = reports[0]["start"]
        cells = [
            " to ".join(f"{_mean([one[side][key] for one in reports]):.3f}" for side in SIDES)
            for key in names
        ]
        kept = ", ".join(f"{one['kept']:g}" for one in reports)
        print("|", " | ".join([name, *cells, kept, *_judges(reports)]), "|")


def _judges(reports: list[dict[str, Any]]) -> list[str]:
    if "auc" not in reports[0]:
        return []
    areas = {key: _mean([one["auc"][key] for one in reports]) for key in reports[0]["auc"]}
    told = ", ".join(f"{key} {value:.3f}" for key, value in areas.items())
    return [", ".join(one["chosen"] for one in reports), told]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for kind, seeds in (("worse", 2), ("metrics", 3)):
        command = commands.add_parser(kind)
        command.add_argument("--data", type=Path, required=True)
        command.add_argument("--runs", type=Path, required=True)
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--seeds", type=int, default=seeds)
        command.add_argument("--only", default="", help="cases whose name begins like this")
    commands.add_parser("table").add_argument("file", type=Path)
    given = parser.parse_args()
    if given.command == "table":
        table(given.file)
    else:
        measure(given.command, given.data, given.runs, given.out, given.seeds, given.only)


if __name__ == "__main__":
    main()
