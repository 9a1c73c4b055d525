"""Components from settings: `use = "package.module:Name"`, the rest are arguments.

In place of a name, settings in memory may hold a class or an object that was handed in.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import re
import typing
from collections.abc import Mapping
from typing import Any

import torch
from pydantic import ConfigDict, TypeAdapter, ValidationError
from torch import nn

from sda.errors import UserError
from sda.models.generator import Generator
from sda.reference.function import Function, refuse_pythons_own
from sda.runs.handed import OBJECT, Handed, ask_again, is_lost
from sda.settings.vouched import PACKAGE, check_named, is_in_package
from sda.text.context import Context

FINITE = ConfigDict(allow_inf_nan=False, arbitrary_types_allowed=True)
BUILT = ("generator", "discriminator")  # by the run; an object that was made before has others
ROOMS = {
    "generator": ("models", "pretrained"),
    "discriminator": ("models", "pretrained"),
    "metric": ("reference",),
    "augmentation": ("baselines",),
    "objective": ("baselines",),
    "selection": ("baselines",),
}
"""Where the package has components of each kind; nothing else of it can be named in settings."""
CALLED_WITH = {
    "augmentation": ("corpus",),
    "objective": ("generator", "sentences"),
    "selection": ("write", "n"),
}
"""What a component of the package is called with, by which its kind is known where no class is."""


def build(section: Mapping[str, Any], key: str, base: type = object, **known: Any) -> Any:
    """The component that the section names, given what is known and what the section says.

    It must be a subclass of `base`. A key that it does not take is an error that lists those it
    does.
    """
    if "use" not in section:
        raise UserError(f"setting '{key}.use' is missing: it names a class as package.module:Name")
    make = _locate(section["use"], key, base)
    if not inspect.isclass(make):
        return _fitting(make, section, key, known)
    parameters = inspect.signature(make).parameters
    hints = typing.get_type_hints(make.__init__)
    free = [name for name in parameters if name not in known]
    arguments = {name: value for name, value in known.items() if name in parameters}
    for name, value in section.items():
        if name == "use":
            continue
        if name not in free:
            raise UserError(
                f"unknown setting '{key}.{name}' ({section['use']} takes: {', '.join(free)})"
            )
        if is_lost(value):
            raise ask_again(value, key)
        if issubclass(make, Function) and not isinstance(value, Handed):
            check_named(value, f"{key}.{name}")
        hint = hints.get(name, Any)
        arguments[name] = (
            value.thing if isinstance(value, Handed) else typed(value, hint, f"{key}.{name}")
        )
    missing = [n for n in free if n not in arguments and parameters[n].default is inspect._empty]
    if missing:
        raise UserError(f"setting '{key}.{missing[0]}' is missing: {section['use']} needs it")
    try:
        return make(**arguments)
    # Of torch: sizes below zero are a RuntimeError, and those beyond all numbers a TypeError.
    except (ValueError, RuntimeError, TypeError, OverflowError) as error:
        raise UserError(f"setting '{key}': {(str(error).splitlines() or [''])[0]}") from None


def takes(section: Mapping[str, Any], key: str, argument: str) -> bool:
    """Whether the component that the section names asks for this argument."""
    make = _locate(section.get("use", ""), key, object)
    kind = make if inspect.isclass(make) else type(make)
    return argument in inspect.signature(kind).parameters


def _fitting(thing: Any, section: Mapping[str, Any], key: str, known: Mapping[str, Any]) -> Any:
    """The object itself or, of a model, a copy, once it is known to fit the run.

    A run has its models more than once: as they learn, and as they were at the end of Stage I.
    """
    role, kind = key.partition(".")[0], type(thing)
    others = [name for name in section if name != "use"]
    if others:
        raise UserError(
            f"setting '{key}.{others[0]}': the {role} is an object, which is made already; hand in"
            " its class for settings to count"
        )
    for name in BUILT:
        if name in known and name in inspect.signature(kind).parameters:
            raise UserError(
                f"{role}: {kind.__name__} needs the {name} of the run, so hand in the class, not an"
                " object"
            )
    frame = known.get("frame")
    asked = {} if frame is None else frame._asdict()
    for name in ("vocabulary_size", "eos", "max_length"):
        if name in asked and getattr(thing, name, asked[name]) != asked[name]:
            raise UserError(
                f"{role}: the object has {name} = {getattr(thing, name)}, and the text has"
                f" {asked[name]}"
            )
    if "labels" in known:
        _check_labels(thing, role, known["labels"])
    return copy.deepcopy(thing) if isinstance(thing, nn.Module) else thing


def _check_labels(thing: Any, role: str, labels: int) -> None:
    """The model can be about as many labels as the text has; one that cannot is refused.

    The package's own models have a vector for each label. What else may be wrong, only the start of
    a sentence tells: it is tried with the last label, or with none where the text has none.
    """
    vectors = getattr(thing, "labels", thing)
    if vectors is None or isinstance(vectors, nn.Embedding):
        count = 0 if vectors is None else vectors.num_embeddings
        if count != labels:
            raise UserError(
                f"{role}: the object has labels = {count}, and the text has {labels}; make it with"
                f" labels = {labels}, or hand in its class"
            )
    if not isinstance(thing, Generator):
        return
    first = next(thing.parameters(), torch.zeros(()))
    context = Context(torch.tensor([labels - 1])).to(first.device) if labels else None
    try:
        # Of a copy, and with random numbers that are put back: the run must not notice.
        with torch.no_grad(), torch.random.fork_rng(devices=()):
            copy.deepcopy(thing).start(1, context)
    # A user's own class may fail in any way.
    except Exception as error:
        raise UserError(
            f"{role}: the object cannot begin a sentence of the text, which has {labels} labels"
            f" ({type(error).__name__}: {error}); make it for that, or hand in its class"
        ) from None


def _locate(use: object, key: str, base: type) -> Any:
    """The class of that name, or what was handed in under it."""
    if isinstance(use, Handed):
        return use.thing
    use = use if isinstance(use, str) else str(use)
    if use.startswith(OBJECT):
        raise ask_again(use, key)
    module, _, name = use.partition(":")
    if not module or module.startswith(".") or not name:
        raise UserError(f"setting '{key}.use': {use!r} is not written as package.module:Name")
    if is_in_package(use):
        _check_room(module, key)
    else:
        check_named(use, f"{key}.use")
        refuse_pythons_own(module, f"setting '{key}.use'")
    try:
        found = getattr(importlib.import_module(module), name)
    # A user's own module may fail in any way, and may end Python.
    except (Exception, SystemExit) as error:
        raise UserError(f"setting '{key}.use': {error}") from None
    if not inspect.isclass(found) or not issubclass(found, base) or inspect.isabstract(found):
        kind = "class" if base is object else f"subclass of {base.__module__}.{base.__name__}"
        raise UserError(f"setting '{key}.use': {use} is not a {kind} that can be made")
    if base is object:
        _check_call(found, use, key)
    return found


def _check_room(module: str, key: str) -> None:
    """Of the package only components are looked for, and only where they are."""
    rooms = ROOMS.get(_role(key), ())
    if not any(module.startswith(f"{PACKAGE}.{room}.") for room in rooms):
        raise UserError(f"setting '{key}.use': {module} holds no {_role(key)}")


def _check_call(found: type, use: str, key: str) -> None:
    """The class has objects that can be called; those of the package in the way of their kind."""
    call = next(
        (vars(kind)["__call__"] for kind in found.__mro__ if "__call__" in vars(kind)), None
    )
    wanted = CALLED_WITH.get(_role(key)) if is_in_package(use) else None
    if call is None or (wanted and tuple(inspect.signature(call).parameters)[1:] != wanted):
        raise UserError(f"setting '{key}.use': {use} is not a class of {_role(key)}s")


def _role(key: str) -> str:
    """What a key is about: `metric.0` of metrics, and so on."""
    return re.split(r"[. ]", key)[0]


def typed(value: Any, hint: Any, key: str) -> Any:
    try:
        return TypeAdapter(hint, config=FINITE).validate_python(value)
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        raise UserError(
            f"setting '{key}': {problem[0].lower()}{problem[1:]}, not {value!r}"
        ) from None
