"""What the metric answered is written down at once, and found again after any interruption."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from fakes import lists_of, sentences_of

from sda.archive import TRIAL, Archive, Question
from sda.errors import UserError
from sda.text.about import About
from sda.text.context import Context
from sda.text.scores import Scores

PARTS = ("short", "good")
NEVER = float("-inf")
CAT, DOG, BIRD = Question("a cat"), Question("a dog"), Question("a bird")
THREE = sentences_of([1, 2], [1, 3], [1, 4])


def scores(*rows: tuple[float, float]) -> Scores:
    parts = torch.tensor(rows, dtype=torch.float64)
    return Scores(parts.sum(1), parts)


def test_answers_are_lines_of_a_file(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive.jsonl", PARTS)
    archive.add([CAT], scores((1.0, 0.5)))
    archive.epoch = 2
    about = Question("a dog", About("pets", "a wolf"))
    archive.add([about], scores((0.25, NEVER)))

    lines = (tmp_path / "archive.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    marks = [line.pop("mark") for line in found]
    assert all(len(mark) == 16 for mark in marks) and len(set(marks)) == 2
    assert found == [
        {"text": "a cat", "score": 1.5, "parts": {"short": 1.0, "good": 0.5}, "epoch": TRIAL},
        {
            "text": "a dog",
            "label": "pets",
            "source": "a wolf",
            "score": None,
            "parts": {"short": 0.25, "good": None},
            "epoch": 2,
        },
    ]


def test_a_file_gives_back_the_same_numbers(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    rows = ((0.1, 0.2), (1e-300, NEVER), (1 / 3, -0.0))
    # The last is a line break for Unicode, and none for a file of lines.
    questions = [CAT, DOG, Question("a\u2028bird")]
    Archive(path, PARTS).add(questions, scores(*rows))

    again = Archive(path, PARTS)
    assert again.unknown(questions) == []
    found = again.take(questions, THREE)
    assert torch.equal(found.parts, scores(*rows).parts)
    assert torch.equal(found.total, scores(*rows).total)


def test_equal_questions_are_asked_once() -> None:
    archive = Archive()

    assert archive.unknown([CAT, DOG, CAT, BIRD, DOG]) == [0, 1, 3]
    archive.add([DOG], Scores(torch.tensor([1.0]), torch.zeros(1, 0)))
    assert archive.unknown([CAT, DOG, CAT, BIRD, DOG]) == [0, 3]


def test_what_was_said_once_is_known_unless_it_may_change() -> None:
    one = Scores(torch.tensor([1.5]), torch.zeros(1, 0))
    archive, changing = Archive(), Archive(repeats=True)
    archive.add([CAT], one)
    changing.add([CAT], one)

    assert (archive.known(CAT), archive.known(DOG)) == (1.5, None)
    assert changing.known(CAT) is None


def test_what_a_text_is_about_makes_another_question() -> None:
    archive = Archive()
    archive.add([CAT], Scores(torch.tensor([1.0]), torch.zeros(1, 0)))

    assert archive.unknown([CAT, Question("a cat", About("pets"))]) == [1]


def test_answers_that_may_change_are_no_use_later() -> None:
    archive = Archive(repeats=True)
    assert archive.unknown([CAT, CAT]) == [0, 1]
    archive.add([CAT, CAT], Scores(torch.tensor([1.0, 2.0]), torch.zeros(2, 0)))
    assert archive.take([CAT, CAT], THREE[:2]).total.tolist() == [1, 2]

    assert archive.unknown([CAT]) == [0]
    assert archive.calls == archive.paid == 2


def test_calls_count_again_after_going_back(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    archive = Archive(path, PARTS, keeps=True)
    archive.add([CAT], scores((1, 1)))
    archive.take([CAT], THREE[:1])
    saved, calls = archive.state_dict(), archive.calls
    archive.add([DOG, BIRD], scores((2, 2), (3, 3)))
    archive.take([DOG, BIRD], THREE[1:])

    again = Archive(path, PARTS, keeps=True)
    again.load_state_dict(saved)
    again.go_back(calls)
    assert (again.calls, again.paid) == (1, 3)
    assert again.unknown([CAT, BIRD, DOG]) == []
    again.epoch = 5
    assert again.take([CAT, BIRD, BIRD], THREE[torch.tensor([0, 2, 2])]).total.tolist() == [2, 6, 6]
    assert (again.calls, again.paid) == (2, 3)
    assert lists_of(again.entries.sentences) == [[1, 2], [1, 4]]
    assert again.entries.scores.tolist() == [2, 6]
    assert again.entries.epochs.tolist() == [TRIAL, 5]


def test_changing_answers_are_given_again_in_their_order(tmp_path: Path) -> None:
    """A run that goes back to where it had asked nothing meets the same questions again."""
    path = tmp_path / "archive.jsonl"
    first = Archive(path, repeats=True)
    for value in (1.0, 2.0):
        first.add([CAT, DOG], Scores(torch.tensor([value, 10 * value]), torch.zeros(2, 0)))

    again = Archive(path, repeats=True)
    assert again.unknown([CAT, DOG]) == []
    assert again.take([CAT, DOG], THREE[:2]).total.tolist() == [1, 10]
    # Other sentences than before: what was asked then is of no use any more.
    assert again.unknown([CAT, BIRD]) == [0, 1]
    assert again.unknown([CAT, DOG]) == [0, 1]


def test_entries_keep_what_sentences_are_about() -> None:
    archive = Archive(keeps=True)
    about = THREE.about(Context(torch.tensor([1, 0, 1])))
    questions = [CAT, DOG, BIRD]
    archive.add(questions, Scores(torch.arange(3.0), torch.zeros(3, 0)))
    archive.take(questions[:2], about[:2])
    archive.take(questions[2:], about[2:])

    other = Archive(keeps=True)
    other.load_state_dict(archive.state_dict())
    assert lists_of(other.entries.sentences) == lists_of(THREE)
    context = other.entries.sentences.context
    assert context is not None and context.labels is not None
    assert context.labels.tolist() == [1, 0, 1]


def test_nothing_is_kept_unless_asked_for() -> None:
    archive = Archive()
    archive.add([CAT], Scores(torch.tensor([1.0]), torch.zeros(1, 0)))
    archive.take([CAT], THREE[:1])

    assert archive.state_dict() == {}
    assert len(archive.entries) == 0


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    Archive(path, PARTS).add([CAT, DOG], scores((1, 1), (2, 2)))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"text": "a bi')

    archive = Archive(path, PARTS)
    assert archive.paid == 2
    assert path.read_bytes() == whole
    assert archive.unknown([BIRD]) == [0]
    assert "was not written to its end" in archive.remarks[0]
    assert Archive(path, PARTS).remarks == []


def test_answers_that_were_lost_are_missed(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    archive = Archive(path, PARTS)
    archive.add([CAT, DOG], scores((1, 1), (2, 2)))
    archive.go_back(2)

    with pytest.raises(ValueError, match="has lost 1 answers"):
        archive.go_back(3)


def _edited(line: bytes) -> bytes:
    return line.replace(b'"score": 4.0', b'"score": 5.0')


def test_after_a_torn_line_all_since_the_state_is_asked_again(tmp_path: Path) -> None:
    """After a loss of power: a metric may answer in other digits if it is asked about a part."""
    path = tmp_path / "archive.jsonl"
    archive = Archive(path, PARTS)
    archive.add([CAT], scores((1, 1)))
    archive.add([DOG, BIRD], scores((2, 2), (3, 3)))
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])

    again = Archive(path, PARTS)
    again.go_back(1)
    assert again.unknown([CAT, DOG, BIRD]) == [1, 2]
    assert again.paid == 1 and path.read_bytes() == whole.splitlines(keepends=True)[0]
    again.add([DOG, BIRD], scores((2, 2), (3, 3)))
    assert again.unknown([CAT, DOG, BIRD]) == []
    assert path.read_bytes() == whole


def _unnamed(line: bytes) -> bytes:
    return line.replace(b'"mark"', b'"markx"')


@pytest.mark.parametrize(
    "changed",
    [
        lambda lines: [*lines, *lines],
        lambda lines: lines[1:],
        lambda lines: [lines[0], *lines[2:]],
        lambda lines: [lines[1], lines[0], lines[2]],
        lambda lines: [lines[0], _edited(lines[1]), lines[2]],
        lambda lines: [_unnamed(lines[0]), *lines[1:]],
        lambda lines: [*lines[:2], _unnamed(lines[2])],
    ],
)
def test_lines_that_do_not_follow_from_each_other_are_refused(
    changed: Callable[[list[bytes]], list[bytes]], tmp_path: Path
) -> None:
    """An archive that stood twice in its file once gave other counts of calls without a word."""
    path = tmp_path / "archive.jsonl"
    archive = Archive(path, PARTS)
    archive.add([CAT, DOG], scores((1, 1), (2, 2)))
    archive.add([BIRD], scores((3, 3)))
    assert Archive(path, PARTS).paid == 3
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(changed(lines)))

    with pytest.raises(UserError, match=r"archive\.jsonl, line \d: does not follow"):
        Archive(path, PARTS)


def test_an_older_file_has_no_marks_and_may_go_on(tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    Archive(path, PARTS).add([CAT, DOG], scores((1, 1), (2, 2)))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        del line["mark"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    Archive(path, PARTS).add([BIRD], scores((3, 3)))
    assert Archive(path, PARTS).paid == 3
    path.write_text(path.read_text().replace("a dog", "a cow"))
    with pytest.raises(UserError, match=r"line 3: does not follow"):
        Archive(path, PARTS)


def test_another_runs_answers_are_refused(tmp_path: Path) -> None:
    one, other = (Archive(tmp_path / f"{name}.jsonl", PARTS) for name in ("one", "other"))
    one.add([CAT, DOG], scores((1, 1), (2, 2)))
    other.add([CAT, BIRD], scores((1, 1), (2, 2)))
    assert one.mark == ""
    one.go_back(2)
    mark = one.mark

    one.go_back(2, mark)
    other.go_back(1, Archive(one.path, PARTS).mark or None)
    with pytest.raises(ValueError, match="other answers than the run was given"):
        other.go_back(2, mark)


@pytest.mark.parametrize(
    "line",
    [
        *("[]", "{}", "nothing", '{"text": "a", "score": 1, "parts": {}}'),
        *('{"text": 3, "score": 1, "parts": {}}', '{"text": "a", "score": NaN, "parts": {}}'),
        *('{"text": "\\ud800", "score": 1, "parts": {}}', "[" * 100_000, "\xff"),
    ],
)
def test_a_line_that_is_no_answer_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    Archive(path, PARTS).add([CAT], scores((1, 1)))
    path.write_bytes(path.read_bytes() + line.encode("latin-1") + b"\n")

    with pytest.raises(UserError, match=r"archive\.jsonl, line 2: "):
        Archive(path, PARTS)
