"""Folders, ledgers and models that somebody sent: nothing in them is run, whatever they say.

Every attack would leave a file behind if its code were run; none may. A few are sent to a process
of their own, as a user would meet them, since a module that was imported once stays.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import Answer

from sda.errors import UserError
from sda.runs.components import build
from sda.runs.folder import RunFolder
from sda.runs.run import Run
from sda.settings.vouched import Vouched

Command = Callable[..., Answer]
FUNCTION = "sda.reference.function:Function"


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """What an attack leaves behind if it succeeds."""
    return tmp_path / "marker"


@pytest.fixture
def module(tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module where Python looks: it leaves the mark when it is imported."""
    name = f"evil_{tmp_path.name}"
    code = f"""
        from pathlib import Path

        Path({str(marker)!r}).touch()

        class Evil:
            def __init__(self, **_): pass
            def __call__(self, *_): return []

        def score(texts):
            return [0.0 for _ in texts]
    """
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / f"{name}.py").write_text(textwrap.dedent(code))
    monkeypatch.syspath_prepend(tmp_path / "modules")
    return name


@pytest.fixture
def sent(toy_run: Run, tmp_path: Path) -> RunFolder:
    """A copy of a finished run, which begins as somebody sent it."""
    return RunFolder(shutil.copytree(toy_run.path, tmp_path / "sent"))


def rewrite(folder: RunFolder, section: str, content: str) -> None:
    """The folder's settings have the section, in place of the one that they had."""
    head, mark, rest = folder.config.read_text().partition(f"\n[{section}]\n")
    tail = rest.partition("\n[")
    folder.config.write_text(f"{head}{mark}{content}\n\n[{tail[2]}" if mark else head + content)


def with_metric(folder: RunFolder, function: str) -> None:
    """The run selects by a metric that is this function."""
    text = folder.config.read_text().partition("\n[[metric]]")[0]
    part = f'\n[[metric]]\nuse = "{FUNCTION}"\nfunction = "{function}"\n'
    folder.config.write_text(text + part)
    rewrite(folder, "selection", 'use = "sda.baselines.selection:BestOf"')


def refused(answer: Answer, *words: str) -> None:
    assert answer.code == 2, answer
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err.strip().splitlines()[-1]


def test_the_first_attack_a_program_as_selection(
    sent: RunFolder, marker: Path, command: Command
) -> None:
    rewrite(sent, "selection", f'use = "subprocess:Popen"\nargs = ["touch", "{marker}"]')

    refused(command("sample", sent.path), "subprocess:Popen", "not loaded", "--trust")
    refused(command("sample", sent.path, "--trust"), "comes with Python")
    assert not marker.exists()


def test_the_second_attack_a_metric_in_the_folder(
    sent: RunFolder, marker: Path, module: str, command: Command
) -> None:
    code = sent.path / "m.py"
    shutil.copy(marker.parent / "modules" / f"{module}.py", code)
    with_metric(sent, f"{code}:score")

    refused(command("sample", sent.path), "m.py:score is no part of sda")
    for option in (("--trust",), ("--metric", f"{code}:score")):
        refused(command("sample", sent.path, *option), "lies in the run folder itself")
    assert not marker.exists()


@pytest.mark.parametrize(
    ("section", "asked"),
    [
        ("selection", ("sample",)),
        ("selection", ("curve", "--samples", "4", "--repeats", "1", "--temperature", "1")),
        ("generator", ("sample",)),
        ("generator", ("sample", "--stage", "mle")),
        ("generator", ("export", "--out", "OUT")),
        ("discriminator", ("sample",)),
    ],
)
def test_a_component_on_pythons_path(
    section: str,
    asked: tuple[str, ...],
    sent: RunFolder,
    marker: Path,
    module: str,
    command: Command,
) -> None:
    rewrite(sent, section, f'use = "{module}:Evil"')
    first, *more = (str(marker.parent / "out") if part == "OUT" else part for part in asked)

    refused(command(first, sent.path, *more), f"{module}:Evil is no part of sda")
    assert not marker.exists()


