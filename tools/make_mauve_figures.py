"""Print figures of the package `mauve-text`, which our score is compared with in the tests.

The package is large and needed nowhere else, so its figures are kept and not the package:

    pip install mauve-text faiss-cpu
    python tools/make_mauve_figures.py > tests/evaluation/mauve_figures.json
"""

from __future__ import annotations

import json
from importlib.metadata import version

import mauve
import numpy as np
from numpy.typing import NDArray

SMALL = 300  # points in each set whose histograms are kept
LARGE = 2000
CLUSTERINGS = 3


def cloud(seed: int, count: int, shift: float = 0.0) -> NDArray[np.float64]:
    """Points (count, 6) of a normal distribution, moved along the first direction."""
    values = np.random.default_rng(seed).normal(size=(count, 6))
    values[:, 0] += shift
    return values


def areas() -> list[dict[str, object]]:
    """Pairs of histograms, and the area that the package finds for each with 40 mixtures."""
    found = []
    for seed in range(3):
        result = mauve.compute_mauve(
            p_features=cloud(seed, SMALL, shift=1.0),
            q_features=cloud(seed + 10, SMALL),
            num_buckets=15,
            divergence_curve_discretization_size=40,
        )
        p, q = ([round(share * SMALL) for share in hist] for hist in (result.p_hist, result.q_hist))
        found.append({"p": p, "q": q, "mixtures": 40, "area": float(result.mauve)})
    return found


def scores() -> dict[str, object]:
    """The package's score of two clouds, from so many starts of k-means."""
    shift, clusters = 0.8, 200
    values = [
        mauve.compute_mauve(
            p_features=cloud(0, LARGE, shift),
            q_features=cloud(1, LARGE),
            num_buckets=clusters,
            seed=seed,
        ).mauve
        for seed in range(CLUSTERINGS)
    ]
    return {
        "count": LARGE,
        "shift": shift,
        "clusters": clusters,
        "values": list(map(float, values)),
    }


if __name__ == "__main__":
    figures = {
        "package": f"mauve-text {version('mauve-text')}",
        "areas": areas(),
        "score": scores(),
    }
    print(json.dumps(figures))
