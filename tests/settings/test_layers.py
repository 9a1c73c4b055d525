"""Which layer wins, what a case changes, and what `--set` understands."""

from pathlib import Path
from typing import Any

import pytest

from sda.errors import UserError
from sda.settings.layers import (
    Choices,
    Layers,
    metric_parts,
    named,
    names_of,
    refuse_idle,
    source_kind,
)
from sda.settings.schema import leaves

KEYS = ("epochs", "first_steps", "fewer_every", "batch_size", "rollouts")


def settled(source: str = "captions", **choices: Any) -> tuple[dict[str, Any], dict[str, str]]:
    settings, origins = Choices(source, **choices).settle()
    return dict(leaves(settings.model_dump())), origins


def test_later_layers_win(tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[stage2]\nrollouts = 5\n")
    choices: dict[str, Any] = {}
    seen = []
    for layer in (
        {"profile": "smoke"},
        {"config": config},
        {"values": {"stage2": {"rollouts": 6}}},
        {"assignments": ["stage2.rollouts=7"]},
    ):
        choices |= layer
        values, origins = settled(**choices)
        seen.append((values["stage2.rollouts"], origins["stage2.rollouts"]))

    assert seen == [
        (2, "profile smoke"),
        (5, f"config {config}"),
        (6, "command line"),
        (7, "--set"),
    ]


def test_shipped_layers_have_their_order() -> None:
    values, origins = settled(generator="gru", method="rl", profile="smoke", discriminator="rnn")

    assert values["generator.cell"] == "gru"
    assert origins["generator.use"] == "generator gru"
    assert origins["generator.hidden"] == "profile smoke, for gru"
    assert (values["stage2.steps"], origins["stage2.steps"]) == ("training", "method rl")
    assert (values["stage2.first_steps"], origins["stage2.first_steps"]) == (3, "profile smoke")
    assert origins["stage2.baseline"] == "preset paper"
    # The preset's reward gives way to the method's, which here is the same.
    assert origins["stage2.reward"] == "method rl"
    assert origins["discriminator.use"] == "--discriminator rnn"
    assert "stage2.clip" not in origins


def test_the_method_may_come_from_the_users_file(tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('method = "mle"\n')

    assert settled(config=config)[0]["stage2.steps"] == "none"
    assert settled(config=config, method="rl")[0]["stage2.steps"] == "training"


def test_values_for_a_case() -> None:
    layers = Layers(["rnn", "oracle"])
    cases = {
        "oracle": {"a": 2, "b": {"c": 3}, "f": 9, "for": {"rnn": {"f": 7}, "gru": {"f": 8}}},
        "text": {"a": 4},
        "rnn": {"a": 5, "d": 6},
    }
    layers.add({"a": 1, "b": {"c": 1, "e": 1}, "for": cases}, "here")

    assert layers.table == {"a": 2, "b": {"c": 3, "e": 1}, "d": 6, "f": 7}
    assert layers.origins == {
        "a": "here, for oracle",
        "b.c": "here, for oracle",
        "b.e": "here",
        "d": "here, for rnn",
        "f": "here, for oracle, for rnn",
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("for = 3", "'for' is not a section"),
        ("[for]\ntext = 3", "'for.text' is not a section"),
        ("[for.orcale]\nseed = 3", r"unknown case 'for.orcale' \(known: text, captions, oracle"),
        ("[for.oracle-rnn]\nseed = 3", r"'for.oracle-rnn' .* as in \[for.oracle.for.rnn\]\)"),
        # Also within a case that does not hold.
        ("[for.oracle.for.lstm]\nseed = 3", ", for oracle: unknown case 'for.lstm'"),
    ],
)
def test_cases_that_make_no_sense(content: str, message: str, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text(content)

    with pytest.raises(UserError, match=message):
        settled(config=config)


def test_use_replaces_the_section() -> None:
    layers = Layers([])
    layers.add({"discriminator": {"use": "a:A", "widths": [1]}}, "one")
    layers.add({"discriminator": {"hidden": 3}}, "two")
    layers.add({"discriminator": {"use": "b:B", "depth": 2}}, "three")

    assert layers.table == {"discriminator": {"use": "b:B", "depth": 2}}
    assert layers.origins == {"discriminator.use": "three", "discriminator.depth": "three"}


def test_set_use_replaces_the_section_only_by_another_class() -> None:
    layers = Layers([])
    layers.add({"discriminator": {"use": "a:A", "widths": [1]}}, "one")

    layers.set("discriminator.use=a:A")
    assert layers.table == {"discriminator": {"use": "a:A", "widths": [1]}}
    layers.set("discriminator.use=b:B")
    assert layers.table == {"discriminator": {"use": "b:B"}}
    assert layers.origins == {"discriminator.use": "--set"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        (" 3 ", 3),
        ("1e-4", 1e-4),
        ("true", True),
        ('"true"', "true"),
        ("[1, 2]", [1, 2]),
        ('["a b"]', ["a b"]),
        ("plain words", "plain words"),
        ("a=b", "a=b"),
        ("none", None),
        ("None", None),
        ("", ""),
    ],
)
def test_forms_of_a_value(text: str, value: object) -> None:
    layers = Layers([])
    layers.set(f"section.key={text}")

    assert layers.table == {"section": {"key": value}}
    assert layers.origins == {"section.key": "--set"}


def test_set_reaches_parts_of_the_metric() -> None:
    layers = Layers([])
    layers.add({"metric": [{"use": "a:A"}, {"use": "b:B", "most": 3}]}, "one")
    layers.set("metric.1.weight=0.5")
    layers.set("metric.1.most=none")

    assert layers.table["metric"] == [{"use": "a:A"}, {"use": "b:B", "weight": 0.5}]
    assert layers.origins["metric"] == "--set"


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("nothing", "--set 'nothing': write it as key=value"),
        ("=3", "--set '=3': write it as key=value"),
        ("seed.deep=3", "setting 'seed'"),
        ("loop" + ".a" * 500 + "=3", "nested too deeply"),
        ("loop.a=" + "[" * 30 + "]" * 30, "--set 'loop.a': nested too deeply"),
        ("source.deep=3", "'source' is a value, not a section"),
        ("metric.4.weight=1", r"there is no part '4' \(known: 0\)"),
        ("metric.0=1", "such as metric.0.weight"),
        ("metric.x=1", "there is no part 'x'"),
        ("stage2.rolouts=3", r"unknown setting 'stage2.rolouts' \(known here: epochs, "),
        ("data.colum=x", r"unknown setting 'data.colum' \(known here: lowercase, "),
        ("nothing=3", r"unknown setting 'nothing' \(known here: mle, "),
        ("stage2.rollouts=many", "setting 'stage2.rollouts': .* not 'many'"),
        ("stage2.rollouts=-1", "setting 'stage2.rollouts': .* not -1"),
        ("stage2.reward=praise", "setting 'stage2.reward': .* not 'praise'"),
        ("mle.rate=0", "setting 'mle.rate': .* not 0"),
        ("data.max_length=0", "max_length must be 1 or more"),
        ("seed=9223372036854775808", "setting 'seed'"),
        ("metric=bleu", "setting 'metric': .* not 'bleu'"),
    ],
)
def test_wrong_assignments_name_the_key(assignment: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        settled(assignments=[assignment])


def test_no_part_where_there_is_no_metric() -> None:
    with pytest.raises(UserError, match=r"there is no part '0' \(known: none\)"):
        settled(method="mle", assignments=["metric.0.weight=1"])


@pytest.mark.parametrize("kind", ["generator", "method", "preset", "profile", "discriminator"])
def test_unknown_names_list_the_known(kind: str) -> None:
    known = ", ".join(names_of(f"{kind}s"))

    with pytest.raises(UserError, match=rf"^unknown {kind} 'nope' \(known: {known}\)$"):
        settled(**{kind: "nope"})


def test_parts_of_a_metric() -> None:
    bleu, rare = (named("metrics", name)["metric"][0] for name in ("bleu", "rare_words"))

    assert metric_parts("bleu") == [bleu]
    assert metric_parts("bleu + 0.5*rare_words") == [bleu, rare | {"weight": 0.5}]
    assert metric_parts("2 * my/file.py:score") == [
        {"use": "sda.reference.function:Function", "function": "my/file.py:score", "weight": 2.0}
    ]
    with pytest.raises(UserError, match="'much' is not a number"):
        metric_parts("much*bleu")
    with pytest.raises(UserError, match="unknown metric ''"):
        metric_parts("bleu + ")


def test_kinds_of_source() -> None:
    assert source_kind("captions") == "captions"
    assert source_kind("oracle") == source_kind("oracle:here.npz") == "oracle"
    assert source_kind("captions.txt") == source_kind("oracle.txt") == "text"


def test_a_long_oracle_is_a_case_wherever_its_length_is_said(tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[embedded]\nlength = 40\n")
    long = [
        settled("oracle", config=config),
        settled("oracle", values={"embedded": {"length": 40}}),
        settled("oracle", assignments=["embedded.length=40"]),
    ]
    short = [
        settled("oracle"),
        settled("oracle", config=config, assignments=["embedded.length=20"]),
    ]

    assert [values["generator.hidden"] for values, _ in long] == [64, 64, 64]
    assert [values["embedded.oracle_size"] for values, _ in long] == [64, 64, 64]
    assert [values["generator.hidden"] for values, _ in short] == [32, 32]
    assert settled(config=config)[0]["generator.hidden"] == 256


@pytest.mark.parametrize("length", [20, 40])
def test_cases_of_a_source_and_a_generator(length: int, tmp_path: Path) -> None:
    """The more special wins, whatever the order in the file."""
    tags = ("rnn", "oracle", "oracle.for.rnn", "oracle-long", "oracle-long.for.rnn")
    config = tmp_path / "mine.toml"
    sections = [
        f"[for.{tag}.stage2]\n" + "".join(f"{key} = {i + 1}\n" for key in KEYS[i:])
        for i, tag in enumerate(tags)
    ]
    config.write_text("\n".join(reversed(sections)))
    chosen = {"config": config, "values": {"embedded": {"length": length}}}
    values, _ = settled("oracle", **chosen)
    expected = [1, 2, 3, 4, 5] if length > 20 else [1, 2, 3, 3, 3]

    assert [values[f"stage2.{key}"] for key in KEYS] == expected
    assert settled("oracle", generator="gru", **chosen)[0]["stage2.epochs"] == 15
    assert settled("captions", **chosen)[0]["stage2.rollouts"] == 1


@pytest.mark.parametrize(
    ("section", "useful", "sources"),
    [
        ("data", "a text file of your own", ["captions", "oracle:x.npz"]),
        ("embedded", "the source 'oracle'", ["captions", "notes.txt"]),
    ],
)
def test_options_that_a_source_has_no_use_for(
    section: str, useful: str, sources: list[str]
) -> None:
    nothing: dict[str, Any] = {"data": {}, "embedded": {}}

    for source in sources:
        refuse_idle(source, nothing)
        message = f"setting '{section}.key' .* {useful}, not for '{source}'"
        with pytest.raises(UserError, match=message):
            refuse_idle(source, nothing | {section: {"key": 1}})


def test_options_that_a_source_has_use_for() -> None:
    refuse_idle("notes.txt", {"data": {"lowercase": True}, "embedded": {}})
    refuse_idle("oracle", {"data": {}, "embedded": {"length": 40}})
