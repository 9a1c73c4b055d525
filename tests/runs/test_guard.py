"""Rules that end Stage II, by lines and in runs."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from test_resume import interrupted_everywhere
from tiny import EPOCHS, outcome, tiny_settings, train_tiny

from sda.errors import UserError
from sda.runs.guard import Guard
from sda.runs.run import Run
from sda.settings.schema import GuardRule, GuardSettings, HandOverSettings, make_settings


def line(stage: str, epoch: int, **figures: float) -> dict[str, Any]:
    return {"stage": stage, "epoch": epoch, **figures}


def guard(*rules: GuardRule, keeps_best: bool = False) -> Guard:
    return Guard(GuardSettings(rules=list(rules)), keeps_best)


RISE = GuardRule(figure="nll_valid", rise=0.05)


@pytest.mark.parametrize(("keeps_best", "limit"), [(False, 4.2), (True, 2.1)])
def test_a_rise_is_held_against_the_start_of_stage_two(keeps_best: bool, limit: float) -> None:
    watching = guard(RISE, keeps_best=keeps_best)
    for epoch, value in enumerate((3.0, 2.0, 4.0), 1):
        assert watching.look(line("mle", epoch, nll_valid=value)) is None

    assert watching.look(line("imitation", 1, nll_valid=limit - 0.01)) is None
    breach = watching.look(line("imitation", 2, nll_valid=limit + 0.01))
    assert breach is not None
    assert "over 5 % above" in breach.message and "Stage II ends here" in breach.message


def test_a_limit_is_looked_at_where_the_figure_is_measured() -> None:
    watching = guard(GuardRule(figure="duplicate_share", above=0.1))

    assert watching.look(line("mle", 1, duplicate_share=0.9)) is None
    assert watching.look(line("imitation", 1, nll_valid=1.0)) is None
    assert watching.look(line("imitation", 2, duplicate_share=0.1)) is None
    breach = watching.look(line("imitation", 3, duplicate_share=0.11))
    assert breach is not None and "duplicate_share is 0.11, above 0.1" in breach.message


@pytest.mark.parametrize(
    ("best_is", "values", "epoch"),
    [("lowest", (3.0, 1.0, 2.0), 2), ("highest", (3.0, 1.0, 2.0), 1), ("lowest", (6, 7, 8), 0)],
)
def test_the_epoch_that_is_gone_back_to(
    best_is: Any, values: tuple[float, ...], epoch: int
) -> None:
    rule = GuardRule(figure="x", above=0, action="roll_back", best="y", best_is=best_is)
    watching = guard(rule)
    watching.look(line("mle", 1, y=2.5 if best_is == "highest" else 5.0))
    for number, value in enumerate(values, 1):
        watching.look(line("imitation", number, y=value))

    breach = watching.look(line("imitation", 4, x=1.0))
    place = f"epoch {epoch}" if epoch else "the end of Stage I"
    assert breach is not None and breach.back_to == epoch
    assert f"goes back to {place}, the best by y" in breach.message


def test_figures_that_stage_two_lacks() -> None:
    watching = guard(RISE, GuardRule(figure="nonsense", above=1))

    assert watching.unknown(line("imitation", 1, nll_valid=1.0)) == ["nonsense"]


START = {"duplicate_share": 0.01, "copy_share": 0.0, "self_bleu_5": 0.2, "mauve_ngram": 0.9}


def test_the_limits_of_hand_over_go_back_to_the_last_epoch_within_them() -> None:
    rule = GuardRule(figure="duplicate_share", above=0.3)
    watching = Guard(GuardSettings(rules=[rule]), False, HandOverSettings(check=True))
    assert watching.look(line("imitation", 1, start=START, **START)) is None
    assert watching.look(line("imitation", 2, nll_valid=9.0)) is None
    assert watching.look(line("imitation", 3, **START | {"duplicate_share": 0.03})) is None
    # Epoch 4 was not measured, so nobody knows whether it may be gone back to.
    assert watching.look(line("imitation", 4, nll_valid=9.0)) is None
    assert watching.best_epochs() == {3}

    breach = watching.look(line("imitation", 5, **START | {"duplicate_share": 0.31}))
    assert breach is not None and breach.back_to == 3
    assert breach.seen == "duplicates rose from 1.0 % to 31.0 %, more than 2 points"
    assert "goes back to epoch 3, the last state within the limits" in breach.message


def test_without_the_check_the_limits_are_not_looked_at() -> None:
    collapsed = START | {"duplicate_share": 1.0}

    assert guard().look(line("imitation", 1, start=START, **collapsed)) is None


@pytest.mark.parametrize("limits", [{}, {"rise": 0.1, "above": 1}])
def test_a_rule_has_one_limit(limits: dict[str, float]) -> None:
    table = {"source": "captions", "guard": {"rules": [{"figure": "nll_valid", **limits}]}}
    with pytest.raises(UserError, match=r"'guard\.rules\.0': .*either 'rise' or 'above'"):
        make_settings(table)


# The rate is high enough that the validation loss rises at once.
WORSE = ("stage2.rate=0.05", "stage2.epochs=4", "stage2.first_steps=2")
STOP = 'guard.rules=[{figure="length", above=0.0}]'
BACK = 'guard.rules=[{figure="nll_valid", rise=1e-9, action="roll_back"}]'


def test_stage_two_stops_and_the_run_is_finished(tmp_path: Path) -> None:
    run = train_tiny("captions", tmp_path / "run", (STOP, "stage2.epochs=4"))

    stages = [found["stage"] for found in run.progress()]
    assert stages.count("imitation") == 1
    assert run.progress()[-1]["guard"].startswith("length is ")
    assert run.is_finished
    assert run.scores()[-1].name == "sda"


def test_rolling_back_restores_the_best_state_and_keeps_the_costs(tmp_path: Path) -> None:
    run = train_tiny("captions", tmp_path / "run", (*WORSE, BACK))
    start, last = run.generator("mle").state_dict(), run.generator().state_dict()

    assert "goes back to the end of Stage I" in run.progress()[-1]["guard"]
    assert all(torch.equal(start[name], last[name]) for name in start)
    end = json.loads(run.folder.finished.read_text())
    assert end["updates"] == run.progress()[-1]["updates"] > run.progress()[2]["updates"]
    assert [row.name for row in run.scores()] == ["real text", "mle", "mle", "sda"]


@pytest.mark.slow
@pytest.mark.parametrize("rule", [STOP, BACK, BACK.replace("1e-9", "1e9")])
def test_a_guarded_run_interrupted_after_every_epoch(rule: str, tmp_path: Path) -> None:
    more = (rule, "checkpoint_every=2", "stage2.rate=0.01")
    whole = train_tiny("captions", tmp_path / "whole" / "run", more)
    interrupted_everywhere("captions", tmp_path / "parts" / "run", more)
    # With a checkpoint only every second epoch some interruptions come to nothing.
    for _ in range(EPOCHS):
        train_tiny("captions", tmp_path / "parts" / "run", more, resume=True)

    assert outcome(tmp_path / "parts" / "run") == outcome(whole.path)


def test_rules_are_written_down(tmp_path: Path) -> None:
    run = train_tiny("captions", tmp_path / "run", (STOP, "mle.epochs=0", "stage2.epochs=0"))

    assert Run(run.path).settings.guard == tiny_settings("captions", STOP)[0].guard