@pytest.mark.parametrize("section", ["generator", "objective", "augmentation", "selection", "loop"])
def test_a_run_that_is_taken_up_again(
    section: str, sent: RunFolder, marker: Path, module: str, command: Command
) -> None:
    sent.finished.unlink()
    rewrite(sent, section, f'use = "{module}:Evil"')

    refused(command("resume", sent.path), f"{module}:Evil is no part of sda")
    assert not marker.exists()


def test_what_only_looks_at_a_run_works_and_loads_nothing(
    sent: RunFolder, marker: Path, module: str, command: Command
) -> None:
    with_metric(sent, f"{module}:score")
    for section in ("generator", "objective"):
        rewrite(sent, section, f'use = "{module}:Evil"')
    sent.examples.unlink()

    assert command("report", sent.path).code == 0
    assert command("compare", sent.path).code == 0
    assert not marker.exists()


def test_a_start_that_names_code(
    toy_run: Run, sent: RunFolder, marker: Path, module: str, command: Command
) -> None:
    rewrite(sent, "selection", f'use = "{module}:Evil"')
    source, out = toy_run.settings.source, marker.parent / "out"
    answer = command("train", source, "--out", out, "--start", sent.path, "--profile", "smoke")

    refused(answer)
    assert not marker.exists()


@pytest.mark.parametrize(
    "use",
    [
        "sda.__main__:app",
        "sda.cli:main",
        "sda.files:Path",
        "sda.files:write_text",
        "sda.baselines.mixup:Mixup",
        "sda.baselines.selection:_check_tries",
        "sda.runs.run:Run",
        "builtins:exec",
        "os:system",
    ],
)
def test_nothing_of_the_package_or_of_python_stands_in_for_a_component(
    use: str, sent: RunFolder, command: Command
) -> None:
    rewrite(sent, "selection", f'use = "{use}"')

    refused(command("sample", sent.path), "selection.use")
    refused(command("sample", sent.path, "--trust"), "selection.use")


def test_a_metric_by_another_door_of_the_package(module: str, marker: Path) -> None:
    """The class that loads functions has been imported by others of the package."""
    section = {"use": "sda.reference.asking:Function", "function": f"{module}:score"}

    with pytest.raises(UserError, match=r"metric\.0\.function.* not loaded"):
        build(section, "metric.0", vocabulary=None)
    assert not marker.exists()


def test_a_name_that_looks_like_the_packages_own(tmp_path: Path, marker: Path) -> None:
    code = tmp_path / "sda.reference.py"
    code.write_text(f"open({str(marker)!r}, 'w')\n")
    section = {"use": FUNCTION, "function": f"{code}:score"}

    with pytest.raises(UserError, match="not loaded"):
        build(section, "metric.0", vocabulary=None)
    assert not marker.exists()


@pytest.mark.parametrize("name", ["progress.jsonl", "checkpoints", ".lock", "archive.jsonl"])
def test_a_link_in_a_folder_leads_nowhere(
    name: str, sent: RunFolder, tmp_path: Path, command: Command
) -> None:
    treasure = tmp_path / "treasure"
    (treasure / "2024").mkdir(parents=True)
    file = treasure / "precious.txt"
    file.write_text("precious")
    sent.finished.unlink()
    place = sent.path / name
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    place.symlink_to(treasure if name == "checkpoints" else file)

    refused(command("resume", sent.path), name, "a link")
    assert file.read_text() == "precious" and (treasure / "2024").is_dir()


def test_a_row_of_a_ledger_is_shown_and_not_run(
    tmp_path: Path, marker: Path, module: str, command: Command
) -> None:
    rows = tmp_path / "ledger" / "baselines" / "rows.toml"
    rows.parent.mkdir(parents=True)
    rows.write_text(f"""
is_beside = false
[[rows]]
name = "theirs"
title = "theirs"
method = "best-of-n"
is_own = true
is_kept = false
[[rows.settings.metric]]
use = "{FUNCTION}"
function = "{module}:score"
[rows.settings.generator]
use = "{module}:Evil"
""")
    ledger = ("--results", tmp_path / "ledger")

    assert command("table", "baselines", *ledger, "--profile", "smoke").code in (0, 2)
    answer = command(
        *("reproduce", "baselines", *ledger, "--profile", "smoke", "--rows", "theirs"),
        *("--bases", "rnn", "--seeds", "1", "--out", tmp_path / "runs"),
    )
    assert answer.code == 2, answer
    assert not marker.exists()


