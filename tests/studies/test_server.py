"""A server in a process of its own: alone with its study, and dead without loss."""

import importlib.metadata
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from sda.studies.server import Address
from sda.studies.store import Store
from sda.studies.study import StudyFolder
from studies.people import lines_of, small_study, write_study

pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytestmark = pytest.mark.slow

CODE = "import sys; sys.argv[0] = 'sda'; from sda.cli import main; main()"


@contextmanager
def served(path: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A process that serves the study, and the links that it printed."""
    command = [sys.executable, "-c", CODE, "judge", "serve", str(path), "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    try:
        assert process.stdout is not None
        links = {}
        for line in process.stdout:
            name, _, link = line.partition(":")
            links[name] = link.strip()
            if name == "For you":
                break
        yield process, links
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


class Person:
    """Rates by following links and sending forms."""

    def __init__(self, link: str) -> None:
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        self._open = urllib.request.build_opener(jar).open
        self.base = "/".join(link.split("/")[:3])
        for _ in range(50):
            try:
                self._open(link, data=b"" if "/join/" in link else None, timeout=10).read()
                return
            except urllib.error.URLError as error:
                if isinstance(error, urllib.error.HTTPError):
                    raise
                time.sleep(0.1)  # the server is about to listen
        raise AssertionError("no server")

    def rate(self, value: int) -> bool:
        """Whether there was a page to rate; the server has acknowledged it."""
        page = self._open(f"{self.base}/rate", timeout=10).read().decode()
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
        if not fields:
            return False
        data = urllib.parse.urlencode({**fields, "answer-quality": value}).encode()
        self._open(f"{self.base}/rate", data, timeout=10).read()
        return True


def stored(folder: StudyFolder) -> int:
    store = Store.of(folder)
    found = len(store.all_ratings())
    store.close()
    return found


def test_two_commands_lead_to_the_first_rating(tmp_path: Path) -> None:
    for name, number in (("a", 0), ("b", 1)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines_of(number)) + "\n")
    begun = time.monotonic()
    command = [sys.executable, "-c", CODE, "judge", "new", str(tmp_path / "study"), "--items", "20"]
    command += ["--model", f"a={tmp_path / 'a.txt'}", "--model", f"b={tmp_path / 'b.txt'}"]
    made = subprocess.run([*command, "--judges", "6"], capture_output=True, text=True, check=True)
    assert "models differ by at most 0 for a judge" in made.stdout
    with served(tmp_path / "study") as (process, links):
        assert "only this machine" in links["Listening on http"]
        assert Person(links["For judges"]).rate(3)
        assert stored(StudyFolder(tmp_path / "study")) == 1
        assert time.monotonic() - begun < 60
        owner = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        assert b"<td>1 of " in owner.open(links["For you"], timeout=10).read()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=20)
        assert process.returncode == 0 and said.startswith("Ended. What was rated is kept in")


def test_a_second_server_is_refused_and_a_killed_one_loses_nothing(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", small_study(items=30, judges=6))
    acknowledged = [0] * 4
    with served(folder.path) as (process, links):
        command = [sys.executable, "-c", CODE, "judge", "serve", str(folder.path), "--port", "0"]
        second = subprocess.run(command, capture_output=True, text=True)
        assert second.returncode == 2
        assert second.stderr.startswith(f"sda: {folder.path}: another server has this study")
        purge = subprocess.run([*command[:4], "purge", str(folder.path)], capture_output=True)
        assert purge.returncode == 2

        def work(number: int) -> None:
            person = Person(links["For judges"])
            try:
                while person.rate(number + 1):
                    acknowledged[number] += 1
            except (OSError, ValueError, HTTPException):
                return  # the server is gone

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        while sum(acknowledged) < 12:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for thread in threads:
            thread.join()

    # What was written and not yet told may be there too, one for each judge at most.
    assert 12 <= sum(acknowledged) <= stored(folder) <= sum(acknowledged) + 4
    with served(folder.path) as (_, links):
        assert "sda judge invite" in links["For judges"]


def test_a_changed_plan_is_not_served(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", small_study())
    store = Store.of(folder)
    store.freeze("another")
    store.close()
    command = [sys.executable, "-c", CODE, "judge", "serve", str(folder.path), "--port", "0"]
    told = subprocess.run(command, capture_output=True, text=True)

    assert told.returncode == 2 and "changed after the first rating" in told.stderr


def test_the_extra_has_few_packages() -> None:
    """All that serving needs, with what that needs, and the templates."""
    found: set[str] = set()
    left = ["starlette", "uvicorn", "jinja2"]
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        for text in importlib.metadata.requires(name) or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                left.append(needed.name.lower())

    assert {"anyio", "h11", "click", "markupsafe"} <= found
    assert len(found) <= 16


@pytest.mark.parametrize(
    ("host", "is_loopback", "url"),
    [
        ("127.0.0.1", True, "http://127.0.0.1:1"),
        ("localhost", True, "http://localhost:1"),
        ("::1", True, "http://[::1]:1"),
        ("0.0.0.0", False, "http://0.0.0.0:1"),
        ("example.org", False, "http://example.org:1"),
    ],
)
def test_who_can_reach_an_address(host: str, is_loopback: bool, url: str) -> None:
    assert Address(host, 1).is_loopback == is_loopback
    assert Address(host, 1).url == url
