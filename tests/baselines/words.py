"""Sentences of small numbers, and back."""

from itertools import pairwise

from sda.text.sentences import Flat


def lists(flat: Flat) -> list[list[int]]:
    starts = flat.starts.tolist()
    return [flat.ids[a:b].tolist() for a, b in pairwise(starts)]
