"""Devices: which one is taken, and that nothing is left behind on another."""

from pathlib import Path

import pytest
import torch
from fakes import seeded, sentences_of
from pretend import DEVICE, Elsewhere, PretendDevice
from tiny import BRIEF, Interrupting, contents, train_tiny, write_toy

from sda import devices
from sda.devices import find_device, rows_at_once, same_device_or_cpu
from sda.errors import UserError
from sda.models.generator import Frame
from sda.models.rnn import RnnGenerator
from sda.runs.checkpoint import Checkpoints
from sda.sampling import sample
from sda.show.terminal import Quiet

# What each method adds to the way of the others: rollouts and the discriminator, likelihood on
# both, a walk over both, another objective, a penalty for distance, two policies, a choice.
METHODS = {
    "sda": {},
    "raft": {"method": "raft"},
    "mixed": {"method": "mixed"},
    "metric reward": {"method": "metric-reward", "metric": "bleu + rare_words + likelihood"},
    "unlikelihood of rare words": {"method": "un-rare"},
    "unlikelihood of repetition": {"method": "un-repeat"},
    "unlikelihood by vocabulary": {"method": "un-vocabulary"},
    "mixup": {"method": "mixup"},
    "two policies": {"method": "sda-two-policy"},
    "best of n": {"method": "best-of-n"},
    "rejection by D": {"method": "d-rejection"},
}
# Every operation on the pretend device takes a hundred times as long.
FEW = (*BRIEF, "embedded.train=40", "stage2.epochs=1", "stage2.batch_size=2")
SETTINGS = {
    "two policies": ("stage2.lambda_w=0.5", "stage2.entropy=0.1"),
    "sda": ("stage2.kl=0.1",),
    "unlikelihood of rare words": ("objective.threshold=20",),
}


def test_tensors_of_the_device_do_not_mix_with_others() -> None:
    with PretendDevice():
        there, here = torch.ones(3, device=DEVICE), torch.ones(3)
        assert isinstance(there + 1, Elsewhere) and (there + there).tolist() == [2, 2, 2]
        with pytest.raises(RuntimeError, match="mixes"):
            there + here
        assert torch.equal(there.cpu(), here)


def test_a_device_writes_what_the_cpu_writes() -> None:
    def generator() -> RnnGenerator:
        return RnnGenerator(Frame(12, 0, 8), seeded(1), embedding=6, hidden=6, init_std=0.8)

    expected = sample(generator(), 20, seeded(2)).tokens
    with PretendDevice():
        written = sample(generator().to(DEVICE), 20, seeded(2)).tokens
        assert isinstance(written, Elsewhere)
        assert torch.equal(written.cpu(), expected)


@pytest.mark.slow
@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize("name", list(METHODS))
def test_no_method_leaves_anything_behind(name: str, toy_file: Path, tmp_path: Path) -> None:
    # Captions have a grammar to compare with; sentences of the toy file are a third as long.
    source = "captions" if name == "sda" else toy_file
    run = train_tiny(source, tmp_path / "run", (*FEW, *SETTINGS.get(name, ())), **METHODS[name])

    assert run.is_finished


@pytest.mark.slow
def test_a_run_on_a_device_learns_what_one_on_the_cpu_does(
    toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_tiny(toy_file, tmp_path / "cpu", FEW)
    monkeypatch.setattr("sda.runs.train.find_device", lambda _: DEVICE)
    with PretendDevice():
        train_tiny(toy_file, tmp_path / "there", FEW)
    here, there = (
        Checkpoints(tmp_path / place / "checkpoints").load("stage1").tensors
        for place in ("cpu", "there")
    )

    assert here.keys() == there.keys()
    for key, value in here.items():
        if key.startswith(("generator.", "discriminator.")):
            torch.testing.assert_close(there[key], value, atol=1e-4, rtol=1e-3, msg=key)


@pytest.mark.slow
@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize("use", ["transformer:TransformerGenerator", "causal_cnn:CnnGenerator"])
def test_other_generators_leave_nothing_behind(use: str, toy_file: Path, tmp_path: Path) -> None:
    size = "width=8" if "transformer" in use else "channels=8"
    more = (f"generator.use=sda.models.{use}", f"generator.{size}", "generator.dropout=0.3")
    run = train_tiny(toy_file, tmp_path / "run", (*FEW, *more))

    assert run.is_finished


@pytest.mark.slow
@pytest.mark.usefixtures("pretended")
def test_leakrnn_leaves_nothing_behind(toy_file: Path, tmp_path: Path) -> None:
    more = ("generator.use=sda.models.leak:LeakGenerator", "mle.alternations=1")

    assert train_tiny(toy_file, tmp_path / "run", (*FEW, *more)).is_finished


def test_a_run_that_changes_its_device_says_so(
    toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    listening = Quiet()
    monkeypatch.setattr(listening, "warn", heard.append)
    with pytest.raises(KeyboardInterrupt):
        train_tiny(toy_file, tmp_path / "run", FEW, Interrupting(epochs=1))
    monkeypatch.setattr("sda.runs.train.find_device", lambda _: DEVICE)
    with PretendDevice():
        run = train_tiny(toy_file, tmp_path / "run", (*FEW, "device=cpu"), listening, resume=True)

    assert run.is_finished
    assert [m for m in heard if "on cpu so far and goes on on meta" in m]


def test_a_device_that_is_not_here_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'device': mps is not available here \(torch finds: cpu"):
        find_device("mps")
    with pytest.raises(UserError, match="'device'"):
        train_tiny(write_toy(tmp_path / "toy.txt"), tmp_path / "run", ("device=mps",))
    assert contents(tmp_path).keys() == {"toy.txt"}


def test_the_fastest_device_that_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "devices_here", lambda: ["cuda", "cpu"])

    assert find_device("auto") == torch.device("cuda")
    assert find_device("cpu") == torch.device("cpu")
    assert same_device_or_cpu("mps") == torch.device("cpu")
    assert same_device_or_cpu("cuda") == torch.device("cuda")


def test_chunks_are_larger_on_a_device() -> None:
    here, there = rows_at_once(torch.device("cpu"), 5000), rows_at_once(DEVICE, 5000)

    assert (here, there) == (209, 13421)
    assert rows_at_once(torch.device("cpu"), 10**9) == 1
    # The layers of a pretrained model take the time, not its logits.
    assert rows_at_once(torch.device("cpu"), 49_152) == 341
    assert rows_at_once(torch.device("cpu"), 5000, copies=4) == 52


def test_sentences_that_are_moved_take_their_context_along() -> None:
    from sda.text.context import Context

    about = sentences_of([1, 2]).about(Context(torch.tensor([1]), sentences_of([3])))
    with PretendDevice():
        there = about.to(DEVICE)
        assert there.context is not None and there.context.source is not None
        assert isinstance(there.context.labels, Elsewhere)
        assert isinstance(there.context.source.tokens, Elsewhere)
