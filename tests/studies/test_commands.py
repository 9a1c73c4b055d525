"""The commands of `sda judge`: what they print, and what they refuse in a sentence."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import Answer

from sda.studies.store import Store
from sda.studies.study import StudyFolder
from studies.people import MODELS, lines_of, small_study, write_study


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("a.txt", "b.txt", "real.txt", "source.txt")):
        (tmp_path / name).write_text("\n".join(lines_of(number)) + "\n")
    return tmp_path


TWO = ("--model", "a=a.txt", "--model", "b=b.txt")


def test_a_study_is_made_and_told(here: Path, command: Callable[..., Answer]) -> None:
    made = command(
        "judge", "new", "study", *TWO, "--real", "real.txt", "--items", 10, "--judges", 6
    )
    study = StudyFolder(here / "study").study()

    assert made.code == 0, made.err
    assert "3 models, 30 items, each rated 3 times by 6 judges with 20 pages each" in made.out
    assert "models differ by at most 0 for a judge and by 0 at a position" in made.out
    assert f"frozen plan: sha256 {study.fingerprint}" in made.out
    assert made.out.endswith("next: sda judge serve study\n")
    assert "not empty" in command("judge", "new", "study", *TWO, "--items", 10).err


def test_questions_scales_and_guides(here: Path, command: Callable[..., Answer]) -> None:
    (here / "guide.txt").write_text("Read.\n\nThen rate.\n")
    made = command(
        *("judge", "new", "study", *TWO, "--items", 8, "--judges", 4, "--scale", "0-7"),
        *("--question", "clear=Is it clear?", "--question", "kind=Is it kind?"),
        *("--guide", "guide.txt", "--title", "Letters", "--checks", 1, "--repeats", 0),
    )
    study = StudyFolder(here / "study").study()

    assert made.code == 0, made.err
    assert (study.low, study.high, study.title) == (0, 7, "Letters")
    assert [(c.name, c.question) for c in study.criteria] == [
        ("clear", "Is it clear?"),
        ("kind", "Is it kind?"),
    ]
    assert study.guide == "Read.\n\nThen rate."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scale", "5"), "--scale: write the lowest and the highest"),
        (("--scale", "5-1"), "--scale"),
        (("--question", "one", "--question", "two"), "write NAME=TEXT for each"),
        (("--question", "a=x", "--question", "a=y"), "two questions have the same name"),
        (("--items", 1000), "a has 60 texts for 1,000 items"),
        (("--judges", 2, "--items", 9), "3 ratings an item need at least 3 judges"),
        (("--model", "a=b.txt"), "two models are called 'a'"),
        (("--model", "c=nowhere.txt"), "nowhere.txt does not exist"),
        (("--real", "real.txt", "--model", "real=b.txt"), "'real' is the name"),
        (("--source", "short.txt"), "60 lines where --source has 1"),
        (("--checks", 999, "--items", 20), "--checks: 999 sentences"),
    ],
)
def test_what_cannot_be_made_is_refused(
    here: Path, command: Callable[..., Answer], options: tuple[object, ...], said: str
) -> None:
    (here / "short.txt").write_text("one .\n")
    refused = command("judge", "new", "study", *TWO, *options)

    assert refused.code == 2 and said in refused.err
    assert not (here / "study").exists()


def test_links_are_printed_once_and_withdrawn(here: Path, command: Callable[..., Answer]) -> None:
    folder = write_study(here / "study", small_study())
    printed = command("judge", "invite", "study", "--judges", 2, "--url", "https://x.org/").out
    numbers, links = zip(*(line.split("\t") for line in printed.splitlines()), strict=True)
    joined = command("judge", "invite", "study", "--join", 5, "--code", "C1").out.strip()

    assert numbers == ("1", "2")
    assert all(link.startswith("https://x.org/enter/") for link in links)
    store = Store.of(folder)
    found = store.link(joined.rpartition("/")[2])
    assert found is not None and found.most == 5
    assert found.address == "https://app.prolific.com/submissions/complete?cc=C1"
    store.close()
    assert command("judge", "revoke", "study", "--judge", 2, "--links").code == 0
    store = Store.of(folder)
    assert [judge.is_revoked for judge in store.judges()] == [False, True]
    assert store.link(joined.rpartition("/")[2]) is None
    store.close()
    assert "2 judges are numbers now" in command("judge", "purge", "study").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("invite", "study"), "give either --judges or --join"),
        (("invite", "study", "--judges", 1, "--join", 1), "give either"),
        (("invite", "study", "--judges", 1, "--code", "x"), "belong to --join"),
        (("invite", "study", "--join", 1, "--return-to", "javascript:x"), "--return-to"),
        (("invite", "study", "--judges", 2**63), "100000"),
        (("invite", "study", "--join", 2**63), "100000"),
        (("revoke", "study"), "give --judge NUMBER or --links"),
        (("revoke", "study", "--judge", 9), "there is no judge 9"),
        (("revoke", "study", "--judge", 2**70), "there is no judge"),
        (("serve", "study", "--host", "\t\U000f29c5"), "cannot listen there"),
        (("results", "nowhere"), "not a study"),
        (("serve", "nowhere"), "not a study"),
        (("purge", "nowhere"), "not a study"),
        (("export", "nowhere", "-o", "x.csv"), "not a study"),
    ],
)
def test_wrong_orders_are_refused(
    here: Path, command: Callable[..., Answer], arguments: tuple[object, ...], said: str
) -> None:
    write_study(here / "study", small_study())
    refused = command("judge", *arguments)

    assert refused.code == 2 and said in refused.err
    assert not (here / "nowhere").exists()


def test_without_the_extra_serving_says_what_to_install(
    here: Path, command: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_study(here / "study", small_study())
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    refused = command("judge", "serve", "study")

    assert refused.code == 2 and "pip install 'sda-text[judge]'" in refused.err
    assert not any(name in refused.err for name in MODELS)
