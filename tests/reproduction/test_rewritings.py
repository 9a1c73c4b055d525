"""Experiment transfer: its rows, what they give, and the tables made of that."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import Answer

from reproduction.records import record
from sda.errors import UserError
from sda.reproduction.blocks import tables_of, updated
from sda.reproduction.data_files import known_files
from sda.reproduction.definitions import Portion
from sda.reproduction.ledger import Ledger
from sda.reproduction.rewriting_jobs import RewritingJob, estimate_rewritings, plan_rewritings
from sda.reproduction.rewriting_rows import rewriting_experiment, rewriting_names
from sda.reproduction.rewriting_tables import rewriting_tables
from sda.reproduction.rewriting_work import do_rewriting, rewriting_epochs
from sda.reproduction.runner import plan_work
from sda.reproduction.work import Places
from sda.show.table import Table
from sda.transfer.rivals.rival import RIVALS

Command = Callable[..., Answer]
TRANSFER = rewriting_experiment("transfer")


def jobs(base: str, *rows: str, profile: str = "small") -> dict[tuple[str, int], RewritingJob]:
    found = plan_rewritings(TRANSFER, Portion(profile, [base], rows=rows or None))
    return {(job.row.name, job.seed): job for job in found}


def places_in(folder: Path) -> Places:
    return Places(folder / "data", folder / "runs", folder / "results")


def written(job: RewritingJob, scores: dict[str, float], **fields: Any) -> dict[str, Any]:
    named = {"experiment": "transfer", "base": job.base, "profile": job.profile}
    return record(job.row.name, job.seed, job.key, scores=scores, **named, **fields)


def cells(sheet: Table) -> dict[str, dict[str, str]]:
    return {row[0]: dict(zip(sheet.header[1:], row[1:], strict=True)) for row in sheet.body}


def test_all_rows_of_the_paper_are_there() -> None:
    assert rewriting_names() == ["transfer"]
    papers = {row.paper["accuracy"]: row.paper.get("bleu") for row in TRANSFER.rows if row.paper}
    assert papers == {
        23.2: None,
        78.4: 7.8,
        83.3: 56.2,
        84.5: 58.7,
        89.3: 58.0,
        87.3: 58.8,
        78.3: 56.9,
        89.9: 58.6,
    }
    assert {row.of for row in TRANSFER.rows if row.kind == "rival"} == set(RIVALS)


def test_every_file_that_is_needed_is_known() -> None:
    known = {file.path for file in known_files() if file.experiments == ("transfer",)}
    assert {path for job in jobs("yelp").values() for path in job.needed} == known
    assert not any(job.needed for job in jobs("reviews").values())


def test_keys_tell_seeds_rows_and_profiles_apart() -> None:
    found = [*jobs("yelp").values(), *jobs("reviews").values()]
    found += jobs("reviews", profile="smoke").values()
    keys = {job.key for job in found}
    # What is not trained and draws nothing is the same on built-in sentences at any scale but the
    # sentences themselves, which the settings tell.
    assert len(keys) == len(found)


def test_what_has_no_use_there_is_refused(command: Command) -> None:
    with pytest.raises(UserError, match="there is no profile 'full'"):
        plan_rewritings(TRANSFER, Portion("full"))
    assert "--row has no use there" in command("reproduce", "transfer", "--row", "a=sda").err
    assert "has no figure" in command("figure", "transfer").err


@pytest.mark.slow
def test_rows_are_run_once_and_told(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    rows = ("copy", "chance", "template", "vae", "sda-paper", "sda")
    wanted = plan_rewritings(TRANSFER, Portion("smoke", ["reviews"], 1, rows))
    for job in wanted:
        assert rewriting_epochs(job, places) == 0
        do_rewriting(job, places)
        assert (rewriting_epochs(job, places) == 2) == (job.row.kind == "run")

    assert plan_work(wanted, places).left == []
    assert estimate_rewritings(wanted, places.ledger.records(), 2) is not None
    (table,) = rewriting_tables(TRANSFER, places.ledger, Portion("smoke", ["reviews"]))
    main = cells(table.sheets()[0])
    assert main["copy of the source"]["exactly right"] == "0.0"
    assert main["copy of the source"]["BLEU source"] == "100.0"
    assert {"SDA by imitation, one pass (single run)", "VAE (single run)"} <= main.keys()
    examples = table.examples()
    assert examples is not None and len(examples.groups) == 10
    sources, *others = (row[1] for row in examples.texts(examples.groups[0]))
    assert sources and sources not in others


def test_rows_that_were_not_run_have_no_estimate() -> None:
    assert estimate_rewritings(list(jobs("reviews", "sda").values()), [], 1) is None
    assert estimate_rewritings(list(jobs("reviews", "copy").values()), [], 1) == 0.0


def test_means_differences_and_the_papers_figures(tmp_path: Path) -> None:
    own = jobs("yelp", "sda", "sda-paper", "published-shen", "person-1")
    ledger = Ledger(tmp_path)
    for seed, (cnn, other) in enumerate([(90.0, 80.0), (92.0, 84.0), (91.0, 79.0)]):
        once = {"style-cnn": {"value": cnn - 5}}
        costs = {"cpu_seconds": 600.0}
        ledger.write(written(own["sda", seed], {"style-cnn": cnn}, once=once, costs=costs))
        ledger.write(written(own["sda-paper", seed], {"style-cnn": other}, costs=costs))
    shen = {"style-cnn": 75.3, "reference-bleu-4": 17.9}
    ledger.write(written(own["published-shen", 0], shen))
    ledger.write(written(own["person-1", 0], {"reference-bleu-3": 54.3}))
    (table,) = rewriting_tables(TRANSFER, ledger, Portion("small", ["yelp"]))
    main, _, differences = table.figures()

    found = cells(main)
    best, once_line = found["SDA by imitation, best of 8"], found["SDA by imitation, one pass"]
    assert (best["style, CNN"], best["style, CNN, paper"]) == ("91.0 ± 1.0", "89.9")
    assert (best["CPU minutes"], once_line["style, CNN"]) == ("10.0 ± 0.0", "86.0 ± 1.0")
    assert found["Shen, published"]["BLEU 4 refs, paper"] == "7.8"
    assert found["Shen, published"]["CPU minutes"] == "-"
    # A person is held against the others, who are one fewer.
    assert found["person 2"]["BLEU 4 refs"] == "54.3"
    # By hand: 10, 8 and 12 have the mean 10, the deviation 2, and 4.303 x 2 / sqrt(3) = 4.97.
    less = cells(differences)["less SDA, the paper's form, best of 8"]
    assert less["style, CNN"] == "+10.0 (+5.0 to +15.0)"
    # Rows without SDA have nothing to be held against.
    (others,) = rewriting_tables(TRANSFER, ledger, Portion("small", ["yelp"], rows=["sda-paper"]))
    alone = others.figures()[0]
    assert len(others.figures()) == 2
    assert set(cells(alone)) == {
        f"SDA, the paper's form, {how}" for how in ("one pass", "best of 8")
    }


def test_blocks_of_a_page(tmp_path: Path, command: Command) -> None:
    job = jobs("reviews", "sda")["sda", 0]
    ledger = Ledger(tmp_path / "results")
    ledger.write(written(job, {"exactly-right": 91.25}, samples=["the soup was good ."]))
    text = "<!-- begin {} transfer reviews -->\n<!-- end -->\n"
    page = "".join(text.format(kind) for kind in ("question", "table", "samples", "provenance"))
    found = updated(page, tables_of(ledger, "small"), "page.md")

    assert "91.2" in found and "the soup was good ." in found and "0123456789ab" in found
    assert " ".join(TRANSFER.question.split()[:5]) in found
    wrong = "<!-- begin table transfer reviews rows=sda -->\n<!-- end -->\n"
    with pytest.raises(UserError, match="neither rows nor scores"):
        updated(wrong, tables_of(ledger, "small"), "page.md")
    shown = command("table", "transfer", "--results", tmp_path / "results", "--format", "markdown")
    assert "91.2" in shown.out and shown.code == 0


def test_a_plan_runs_nothing(command: Command, tmp_path: Path) -> None:
    asked = ("reproduce", "transfer", "--plan", "--models", "tense", "--rows", "sda")
    answer = command(*asked, "--results", tmp_path, "--out", tmp_path / "runs")

    assert answer.code == 0 and "left: tense-sda-small-2" in answer.err
    assert not (tmp_path / "runs").exists()
