"""Runs of style transfer: trained, stopped, taken up again, and used."""

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from tiny import Answer, Interrupting, hash_of, sets

from sda.errors import UserError
from sda.files import read_marked, write_marked
from sda.runs.run import Run
from sda.show.terminal import Quiet, Reporter
from sda.transfer import style_cnn, transfer_page
from sda.transfer.kept_tensors import keep_tensors, kept_tensors
from sda.transfer.sources import styled_source
from sda.transfer.transfer_folder import TransferFolder
from sda.transfer.transfer_run import TransferRun
from sda.transfer.transfer_settings import TransferSettings, settle_transfer
from sda.transfer.transfer_state import build_rewriter
from sda.transfer.transfer_training import resume_transfer_run, train_transfer_run

Command = Callable[..., Answer]
TINY = (
    "data.size=60",
    "data.valid=6",
    "model.embedding=12",
    "model.reading=6",
    "model.hidden=12",
    "denoising.epochs=2",
    "denoising.walk=64",
    "denoising.batch_size=16",
    "stage2.rounds=2",
    "stage2.sources=12",
    "stage2.candidates=2",
    "stage2.learned=24",
    "stage2.least_style=0.0",
    "apply.thresholds=[1.0, 2.0]",
    "apply.shares=[1.0, 0.8]",
)


@pytest.fixture(scope="module", autouse=True)
def _short() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style_cnn, "LEAST_UPDATES", 4)
        patch.setattr(style_cnn, "MAPS", 4)
        patch.setattr(transfer_page, "draw_curves", lambda runs: [])
        yield


def settings(*more: str, sources: tuple[str, ...] = ("reviews",)) -> TransferSettings:
    return settle_transfer(sources, {}, None, (*TINY, *more))


def train(out: Path, *more: str, reporter: Reporter | None = None) -> TransferRun:
    return train_transfer_run(settings(*more), out, reporter or Quiet(), resume=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TransferRun:
    return train(tmp_path_factory.mktemp("transfer") / "run")


def outcome(folder: Path) -> dict[str, object]:
    """All that two equal runs agree on: everything but the time."""
    lines = [json.loads(line) for line in (folder / "progress.jsonl").read_bytes().splitlines()]
    for line in lines:
        del line["seconds"], line["cpu_seconds"]
    names = ("checkpoints/final/tensors.safetensors", "rewritings.json", "style_words.safetensors")
    return {"progress": lines, **{name: hash_of(folder / name) for name in names}}


def test_a_run_tells_what_it_did(run: TransferRun) -> None:
    lines = run.progress()

    assert [(line["stage"], line["epoch"]) for line in lines] == [
        ("mle", 1),
        ("mle", 2),
        ("imitation", 1),
        ("imitation", 2),
    ]
    assert all(0 <= line["right_share"] <= 1 for line in lines)
    assert [row["name"] for row in run.scores()] == ["copy of the source", "one pass", "best of 8"]
    assert run.scores()[0]["right"] == 0
    assert run.styles == ("negative", "positive")
    page = run.folder.run.report.read_text(encoding="utf-8")
    assert (
        "To positive" in page and "best of 8" in page and "://" not in page.partition("<style")[0]
    )


ADVERSARIAL = (
    "stage2.form=adversarial",
    "stage2.rollouts=1",
    "data.max_words=10",
    "stage2.first_steps=1",
    "stage2.updates=1",
    "stage2.discriminator_updates=1",
)


@pytest.mark.parametrize(
    ("more", "ticks"), [((), 3), ((), 9), ((), 14), pytest.param(ADVERSARIAL, 14)]
)
def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(
    more: tuple[str, ...], ticks: int, tmp_path: Path, run: TransferRun
) -> None:
    whole = run.path if not more else train(tmp_path / "whole", *more).path
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "stopped", *more, reporter=Interrupting(ticks=ticks))
    again = resume_transfer_run(tmp_path / "stopped", Quiet())

    assert outcome(again.path) == outcome(whole)


