"""What the store of a study holds, as tables and as values."""

from __future__ import annotations

from dataclasses import dataclass

TABLES = ("facts", "judges", "links", "ratings", "comments")
SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS judges (
  number INTEGER PRIMARY KEY, token TEXT UNIQUE, block INTEGER NOT NULL, outside TEXT UNIQUE,
  link TEXT, is_revoked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS links (
  token TEXT PRIMARY KEY, most INTEGER NOT NULL, code TEXT, address TEXT);
CREATE TABLE IF NOT EXISTS ratings (
  judge INTEGER NOT NULL, item TEXT NOT NULL, is_repeat INTEGER NOT NULL, criterion TEXT NOT NULL,
  value INTEGER NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (judge, item, is_repeat, criterion)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS comments (
  judge INTEGER NOT NULL, item TEXT NOT NULL, is_repeat INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (judge, item, is_repeat)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class JudgeEntry:
    """What the store knows of a judge; `link` is the join link that they came by."""

    number: int
    block: int
    is_revoked: bool
    link: str | None


@dataclass(frozen=True)
class JoinLink:
    """A link by which anybody may become a judge, up to a number of them."""

    token: str
    """Hashed."""
    most: int
    code: str | None
    address: str | None
    """Where a platform wants to see judges who are done."""


class Conflict(Exception):
    """The rating is not the one that the judge was looking at: it was given or changed before."""
