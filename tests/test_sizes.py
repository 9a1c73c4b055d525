"""What the page on reliability says of large texts and of the soak is what was measured."""

import json
from pathlib import Path

from benchmarks.sizes import Measured, Task, laid_over, measure, table
from campaign.soak import LARGEST_GROWTH, Soaked, told

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_the_page_has_the_sizes() -> None:
    report = json.loads((ROOT / "benchmarks" / "sizes.json").read_text(encoding="utf-8"))
    rows = [Measured(**row) for row in report["rows"]]

    assert table(rows) in PAGE
    assert all(row.commit and row.commit[:7] in PAGE for row in rows)
    assert max(row.lines for row in rows) == 2_000_000
    # Four times the lines take four times the work or less, but for a machine that is busier then.
    for command in ("inspect", "train", "evaluate", "eda", "augment"):
        few, _, many = (row for row in rows if row.command == command)
        assert many.cpu_seconds < 4.3 * few.cpu_seconds
        assert many.gigabytes < 4 * few.gigabytes


def test_what_is_measured_anew_takes_the_place_of_what_was() -> None:
    old = [{"command": name, "lines": 5, "seconds": 1.0} for name in ("inspect", "train", "eda")]
    new = [{"command": name, "lines": 5, "seconds": 2.0} for name in ("augment", "train")]

    rows = laid_over(old, new)
    assert [(row["command"], row["seconds"]) for row in rows] == [
        *(("inspect", 1.0), ("train", 2.0), ("eda", 1.0), ("augment", 2.0))
    ]


def test_the_page_has_the_soak() -> None:
    report = json.loads((ROOT / "benchmarks" / "soak.json").read_text(encoding="utf-8"))
    found = [Soaked(each["rounds"], each["curve"]) for each in report["processes"]]

    assert told(found) in PAGE
    assert report["commit"][:7] in PAGE and report["minutes"] == 60
    assert len(found) == 2 and all(each.growth < LARGEST_GROWTH for each in found)


def test_a_command_is_measured(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"the cat {number} sat\n" for number in range(200)))
    task = Task("inspect", 200, lambda: text, ("inspect", "{file}"))
    found = measure(task, tmp_path, 60.0)

    assert (found.code, found.lines) == (0, 200)
    assert found.cpu_seconds > 0 and 0.01 < found.gigabytes < 5