def test_every_text_has_one_rewriting_in_order(run: TransferRun) -> None:
    texts = [
        "the soup was bland .",
        "",
        "   ",
        "soup",
        "zorgblat 日本語 Ωmega ☃",
        " ".join(["the soup was bland ."] * 80),
    ]
    for candidates in (1, 3):
        found = run.transfer(texts, to="positive", candidates=candidates)
        assert len(found) == len(texts)
        assert found[1] == found[2] == ""
        assert not any("\n" in text or "\ue000" in text or "mask" in text for text in found)
    alone = [run.transfer([text], to="positive", candidates=1)[0] for text in texts]
    assert alone == run.transfer(texts, to="positive", candidates=1)


def test_a_long_text_is_cut_behind_sentences(run: TransferRun) -> None:
    pieces = run.pieces("a b . " * 15 + "c " * 50)

    assert [len(piece.split()) for piece in pieces] == [39, 6, 40, 10]
    assert " ".join(pieces) == ("a b . " * 15 + "c " * 50).strip()


def test_mistakes_are_told_in_a_sentence(run: TransferRun, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no style 'happy'.*negative, positive"):
        run.transfer(["a"], to="happy")
    with pytest.raises(UserError, match="candidates must be at least 1"):
        run.transfer(["a"], to="positive", candidates=0)
    with pytest.raises(UserError, match="number 1 is 3, not a text"):
        run.transfer([3], to="positive")  # type: ignore[list-item]
    with pytest.raises(UserError, match=r"already holds a run.*sda resume"):
        train_transfer_run(settings(), run.path, Quiet())
    with pytest.raises(UserError, match=r"stage2.rounds = 2, not 3"):
        train(run.path, "stage2.rounds=3")
    with pytest.raises(UserError, match=r"style transfer.*sda transfer apply"):
        Run(run.path).sample(1)
    with pytest.raises(UserError, match="not a run folder"):
        TransferRun(tmp_path)


def test_a_run_that_is_not_finished_says_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "stopped", reporter=Interrupting(ticks=1))
    with pytest.raises(UserError, match="not finished; `sda resume"):
        TransferRun(tmp_path / "stopped").transfer(["a"], to="positive")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("stage2.rouns=1", "unknown setting 'stage2.rouns'"),
        ("metric.judges=['owl']", "no judge 'owl'.*cnn"),
        ("stage2.form=magic", "setting 'stage2.form'"),
        ("metric.function=nowhere.py:f", "nowhere.py: no such file"),
        ("data.max_words=1000", "setting 'data.max_words'"),
        ("model.kind=transformer", "setting 'model.embedding'.*8, not 12"),
    ],
)
def test_wrong_settings_leave_no_folder(more: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        train(tmp_path / "run", more)

    assert not (tmp_path / "run").exists()


def write(folder: Path, **styles: list[str]) -> list[str]:
    """Files of styles; their names."""
    paths = []
    for name, lines in styles.items():
        path = folder / f"train.{name}"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        paths.append(str(path))
    return paths


def test_files_that_are_no_two_styles_are_refused(command: Command, tmp_path: Path) -> None:
    lines = list(styled_source("reviews", 60, 0).texts[0])
    empty, few, same, other = write(tmp_path, empty=[], few=lines[:3], same=lines, other=lines)
    out = ("--out", str(tmp_path / "run"))
    for files, words in (
        ([empty, same], ("train.empty",)),
        ([same, same], ("twice",)),
        ([same, other], ("share", "the same file")),
        ([same, few], ("'few'", "20 or more")),
        ([same], ("two files or more",)),
        ([same, str(tmp_path / "missing")], ("missing",)),
    ):
        answer = command("transfer", "train", *files, *out)
        assert answer.code == 2 and answer.err.count("\n") == 1
        assert all(word in answer.err for word in words), answer.err
        assert not (tmp_path / "run").exists()


def test_three_styles_and_a_metric_of_ones_own(command: Command, tmp_path: Path) -> None:
    texts = styled_source("reviews", 50, 0).texts[0]
    files = write(
        tmp_path,
        plain=list(texts),
        loud=[f"{text} wow" for text in texts[::-1]],
        calm=[f"well , {text}" for text in texts[10:]],
    )
    code = "def shorter(texts, context):\n    return [-len(t) for t in texts]\n"
    (tmp_path / "mine.py").write_text(code)
    answer = command(
        *("transfer", "train", *files, "--out", str(tmp_path / "run"), *sets(TINY)),
        *("--metric", f"{tmp_path / 'mine.py'}:shorter", "--names", "plain,loud,calm", "--quiet"),
    )

    assert answer.code == 0, answer.err
    run = TransferRun(tmp_path / "run", metric=f"{tmp_path / 'mine.py'}:shorter")
    assert run.styles == ("plain", "loud", "calm")
    many = run.transfer([texts[0]], to="calm", candidates=6)
    assert len(many[0]) <= len(run.transfer([texts[0]], to="calm", candidates=1)[0])


def test_apply_answers_every_line(
    command: Command, run: TransferRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["the soup was bland .", "", "the chef ignored us ."]
    (tmp_path / "in.txt").write_text("\n".join(lines), encoding="utf-8")
    common = ("transfer", "apply", str(run.path), "--to", "positive")
    from_file = command(*common, str(tmp_path / "in.txt"), "--json")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    from_pipe = command(*common, "-")

    found = [json.loads(line) for line in from_file.out.splitlines()]
    assert [entry["source"] for entry in found] == lines
    assert [entry["text"] for entry in found] == from_pipe.out.splitlines()
    assert {entry["style"] for entry in found} == {"positive"}
    wrong = command("transfer", "apply", str(run.path), "--to", "happy", str(tmp_path / "in.txt"))
    assert wrong.code == 2 and "there is no style 'happy'" in wrong.err


def test_resume_knows_runs_of_style_transfer(command: Command, run: TransferRun) -> None:
    answer = command("resume", str(run.path))

    assert answer.code == 0 and "this run is finished" in answer.err
    assert "best of 8" in answer.out


def test_a_damaged_folder_is_told(run: TransferRun, tmp_path: Path) -> None:
    folder = TransferFolder(tmp_path)
    folder.words.write_bytes(b"no tensors")
    with pytest.raises(UserError, match=r"style_words.safetensors: damaged"):
        folder.load_words()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("style_words.safetensors", "tensors"),
        ("judges/language-model-ratio.safetensors", "judge"),
    ],
)
def test_another_runs_files_are_refused(
    file: str, name: str, run: TransferRun, tmp_path: Path
) -> None:
    """Each fits its own checksum, and sentences were once rewritten by them without a word."""
    copy = TransferRun(shutil.copytree(run.path, tmp_path / "run"))
    path = copy.path / file
    tensors, about = kept_tensors(path, name)
    other = {key: tensor + 1 for key, tensor in tensors.items()}
    keep_tensors(path, other, name, about)

    with pytest.raises(UserError, match=f"{path.name}: not the file that the run"):
        copy.transfer(["the food was great ."], copy.styles[0])


