"""Objects in place of names: trained, recorded, asked for again."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import tiny_table
from torch import Tensor, nn

import sda
from sda.models.branching import State
from sda.models.encoder_decoder import EncoderDecoder
from sda.models.generator import Frame
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.reference.likelihood import Likelihood
from sda.runs.components import build
from sda.runs.handed import Handed, sections
from sda.text.context import Context, labels_of


class Fading(sda.Generator):
    """The words so far, older ones fading."""

    def __init__(self, frame: sda.Frame, rng: Any, size: int = 4) -> None:
        super().__init__(frame)
        words = frame.vocabulary_size
        self.words = nn.Parameter(torch.randn(words + 1, size, generator=rng))
        self.output = nn.Parameter(torch.randn(size, words, generator=rng))

    def start(self, n: int, context: Context | None = None) -> State:
        return torch.zeros(n, self.words.shape[1])

    def step(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        assert isinstance(state, Tensor)
        memory = 0.5 * state + self.words[tokens]
        return memory @ self.output, memory


class Reading(Fading):
    def __init__(self, *sizes: Any, discriminator: Any) -> None:
        super().__init__(*sizes)


class Brevity(sda.ReferenceMetric):
    name = "brevity"

    def __call__(self, sentences: sda.Sentences) -> Tensor:
        return -sentences.lengths.double()


def count_cats(texts: list[str]) -> list[float]:
    return [float(text.split().count("cat")) for text in texts]


def train(source: Any, out: Path, **more: Any) -> sda.Run:
    settings = tiny_table()
    for role in ("generator", "discriminator"):
        if not isinstance(more.get(role, ""), str):
            settings[role] = more.pop(f"{role}_settings", {})
    choices = {"profile": "smoke", "preset": "paper", **more}
    return sda.train(source, out, settings=settings, **choices)


def local_class() -> type[Fading]:
    class Hidden(Fading):
        pass

    return Hidden


def test_names_that_are_recorded() -> None:
    here = count_cats.__module__

    assert Handed(count_cats) == f"{here}:count_cats"
    assert Handed(Fading) == f"{here}:Fading"
    assert Handed(Brevity()) == f"object:{here}.Brevity"
    assert Handed(lambda texts: texts).startswith(f"object:{here}.test_names")
    assert Handed(local_class()).startswith("object:") and Handed(local_class()).thing is not None


def test_best_of_n_by_a_lambda_can_be_sampled(toy_file: Path, tmp_path: Path) -> None:
    """The metric was once built anew from its name, which a lambda does not have."""
    run = train(toy_file, tmp_path / "run", method="best-of-n", metric=lambda t: count_cats(t))
    plain = run.sample(40, seed=1, stage="mle")

    assert sum(count_cats(run.sample(40, seed=1))) > sum(count_cats(plain))
    found = sda.Run(run.path)
    assert found.scores() == run.scores() and found.sample(40, seed=1, stage="mle") == plain
    with pytest.raises(sda.UserError, match=r"the metric of this run was handed in as an object"):
        found.sample(3)
    again = sda.Run(run.path, metric=lambda t: count_cats(t))
    assert again.sample(40, seed=1) == run.sample(40, seed=1)


def test_a_metric_that_an_import_finds_is_given_again_or_trusted(
    toy_file: Path, tmp_path: Path
) -> None:
    run = train(toy_file, tmp_path / "run", method="best-of-n", metric=count_cats)

    with pytest.raises(sda.UserError, match=r"count_cats is no part of sda.* trust=True"):
        sda.Run(run.path).sample(5)
    assert sda.Run(run.path, trust=True).sample(5) == run.sample(5)
    named = f"{count_cats.__module__}:count_cats"
    assert sda.Run(run.path, metric=named).sample(5) == run.sample(5)
    with pytest.raises(sda.UserError, match=r"name is .*:count_cats, not /.*other\.py:score"):
        sda.Run(run.path, metric="other.py:score")
    assert sda.Run(run.path, metric=count_cats).sample(5) == run.sample(5)
    with pytest.raises(sda.UserError, match=r"the metric there is .*:count_cats, not object:"):
        sda.Run(run.path, metric=Brevity())


@pytest.mark.parametrize("metric", [Brevity, Brevity()], ids=["class", "object"])
def test_a_metric_as_class_and_as_object(metric: Any, toy_file: Path, tmp_path: Path) -> None:
    run = train(toy_file, tmp_path / "run", method="raft", metric=metric)

    records = run.folder.buffer.read_text().splitlines()
    assert '"brevity": ' in records[0]
    assert len(run.sample(3)) == 3


def test_a_generator_as_a_class_has_settings(toy_file: Path, tmp_path: Path) -> None:
    found = [
        train(toy_file, tmp_path / name, generator=kind, generator_settings={"size": 6})
        for name, kind in (("seen", Fading), ("local", local_class()))
    ]
    seen, local = found

    assert seen.settings.generator == {"use": f"{Fading.__module__}:Fading", "size": 6}
    assert seen.sample(5) == local.sample(5) == sda.Run(seen.path, trust=True).sample(5)
    assert local.generator().words.shape[1] == 6
    for later in (lambda run: run.generator(), lambda run: run.sample(2)):
        with pytest.raises(sda.UserError, match=r"Hidden\), which no file can hold: give it again"):
            later(sda.Run(local.path))
    assert sda.Run(local.path, generator=local_class()).sample(5) == local.sample(5)


def test_a_generator_as_an_object_is_copied(toy_run: sda.Run, tmp_path: Path) -> None:
    vocabulary, longest = toy_run.folder.load_vocabulary()
    rng = torch.Generator().manual_seed(1)
    mine = Fading(sda.Frame(len(vocabulary), vocabulary.eos, longest), rng)
    before = mine.words.detach().clone()
    judge = RnnDiscriminator(len(vocabulary), rng, embedding=4, hidden=4)
    run = train(
        toy_run.settings.source, tmp_path / "run", generator=mine, discriminator=judge, seed=0
    )

    assert torch.equal(mine.words, before)
    start, last = run.generator("mle"), run.generator()
    assert isinstance(last, Fading) and last is not mine
    assert not torch.equal(start.words, before) and not torch.equal(start.words, last.words)  # type: ignore[arg-type]
    names = [row.name for row in run.scores()]
    assert names == ["real text", "mle", "mle", "sda"]
    # The row of the start is about the start, not about the last state of the one object.
    assert run.scores()[1].value("nll-test") != run.scores()[3].value("nll-test")
    shutil.move(run.path, tmp_path / "moved")
    moved = sda.Run(tmp_path / "moved", generator=mine, discriminator=judge)
    assert moved.sample(4, stage="mle") and torch.equal(
        moved.generator().state_dict()["words"], last.words
    )


def test_objects_that_do_not_fit(toy_file: Path, tmp_path: Path) -> None:
    rng = torch.Generator().manual_seed(1)
    small = RnnGenerator(Frame(7, 0, 5), rng)
    with pytest.raises(sda.UserError, match=r"generator: the object has vocabulary_size = 7, and"):
        train(toy_file, tmp_path / "run", generator=small)
    with pytest.raises(sda.UserError, match=r"'generator.size': the generator is an object"):
        train(toy_file, tmp_path / "run", generator=small, generator_settings={"size": 3})
    with pytest.raises(sda.UserError, match=r"Likelihood needs the generator of the run"):
        train(toy_file, tmp_path / "run", metric=Likelihood(small))
    with pytest.raises(sda.UserError, match=r"Reading needs the discriminator of the run, so hand"):
        train(
            toy_file,
            tmp_path / "run",
            generator=Reading(sda.Frame(7, 0, 5), rng, discriminator=None),
        )
    assert not (tmp_path / "run").exists()


class Topical(Fading):
    """Reads labels in a way that only its start tells."""

    def __init__(self, frame: sda.Frame, rng: Any, labels: int = 0) -> None:
        super().__init__(frame, rng)
        self.topics = nn.Parameter(torch.randn(labels, 4, generator=rng))

    def start(self, n: int, context: Context | None = None) -> State:
        return self.topics[labels_of(context)] + torch.randn(n, 4)


def test_objects_for_another_number_of_labels(rng: torch.Generator) -> None:
    frame = Frame(10, 0, 6)

    def built(thing: Any, role: str, labels: int) -> Any:
        known = {"frame": frame, "vocabulary_size": 10, "rng": rng, "labels": labels}
        return build({"use": Handed(thing)}, role, **known)

    def judge(labels: int) -> RnnDiscriminator:
        return RnnDiscriminator(10, rng, embedding=4, hidden=4, labels=labels)

    for made, asked in ((0, 2), (1, 2), (3, 2), (2, 0)):
        words = f"the object has labels = {made}, and the text has {asked}"
        with pytest.raises(sda.UserError, match=f"generator: {words}"):
            built(RnnGenerator(frame, rng, labels=made), "generator", asked)
        with pytest.raises(sda.UserError, match=f"discriminator: {words}"):
            built(judge(made), "discriminator", asked)
    for made, asked in ((1, 2), (2, 0)):
        words = f"generator: the object cannot begin a sentence of the text, which has {asked} lab"
        with pytest.raises(sda.UserError, match=words):
            built(Topical(frame, rng, made), "generator", asked)
    with pytest.raises(sda.UserError, match="starts from source sentences, and these have none"):
        built(EncoderDecoder(frame, rng), "generator", 0)
    topical = Topical(frame, rng, 2)
    before = torch.get_rng_state()
    assert built(topical, "generator", 2).topics.shape == (2, 4)
    # What was tried has drawn no number that the run would miss.
    assert torch.equal(torch.get_rng_state(), before)
    assert built(RnnGenerator(frame, rng, labels=2), "generator", 2).labels.num_embeddings == 2
    assert built(RnnGenerator(frame, rng), "generator", 0).labels is None
    assert built(judge(2), "discriminator", 2).labels.num_embeddings == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((3, None, None), "generator: 3 is neither a name, nor a subclass of sda.Generator"),
        ((None, Fading, None), "discriminator: .*Fading.* is neither"),
        ((None, None, 0.5), "metric: 0.5 is neither a name, nor a function"),
        ((None, None, int), "metric: <class 'int'> is neither"),
    ],
)
def test_what_is_no_generator_discriminator_or_metric(given: Any, words: str) -> None:
    with pytest.raises(sda.UserError, match=words):
        sections(*given)


def test_resuming_asks_for_the_object(toy_file: Path, tmp_path: Path) -> None:
    def halt(line: dict[str, Any]) -> None:
        if line["stage"] == "imitation":
            raise KeyboardInterrupt

    def cats(texts: list[str]) -> list[float]:
        return count_cats(texts)

    with pytest.raises(KeyboardInterrupt):
        train(toy_file, tmp_path / "run", metric=cats, callbacks=[halt])
    for other in (None, "bleu", lambda texts: count_cats(texts)):
        with pytest.raises(
            sda.UserError, match=r"handed in as an object \(.*\.cats\).* metric=\.\.\."
        ):
            train(toy_file, tmp_path / "run", metric=other, resume=True)
    resumed = train(toy_file, tmp_path / "run", metric=cats, resume=True)
    whole = train(toy_file, tmp_path / "whole", metric=cats)

    assert resumed.is_finished
    assert resumed.folder.samples.read_text() == whole.folder.samples.read_text()
