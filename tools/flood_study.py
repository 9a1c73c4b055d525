"""One judge who asks a thousand times a second, and another who only wants to rate.

    sda judge serve STUDY             (prints a link for judges)
    python tools/flood_study.py LINK [--seconds 5]

The first sends the same rating again and again over several connections, without waiting for
answers; the second opens a page twice a second. It prints how many requests a second were sent and
answered, with which status, and how long the second had to wait. `LINK` is a join link.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import time
from collections import Counter
from urllib.parse import urlencode, urlsplit

CONNECTIONS = 4
AT_ONCE = 25  # requests that are sent before their answers are read
PAUSE = 0.5  # seconds between two pages of the second judge
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_FIELD = re.compile(r'type="hidden" name="(\w+)" value="([^"]*)"')


class Caller:
    """Somebody with a cookie of their own."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        self.host, self.port, self.join = parts.hostname or "", parts.port or 80, parts.path
        self.cookie = ""

    def request(self, method: str, path: str, form: dict[str, str] | None = None) -> bytes:
        body = urlencode(form or {}).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
        head += f"Cookie: {self.cookie}\r\nContent-Length: {len(body)}\r\n"
        head += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        return head.encode() + body

    async def ask(self, method: str, path: str) -> str:
        """The answer to a single request, head and body."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(self.request(method, path))
        found = (await _answer(reader)).decode()
        writer.close()
        return found

    async def enter(self) -> dict[str, str]:
        """Join the study; the fields of the first page's form."""
        said = await self.ask("POST", self.join)
        self.cookie = said.partition("set-cookie: ")[2].partition(";")[0]
        return dict(_FIELD.findall(await self.ask("GET", "/rate")))


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    return head + (await reader.readexactly(int(length[1])) if length else b"")


async def flood(caller: Caller, form: dict[str, str], until: float, found: Counter[str]) -> None:
    """Requests over one connection until that time."""
    reader, writer = await asyncio.open_connection(caller.host, caller.port)
    portion = caller.request("POST", "/rate", form) * AT_ONCE
    while time.monotonic() < until:
        writer.write(portion)
        await writer.drain()
        for _ in range(AT_ONCE):
            status = _STATUS.match(await _answer(reader))
            found[status[1].decode() if status else "none"] += 1
    writer.close()


async def wait_for_pages(caller: Caller, until: float) -> list[float]:
    """How long each page took that the second judge opened."""
    took = []
    while time.monotonic() < until:
        begun = time.monotonic()
        await caller.ask("GET", "/rate")
        took.append(time.monotonic() - begun)
        await asyncio.sleep(PAUSE)
    return took


async def measure(link: str, seconds: float) -> None:
    first, second = Caller(link), Caller(link)
    form = {**await first.enter(), "answer-quality": "3"}
    await second.enter()
    found: Counter[str] = Counter()
    begun = time.monotonic()
    until = begun + seconds
    floods = (flood(first, form, until, found) for _ in range(CONNECTIONS))
    pages = asyncio.create_task(wait_for_pages(second, until))
    await asyncio.gather(*floods)
    took = await pages
    rate = found.total() / (time.monotonic() - begun)
    statuses = ", ".join(f"{count:,} with {status}" for status, count in found.most_common())
    print(f"{found.total():,} requests of one judge, {rate:,.0f} a second; answered {statuses}")
    print(
        f"another judge: {len(took)} pages, the median after {statistics.median(took) * 1000:.0f}"
        f" ms, the slowest after {max(took) * 1000:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("link")
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    asyncio.run(measure(given.link, given.seconds))


if __name__ == "__main__":
    main()
