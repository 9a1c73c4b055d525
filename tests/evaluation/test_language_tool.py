"""A stand-in for a LanguageTool server, which finds the word "bad"."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs

import pytest

from sda.errors import UserError
from sda.evaluation import language_tool
from sda.evaluation.language_tool import LanguageToolChecker

Respond = Callable[[dict[str, str]], tuple[int, bytes]]


def find_bad(fields: dict[str, str]) -> tuple[int, bytes]:
    """Every "bad", "style" and "odd" in the text, with offsets in UTF-16 units as Java has them."""
    categories = {"bad": "GRAMMAR", "odd": "MISC", "style": "STYLE"}
    matches = [
        {
            "offset": len(fields["text"][: match.start()].encode("utf-16-le")) // 2,
            "rule": {"id": "A_RULE", "category": {"id": categories[match[0]]}},
        }
        for match in re.finditer("|".join(categories), fields["text"])
    ]
    answer = {"software": {"name": "LanguageTool", "version": "6.6"}, "matches": matches}
    return 200, json.dumps(answer).encode()


class Server:
    """Answers as `respond` says; `asked` records the path and fields of every request."""

    def __init__(self) -> None:
        self.respond: Respond = find_bad
        self.asked: list[tuple[str, dict[str, str]]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                fields = {name: entries[0] for name, entries in parse_qs(body).items()}
                server.asked.append((self.path, fields))
                code, content = server.respond(fields)
                self.send_response(code)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


def test_issues_go_to_their_texts(server: Server) -> None:
    checker = LanguageToolChecker(server.url)
    texts = ["bad", "good", "\U0001f600 bad and odd and style", "", "bad bad"]

    assert checker.issues(texts) == [
        ["grammar"],
        [],
        ["grammar", "misc"],
        [],
        ["grammar", "grammar"],
    ]
    assert checker.issues([]) == []
    assert checker.name == "languagetool-6.6"


@pytest.mark.parametrize("suffix", ["", "/", "/v2/check"])
def test_only_grammar_is_asked_for(server: Server, suffix: str) -> None:
    LanguageToolChecker(server.url + suffix).issues(["a dog"])
    path, fields = server.asked[-1]

    assert path == "/v2/check"
    assert fields == {
        "text": "a dog",
        "language": "en-US",
        "enabledCategories": "GRAMMAR,CONFUSED_WORDS,MISC",
        "enabledOnly": "true",
    }


def test_requests_are_full_and_not_too_long(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language_tool, "LONGEST_REQUEST", 20)
    checker = LanguageToolChecker(server.url)
    server.asked.clear()
    texts = ["a bad dog", "two", "bad" * 9, "three", "bad"]

    assert checker.issues(texts) == [["grammar"], [], ["grammar"] * 9, [], ["grammar"]]
    asked = [fields["text"] for _, fields in server.asked]
    assert asked == ["a bad dog\n\ntwo", "bad" * 9, "three\n\nbad"]


@pytest.mark.parametrize(
    "url", ["file:///etc/hosts", "localhost:8081", "ftp://host", "http://", ""]
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(UserError, match="no http or https address"):
        LanguageToolChecker(url)


def test_nobody_answers() -> None:
    with socket.socket() as taken:
        # Bound and not listening: a connection is refused.
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UserError, match=rf"{url}/v2/check does not answer \("):
            LanguageToolChecker(url, timeout=5)


def test_too_late_an_answer() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with pytest.raises(UserError, match=r"does not answer \(timed out\)"):
            LanguageToolChecker(url, timeout=0.05)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((500, b"oh"), "answers 500"),
        ((200, b"<html>"), "with no JSON"),
        ((200, b"\xff\xfe"), "with no JSON"),
        ((200, b"[]"), "not LanguageTool's"),
        ((200, b'{"software": {"version": "6"}}'), "not LanguageTool's"),
        ((200, b'{"software": {"version": "6"}, "matches": [{}]}'), "not LanguageTool's"),
    ],
)
def test_strange_answers_are_named(server: Server, answer: tuple[int, bytes], message: str) -> None:
    server.respond = lambda fields: answer

    with pytest.raises(UserError, match=message):
        LanguageToolChecker(server.url)
