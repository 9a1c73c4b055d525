"""Grammar issues found by a LanguageTool server that the user runs."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from http.client import HTTPException
from itertools import accumulate
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

from sda.errors import UserError

# LanguageTool keeps "a apple" and "the the" in MISC.
CATEGORIES = {"GRAMMAR": "grammar", "CONFUSED_WORDS": "confusion", "MISC": "misc"}
LANGUAGE = "en-US"
LONGEST_REQUEST = 20_000
"""Characters, beyond which texts go into the next request; what public servers accept."""

# Ends a paragraph, so that no rule reads two texts as one.
_BETWEEN = "\n\n"


class LanguageToolChecker:
    """Counts what a server finds in American English, in the categories that are about grammar.

    Texts are sent to `url`, for example `http://localhost:8081`, and nowhere else. `timeout` is in
    seconds for each request.
    """

    kinds = tuple(CATEGORIES.values())

    def __init__(self, url: str, timeout: float = 60.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UserError(f"LanguageTool: {url!r} is no http or https address.")
        self._url = url.rstrip("/").removesuffix("/v2/check") + "/v2/check"
        self._timeout = timeout
        # One word is enough to learn the version, and whether anybody answers.
        self.name = f"languagetool-{self._ask('Yes.')['software']['version']}"

    def issues(self, texts: Sequence[str]) -> list[list[str]]:
        """The kinds of the issues in each text."""
        return [kinds for batch in _batches(texts) for kinds in self._check(batch)]

    def _check(self, texts: Sequence[str]) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in texts]
        sizes = (_size(text) + len(_BETWEEN) for text in texts)
        starts = list(accumulate(sizes, initial=0))[:-1]
        for match in self._ask(_BETWEEN.join(texts))["matches"]:
            kind = CATEGORIES.get(match["rule"]["category"]["id"])
            if kind is not None:
                found[bisect_right(starts, match["offset"]) - 1].append(kind)
        return found

    def _ask(self, text: str) -> dict[str, Any]:
        """The server's answer to one text, checked for what is read of it."""
        fields = {
            "text": text,
            "language": LANGUAGE,
            "enabledCategories": ",".join(CATEGORIES),
            "enabledOnly": "true",
        }
        request = Request(self._url, urlencode(fields).encode())
        try:
            with urlopen(request, timeout=self._timeout) as response:
                answer = json.load(response)
        except HTTPError as error:
            error.close()
            raise UserError(f"LanguageTool at {self._url} answers {error.code}.") from error
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", None) or error
            raise UserError(f"LanguageTool at {self._url} does not answer ({reason}).") from error
        except ValueError as error:
            raise UserError(f"LanguageTool at {self._url} answers with no JSON.") from error
        match answer:
            case {"software": {"version": str()}, "matches": [*matches]} if all(
                map(_is_match, matches)
            ):
                return dict(answer)
        raise UserError(f"{self._url} answers with JSON that is not LanguageTool's.")


def _is_match(value: object) -> bool:
    match value:
        case {"offset": int(), "rule": {"category": {"id": str()}}}:
            return True
    return False


def _size(text: str) -> int:
    """The length in which LanguageTool counts: UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, as many together as fit into one request; at least one."""
    batch: list[str] = []
    size = 0
    for text in texts:
        step = len(text) + len(_BETWEEN)
        if batch and size + step > LONGEST_REQUEST:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += step
    if batch:
        yield batch