def test_a_run_of_style_transfer(
    tmp_path: Path, marker: Path, module: str, command: Command
) -> None:
    folder = tmp_path / "transfer"
    folder.mkdir()
    (folder / "config.toml").write_text(
        f'sources = ["reviews"]\n[data]\nsize = 50\n[metric]\nfunction = "{module}:score"\n'
    )

    refused(command("resume", folder), f"{module}:score is no part of sda", "--trust")
    assert not marker.exists()
    (folder / "config.toml").write_text(
        'sources = ["reviews"]\n[metric]\njudges = ["../../../judge"]\n'
    )
    refused(command("resume", folder), "there is no judge '../../../judge'")


def test_a_metric_that_is_named_again_is_the_one_that_is_loaded(
    sent: RunFolder, marker: Path, module: str, command: Command
) -> None:
    with_metric(sent, f"{module}:score")

    refused(command("sample", sent.path, "--metric", "other:score"), "not other:score")
    assert not marker.exists()
    assert command("sample", sent.path, "-n", "2", "--metric", f"{module}:score").code == 0
    assert marker.exists()


def test_a_model_folder_with_code_of_its_own(tmp_path: Path, marker: Path) -> None:
    pytest.importorskip("transformers")
    from sda.pretrained.library import load_causal, load_config, load_tokenizer

    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "evil.py").write_text(f"open({str(marker)!r}, 'w')\n")
    names = {
        "AutoConfig": "evil.C",
        "AutoModelForCausalLM": "evil.M",
        "AutoTokenizer": ["evil.T"] * 2,
    }
    config = {"model_type": "evil", "auto_map": names, "architectures": ["M"]}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"auto_map": names}))
    for load in (load_config, load_tokenizer, load_causal):
        with pytest.raises(UserError, match="not a model that can be opened"):
            load(str(folder))
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(UserError, match="an adapter"):
        load_causal(str(folder))
    assert not marker.exists()


def test_weights_that_would_be_unpickled(tmp_path: Path, marker: Path) -> None:
    pytest.importorskip("transformers")
    import pickle

    from sda.models.oracle import load_oracle
    from sda.pretrained.library import load_causal

    class Bomb:
        def __reduce__(self) -> tuple[Callable[..., object], tuple[str, str]]:
            return open, (str(marker), "w")

    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "gpt2", "n_layer": 1, "n_embd": 8}')
    for file in (folder / "pytorch_model.bin", tmp_path / "oracle.npz"):
        file.write_bytes(pickle.dumps(Bomb()))

    with pytest.raises(UserError):
        load_causal(str(folder))
    with pytest.raises(UserError):
        load_oracle(tmp_path / "oracle.npz", 5)
    assert not marker.exists()


def test_a_user_says_it_in_a_file_of_his_own(module: str, marker: Path) -> None:
    """What a command names is the user's word, and must be a component all the same."""
    with pytest.raises(UserError, match="is not a subclass of"):
        build({"use": Vouched(f"{module}:Evil")}, "generator", RunFolder)
    assert marker.exists()


def test_no_part_of_the_package_unpickles() -> None:
    source = Path(__file__).parent.parent / "src" / "sda"
    text = "\n".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py"))

    for word in ("torch.load(", "pickle.load", "allow_pickle=True", "trust_remote_code=True"):
        assert word not in text


def test_a_process_of_its_own_runs_nothing_either(
    sent: RunFolder, marker: Path, module: str
) -> None:
    """In the folder itself, as a user would who has just unpacked it."""
    shutil.copy(marker.parent / "modules" / f"{module}.py", sent.path)
    rewrite(sent, "selection", f'use = "{module}:Evil"')
    code = "import sys; sys.path.insert(0, ''); from sda.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "sample", ".", "--trust"],
        cwd=sent.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    assert "lies in the run folder itself" in done.stderr
    assert not marker.exists()
