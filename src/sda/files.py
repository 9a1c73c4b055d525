"""Files that are either there in full or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO

from sda.errors import UserError, told_of

LARGEST = 2**31
"""Bytes of a file that is read as a whole."""
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")

MARK = "sha256"
"""The key of a hash of all else in a file."""


def naming(path: Path) -> AbstractContextManager[None]:
    """Trouble with the file system inside is told as one sentence that names the path."""
    return told_of(path, OSError)


def refuse_overlap(outputs: Mapping[str, Path | None], inputs: Iterable[Path | None] = ()) -> None:
    """Each file to write, under the option that names it, is none that is read and no other's."""
    read = {os.path.realpath(path) for path in inputs if path is not None}
    options: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in read:
            raise UserError(f"{option}: {path} is a file that is read; name another one.")
        if place in options:
            raise UserError(f"{option}: {path} is the file of {options[place]}; name another one.")
        options[place] = option


def refuse_links(*folders: Path) -> None:
    """No entry of the folders is a link: what is written there would end up where it leads."""
    for folder in filter(Path.is_dir, folders):
        with naming(folder), os.scandir(folder) as entries:
            link = next((entry.path for entry in entries if entry.is_symlink()), None)
        if link is not None:
            raise UserError(f"{link}: a link, which could lead anywhere; put the file itself there")


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """What is written inside becomes the file once all of it is on the disk; or it is as it was.

    What a kill left of an earlier attempt is gone. A device or a pipe, such as `/dev/null` or
    `/dev/stdout`, is written to as it stands.
    """
    if _is_stream(path):
        with naming(path), path.open("wb") as file:
            yield file
        return
    remove_stale_parts(path.parent, path.name)
    temporary = path.parent / f".{path.name}.{os.getpid()}.part"
    with naming(path):
        try:
            with temporary.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)


def _is_stream(path: Path) -> bool:
    """Whether there is a device or a pipe, whose name no file may take: root could do that."""
    with suppress(OSError, ValueError):
        mode = path.stat().st_mode
        if stat.S_ISCHR(mode) or stat.S_ISFIFO(mode):
            return True
    # Names of open streams, which may be files: /dev/stdout, /dev/fd/3.
    folder = os.path.realpath(path.parent)
    return folder == "/dev" or folder.startswith("/proc/")


def write_bytes(path: Path, content: bytes) -> None:
    """The file holds the content, on the disk and not only in a cache; or it is as it was."""
    with whole_file(path) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """The JSON value in the file; a missing or broken file raises one sentence."""
    return parse_json(read_whole(path), str(path))


def write_marked(path: Path, data: Mapping[str, Any]) -> None:
    """The file holds the data as JSON, and a hash of them by which damage is told."""
    write_json(path, {**data, MARK: mark_of(data)})


def read_marked(path: Path) -> Any:
    """What `write_marked` wrote, without its hash; an older file has none."""
    found = read_json(path)
    if not isinstance(found, dict) or MARK not in found:
        return found
    rest = {key: value for key, value in found.items() if key != MARK}
    if found[MARK] != mark_of(rest):
        raise UserError(f"{path}: damaged or edited, it does not fit the checksum in it")
    return rest


def mark_of(data: Mapping[str, Any]) -> str:
    """What tells the data from any others."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def read_whole(path: Path) -> bytes:
    """The content of a file that the program wrote once; one of an absurd size is refused."""
    with naming(path):
        size = path.stat().st_size
        if size > LARGEST:
            raise UserError(
                f"{path}: {size:,} bytes, more than the {LARGEST:,} that a file of this kind may"
                " have"
            )
        return path.read_bytes()


def parse_json(content: bytes, place: str) -> Any:
    """The JSON value in UTF-8; what is not one raises a sentence that begins with the place."""
    try:
        found = json.loads(content.decode())
        if _HALF_CHARACTER.search(content) is not None:
            # Half of a character cannot be written to any file or terminal.
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except UnicodeDecodeError as error:
        raise UserError(f"{place}: not UTF-8 text (at byte {error.start:,})") from None
    except UnicodeEncodeError:
        raise UserError(f"{place}: holds half of a character (a lone surrogate)") from None
    except ValueError as error:
        raise UserError(f"{place}: not valid JSON ({error})") from None
    except RecursionError:
        raise UserError(f"{place}: nested too deeply to be read") from None


def read_text(path: Path) -> str:
    """The UTF-8 text of a file that the program wrote once."""
    try:
        return read_whole(path).decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text (at byte {error.start:,})") from None


def remove_stale_parts(folder: Path, name: str | None = None) -> None:
    """What processes that are gone had begun to write in the folder is gone too.

    With a `name` only what was to become the file of that name.
    """
    for part in folder.glob(".*.part" if name is None else f".{escape(name)}.*.part"):
        number = part.name.removesuffix(".part").rpartition(".")[2]
        if number.isdigit() and not _is_alive(int(number)):
            # Somebody may have put a folder of that name there.
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # somebody else's
    return True


def sync_folder(path: Path) -> None:
    """Renames in the folder survive a loss of power, where a folder can be opened at all."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # Windows opens files only, and writes renames down by itself
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
