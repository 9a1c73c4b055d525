"""The catalogue of scores."""

import pytest

from sda.evaluation.catalogue import KINDS, OLD_NAMES, current_name, in_order, kind_of


def test_every_name_and_every_title_stands_once() -> None:
    for values in ([kind.name for kind in KINDS], [kind.title for kind in KINDS]):
        assert len(set(values)) == len(values)


def test_a_row_says_how_a_score_is_read() -> None:
    kind = kind_of("self-bleu-5")

    assert (kind.title, kind.group, kind.higher_is_better) == ("self-BLEU-5", "diversity", False)
    assert kind.main
    assert "BLEU-5" in kind.about


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_row_is_about_the_score_in_one_sentence(kind: object) -> None:
    about = kind.about  # type: ignore[attr-defined]

    assert about[0].isupper()
    assert about.endswith(".")
    assert "{" not in about


def test_a_score_of_a_user_is_shown_under_its_own_name() -> None:
    kind = kind_of("politeness")

    assert (kind.name, kind.title, kind.group) == ("politeness", "politeness", "other")
    assert kind.main
    assert kind.higher_is_better is None


def test_old_names_lead_to_rows() -> None:
    names = {kind.name for kind in KINDS}

    assert current_name("mauve") == "mauve-ngram"
    assert current_name("bleu-5") == "bleu-5"
    assert names >= set(OLD_NAMES.values())
    assert not names & set(OLD_NAMES)


def test_names_in_the_order_of_tables() -> None:
    assert in_order({"zeal", "length", "bleu-5", "nll-oracle", "ardour"}) == [
        "nll-oracle",
        "bleu-5",
        "length",
        "ardour",
        "zeal",
    ]


def test_what_is_monitored() -> None:
    monitored = {kind.name for kind in KINDS if kind.monitored}

    assert monitored == {
        "bleu-3",
        "self-bleu-3",
        "distinct-2",
        "duplicate-share",
        "length",
        "nll-oracle",
        "kl-model-oracle",
        "grammatical-share",
    }
