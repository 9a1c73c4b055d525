"""The one exception that is meant for the user's eyes."""

import reprlib
from collections.abc import Iterator
from contextlib import contextmanager

_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = 60
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxdict = _BRIEF.maxset = 2


class UserError(Exception):
    """Something the user can mend; the message is one sentence that names the file, line or key.

    The command line prints the message without a traceback and exits with code 2.
    """


class LeftAlone(UserError):
    """Another of several processes that train together has gone, perhaps without a word."""


def brief(value: object) -> str:
    """A value as a message shows it: enough to know it by, however much it holds."""
    return _BRIEF.repr(value)


@contextmanager
def told_of(file: object, trouble: type[Exception] = UserError) -> Iterator[None]:
    """A mistake inside, or other trouble, is told with the file that it is about."""
    try:
        yield
    except trouble as error:
        said = error.strerror if isinstance(error, OSError) else None
        raise UserError(f"{file}: {said or error}") from None
