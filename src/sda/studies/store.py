"""The ratings of a study: one SQLite file, in which a rating that was acknowledged stays.

Write-ahead log with `synchronous=FULL`: what was committed outlives a killed process and a loss of
power. Nothing that identifies a judge is kept beyond a hash of their link and the name under which
a crowd platform knows them; no address, no browser, no times.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sda.errors import UserError
from sda.files import refuse_links
from sda.studies.credentials import hashed, new_token
from sda.studies.stored import SCHEMA, TABLES, Conflict, JoinLink, JudgeEntry
from sda.studies.study import Study, StudyFolder

BUSY_SECONDS = 10.0


class Store:
    """The ratings and the judges; one connection, used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        try:
            self._connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            # A file may come from anybody: its own functions and damaged pages are not followed.
            self._connection.execute("PRAGMA trusted_schema=OFF")
            self._check_whole(path)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            # What is deleted is overwritten, so that a purge leaves nothing to be found.
            self._connection.execute("PRAGMA secure_delete=ON")
            self._connection.executescript(SCHEMA)
            self._check_columns(path)
            self._read_all()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            reason = _one_line(error)
            raise UserError(f"{path}: cannot be used as a store of ratings ({reason})") from None

    def _check_whole(self, path: Path) -> None:
        """Refuse a file that is damaged, or that holds other things than ratings.

        The indexes are looked at as well: one that does not fit its table gives other ratings.
        """
        found = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
        others = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
            " OR name NOT IN (?, ?, ?, ?, ?) AND name NOT LIKE 'sqlite_%'",
            TABLES,
        ).fetchone()
        if found != ("ok",) or others is not None:
            self._connection.close()
            damage = _one_line(found and found[0])
            reason = f"holds {others[0]!r}" if others else f"damaged: {damage}"
            raise UserError(f"{path}: not a store of ratings ({reason})")

    def _check_columns(self, path: Path) -> None:
        """Refuse a file in which a column has another name."""
        model = sqlite3.connect(":memory:")
        model.executescript(SCHEMA)
        for table in TABLES:
            expected, found = (_columns(each, table) for each in (model, self._connection))
            if found != expected:
                self._connection.close()
                raise UserError(
                    f"{path}: not a store of ratings (the table {table!r} has the columns"
                    f" {', '.join(found)} instead of {', '.join(expected)})"
                )
        model.close()

    def _read_all(self) -> None:
        """Every cell once: one that is no UTF-8 is an error here, and not where it is needed."""
        for table in TABLES:
            for _ in self._connection.execute(f"SELECT * FROM {table}"):
                pass

    @classmethod
    def of(cls, folder: StudyFolder) -> Store:
        study = folder.study()
        refuse_links(folder.path)
        found = cls(folder.store)
        try:
            found._check_fits(study, folder.store)
        except UserError:
            found.close()
            raise
        return found

    def _check_fits(self, study: Study, path: Path) -> None:
        """Refuse ratings that are not about the study, and numbers that are none."""
        wrong = self._connection.execute(
            "SELECT 'a rating' FROM ratings WHERE typeof(judge) <> 'integer'"
            " OR typeof(item) <> 'text' OR typeof(criterion) <> 'text'"
            " OR typeof(version) <> 'integer' OR typeof(value) <> 'integer'"
            " OR value NOT BETWEEN ? AND ?"
            " UNION ALL SELECT 'a judge' FROM judges WHERE typeof(block) <> 'integer'"
            " OR block NOT BETWEEN -1 AND ?"
            " UNION ALL SELECT 'a comment' FROM comments WHERE typeof(text) <> 'text'"
            " UNION ALL SELECT 'a link' FROM links WHERE typeof(most) <> 'integer' LIMIT 1",
            (study.low, study.high, len(study.blocks) - 1),
        ).fetchone()
        items = {row[0] for row in self._connection.execute("SELECT DISTINCT item FROM ratings")}
        if wrong is not None or not items <= study.by_id.keys():
            what = "a rating of another study" if wrong is None else wrong[0]
            raise UserError(f"{path}: {what} in it does not fit the study")

    def close(self) -> None:
        self._connection.close()

    def transaction(self) -> AbstractContextManager[None]:
        """All that is done inside is on the disk afterwards, or nothing is."""
        return self._whole("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")

    def part(self) -> AbstractContextManager[None]:
        """A part of a transaction that can fail without the rest."""
        return self._whole("SAVEPOINT part", "RELEASE part", "ROLLBACK TO part", "RELEASE part")

    @contextmanager
    def _whole(self, begin: str, keep: str, *undo: str) -> Iterator[None]:
        self._connection.execute(begin)
        try:
            yield
        except BaseException:
            for statement in undo:
                self._connection.execute(statement)
            raise
        self._connection.execute(keep)

    # Facts

    def secret(self) -> str:
        """The key that forms and codes are signed with; made on first use."""
        return self._fact("secret", secrets.token_hex(32))

    def freeze(self, fingerprint: str) -> None:
        """The hash of the plan at the time of the first rating is kept for good."""
        self._fact("frozen", fingerprint)

    def frozen(self) -> str | None:
        """The hash of the plan when the first rating came; None before that."""
        return self._found("frozen")

    def forget_judges(self) -> None:
        """From now on it is known that nobody knows who rated what."""
        self._fact("judges", "unknown")

    def knows_judges(self) -> bool:
        return self._found("judges") is None

    def _fact(self, name: str, value: str) -> str:
        self._connection.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, value))
        found = self._found(name)
        assert found is not None
        return found

    def _found(self, name: str) -> str | None:
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    # Judges and links

    def invite(self, blocks: int) -> tuple[int, str]:
        """A new judge's number and their token, which is shown here and kept nowhere."""
        token = new_token()
        return self._add_judge(blocks, token, None, None), token

    def join(self, link: JoinLink, blocks: int, outside: str | None) -> str | None:
        """The token of a judge who came by the link; None where it has had all its judges.

        Somebody whom a platform sends again goes on where they were, by a new token.
        """
        token = new_token()
        if outside is not None:
            row = self._connection.execute(
                "SELECT number, is_revoked FROM judges WHERE outside = ?", (outside,)
            ).fetchone()
            if row is not None:
                if row[1]:
                    return None
                self._connection.execute(
                    "UPDATE judges SET token = ? WHERE number = ?", (hashed(token), row[0])
                )
                return token
        (joined,) = self._connection.execute(
            "SELECT COUNT(*) FROM judges WHERE link = ?", (link.token,)
        ).fetchone()
        if joined >= link.most:
            return None
        self._add_judge(blocks, token, outside, link.token)
        return token

    def _add_judge(
        self, blocks: int, token: str | None, outside: str | None, link: str | None
    ) -> int:
        holders = dict.fromkeys(range(blocks), 0)
        held = self._connection.execute(
            "SELECT block, COUNT(*) FROM judges WHERE NOT is_revoked GROUP BY block"
        )
        holders |= dict(held.fetchall())
        # The block that the fewest have; that of a judge who was sent away is free again.
        block = min(range(blocks), key=lambda number: holders[number])
        cursor = self._connection.execute(
            "INSERT INTO judges (token, block, outside, link) VALUES (?, ?, ?, ?)",
            (None if token is None else hashed(token), block, outside, link),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def judge_by_token(self, token: str) -> JudgeEntry | None:
        row = self._connection.execute(
            "SELECT number, block, is_revoked, link FROM judges WHERE token = ?", (hashed(token),)
        ).fetchone()
        return None if row is None else JudgeEntry(row[0], row[1], bool(row[2]), row[3])

    def judges(self) -> list[JudgeEntry]:
        rows = self._connection.execute(
            "SELECT number, block, is_revoked, link FROM judges ORDER BY number"
        )
        return [JudgeEntry(row[0], row[1], bool(row[2]), row[3]) for row in rows]

    def imported_judge(self, outside: str) -> int:
        """The number of a judge whose ratings come from a file, by their name there."""
        row = self._connection.execute(
            "SELECT number FROM judges WHERE outside = ?", (outside,)
        ).fetchone()
        if row is not None:
            return int(row[0])
        cursor = self._connection.execute(
            "INSERT INTO judges (block, outside) VALUES (-1, ?)", (outside,)
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def revoke(self, number: int) -> bool:
        """Whether there is such a judge, whose link now opens nothing."""
        if not 0 < number < 2**63:
            return False
        cursor = self._connection.execute(
            "UPDATE judges SET is_revoked = 1 WHERE number = ?", (number,)
        )
        return cursor.rowcount > 0

    def add_link(self, most: int, code: str | None, address: str | None) -> str:
        """The token of a new join link, which is kept nowhere."""
        token = new_token()
        self._connection.execute(
            "INSERT INTO links VALUES (?, ?, ?, ?)", (hashed(token), most, code, address)
        )
        return token

    def link(self, token: str) -> JoinLink | None:
        return self.link_by_hash(hashed(token))

    def link_by_hash(self, found: str) -> JoinLink | None:
        row = self._connection.execute("SELECT * FROM links WHERE token = ?", (found,)).fetchone()
        return None if row is None else JoinLink(*row)

    def has_invitations(self) -> bool:
        """Whether anybody has been invited yet, in one way or the other."""
        tables = ("judges", "links")
        return any(
            self._connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()
            for table in tables
        )

    def revoke_links(self) -> int:
        """How many join links there were, none of which opens anything now."""
        return self._connection.execute("DELETE FROM links").rowcount

    # Ratings

    def versions(self, judge: int) -> dict[tuple[str, bool], int]:
        """For each page that the judge has rated how often they have."""
        rows = self._connection.execute(
            "SELECT item, is_repeat, MAX(version) FROM ratings WHERE judge = ?"
            " GROUP BY item, is_repeat",
            (judge,),
        )
        return {(row[0], bool(row[1])): row[2] for row in rows}

    def given(self, judge: int, item: str, is_repeat: bool) -> tuple[dict[str, int], str]:
        """The judge's answers to a page by question, and their comment."""
        key = (judge, item, is_repeat)
        rows = self._connection.execute(
            "SELECT criterion, value FROM ratings WHERE judge = ? AND item = ? AND is_repeat = ?",
            key,
        )
        comment = self._connection.execute(
            "SELECT text FROM comments WHERE judge = ? AND item = ? AND is_repeat = ?", key
        ).fetchone()
        return dict(rows.fetchall()), "" if comment is None else comment[0]

    def rate(
        self,
        judge: int,
        item: str,
        is_repeat: bool,
        values: Mapping[str, int],
        comment: str,
        version: int,
    ) -> None:
        """Keep the answers to one page; `version` is how often it had been rated when shown."""
        key = (judge, item, int(is_repeat))
        row = self._connection.execute(
            "SELECT MAX(version) FROM ratings WHERE judge = ? AND item = ? AND is_repeat = ?", key
        ).fetchone()
        if (row[0] or 0) != version:
            raise Conflict
        self._connection.executemany(
            "INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?, ?)",
            [(*key, name, value, version + 1) for name, value in values.items()],
        )
        self._connection.execute(
            "DELETE FROM comments WHERE judge = ? AND item = ? AND is_repeat = ?", key
        )
        if comment:
            self._connection.execute("INSERT INTO comments VALUES (?, ?, ?, ?)", (*key, comment))

    def all_ratings(self) -> list[tuple[int, str, bool, str, int]]:
        """Judge, item, whether it is a repeat, question and value, in a fixed order."""
        rows = self._connection.execute(
            "SELECT judge, item, is_repeat, criterion, value FROM ratings"
            " ORDER BY judge, item, is_repeat, criterion"
        )
        return [(row[0], row[1], bool(row[2]), row[3], row[4]) for row in rows]

    def all_comments(self) -> dict[tuple[int, str, bool], str]:
        rows = self._connection.execute("SELECT judge, item, is_repeat, text FROM comments")
        return {(row[0], row[1], bool(row[2])): row[3] for row in rows}

    def purge(self) -> tuple[int, int]:
        """How many judges and comments lost what could identify somebody; ratings stay."""
        with self.transaction():
            (comments,) = self._connection.execute("SELECT COUNT(*) FROM comments").fetchone()
            self._connection.execute("DELETE FROM comments")
            self._connection.execute("DELETE FROM links")
            judges = self._connection.execute(
                "UPDATE judges SET token = NULL, outside = NULL, link = NULL, is_revoked = 1"
            ).rowcount
            self._connection.execute("DELETE FROM facts WHERE name = 'secret'")
        # The old pages are still in the log and in free places of the file.
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.execute("VACUUM")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return judges, comments


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute("SELECT * FROM pragma_table_info(?)", (table,))]


def _one_line(said: object) -> str:
    """What sqlite says of damage, which has lines of its own: a refusal is one sentence."""
    return " ".join(str(said).split())