def test_another_kind_of_vocabulary_is_told_with_its_file(run: TransferRun, tmp_path: Path) -> None:
    folder = TransferFolder(shutil.copytree(run.path, tmp_path / "run"))
    data = read_marked(folder.run.vocabulary)
    words = data["vocabulary"]["words"][:-3]
    write_marked(
        folder.run.vocabulary, {**data, "vocabulary": {**data["vocabulary"], "words": words}}
    )
    with pytest.raises(UserError, match=r"vocabulary\.json: the vocabulary is damaged"):
        folder.load_slots()
    write_marked(folder.run.vocabulary, {**data, "sha256x": "0"})
    with pytest.raises(UserError, match=r"vocabulary\.json: not the vocabulary of a transfer"):
        folder.load_slots()


def test_a_model_beyond_all_numbers_is_told(run: TransferRun) -> None:
    model = run.settings.model.model_copy(update={"reading": 10**40})
    with pytest.raises(UserError, match="setting 'model': "):
        build_rewriter(model, run.folder.load_slots()[0], 40, 2, torch.Generator())


@pytest.mark.parametrize(
    "more", ["denoising.back_translation=0.5", "stage2.form=off", "model.kind=transformer"]
)
def test_other_ways_of_training_end(more: str, tmp_path: Path) -> None:
    few = ("stage2.rounds=1", "denoising.epochs=1", "model.heads=2")
    found = train(tmp_path / "run", more, *few)
    state = found.folder.run.checkpoints.load("final")

    assert all(bool(torch.isfinite(tensor).all()) for tensor in state.tensors.values())
