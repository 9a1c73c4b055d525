"""A metric of one's own: sentences with the word "dog" are better than others."""


def score(texts: list[str]) -> list[float]:
    return [1.0 if "dog" in text.split() else 0.0 for text in texts]
