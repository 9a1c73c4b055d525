"""Measure what studies of human ratings promise: claims, intervals, power, and a busy server.

    python tools/measure_studies.py claims     # without a difference: how many studies claim one
    python tools/measure_studies.py intervals  # with a difference: how many intervals hold it
    python tools/measure_studies.py power      # what `sda judge plan` says beside tested studies
    python tools/measure_studies.py load       # a hundred judges at one server, then killed

All but the last are simulated by seed. The figures in docs/human-evaluation.md are printed here.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from math import erf, sqrt
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np

from sda.studies.exchange import Sample2, holm, permutation_test
from sda.studies.from_files import study_from_texts
from sda.studies.make_study import Wishes
from sda.studies.power import HIGH, LOW, Design, Power, Variances
from sda.studies.simulation import Layout, lay_out, rounded_mean, simulate
from sda.studies.store import Store
from sda.studies.study import StudyFolder
from sda.studies.two_way import numbered, resampled, weighted_means

KINDS = {"low": LOW, "high": HIGH}
JUDGES = (3, 10, 30)
PERMUTATIONS, RESAMPLES = 499, 300


def sample_of(values: np.ndarray, layout: Layout, first: int, second: int) -> Sample2:
    some = (layout.models == first) | (layout.models == second)
    items, judges = numbered(layout.items[some]), numbered(layout.judges[some])
    return Sample2(values[some], layout.models[some] == first, items, judges)


def naive_p(sample: Sample2) -> float:
    """A t-test over ratings, as most papers have it; so many ratings that it is a normal one."""
    one, other = sample.values[sample.is_first], sample.values[~sample.is_first]
    error = sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    return 1 - erf(abs(one.mean() - other.mean()) / error / sqrt(2))


def claims(studies: int, seed: int) -> None:
    for judges, (kind, variances) in itertools.product(JUDGES, KINDS.items()):
        design = Design(models=4, items=100, judges=judges, ratings=3)
        layout, rng = lay_out(design, seed), np.random.default_rng(seed)
        found = naive = 0
        for _ in range(studies):
            values = simulate(layout, variances, np.full(4, 3.0), rng)
            pairs = [sample_of(values, layout, *p) for p in itertools.combinations(range(4), 2)]
            found += min(holm([permutation_test(p, rng, PERMUTATIONS).p for p in pairs])) <= 0.05
            naive += min(holm([naive_p(pair) for pair in pairs])) <= 0.05
        print(
            f"{judges} judges, {kind} variance: {100 * found / studies:.1f} % of {studies} studies"
            f" claim a difference; t-test over ratings {100 * naive / studies:.1f} %",
            flush=True,
        )


def intervals(studies: int, seed: int) -> None:
    for judges, (kind, variances) in itertools.product(JUDGES, KINDS.items()):
        design = Design(models=2, items=100, judges=judges, ratings=3)
        layout, rng = lay_out(design, seed), np.random.default_rng(seed)
        means = np.array([2.8, 3.3])
        true = np.array([rounded_mean(mean, variances) for mean in means])
        held = of_means = 0
        for _ in range(studies):
            values = simulate(layout, variances, means, rng)
            low, high = permutation_test(sample_of(values, layout, 0, 1), rng, 9).interval
            held += low <= true[0] - true[1] <= high
            statistic = weighted_means(values, layout.models, 2)
            spread = resampled(statistic, layout.items, layout.judges, rng, RESAMPLES)
            ends = spread.interval(statistic(np.ones((1, len(values))))[0])
            of_means += sum(a <= t <= b for (a, b), t in zip(ends, true, strict=True))
        print(
            f"{judges} judges, {kind} variance: of {studies} studies {100 * held / studies:.1f} %"
            f" hold the difference, {50 * of_means / studies:.1f} % the means",
            flush=True,
        )


def power(studies: int, seed: int) -> None:
    cases: list[tuple[Design, str, Variances, float]] = [
        (Design(2, 100, 3, 3), "low", LOW, 1.0),
        (Design(2, 100, 10, 3), "low", LOW, 0.4),
        (Design(2, 100, 30, 3), "low", LOW, 0.3),
        (Design(2, 200, 60, 3), "low", LOW, 0.2),
        (Design(2, 100, 10, 3), "high", HIGH, 0.9),
        (Design(2, 100, 30, 3), "high", HIGH, 0.5),
    ]
    for design, kind, variances, difference in cases:
        layout, rng = lay_out(design, seed), np.random.default_rng(seed)
        means = np.array([3.0, 3.0 + difference])
        found = 0
        for _ in range(studies):
            values = simulate(layout, variances, means, rng, is_rounded=False)
            sample = sample_of(values, layout, 0, 1)
            found += permutation_test(sample, rng, PERMUTATIONS).p <= 0.05
        said = Power(design, variances, seed).of(difference)
        print(
            f"{design.judges} judges, {design.items} items, {kind} variance, difference"
            f" {difference}: plan {100 * said:.1f} %, {studies} tested studies"
            f" {100 * found / studies:.1f} %",
            flush=True,
        )


class Person:
    """A judge who rates by HTTP, over one connection."""

    def __init__(self, link: str, rng: random.Random, think: float) -> None:
        parts = urlsplit(link)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path
        self.rng, self.think = rng, think
        self.cookie = ""
        self.acknowledged = 0
        self.times: list[float] = []

    async def ask(self, method: str, path: str, body: str = "") -> tuple[int, str, str]:
        """Status, where it leads, and the page."""
        begun = time.perf_counter()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        lines += [f"Cookie: {self.cookie}"] if self.cookie else []
        if method == "POST":
            lines += ["Content-Type: application/x-www-form-urlencoded"]
            lines += [f"Content-Length: {len(body)}"]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        page = (await self.reader.readexactly(int(length[1]))).decode() if length else ""
        self.times.append(time.perf_counter() - begun)
        cookie = re.search(r"set-cookie: ([^;]*)", head, re.IGNORECASE)
        if cookie:
            self.cookie = cookie[1]
        leads = re.search(r"location: (\S*)", head, re.IGNORECASE)
        return int(head.split()[1]), leads[1] if leads else "", page

    async def work(self, until: float) -> None:
        try:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
            await self.ask("POST", self.path)
            while time.monotonic() < until:
                status, _, page = await self.ask("GET", "/rate")
                fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
                if status != 200 or not fields:
                    return
                await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.think)
                body = urlencode({**fields, "answer-quality": self.rng.randint(1, 5)})
                status, _, _ = await self.ask("POST", "/rate", body)
                self.acknowledged += status == 303
        except (OSError, EOFError):
            return  # the server was killed


def load(people: int, seconds: float, think: float, seed: int) -> None:
    rng = random.Random(seed)
    words = [f"w{k}" for k in range(200)]
    texts = {
        name: [" ".join(rng.choices(words, k=9)) + " ." for _ in range(3000)] for name in "abcd"
    }
    wishes = Wishes(judges=people, ratings=3, checks=3, repeats=2)
    study = study_from_texts(texts, None, None, 2000, wishes).study
    with tempfile.TemporaryDirectory() as place:
        folder = StudyFolder(Path(place) / "study")
        folder.begin(study)
        code = "import sys; sys.argv[0] = 'sda'; from sda.cli import main; main()"
        command = [sys.executable, "-c", code, "judge", "serve", str(folder.path), "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})
        assert server.stdout is not None
        links = dict(line.split(":", 1) for line in itertools.islice(server.stdout, 3))
        time.sleep(2)
        persons = [Person(links["For judges"].strip(), rng, think) for _ in range(people)]

        async def all_work() -> None:
            until = time.monotonic() + seconds
            tasks = [asyncio.create_task(person.work(until)) for person in persons]
            # In the middle of work, and not at its end.
            await asyncio.sleep(seconds * 0.9)
            server.send_signal(signal.SIGKILL)
            await asyncio.gather(*tasks)

        asyncio.run(all_work())
        server.wait()
        store = Store.of(folder)
        kept = len(store.all_ratings())
        judges = len(store.judges())
        store.close()
    times = np.array([each for person in persons for each in person.times])
    told = sum(person.acknowledged for person in persons)
    print(
        f"{people} judges for {0.9 * seconds:.0f} s, {len(times)} requests: median"
        f" {1000 * np.median(times):.0f} ms, 95 % below {1000 * np.quantile(times, 0.95):.0f} ms,"
        f" longest {1000 * times.max():.0f} ms; then kill -9: {told} ratings acknowledged, {kept}"
        f" kept (those not told yet: {kept - told}), {judges} judges"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["claims", "intervals", "power", "load"])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--think", type=float, default=2.0, help="seconds on a page, on average")
    asked = parser.parse_args()
    if asked.what == "load":
        load(asked.people, asked.seconds, asked.think, asked.seed)
    else:
        {"claims": claims, "intervals": intervals, "power": power}[asked.what](
            asked.studies, asked.seed
        )


if __name__ == "__main__":
    main()
