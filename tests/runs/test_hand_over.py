"""The better of start and result is handed over: to samples, page, command line and object."""

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from fakes import FixedGenerator
from tiny import NO_LIMITS, TINY, Answer, Interrupting, metric_file, outcome, sets, train_tiny
from torch import Tensor

from sda.errors import UserError
from sda.models.generator import Generator
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.runs.hand_over import HandedOver, hand_over
from sda.runs.run import Run
from sda.settings.schema import HandOverSettings, Settings
from sda.source import Loaded, load_source
from sda.text.sentences import Sentences

CHECK = "hand_over.check=true"
# A file of eighty lines measures nothing finely, so that each test has the limits it is about.
CHECKED = (CHECK, *NO_LIMITS, "hand_over.samples=100", "evaluation.every=1", "guard.rules=[]")
BETTER = (*CHECKED, "stage2.rate=0.05")
UNCHANGED = (*CHECKED, "stage2.rate=1e-5")
COLLAPSE = (*CHECKED, "stage2.rate=0.2", "hand_over.duplicates=0.05")
TAKEN_BACK = (*CHECKED, "stage2.rate=0.03", "stage2.epochs=4", "hand_over.duplicates=0.07")


@pytest.fixture(scope="module")
def metric(tmp_path_factory: pytest.TempPathFactory) -> str:
    return metric_file(tmp_path_factory.mktemp("metric"), "short", "-len(text.split())")


Train = Callable[..., Run]


@pytest.fixture(scope="module")
def train(toy_file: Path, metric: str) -> Train:
    def call(out: Path, more: tuple[str, ...], **choices: Any) -> Run:
        return train_tiny(toy_file, out, more, preset="metric-reward", metric=metric, **choices)

    return call


@pytest.fixture(scope="module")
def better(train: Train, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tmp_path_factory.mktemp("better") / "run", BETTER)


@pytest.fixture(scope="module")
def unchanged(train: Train, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tmp_path_factory.mktemp("unchanged") / "run", UNCHANGED)


def same_weights(one: Generator, other: Generator) -> bool:
    weights = other.state_dict()
    return all(torch.equal(value, weights[name]) for name, value in one.state_dict().items())


# The function, with generators that can be worked out by hand.


class Avoiding(ReferenceMetric):
    """1 for a sentence without the word, 0 for one with it."""

    name = "avoiding"

    def __init__(self, word: int) -> None:
        self.word = word
        self.scored = 0

    def __call__(self, sentences: Sentences) -> Tensor:
        self.scored += len(sentences)
        return 1.0 - (sentences.tokens == self.word).any(1).double()


WORD = 5  # of the toy file's vocabulary, which `writing` makes likely or rare


@pytest.fixture(scope="module")
def loaded(toy_run: Run) -> Loaded:
    return load_source(toy_run.settings)


def writing(loaded: Loaded, share: float) -> FixedGenerator:
    """Writes all words alike, but this share of them is the word."""
    vocabulary = loaded.vocabulary
    others = (1 - share) / (len(vocabulary) - 1)
    probabilities = [others] * len(vocabulary)
    probabilities[WORD] = share
    return FixedGenerator(probabilities, vocabulary.eos, loaded.corpus.max_length)


def decided(
    toy_run: Run, loaded: Loaded, start: Generator, last: Generator, metric: Avoiding | None = None
) -> HandedOver:
    limits = HandOverSettings(check=True, samples=200, mauve=1.0)
    settings: Settings = toy_run.settings.model_copy(update={"hand_over": limits})
    parts = WeightedSum([(1.0, metric or Avoiding(WORD))])
    return hand_over(settings, loaded, start, last, None, parts, 50, "Stage II", "7 updates")


def test_a_better_generator_is_handed_over(toy_run: Run, loaded: Loaded) -> None:
    metric = Avoiding(WORD)
    found = decided(toy_run, loaded, writing(loaded, 0.3), writing(loaded, 0.01), metric)

    assert found.stage == "last"
    assert found.sentence.startswith("Stage II bought: avoiding 0.")
    assert "(metric, 50 sentences)" in found.sentence and found.sentence.endswith("7 updates.")
    assert metric.scored == 2 * 50
    assert HandedOver.from_dict(json.loads(json.dumps(found.as_dict()))) == found


def test_a_collapsed_generator_is_not(toy_run: Run, loaded: Loaded) -> None:
    vocabulary, length = loaded.vocabulary, loaded.corpus.max_length
    # All that it writes is one word, again and again: perfect by the metric.
    probabilities = [1e-30] * len(vocabulary)
    probabilities[WORD + 1] = 1.0
    found = decided(
        toy_run,
        loaded,
        writing(loaded, 0.3),
        FixedGenerator(probabilities, vocabulary.eos, length),
    )

    assert found.stage == "mle"
    assert "the start is used (duplicates rose from " in found.sentence
    assert found.comparison is not None and found.comparison.quality is not None
    assert found.comparison.quality.result == 1.0


