"""Tables of what `measure_augment.py` measured, as the page of results has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from sda.labelled.arms import BASE, CUTOFF, SELF_TRAINING, WEAK
from sda.labelled.helping import OURS, Gain, LabelGuesses, gain

OURS_RULED = "SDA with rules"
RULED_SHUFFLED, RULED_BY_LOT = f"{OURS_RULED}, labels shuffled", f"{OURS_RULED}, random buffer"
IN_ANY_CASE = "SDA without a trial"
LABELLED_POOL = "unlabelled texts, labelled"


def outcomes(draws: Sequence[dict[str, Any]], kind: str) -> dict[str, LabelGuesses]:
    """The ways that all draws have."""
    ways = [w for w in draws[0]["guesses"][kind] if all(w in d["guesses"][kind] for d in draws)]
    truth = tuple(np.array(draw["truth"]) for draw in draws)
    return {
        way: LabelGuesses(
            truth, tuple(np.array(list(map(int, d["guesses"][kind][way]))) for d in draws), 2
        )
        for way in ways
    }


def show(figures: dict[str, Any]) -> None:
    """Tables for the page of results."""
    for name, measured in figures.items():
        draws = measured["draws"]
        seeds = sorted(map(int, draws))
        told = f"{name}: {len(seeds)} draws, seeds {seeds[0]} to {seeds[-1]}"
        print(f"\n{told}, commit {measured['commit']}, {measured['writer']}")
        found = list(draws.values())
        if name.startswith("advice"):
            _show_advice(found)
            continue
        for kind in found[0]["guesses"]:
            _show_ways(found, kind)
        for key in ("precision", "kept"):
            for way in dict.fromkeys(way for draw in found for way in draw.get(key, ())):
                own = [draw[key][way] for draw in found if way in draw[key]]
                told = f"{np.mean(own):.3f}, from {min(own):.3f} to {max(own):.3f}"
                print(f"{key}, {way}: {told} ({len(own)} draws)")
        if "declined" in found[0]:
            print(f"declined: {sum(draw['declined'] > 0 for draw in found)} of {len(found)}")
        if "way" in found[0]:
            print("recommended:", dict(Counter(draw["way"] for draw in found)))
        if "copies" in found[0]:
            copies, tested = (sum(draw[key] for draw in found) for key in ("copies", "in test"))
            print(f"copies: {copies}, test texts: {tested}")


def _show_ways(draws: Sequence[dict[str, Any]], kind: str) -> None:
    """Every way beside the rows as they are, and beside the rival that there is."""
    found = outcomes(draws, kind)
    rival = next((name for name in (SELF_TRAINING, CUTOFF) if name in found), BASE)
    more = "" if rival == BASE else f" over {rival} |"
    print(f"\n| {kind} | macro-F1 | over the rows as they are |{more}")
    print("|---|---:|---:|" + "---:|" * bool(more))
    for way, one in found.items():
        cells = ["" if way == BASE else _told(gain(one, found[BASE]))]
        if more:
            cells.append("" if way in (BASE, rival) else _told(gain(one, found[rival])))
        print(f"| {way} | {one.macro_f1:.1f} | {' | '.join(cells)} |")
    if WEAK in found:
        print(f"{OURS_RULED} over {WEAK}: {_told(gain(found[OURS_RULED], found[WEAK]))}")
    if LABELLED_POOL in found:
        print(f"{OURS} over {LABELLED_POOL}: {_told(gain(found[OURS], found[LABELLED_POOL]))}")


def _told(one: Gain) -> str:
    return f"{one.mean:+.1f} ({one.low:+.1f} to {one.high:+.1f})"


def _show_advice(draws: Sequence[dict[str, Any]]) -> None:
    right = [_is_right(draw) for draw in draws]
    print(f"right: {sum(right)} of {len(right)}")
    print("\n| source | rows | unlabelled | recommended | right |")
    print("|---|---|---:|---|---|")
    for draw, is_right in zip(draws, right, strict=True):
        setting = draw["setting"]
        rows = " and ".join(map(str, setting["rows"]))
        verdict = "yes" if is_right else "no"
        print(f"| {setting['source']} | {rows} | {setting['pool']} | {draw['way']} | {verdict} |")


def _is_right(draw: dict[str, Any]) -> bool:
    found = outcomes([draw], "TF-IDF")
    others = max(found[BASE].macro_f1, found[OURS].macro_f1)
    return found[draw["way"]].macro_f1 >= others - 1.0
