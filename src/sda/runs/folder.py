"""The folder of a run: enough to repeat it, to go on with it, and to judge it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sda.doors import check, read_checked, read_checked_lines
from sda.errors import UserError, told_of
from sda.evaluation.catalogue import current_name
from sda.files import (
    naming,
    read_marked,
    read_text,
    read_whole,
    refuse_links,
    remove_stale_parts,
    write_marked,
    write_text,
)
from sda.runs.checkpoint import Checkpoints
from sda.runs.origin import is_same
from sda.runs.paths import found_again, with_absolute_paths
from sda.runs.shapes import (
    BufferShape,
    FinishedShape,
    ProgressShape,
    ScoresShape,
    VocabularyShape,
)
from sda.runs.trusting import trusted
from sda.settings.schema import Settings, leaves, make_settings, read_toml
from sda.settings.vouched import foreign_names
from sda.source import Loaded
from sda.text.vocabulary import Vocabulary, vocabulary_from_json

STOPPED_IN = "stopped_in"  # the stage in which a callback ended the run, in finished.json
STYLE_FILES = "sources"  # a setting that only runs of style transfer have
OWN_TEXT = "run:text.txt"  # the source of a run that was given a list of texts
STAGE_ONE = "stage1"  # the checkpoint that both MLE and whatever follows it share
# Where two settings differ, what people choose themselves is named before what follows from it.
_CHOSEN = ("source", "method", "seed", "metric", "calls.limit", "data.", "start", "generator.")


class RunFolder:
    """Paths of a run, and the lines that it appends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.toml"
        self.text = path / "text.txt"
        self.vocabulary = path / "vocabulary.json"
        self.checkpoints = Checkpoints(path / "checkpoints", [self.vocabulary])
        self.progress = path / "progress.jsonl"
        self.archive = path / "archive.jsonl"
        self.buffer = path / "buffer.jsonl"
        self.samples = path / "samples.txt"
        self.samples_info = path / "samples.json"
        self.examples = path / "examples.json"
        self.scores = path / "scores.json"
        self.handed_over = path / "handed_over.json"
        self.curve = path / "curve.json"
        self.report = path / "report.html"
        self.finished = path / "finished.json"

    @property
    def holds_run(self) -> bool:
        return self.config.is_file()

    @property
    def is_finished(self) -> bool:
        return self.finished.is_file()

    @property
    def how_to_go_on(self) -> str:
        """What to type, for messages: settings need not be given again."""
        argument = ", trust=True" if self._names_code else ""
        return (
            f"`{self.resume_command}` goes on with it as it began (in Python:"
            f" sda.resume({str(self.path)!r}{argument}))"
        )

    @property
    def resume_command(self) -> str:
        """What goes on with the run, for one who trusts what its settings name."""
        option = " --trust" if self._names_code else ""
        return f"sda resume {shlex.quote(str(self.path))}{option}"

    @property
    def _names_code(self) -> bool:
        """Whether the settings there name code outside the package."""
        try:
            return bool(foreign_names(read_toml(self.config)))
        except UserError:
            return False

    def begin(self, config: str) -> None:
        """Make the folder and write its settings; a folder with other things in it is refused."""
        with naming(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            others = [entry.name for entry in self.path.iterdir() if not entry.name.startswith(".")]
        if others:
            raise UserError(f"{self.path}: not empty and not a run (it holds {others[0]})")
        write_text(self.config, config)

    def forget(self) -> None:
        """No run has begun here: what `begin` and a trial of the metric wrote is gone again."""
        for path in (self.archive, self.config):
            path.unlink(missing_ok=True)

    def settings(self, trust: bool = False, metric: str | None = None) -> Settings:
        """The settings that the folder was made with.

        Code outside the package that they name is loaded only where the user allows it: all of it
        by `trust`, or the functions in `metric`, named once more.
        """
        if not self.holds_run:
            raise UserError(f"{self.path}: not a run folder (no config.toml in it)")
        self.refuse_links()
        table = read_toml(self.config)
        if STYLE_FILES in table:
            path = shlex.quote(str(self.path))
            raise UserError(
                f"{self.path}: a run of style transfer; `sda transfer apply {path} --to STYLE`"
                " rewrites with it"
            )
        with told_of(self.config):
            found = make_settings(table)
        if found.source == OWN_TEXT:
            # Its own text is where the run is, wherever that may be by now.
            found = found.model_copy(update={"source": str(self.text)})
        found = found_again(found, self.path)
        return trusted(found, self.path, trust, metric) if trust or metric is not None else found

    def refuse_links(self) -> None:
        """A folder that came from somebody leads nowhere else."""
        refuse_links(self.path, self.checkpoints.folder)

    def check_same(self, settings: Settings) -> None:
        """Refuse to go on with other settings than the run began with."""
        before = dict(leaves(self.settings().model_dump(mode="json")))
        now = dict(leaves(with_absolute_paths(settings).model_dump(mode="json")))
        differ = [
            key
            for key in before | now
            # Another device is no other run: what it changes is said when it goes on.
            if key != "device" and not is_same(key, before.get(key), now.get(key))
        ]
        if not differ:
            return
        key = min(differ, key=_rank)
        more = f", and {len(differ) - 1} more settings differ" if len(differ) > 1 else ""
        raise UserError(
            f"{self.path}: the run there has {key} = {before.get(key)!r}, not {now.get(key)!r}"
            f"{more}; {self.how_to_go_on}, or choose another folder"
        )

    def keep_text(self, loaded: Loaded) -> None:
        """Write down what tells the text of the run from others, or refuse another one."""
        self.keep_vocabulary(
            loaded.vocabulary,
            loaded.corpus.max_length,
            loaded.fingerprints(),
            loaded.corpus.labels,
        )

    def keep_vocabulary(
        self,
        vocabulary: Vocabulary,
        longest: int,
        fingerprints: list[str],
        labels: Sequence[str] = (),
    ) -> None:
        """Write down the vocabulary, what tells the text of each split from any other, and the
        names of the labels where sentences have some.

        A run that is there already has to have begun with the same.
        """
        data = {
            "max_length": longest,
            "fingerprints": fingerprints,
            "vocabulary": vocabulary.to_json(),
            **({"labels": list(labels)} if labels else {}),
        }
        if not self.vocabulary.is_file():
            write_marked(self.vocabulary, data)
        elif read_marked(self.vocabulary) != data:
            raise UserError(
                f"{self.vocabulary}: the source has another text now than when the run began"
            )

    def load_vocabulary(self) -> tuple[Vocabulary, int]:
        """The vocabulary, and the most tokens of a sentence."""
        data = self._read_vocabulary()
        try:
            return vocabulary_from_json(data["vocabulary"]), int(data["max_length"])
        except (KeyError, TypeError, AttributeError, ValueError):
            raise UserError(f"{self.vocabulary}: not a vocabulary") from None

    def load_labels(self) -> tuple[str, ...]:
        """The names of the labels by their numbers; none where the text has none."""
        return tuple(self._read_vocabulary().get("labels", []))

    def _read_vocabulary(self) -> Any:
        return check(VocabularyShape, read_marked(self.vocabulary), str(self.vocabulary))

    def append_progress(self, line: dict[str, Any]) -> int:
        """Write one line to the progress file; returns the size of the file after it."""
        with naming(self.progress), self.progress.open("ab") as file:
            file.write((json.dumps(line) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())
            return file.tell()

    def cut_progress(self, size: int) -> None:
        """Forget the lines that came after the state that is gone back to."""
        with naming(self.progress), self.progress.open("ab") as file:
            # Where the file is shorter already, to cut would make it longer.
            if size < file.tell():
                file.truncate(size)

    def whole_progress(self) -> int:
        """How many bytes of the progress file whole lines have."""
        return read_whole(self.progress).rfind(b"\n") + 1 if self.progress.is_file() else 0

    def read_progress(self) -> list[dict[str, Any]]:
        """The lines of all epochs; one that a kill has cut off counts as absent."""
        if not self.progress.is_file():
            return []
        return read_checked_lines(self.progress, ProgressShape).values

    def read_scores(self) -> list[dict[str, Any]]:
        """The rows of the table on test data."""
        rows: list[dict[str, Any]] = read_checked(self.scores, ScoresShape)["rows"]
        for row in rows:
            row["scores"] = [{**s, "name": current_name(s["name"])} for s in row["scores"]]
        return rows

    def read_samples(self) -> list[str]:
        """The sentences that the run wrote at its end."""
        return read_text(self.samples).splitlines()

    def read_finished(self) -> dict[str, Any]:
        """What the whole run cost."""
        found: dict[str, Any] = read_checked(self.finished, FinishedShape)
        return found

    def read_buffer(self) -> list[dict[str, Any]]:
        """The sentences of the buffer at its end, best first."""
        return read_checked_lines(self.buffer, BufferShape).values

    def clear_results(self) -> None:
        """Remove what only the end of a run may write."""
        for path in (
            self.buffer,
            self.samples,
            self.samples_info,
            self.examples,
            self.scores,
            self.handed_over,
            self.report,
            self.curve,  # it may have been drawn of a state in between
        ):
            path.unlink(missing_ok=True)

    def _remove_stale(self) -> None:
        """What a kill has left half written is gone; nobody else trains here now."""
        remove_stale_parts(self.path)
        self.checkpoints.mend()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """No other process may train in the folder meanwhile.

        Where no run has begun by the end, what was made for the lock is gone again.
        """
        # Here, so that folders can be read where nothing is ever locked.
        from filelock import FileLock, Timeout

        lock = FileLock(self.path / ".lock")
        with naming(self.path):
            made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                raise UserError(f"{self.path}: another process is training there") from None
        try:
            self._remove_stale()
            yield
        finally:
            has_begun = self.holds_run
            if not has_begun:
                # Before it is given back: it may be another's then. Windows keeps a file that is
                # open, and there giving it back removes it.
                with suppress(OSError):
                    os.unlink(lock.lock_file)
            lock.release()
            # Something else may have come into a folder meanwhile.
            with suppress(OSError):
                for folder in () if has_begun else made:
                    folder.rmdir()


def _rank(key: str) -> int:
    """The place of a setting among those that people choose themselves; others come last."""
    ranks = (rank for rank, start in enumerate(_CHOSEN) if key.startswith(start))
    return next(ranks, len(_CHOSEN))
