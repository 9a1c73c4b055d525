"""Which of two models is better at equal diversity, over what range, and how sure that is.

A curve is what one model reaches at several temperatures. A colder model writes better and less
varied sentences, so two models are only comparable where both are equally varied. Between two
neighbouring temperatures a curve is taken to be a straight line, which no interval accounts for, so
temperatures should be close; outside its points it says nothing.

A curve may turn back: measured by reverse BLEU or by the likelihood of held-out text, a model that
is too warm is less varied again, and worse as well. Its most varied point divides such a curve, and
only the colder side counts, where quality is bought with variety and each diversity is reached
once. The warm side of one model held against the cold side of another would say nothing of either.
"""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.interval import LEVEL, RESAMPLES, Interval

CELLS = 100  # equal parts of the common range, each judged in its middle
_SEED = 20210202  # fixed, so that the same curves have the same interval

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """The name of a score, and which way is good: more varied, or better written."""

    name: str
    higher_is_better: bool


@dataclass(frozen=True)
class Plane:
    """Two scores to draw models on."""

    diversity: Axis
    quality: Axis


@dataclass(frozen=True)
class Curve:
    """One model on a plane: `diversity` and `quality` (P, R) of R samplings at each of P points.

    `decodings` (P,) are the temperatures, or the values of top-p, along the curve. Samplings are
    repeated with the same model, or with models of several seeds.
    """

    name: str
    decodings: tuple[float, ...]
    diversity: Values
    quality: Values

    def __post_init__(self) -> None:
        points = len(self.decodings)
        if self.diversity.shape != self.quality.shape or self.diversity.ndim != 2:
            raise ValueError("diversity and quality must both be (points, samplings)")
        if self.diversity.shape[0] != points or not self.diversity.size:
            raise ValueError(f"{points} decodings need as many points, and each a sampling")
        if not (np.isfinite(self.diversity).all() and np.isfinite(self.quality).all()):
            raise ValueError(f"the curve of {self.name} has a point that is no number")

    @property
    def range(self) -> Interval:
        """The least and the greatest diversity, whichever of them is good."""
        means = self.diversity.mean(1)
        return float(means.min()), float(means.max())

    def cold_side(self, axis: Axis) -> Curve:
        """The points from the most varied one to the coldest, in this order.

        Of several that are equally varied the coldest is the first.
        """
        order = np.argsort(-np.array(self.decodings), kind="stable")
        means = self._means(axis)[order]
        order = order[np.flatnonzero(means == means.max())[-1] :]
        return replace(
            self,
            decodings=tuple(self.decodings[place] for place in order),
            diversity=self.diversity[order],
            quality=self.quality[order],
        )

    def turns(self, axis: Axis) -> bool:
        """Whether some diversity is reached more than once along the points."""
        return bool((np.diff(self._means(axis)) >= 0).any())

    def _means(self, axis: Axis) -> Values:
        """(P,): the diversity of each point, the higher the more varied."""
        means: Values = self.diversity.mean(1)
        return means if axis.higher_is_better else -means


