"""A user's Python function as the metric."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from sda.errors import UserError
from sda.reference.metric import ReferenceMetric
from sda.reference.place import defined_at, raised_at
from sda.text.about import About, in_words
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary

UserFunction = Callable[..., Any]


class Function(ReferenceMetric):
    """Scores by a function from a list of texts to a list of floats.

    A parameter named `completions` is filled by keyword, and `prompts` with what each text follows
    on, the empty string where it follows on nothing, so that reward functions of the wider
    ecosystem work as they are. One named `context` gets what each
    text is about: a list of `About`, with the name of a `label` and the text of a `source`. Minus
    infinity keeps a sentence out of the buffer. Anything else that is not a finite number is
    reported as the user's error, with file and line of the user's code.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        function: str | UserFunction,
        label_names: Sequence[str] = (),
    ) -> None:
        self._vocabulary = vocabulary
        self._label_names = label_names
        if isinstance(function, str):
            self._where = function
            self._function = load_function(function)
        else:
            self._where = getattr(function, "__qualname__", repr(function))
            self._function = function
        self.name = self._where.rpartition(":")[2].rpartition(".")[2]
        self._keywords = _keywords(self._function)

    def __call__(self, sentences: Sentences) -> Tensor:
        return self._scores(sentences, self._blame)

    def ask(self, sentences: Sentences) -> Tensor:
        """The same; what goes wrong is told without asking again which sentence was at fault."""
        return self._scores(sentences, lambda texts, _, wrong: wrong.about(texts))

    def _scores(
        self,
        sentences: Sentences,
        explain: Callable[[Sequence[str], Sequence[About], _Wrong], str],
    ) -> Tensor:
        texts = self._vocabulary.decode(sentences)
        abouts = in_words(sentences, self._label_names, self._vocabulary)
        return self._of_texts(texts, abouts, explain)

    def of_texts(self, texts: Sequence[str], abouts: Sequence[About]) -> Tensor:
        """(B,) the scores of texts that are about these things."""
        return self._of_texts(texts, abouts, self._blame)

    def _of_texts(
        self,
        texts: Sequence[str],
        abouts: Sequence[About],
        explain: Callable[[Sequence[str], Sequence[About], _Wrong], str],
    ) -> Tensor:
        if not texts:
            return torch.zeros(0, dtype=torch.float64)
        try:
            return torch.tensor(self._call(texts, abouts), dtype=torch.float64)
        except _Wrong as wrong:
            kind = UserError if wrong.__cause__ is None else MetricRaised
            message = f"{explain(texts, abouts, wrong)}{wrong.place}"
            raise kind(f"metric {self._where}: {message}") from None

    def _call(self, texts: Sequence[str], abouts: Sequence[About]) -> list[float]:
        extra: dict[str, Any] = {"context": list(abouts)} if "context" in self._keywords else {}
        try:
            if "completions" in self._keywords:
                if "prompts" in self._keywords:
                    extra["prompts"] = [about.source or "" for about in abouts]
                returned = self._function(completions=list(texts), **extra)
            else:
                returned = self._function(list(texts), **extra)
        except KeyboardInterrupt:
            raise
        # To end Python is not what a metric is asked for, nor to raise what nobody catches.
        except BaseException as error:
            raise self._raised(error) from error
        return self._floats(returned, texts)

    def _raised(self, error: BaseException) -> _Wrong:
        place = raised_at(self._function, error)
        return _Wrong(f"raised {type(error).__name__}: {error}", place)

    def _floats(self, returned: Any, texts: Sequence[str]) -> list[float]:
        """The returned values as floats, one per text."""
        place = self.place
        try:
            one_by_one = iter(returned)
        except TypeError:
            kind = type(returned).__name__
            raise _Wrong(f"returned {kind} instead of a list of floats", place) from None
        try:
            values = list(one_by_one)
        except (Exception, SystemExit) as error:
            raise self._raised(error) from error
        if len(values) != len(texts):
            raise _Wrong(f"returned {len(values)} value{'s' * (len(values) != 1)}", place)
        for i, value in enumerate(values):
            try:
                values[i] = float(value)
            except Exception:
                message = f"returned {value!r}, which is not a number,"
                raise _Wrong(message, place, texts[i]) from None
            if math.isnan(values[i]) or values[i] == math.inf:
                raise _Wrong(f"returned {values[i]}", place, texts[i])
        return values

    @property
    def place(self) -> str:
        """Where the function is defined, for messages."""
        return defined_at(self._function)

    def _blame(self, texts: Sequence[str], abouts: Sequence[About], wrong: _Wrong) -> str:
        """What went wrong and the first sentence that alone makes it go wrong."""
        if wrong.sentence is None and len(texts) > 1:
            for text, about in zip(texts, abouts, strict=True):
                try:
                    self._call([text], [about])
                except _Wrong as alone:
                    return alone.about([text])
        return wrong.about(texts)


class MetricRaised(UserError):
    """A user's metric raised an exception: it may do better when it is asked again."""


class _Wrong(Exception):
    """What a user's function did that it should not have done, where, and for which sentence."""

    def __init__(self, message: str, place: str, sentence: str | None = None) -> None:
        super().__init__(message)
        self.place = place
        self.sentence = sentence

    def about(self, texts: Sequence[str]) -> str:
        """What went wrong, and for which of the sentences, as far as that is known."""
        sentence = texts[0] if self.sentence is None and len(texts) == 1 else self.sentence
        if sentence is not None:
            return f"{self} for the sentence {sentence!r}"
        return f"{self} for {len(texts)} sentences, the first of them {texts[0]!r}"


def _keywords(function: UserFunction) -> frozenset[str]:
    """The names of the function's parameters."""
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()


def load_function(where: str) -> UserFunction:
    """The function that `file.py:name` or `package.module:name` names."""
    place, colon, name = where.rpartition(":")
    if not colon or not place or not name:
        raise UserError(f"metric {where}: write it as file.py:function or package.module:function")
    try:
        if place.endswith(".py"):
            module = _load_file(Path(place))
        else:
            refuse_pythons_own(place, f"metric {where}")
            module = importlib.import_module(place)
    except UserError:
        raise
    # A module that ends Python when it is imported is no metric either.
    except (Exception, SystemExit) as error:
        raise UserError(f"metric {where}: {type(error).__name__}: {error}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise UserError(f"metric {where}: {place} has no function named {name!r}")
    loaded: UserFunction = function
    return loaded


def refuse_pythons_own(module: str, what: str) -> None:
    """Modules that come with Python are not loaded: none of them holds a part of a run."""
    if module.partition(".")[0] in sys.stdlib_module_names:
        raise UserError(f"{what}: {module} comes with Python and holds no part of a run")


def _load_file(path: Path) -> Any:
    # A name of its own, so that a file called random.py does not stand in for Python's module.
    spec = importlib.util.spec_from_file_location(f"metric file {path}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UserError(f"{path}: no such file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look up the module they are defined in
    spec.loader.exec_module(module)
    return module
