"""One run, one folder, one process at a time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny import contents, tiny_settings

from sda.errors import UserError
from sda.runs.folder import RunFolder
from sda.settings.schema import write_toml
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import NumberVocabulary, WordVocabulary

LINE = {"stage": "mle", "epoch": 1, "nll_valid": 0.1}
HOLD = """
import sys
from pathlib import Path
from sda.runs.folder import RunFolder
with RunFolder(Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A folder where a run has begun."""
    settings, origins = tiny_settings("captions")
    begun = RunFolder(tmp_path / "run")
    begun.begin(write_toml(settings, origins))
    return begun


def test_a_folder_in_use_by_another_process(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    command = [sys.executable, "-c", HOLD, str(folder.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match="another process is training there"), folder.locked():
            pytest.fail("the lock was given twice")
        holder.kill()
    # A lock dies with its process.
    with folder.locked():
        pass


def test_a_lock_is_given_back(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), folder.locked():
            raise KeyboardInterrupt


def test_nothing_is_left_where_no_run_began(tmp_path: Path) -> None:
    for folder in (tmp_path / "runs" / "mine", tmp_path / "mine"):
        with pytest.raises(UserError, match="a mistake"), RunFolder(folder).locked():
            assert (folder / ".lock").is_file()
            raise UserError("a mistake")
        assert list(tmp_path.iterdir()) == []


def test_folders_that_were_there_stay(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    before = sorted(tmp_path.rglob("*"))

    for folder in (tmp_path / "runs", tmp_path / "runs" / "mine", tmp_path / "thesis"):
        with RunFolder(folder).locked():
            pass
        assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_was_made_and_filled_stays(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "runs" / "mine").locked():
        (tmp_path / "runs" / "notes.txt").write_text("of somebody else")

    assert [path.name for path in tmp_path.rglob("*")] == ["runs", "notes.txt"]


def test_the_lock_of_a_run_stays(folder: RunFolder) -> None:
    with pytest.raises(KeyboardInterrupt), folder.locked():
        raise KeyboardInterrupt

    assert (folder.path / ".lock").is_file()
    assert folder.holds_run


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    before = contents(tmp_path)

    with pytest.raises(UserError, match=r"not empty and not a run \(it holds thesis\.tex\)"):
        RunFolder(tmp_path).begin("source = 'captions'\n")
    assert contents(tmp_path) == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("content")

    with pytest.raises(UserError, match=f"^{path}: File exists$"), RunFolder(path).locked():
        pytest.fail("a file was taken for a folder")
    with pytest.raises(UserError, match=r"not a run folder \(no config\.toml in it\)"):
        RunFolder(tmp_path).settings()


def test_settings_come_back(folder: RunFolder) -> None:
    settings, _ = tiny_settings("captions")

    assert folder.holds_run
    assert not folder.is_finished
    assert folder.settings() == settings
    folder.check_same(settings)


def test_a_wrong_setting_is_told_with_the_file_it_stands_in(folder: RunFolder) -> None:
    text = folder.config.read_text()
    assert "seed = 0" in text
    folder.config.write_text(text.replace("seed = 0", "seed = -1"))

    with pytest.raises(UserError, match=f"^{folder.config}: setting 'seed': .* not -1$"):
        folder.settings()


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("seed=3", "seed = 0, not 3"),
        ("stage2.rollouts=3", "stage2.rollouts = 1, not 3"),
        ("buffer.capacity=3", "buffer.capacity = None, not 3"),
        ("generator.layers=2", "generator.layers = None, not 2"),
        ("metric.0.order=2", "metric = .*, not .*'order': 2"),
    ],
)
def test_other_settings_are_refused_by_name(
    assignment: str, message: str, folder: RunFolder
) -> None:
    settings, _ = tiny_settings("captions", assignment)

    with pytest.raises(UserError, match=f"the run there has {message}"):
        folder.check_same(settings)


def test_every_kind_of_value_survives_the_comparison(tmp_path: Path) -> None:
    more = ("metric.1.most=none", "metric.1.least=2", "data.limit=none", "mle.rate=1")
    settings, origins = tiny_settings("captions", *more, metric="bleu + 0.5*length")
    folder = RunFolder(tmp_path / "run")
    folder.begin(write_toml(settings, origins))

    folder.check_same(settings)


def test_progress_is_appended_cut_and_read(folder: RunFolder) -> None:
    assert folder.read_progress() == []
    sizes = [folder.append_progress({**LINE, "epoch": epoch}) for epoch in (1, 2, 3)]
    assert sizes[-1] == folder.progress.stat().st_size

    folder.cut_progress(sizes[0])
    assert folder.read_progress() == [LINE]
    folder.append_progress({**LINE, "epoch": 2})
    assert [line["epoch"] for line in folder.read_progress()] == [1, 2]


def test_half_a_line_at_the_end_is_left_out(folder: RunFolder) -> None:
    size = folder.append_progress(LINE)
    with folder.progress.open("a") as file:
        file.write('{"stage": "mle", "epoch": 2, "lo')

    assert folder.read_progress() == [LINE]
    assert folder.whole_progress() == size
    # To cut behind the end makes nothing longer.
    folder.cut_progress(10_000)
    assert folder.progress.stat().st_size < 10_000


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"[]", "line 2: "),
        (b'{"epoch": 2}', "line 2: 'stage': "),
        (b'{"stage": "mle", "epoch": "2"}', "line 2: 'epoch': "),
        (b'{"stage": "mle", "epoch": -1}', "line 2: 'epoch': "),
        (b'{"stage": "mle", "epoch": 2, "seconds": Infinity}', "line 2: 'seconds': "),
        (b'{"stage": "mle", "epoch": 2, "nll_valid": NaN}', "line 2: 'nll_valid': "),
        (b'{"stage": "mle", "epoch": 2, "nll_valid": "low"}', "line 2: 'nll_valid': "),
        (b'{"stage": "mle", "epoch": 1e400}', "line 2: 'epoch': "),
        (b'{"stage": "\xff", "epoch": 2}', "line 2: not UTF-8 text"),
        (b'{"stage": "\\udc00", "epoch": 2}', "line 2: holds half of a character"),
        (b'{"stage": ' + b"[" * 100_000, "line 2: nested too deeply"),
        (b'{"stage": "mle", "epoch": 2', "line 2: not valid JSON"),
    ],
)
def test_a_damaged_line_is_named(line: bytes, words: str, folder: RunFolder) -> None:
    folder.append_progress(LINE)
    folder.progress.write_bytes(folder.progress.read_bytes() + line + b"\n")

    with pytest.raises(UserError) as told:
        folder.read_progress()
    assert words in str(told.value) and len(str(told.value)) < 400


def test_what_a_kill_left_half_written_goes_with_the_next_start(folder: RunFolder) -> None:
    folder.path.mkdir(exist_ok=True)
    gone, own = folder.path / ".scores.json.999999999.part", folder.path / f".x.{os.getpid()}.part"
    half = folder.checkpoints.folder / ".000003.part"
    half.mkdir(parents=True)
    for path in (gone, own, half / "state.json"):
        path.write_text("half")
    with folder.locked():
        assert not gone.exists() and not half.exists()
        # Somebody who is still at it writes on.
        assert own.exists()


@pytest.mark.parametrize(
    "vocabulary",
    [
        NumberVocabulary(50),
        WordVocabulary(("a", "b"), has_unknown=True, tokenizer=WhitespaceTokenizer()),
    ],
)
def test_the_vocabulary_comes_back(
    vocabulary: WordVocabulary | NumberVocabulary, folder: RunFolder
) -> None:
    folder.keep_vocabulary(vocabulary, 9, ["abc"])
    loaded, longest = folder.load_vocabulary()

    assert loaded.to_json() == vocabulary.to_json()
    assert longest == 9
    folder.keep_vocabulary(vocabulary, 9, ["abc"])
    with pytest.raises(UserError, match=r"vocabulary\.json: the source has another text now"):
        folder.keep_vocabulary(NumberVocabulary(51), 9, ["abc"])
    with pytest.raises(UserError, match=r"vocabulary\.json: the source has another text now"):
        folder.keep_vocabulary(vocabulary, 9, ["abd"])


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"vocabulary": 3, "max_length": 3}', "half a", '{"max_length": 3}']
)
def test_a_broken_vocabulary_is_named(content: str, folder: RunFolder) -> None:
    folder.vocabulary.write_text(content)

    with pytest.raises(UserError, match=r"vocabulary\.json: (not|should be|')"):
        folder.load_vocabulary()


def test_only_results_are_cleared(folder: RunFolder) -> None:
    results = (folder.buffer, folder.samples, folder.samples_info, folder.examples, folder.scores)
    results += (folder.report,)
    kept = (folder.config, folder.vocabulary, folder.progress)
    for path in (*results, *kept):
        path.write_text("something")

    folder.clear_results()

    assert [path.exists() for path in results] == [False] * len(results)
    assert [path.exists() for path in kept] == [True] * len(kept)


def test_scores_with_an_old_name_are_read_under_the_new_one(folder: RunFolder) -> None:
    about = {"value": 0.5, "higher_is_better": None, "signature": ""}
    scores = [{"name": name, **about} for name in ("mauve", "frechet")]
    row = {"name": "mle", "temperature": 1.0, "scores": scores}
    folder.scores.write_text(json.dumps({"rows": [{**row, "temperature": None}, row]}))

    _, read = folder.read_scores()
    assert [score["name"] for score in read["scores"]] == ["mauve-ngram", "frechet"]