def test_the_start_itself_buys_nothing(toy_run: Run, loaded: Loaded) -> None:
    found = decided(toy_run, loaded, writing(loaded, 0.3), writing(loaded, 0.3))

    assert found.stage == "mle" and "the metric did not rise" in found.sentence
    assert found.comparison is not None
    assert all(change.start == change.result for change in found.comparison.changes)


def test_without_a_metric_nothing_was_bought(toy_run: Run, loaded: Loaded) -> None:
    settings = toy_run.settings
    start, last = writing(loaded, 0.3), writing(loaded, 0.1)
    found = hand_over(settings, loaded, start, last, None, WeightedSum([]), 50, "It", "a price")

    assert found.stage == "mle"


# Whole runs.


def test_a_run_that_bought_something(better: Run) -> None:
    start, last = better.generator("mle"), better.generator("last")

    assert better.verdict is not None
    assert better.verdict.startswith("Stage II bought: short -")
    assert not same_weights(start, last)
    assert same_weights(better.generator(), last)
    assert better.sample(5) == better.sample(5, stage="last") != better.sample(5, stage="mle")
    updates = [line["updates"] for line in better.progress()]
    assert better.verdict.endswith(f"at {updates[-1] - updates[1]} updates.")


def test_a_run_that_bought_nothing_hands_over_its_start(unchanged: Run) -> None:
    assert unchanged.verdict is not None and "the start is used" in unchanged.verdict
    assert unchanged.sample(20) == unchanged.sample(20, stage="mle")
    assert same_weights(unchanged.generator(), unchanged.generator("mle"))
    # The last state is still there, and the table still tells what Stage II made.
    assert not same_weights(unchanged.generator("last"), unchanged.generator("mle"))
    names = [row.name for row in unchanged.scores()]
    assert names == ["real text", "mle", "mle", "metric-reward+mle"]
    info = json.loads(unchanged.folder.samples_info.read_text())
    assert info["checkpoint"] == "stage1"


def test_the_samples_in_the_folder_are_those_of_the_start(
    unchanged: Run, train: Train, tmp_path: Path
) -> None:
    alone = train(tmp_path / "run", ("stage2.epochs=0",))

    assert alone.verdict is None
    assert unchanged.folder.samples.read_text() == alone.folder.samples.read_text()


def test_a_start_with_rows_of_its_own(unchanged: Run, train: Train, tmp_path: Path) -> None:
    more = (*UNCHANGED, f"start={unchanged.path}")
    run = train(tmp_path / "run", more)

    assert run.folder.samples.read_text() == unchanged.folder.samples.read_text()
    assert run.verdict == unchanged.verdict


def test_stage_two_that_collapses_ends_with_the_start(train: Train, tmp_path: Path) -> None:
    run = train(tmp_path / "run", COLLAPSE)
    last = run.progress()[-1]

    assert (last["stage"], last["epoch"]) == ("imitation", 1)
    assert set(last["start"]) >= {"duplicate_share", "copy_share", "self_bleu_5", "mauve_ngram"}
    assert "goes back to the end of Stage I" in last["guard"]
    assert run.verdict is not None
    assert run.verdict.startswith("Stage II bought nothing: the start is used (duplicates rose")
    assert same_weights(run.generator("last"), run.generator("mle"))
    assert run.sample(5) == run.sample(5, stage="mle")


def test_stage_two_is_taken_back_to_the_last_measured_epoch_within_limits(
    train: Train, tmp_path: Path
) -> None:
    run = train(tmp_path / "run", TAKEN_BACK)
    epochs = [line["epoch"] for line in run.progress() if line["stage"] == "imitation"]

    assert epochs == [1, 2, 3]
    assert "goes back to epoch 2, " in run.progress()[-1]["guard"]
    assert run.verdict is not None
    assert run.verdict.startswith("Stage II, taken back to epoch 2, bought")
    assert not same_weights(run.generator("last"), run.generator("mle"))


@pytest.mark.parametrize("is_checked", [True, False])
def test_an_epoch_that_a_rule_ends_is_measured_too(
    is_checked: bool, train: Train, tmp_path: Path
) -> None:
    rule = 'guard.rules=[{figure="epoch", above=2}]'
    check = f"hand_over.check={str(is_checked).lower()}"
    run = train(tmp_path / "run", (*TAKEN_BACK, rule, check, "evaluation.every=100"))
    last = run.progress()[-1]

    assert last["epoch"] == 3
    assert ("duplicate_share" in last) == is_checked
    # Without the check the rule has its way, and Stage II ends as it is.
    assert ("goes back to epoch 1, " in last["guard"]) == is_checked


@pytest.mark.parametrize("more", [BETTER, TAKEN_BACK, COLLAPSE], ids=["better", "back", "collapse"])
def test_a_checked_run_interrupted_after_every_epoch(
    more: tuple[str, ...], train: Train, tmp_path: Path
) -> None:
    whole = train(tmp_path / "whole" / "run", more)
    out = tmp_path / "parts" / "run"
    interruptions = 0
    for _ in whole.progress():
        with suppress(KeyboardInterrupt):
            train(out, more, reporter=Interrupting(epochs=1), resume=True)
        interruptions += not Run(out).is_finished
    train(out, more, resume=True)

    assert interruptions == len(whole.progress())
    assert outcome(out) == outcome(whole.path)
    assert "handed_over.json" in outcome(out)["files"]


