"""Evaluations as a page and as JSON: all that was measured, and no text that is trusted."""

from pathlib import Path

from sda.evaluation.alarms import Alarm
from sda.evaluation.evaluator import Evaluation
from sda.evaluation.score import Score
from sda.show.evaluation_page import as_html, as_json
from show.pages import EVIL, Page

FILES = [Path("x/one.txt"), Path("x/two.txt")]


def evaluation(text: str = "a dog", name: str = "own") -> Evaluation:
    return Evaluation(
        20,
        10,
        [Score("bleu-2", 0.5, True, f"refs:5|{text}"), Score(name, 12.25, None, "x")],
        [Score("bleu-2", 0.9, True, "refs:5", None, (0.8, 1.0))],
        [Alarm("duplicates", ("bleu-2",), f"too many of {text}")],
        [f"few sentences like {text}"],
        [{"sample": f"{text} sample", "train": f"{text} train", "similarity": 0.5}],
    )


def test_the_page_holds_all_that_was_measured() -> None:
    page = Page(as_html(FILES, [evaluation(), evaluation()]))

    for words in (
        "2 files, 10 sentences of each",
        "too many of a dog.",
        "few sentences like a dog.",
        "0.500!",
        "a dog train",
        "Samples and the nearest training sentences",
        "nearest in training (0.50): a dog train",
        "Whether each sentence reads like real text",
        "How many of a sample's n-grams of up to 2 words",
        "Scores of one, two beside real text",
        "0.8 to 1",
        "Values, intervals and signatures of real text",
        "refs:5|a dog",
    ):
        assert words in page.text
    # Real text and two files.
    assert page.tags.count("details") == 3
    assert page.loads == []


def test_no_alarm_is_told() -> None:
    assert "No alarm." in as_html(FILES[:1], [Evaluation(1, 1, [Score("bleu-2", 0.5, True, "")])])


def test_no_text_is_taken_for_html() -> None:
    file = Path(f"{EVIL.replace('/', '')}.txt")
    page = Page(as_html([file], [evaluation(EVIL, name=EVIL)]))

    assert not {"script", "i"} & set(page.tags)
    for words in (
        EVIL,
        f"{EVIL} sample",
        f"{EVIL} train",
        f"of {EVIL}.",
        f"like {EVIL}.",
        file.stem,
    ):
        assert words in page.text


def test_json_is_one_object_or_a_list() -> None:
    one = as_json([Path("a.txt")], [evaluation()])
    assert isinstance(one, dict)
    assert one["file"] == "a.txt"
    assert one["ceiling"][0]["name"] == "bleu-2"
    assert isinstance(as_json(FILES, [evaluation(), evaluation()]), list)


def test_copies_are_told_from_sentences_of_the_same_words() -> None:
    pairs = [
        {"sample": "a cat", "train": "a cat", "similarity": 1.0},
        {"sample": "no no no", "train": "no no", "similarity": 1.0},
        {"sample": "xyz", "train": "a cat", "similarity": 0.0},
    ]
    found = Evaluation(3, 3, [Score("bleu-2", 0.5, True, "")], nearest=list(pairs))
    text = Page(as_html(FILES[:1], [found])).text

    assert text.count("a copy of a training sentence") == 1
    assert "nearest in training (1.00): no no" in text
    assert text.count("no training sentence has a word of it") == 1
