"""Strengths of models from choices between two, with ties (Bradley and Terry; Davidson, 1970).

The first of two wins with probability p_a / (p_a + p_b + v sqrt(p_a p_b)), and a tie has
v sqrt(p_a p_b) in the place of p_a. Strengths are the logarithms of p, and sum to zero.
"""

from __future__ import annotations

import numpy as np

from sda.studies.two_way import Floats

STEPS = 60
PRIOR = 0.5
"""Games added to each pair, half won by either, so that a model that always wins has a strength."""


def fit_strengths(wins: Floats, ties: Floats, prior: float = PRIOR) -> tuple[Floats, Floats]:
    """Strengths (R, M) and logarithms of v (R,), from wins (R, M, M) of row over column and ties.

    `ties` (R, M, M) is symmetric. Newton's method on the likelihood of all sets at once; a pair
    that never met stays out. Without any tie v is as small as the prior allows.
    """
    sets, models, _ = wins.shape
    met = ((wins + wins.transpose(0, 2, 1) + ties) > 0) & ~np.eye(models, dtype=bool)
    wins = wins + prior / 2 * met
    ties = ties + prior / 2 * met
    first, second = np.triu_indices(models, 1)
    # (R, P, 3): first wins, a tie, second wins.
    counts = np.stack(
        (wins[:, first, second], ties[:, first, second], wins[:, second, first]), axis=2
    )
    games = counts.sum(axis=2)
    # Outcome k of pair p has the score design[p, k] @ (strengths, log v).
    pairs = len(first)
    design = np.zeros((pairs, 3, models + 1))
    places = np.arange(pairs)
    design[places, 0, first] = design[places, 2, second] = 1.0
    design[places, 1, first] = design[places, 1, second] = 0.5
    design[:, 1, models] = 1.0
    beta = np.zeros((sets, models + 1))
    centre = np.zeros((models + 1, models + 1))
    centre[:models, :models] = 1.0
    for _ in range(STEPS):
        scores = np.einsum("pkm,rm->rpk", design, beta)
        chances = np.exp(scores - scores.max(axis=2, keepdims=True))
        chances /= chances.sum(axis=2, keepdims=True)
        expected = games[:, :, None] * chances
        slope = np.einsum("rpk,pkm->rm", counts - expected, design)
        means = np.einsum("rpk,pkm->rpm", chances, design)
        curve = np.einsum("rpk,pkm,pkn->rmn", expected, design, design)
        curve -= np.einsum("rp,rpm,rpn->rmn", games, means, means)
        # Only differences of strengths are known; their sum is held at zero.
        step = np.linalg.solve(curve + centre + 1e-9 * np.eye(models + 1), slope[:, :, None])
        beta += np.clip(step[:, :, 0], -2.0, 2.0)
    strengths = beta[:, :models]
    return strengths - strengths.mean(axis=1, keepdims=True), beta[:, models]


def outcome_counts(
    values: Floats, first: np.ndarray, second: np.ndarray, models: int, weights: Floats
) -> tuple[Floats, Floats]:
    """Wins and ties (R, M, M) under weights (R, n); values (n,) are 1, 0 or -1 for first, tie,
    second.
    """
    cells = models * models
    wins = np.zeros((len(weights), cells))
    ties = np.zeros((len(weights), cells))
    for kind, winner, loser in ((1, first, second), (-1, second, first)):
        chosen = values == kind
        one_hot = np.eye(cells)[winner[chosen] * models + loser[chosen]]
        wins += weights[:, chosen] @ one_hot
    tied = values == 0
    for one, other in ((first, second), (second, first)):
        ties += weights[:, tied] @ np.eye(cells)[one[tied] * models + other[tied]]
    shape = (len(weights), models, models)
    return wins.reshape(shape), ties.reshape(shape)