@pytest.mark.parametrize("name", ["better", "unchanged"])
def test_killed_between_training_and_the_end(
    name: str, train: Train, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    whole = request.getfixturevalue(name)
    shutil.copytree(whole.path, tmp_path / "run")
    for gone in ("finished.json", "scores.json", "samples.txt", "report.html"):
        (tmp_path / "run" / gone).unlink()
    (tmp_path / "run" / "handed_over.json").write_text('{"from": "another time"}')

    run = train(tmp_path / "run", BETTER if name == "better" else UNCHANGED, resume=True)
    assert outcome(run.path) == outcome(whole.path)


def test_the_check_changes_nothing_in_training(better: Run, train: Train, tmp_path: Path) -> None:
    more = tuple(part for part in BETTER if not part.startswith("hand_over"))
    plain = train(tmp_path / "run", more)
    seconds = {"seconds", "cpu_seconds"}
    for checked, line in zip(better.progress(), plain.progress(), strict=True):
        assert {name: checked[name] for name in line.keys() - seconds} == {
            name: line[name] for name in line.keys() - seconds
        }

    assert plain.verdict is None and not plain.folder.handed_over.exists()
    assert plain.sample(5) == plain.sample(5, stage="last")
    assert plain.folder.samples.read_text() == better.folder.samples.read_text()


def test_nothing_after_maximum_likelihood(train: Train, tmp_path: Path) -> None:
    assert train(tmp_path / "run", CHECKED, method="mle").verdict is None


@pytest.mark.parametrize(("quality", "stage"), [("1.64", "last"), ("1e9", "mle")])
def test_a_selection_is_part_of_the_last_state_only(
    quality: str, stage: str, train: Train, tmp_path: Path
) -> None:
    more = (*CHECKED, f"hand_over.quality={quality}")
    run = train(tmp_path / "run", more, method="best-of-n")

    assert run.verdict is not None and run.verdict.startswith("The selection bought")
    assert run.sample(20) == run.sample(20, stage=stage)
    assert run.sample(20, stage="last") != run.sample(20, stage="mle")
    lengths = {
        name: sum(len(text.split()) for text in run.sample(200, stage=name))
        for name in ("last", "mle")
    }
    assert lengths["last"] < lengths["mle"]


def test_the_command_line_reaches_every_stage(
    unchanged: Run, command: Callable[..., Answer]
) -> None:
    handed, start, last = (
        command("sample", unchanged.path, "-n", 30, *stage)
        for stage in ((), ("--stage", "mle"), ("--stage", "last"))
    )

    assert handed.code == start.code == last.code == 0
    assert handed.out == start.out != last.out
    assert last.out.splitlines() == unchanged.sample(30, stage="last")


def test_the_sentence_is_told_at_the_end(
    toy_file: Path, metric: str, command: Callable[..., Answer], tmp_path: Path
) -> None:
    options = ("--profile", "smoke", "--preset", "metric-reward", "--metric", metric)
    train = ("train", toy_file, *options, *sets((*TINY, *UNCHANGED)), "--out")
    answer = command(*train, tmp_path / "run")
    verdict = Run(tmp_path / "run").verdict

    assert answer.code == 0, answer.err
    assert verdict is not None
    assert answer.out.splitlines()[-2:] == [verdict, f"report: {tmp_path / 'run' / 'report.html'}"]
    answer = command(*train, tmp_path / "run", "--resume", "--json")
    assert json.loads(answer.out.splitlines()[-1]) == {"message": verdict}


def test_the_sentence_is_at_the_top_of_the_page(unchanged: Run) -> None:
    page = unchanged.folder.report.read_text()
    assert unchanged.verdict is not None

    assert page.index(unchanged.verdict.split("(")[0]) < page.index("<h2>")


def test_a_file_that_does_not_say(unchanged: Run, tmp_path: Path) -> None:
    shutil.copytree(unchanged.path, tmp_path / "run")
    run = Run(tmp_path / "run")
    for content in ("[]", "{}", '{"stage": "first", "sentence": "", "comparison": null}'):
        run.folder.handed_over.write_text(content)
        with pytest.raises(UserError, match=r"handed_over\.json: "):
            run.sample(1)


def test_a_file_that_is_gone_or_was_edited(unchanged: Run, tmp_path: Path) -> None:
    shutil.copytree(unchanged.path, tmp_path / "run")
    run = Run(tmp_path / "run")
    content = run.folder.handed_over.read_text()
    run.folder.handed_over.write_text(content.replace('"keep": 1.0', '"keep": 0.5'))
    with pytest.raises(UserError, match="does not fit the checksum"):
        run.sample(1)

    run.folder.handed_over.unlink()
    with pytest.raises(UserError, match=r"nobody knows which state .*--stage mle or last"):
        run.sample(1)
    assert len(run.sample(1, stage="mle")) == 1


def test_a_stage_that_nobody_knows(unchanged: Run) -> None:
    with pytest.raises(UserError, match=r"no stage 'first' \(known: handed, last, mle\)"):
        unchanged.generator("first")
