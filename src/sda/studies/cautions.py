"""Where a study is too small for what it says, in words."""

from __future__ import annotations

from sda.studies.outcome import CriterionOutcome, Outcome

FEW_JUDGES = 10
LOW_ALPHA = 0.4
MOST_NAMED = 3


def cautions(outcome: Outcome) -> list[tuple[str, str]]:
    """What each is about, and a sentence."""
    found: list[tuple[str, str]] = []
    if not outcome.is_plan_kept:
        found.append(("plan", outcome.plan))
    if outcome.judges is None:
        found.append(
            (
                "judges",
                "Who rated what is not known, so intervals and tests are over items alone: they"
                " say what other items would give, and not what other judges would.",
            )
        )
    elif outcome.judges < FEW_JUDGES:
        few = "1 judge is" if outcome.judges == 1 else f"{outcome.judges} judges are"
        limits = [
            f"{_largest(each):.2f} ({each.criterion.name})"
            for each in outcome.criteria
            if each.pairs
        ]
        unseen = f" Differences below {', '.join(limits)} cannot be seen." if limits else ""
        found.append(
            (
                "judges",
                f"{few} too few to know how much judges differ, and intervals are not to be trusted"
                f" below {FEW_JUDGES}.{unseen} The same number of ratings from more judges says"
                " far more.",
            )
        )
    if outcome.planned and outcome.ratings < outcome.planned:
        found.append(
            (
                "ratings",
                f"{outcome.ratings:,} of {outcome.planned:,} planned ratings are there from judges"
                " who are kept; a test that is looked at before the end finds more than there is.",
            )
        )
    for each in outcome.criteria:
        found += _about(each)
    return found


def _about(each: CriterionOutcome) -> list[tuple[str, str]]:
    name = each.criterion.name
    found: list[tuple[str, str]] = []
    if each.alpha is None:
        found.append(
            (
                name,
                "Agreement between judges cannot be had: no item has two ratings, or all ratings"
                " are the same.",
            )
        )
    elif each.alpha.value < LOW_ALPHA:
        found.append(
            (
                name,
                f"Judges agree little (alpha {each.alpha.value:.2f}): single ratings say little,"
                " and means need many of them.",
            )
        )
    open_pairs = [pair for pair in each.pairs if not pair.is_claimed]
    if open_pairs:
        pairs = "; ".join(
            f"{pair.first} and {pair.second} ({pair.value:+.2f} found, visible from"
            f" {pair.visible:.2f} on)"
            for pair in open_pairs[:MOST_NAMED]
        )
        more = f" and {len(open_pairs) - MOST_NAMED} more" if len(open_pairs) > MOST_NAMED else ""
        found.append(
            (
                name,
                f"{len(open_pairs)} of {len(each.pairs)} pairs are not shown to differ, which does"
                f" not mean that they are alike: {pairs}{more}.",
            )
        )
    return found


def _largest(each: CriterionOutcome) -> float:
    return max(pair.visible for pair in each.pairs)