@dataclass(frozen=True)
class Verdict:
    """How much better `first` is than `second` at equal diversity; `statement` says it in words.

    `common` is the range of diversity that both curves cover, None where there is none, and then
    nothing else is known. `difference` is the mean over that range, positive where `first` is
    better whichever way the score runs; `area` is the same times the width of the range. `better`
    and `worse` are the parts of the range where `first` is so beyond doubt: by a band that holds on
    the whole range at once where there are several samplings, else by the bare difference.
    `remarks` say what was left out of a curve that turns back.
    """

    plane: Plane
    first: str
    second: str
    ranges: tuple[Interval, Interval]
    common: Interval | None = None
    difference: float | None = None
    interval: Interval | None = None
    area: float | None = None
    better: tuple[Interval, ...] = ()
    worse: tuple[Interval, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """One sentence for a reader who has not seen the figure."""
        return "; ".join((self._finding(), *self.remarks))

    def _finding(self) -> str:
        diversity, quality = self.plane.diversity, self.plane.quality
        if self.common is None or self.difference is None:
            first_has_more = self.ranges[0][0] > self.ranges[1][1]
            varied = self.first if first_has_more == diversity.higher_is_better else self.second
            return (
                f"no common range of {diversity.name}: {self.first} has {_span(self.ranges[0])},"
                f" {self.second} {_span(self.ranges[1])}; {varied} is more varied, and"
                " nothing that was tried makes the two comparable"
            )
        is_higher = (self.difference >= 0) == quality.higher_is_better
        average = "" if self.common[0] == self.common[1] else " on average"
        return (
            f"at equal {diversity.name} ({_span(self.common)}) the {quality.name} of {self.first}"
            f" is {'above' if is_higher else 'below'} that of {self.second} by"
            f" {_figure(abs(self.difference))}{average} ({self._sureness()}): {self._outcome()}"
        )

    def _sureness(self) -> str:
        if self.interval is None or self.difference is None:
            return "no interval, as one was sampled only once"
        low, high = self.interval if self.difference >= 0 else _negative(self.interval)
        return f"{100 * LEVEL:.0f} % interval {_figure(low)} to {_figure(high)}"

    def _outcome(self) -> str:
        if self.interval is None:
            return "how much of it is chance is not known"
        if self.better and self.worse:
            return (
                f"the curves cross, {self.first} is better from {_listed(self.better)} and"
                f" {self.second} from {_listed(self.worse)}"
            )
        low, high = self.interval
        if low > 0:
            return f"{self.first} is better"
        if high < 0:
            return f"{self.second} is better"
        verdict = "no clear difference"
        if self.better:
            verdict += f" on the whole, {self.first} is better from {_listed(self.better)}"
        if self.worse:
            verdict += f" on the whole, {self.second} is better from {_listed(self.worse)}"
        return verdict

    def as_dict(self) -> dict[str, object]:
        """The fields by name and the statement, ready for JSON."""
        return asdict(self) | {"statement": self.statement}


def judge(first: Curve, second: Curve, plane: Plane) -> Verdict:
    """Hold the cold side of one curve against that of the other, on the range that both cover.

    The interval is a bootstrap over samplings: at each point as many as there are, with
    replacement, diversity and quality of one sampling together, since they err together. It
    answers how far another sampling of the same models would fall elsewhere, and how far another
    training would only where the samplings are of several seeds.
    """
    whole = first, second
    first, second = (curve.cold_side(plane.diversity) for curve in whole)
    remarks = tuple(
        remark
        for curve, kept in zip(whole, (first, second), strict=True)
        for remark in _remarks(curve, kept, plane.diversity)
    )
    ranges = first.range, second.range
    sign = 1.0 if plane.quality.higher_is_better else -1.0
    means = [
        (curve.diversity.mean(1)[None], sign * curve.quality.mean(1)[None])
        for curve in (first, second)
    ]
    lows, highs, found = _differences(means[0], means[1])
    low, high, values = float(lows[0]), float(highs[0]), found[0]
    if low > high:
        return Verdict(plane, first.name, second.name, ranges, remarks=remarks)
    band = 0.0
    interval = None
    if min(first.diversity.shape[1], second.diversity.shape[1]) > 1:
        lows, highs, resampled = _differences(_resample(first, sign), _resample(second, sign))
        resampled = resampled[lows <= highs]
        if len(resampled):
            edge = 100 * (1 - LEVEL) / 2
            below, above = np.percentile(resampled.mean(1), (edge, 100 - edge))
            interval = float(below), float(above)
            band = _band(resampled)
    return Verdict(
        plane,
        first.name,
        second.name,
        ranges,
        common=(low, high),
        difference=float(values.mean()),
        interval=interval,
        area=float(values.mean() * (high - low)),
        better=_ranges(values > band, low, high),
        worse=_ranges(values < -band, low, high),
        remarks=remarks,
    )


def _remarks(whole: Curve, kept: Curve, axis: Axis) -> list[str]:
    """What a reader has to know of a curve that turns back."""
    found = []
    if len(kept.decodings) < len(whole.decodings):
        found.append(
            f"{whole.name} warmer than {kept.decodings[0]:g} is left out, where its {axis.name}"
            " turns back"
        )
    if kept.turns(axis):
        found.append(
            f"{whole.name} has some {axis.name} more than once, and there its better point counts"
        )
    return found


def gaps(points: Curve, curve: Curve, plane: Plane) -> Values:
    """(P,): how much better each point is than the cold side of the curve at the same diversity.

    Positive where the point is better whichever way the score runs, NaN outside its range.
    """
    curve = curve.cold_side(plane.diversity)
    sign = 1.0 if plane.quality.higher_is_better else -1.0
    places, line = points.diversity.mean(1)[None], curve.diversity.mean(1)[None]
    reached = _quality_at(places, line, sign * curve.quality.mean(1)[None])
    found: Values = sign * points.quality.mean(1) - reached[0]
    return found


def _differences(
    first: tuple[Values, Values], second: tuple[Values, Values]
) -> tuple[Values, Values, Values]:
    """Ends of the common range, (S,) each, and the differences (S, CELLS) along it.

    Each curve is diversity and quality (S, P), quality the higher the better. Where the low end is
    above the high end there is no common range.
    """
    low = np.maximum(first[0].min(1), second[0].min(1))
    high = np.minimum(first[0].max(1), second[0].max(1))
    middles = (np.arange(CELLS) + 0.5) / CELLS
    places = low[:, None] + (high - low)[:, None] * middles
    return low, high, _quality_at(places, *first) - _quality_at(places, *second)


def _quality_at(places: Values, diversity: Values, quality: Values) -> Values:
    """(S, G): the best quality at each place (S, G) on lines through the points (S, P).

    NaN where no line passes.
    """
    if diversity.shape[1] == 1:
        diversity, quality = np.repeat(diversity, 2, 1), np.repeat(quality, 2, 1)
    best = np.full(places.shape, np.nan)
    for i in range(diversity.shape[1] - 1):
        x, next_x = diversity[:, i, None], diversity[:, i + 1, None]
        y, next_y = quality[:, i, None], quality[:, i + 1, None]
        width = next_x - x
        # Of a line straight up, the better end.
        start = np.where(width == 0, np.maximum(y, next_y), y)
        share = (places - x) / np.where(width == 0, 1.0, width)
        reached = (places >= np.minimum(x, next_x)) & (places <= np.maximum(x, next_x))
        best = np.fmax(best, np.where(reached, start + share * (next_y - y), np.nan))
    return best


def _resample(curve: Curve, sign: float) -> tuple[Values, Values]:
    """Diversity and quality (RESAMPLES, P) of curves that might have been measured instead.

    The draws come from the name, so that neither order of two curves is favoured and a curve never
    differs from itself.
    """
    points, samplings = curve.diversity.shape
    rng = np.random.default_rng([_SEED, zlib.crc32(curve.name.encode())])
    picks = rng.integers(samplings, size=(RESAMPLES, points, samplings))
    rows = np.arange(points)[:, None]

    def drawn(values: Values) -> Values:
        means = values.mean(1, keepdims=True)
        # Few samplings lie closer to their own mean than to the truth, by this factor.
        residuals = (values - means) * np.sqrt(samplings / (samplings - 1))
        spread: Values = means[:, 0] + residuals[rows, picks].mean(2)
        return spread

    return drawn(curve.diversity), drawn(sign * curve.quality)


def _band(resampled: Values) -> float:
    """How far a difference must be from 0 to be clear on the whole range at once.

    One width for all places: the spread at a single place, known from a few samplings, is too often
    too small by chance.
    """
    farthest = np.abs(resampled - resampled.mean(0)).max(1)
    return float(np.percentile(farthest, 100 * LEVEL))


def _ranges(holds: NDArray[np.bool_], low: float, high: float) -> tuple[Interval, ...]:
    """The parts of low..high where it holds, from the cells (CELLS,) that it holds in."""
    turns = np.flatnonzero(np.diff(np.concatenate(([False], holds, [False])).astype(np.int8)))
    edges = (low + (high - low) * turns / CELLS).tolist()
    return tuple(zip(edges[::2], edges[1::2], strict=True))


def _listed(ranges: tuple[Interval, ...]) -> str:
    return " and ".join(map(_span, ranges))


def _span(ends: Interval) -> str:
    """Both ends, or the one place where they are the same."""
    return " to ".join(_figure(end) for end in dict.fromkeys(ends))


def _figure(value: float) -> str:
    # Rounding leaves the sign of a small negative number, and adding 0 takes it away.
    return f"{round(value, 3) + 0.0:.3f}"


def _negative(interval: Interval) -> Interval:
    return -interval[1], -interval[0]
