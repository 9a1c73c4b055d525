"""Ratings are kept, tokens are not, and a purge leaves nothing of anybody."""

import sqlite3
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.studies.credentials import hashed
from sda.studies.store import Store
from sda.studies.stored import Conflict
from sda.studies.study import StudyFolder
from studies.people import small_study, write_study


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return write_study(tmp_path / "study", small_study())


def all_bytes(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.iterdir()))


def test_only_hashes_of_tokens_are_kept(folder: StudyFolder) -> None:
    store = Store.of(folder)
    number, token = store.invite(6)
    link = store.add_link(5, None, None)
    found = store.judge_by_token(token)
    store.close()

    assert found is not None and (found.number, found.block) == (number, 0)
    assert len(token) == 22  # 128 bits
    for secret in (token, link):
        assert secret.encode() not in all_bytes(folder.path)


def test_blocks_go_round_and_those_of_withdrawn_judges_are_free(folder: StudyFolder) -> None:
    store = Store.of(folder)
    for _ in range(3):
        store.invite(3)
    store.revoke(2)
    number, _ = store.invite(3)
    again, _ = store.invite(3)

    assert [judge.block for judge in store.judges()] == [0, 1, 2, 1, 0]
    assert (number, again) == (4, 5)
    assert not store.revoke(99)
    store.close()


def test_a_rating_is_changed_only_by_who_saw_it(folder: StudyFolder) -> None:
    store = Store.of(folder)
    store.rate(1, "x", False, {"quality": 2}, "odd", 0)
    with pytest.raises(Conflict):
        store.rate(1, "x", False, {"quality": 5}, "", 0)
    store.rate(1, "x", True, {"quality": 4}, "", 0)
    store.rate(1, "x", False, {"quality": 3}, "", 1)

    assert store.all_ratings() == [(1, "x", False, "quality", 3), (1, "x", True, "quality", 4)]
    assert store.given(1, "x", False) == ({"quality": 3}, "")
    assert store.versions(1) == {("x", False): 2, ("x", True): 1}
    store.close()


def test_a_join_link_has_a_limit_and_knows_people_again(folder: StudyFolder) -> None:
    store = Store.of(folder)
    link = store.link(store.add_link(2, "CODE", None))
    assert link is not None
    first = store.join(link, 6, "prolific:abc")
    again = store.join(link, 6, "prolific:abc")
    store.join(link, 6, None)

    assert first is not None and again is not None and first != again
    assert store.judge_by_token(first) is None
    assert store.judge_by_token(again) is not None
    assert store.join(link, 6, "prolific:other") is None
    assert len(store.judges()) == 2
    store.revoke(1)
    assert store.join(link, 6, "prolific:abc") is None
    assert store.revoke_links() == 1 and store.link("CODE") is None
    store.close()


def test_the_first_rating_freezes_the_plan(folder: StudyFolder) -> None:
    store = Store.of(folder)
    assert store.frozen() is None
    store.freeze("one")
    store.freeze("two")

    assert store.frozen() == "one"
    store.close()


def test_a_purge_leaves_ratings_and_nobody(folder: StudyFolder) -> None:
    store = Store.of(folder)
    link = store.link(store.add_link(9, None, None))
    assert link is not None
    with store.transaction():
        for number in range(9):
            token = store.join(link, 6, f"prolific:person-{number}-whom-one-could-find")
            assert token is not None
            item = folder.study().items[0].id
            store.rate(number + 1, item, False, {"quality": 3}, f"my name is nobody {number}", 0)
    before = all_bytes(folder.path)
    counts = store.purge()
    store.close()
    after = all_bytes(folder.path)

    assert b"whom-one-could-find" in before and b"my name is" in before
    assert counts == (9, 9)
    assert b"whom-one-could-find" not in after and b"my name is" not in after
    again = Store.of(folder)
    assert len(again.all_ratings()) == 9 and again.all_comments() == {}
    assert again.judge_by_token(token) is None
    again.close()


def test_part_of_a_transaction_may_fail_alone(folder: StudyFolder) -> None:
    store = Store.of(folder)
    with store.transaction():
        store.rate(1, "a", False, {"quality": 1}, "", 0)
        with pytest.raises(Conflict), store.part():
            store.rate(1, "b", False, {"quality": 1}, "", 0)
            store.rate(1, "b", False, {"quality": 1}, "", 0)
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.rate(1, "c", False, {"quality": 1}, "", 0)
        _ = 1 / 0

    assert [row[1] for row in store.all_ratings()] == ["a"]
    store.close()


def test_a_store_whose_columns_have_other_names_is_refused(folder: StudyFolder) -> None:
    Store.of(folder).close()
    connection = sqlite3.connect(folder.store)
    connection.execute("ALTER TABLE comments RENAME COLUMN item TO other")
    connection.close()

    with pytest.raises(UserError, match="the table 'comments' has the columns judge, other"):
        Store.of(folder)


def test_a_store_with_a_cell_that_is_no_text_is_refused(folder: StudyFolder) -> None:
    store = Store.of(folder)
    with store.transaction():
        store.rate(1, folder.study().items[0].id, False, {"quality": 3}, "good", 0)
    store.close()
    connection = sqlite3.connect(folder.store)
    connection.execute("UPDATE comments SET text = CAST(x'ff67' AS TEXT)")
    connection.commit()
    connection.close()

    with pytest.raises(UserError, match=r"cannot be used as a store of ratings.*decode"):
        Store.of(folder)


def test_a_store_whose_index_does_not_fit_is_refused(folder: StudyFolder) -> None:
    """What an index finds was once taken for what the table holds, until a purge failed on it."""
    store = Store.of(folder)
    with store.transaction():
        _, token = store.invite(1)
    store.close()
    content, name = folder.store.read_bytes(), hashed(token).encode()
    assert content.count(name) == 2  # in the table and in its index
    folder.store.write_bytes(content.replace(name, b"0" * len(name), 1))

    with pytest.raises(UserError, match=r"damaged: .*index"):
        Store.of(folder)


@pytest.mark.parametrize("wrong", [b"unb\xf2r", b"num\nber\x00"])
def test_a_store_whose_tables_are_damaged_is_refused_in_one_line(
    wrong: bytes, folder: StudyFolder
) -> None:
    Store.of(folder).close()
    content = folder.store.read_bytes()
    assert b"CREATE TABLE judges" in content
    folder.store.write_bytes(content.replace(b"CREATE TABLE judges", b"CREATE TABLE " + wrong[:6]))

    with pytest.raises(UserError, match="store of ratings") as raised:
        Store.of(folder)
    assert "\n" not in str(raised.value)
