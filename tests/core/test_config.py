"""Settings by name: each told with its words and range, each held to it, whatever is typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.config import (
    INDEXING,
    STAGES,
    Config,
    ReadingConfig,
    changed,
    described,
    every_setting,
    saved_config,
    with_settings,
)
from core.errors import BadInput


def refused(text: str, stages: tuple[str, ...] = STAGES, parameters: bool = True) -> str:
    with pytest.raises(BadInput) as caught:
        with_settings(Config(), [text], stages, parameters=parameters)
    return str(caught.value)


def test_values_take_the_type_of_their_setting() -> None:
    config = with_settings(
        Config(),
        [
            "reading.max_seconds= 60",
            "retrieval.damping=0.5",
            "retrieval.second_stage=False",
            "retrieval.fact_share=0",
        ],
    )
    assert (config.reading.max_seconds, config.retrieval.damping) == (60, 0.5)
    assert (config.retrieval.second_stage, config.retrieval.fact_share) == (False, 0.0)
    assert config.chunking == Config().chunking


def test_what_does_not_fit_is_reported_with_what_would() -> None:
    for value in ("0", "86401", "1.5", "soon", "", "nan"):
        line = refused(f"reading.max_seconds={value}")
        assert f"'{value}'" in line and "1 to 86,400 s" in line
    for value in ("1", "-0.1", "nan", "half"):
        assert "0 to 0.99" in refused(f"retrieval.damping={value}")
    assert "true or false" in refused("retrieval.synonymy=1")
    for value in ("", "--help", "eng deu", "eng+", "eng;ls", "eng\ndeu"):
        assert refused(f"reading.ocr_language={value}").endswith("as Tesseract names them: eng+deu.")


def test_names_that_there_are_not() -> None:
    assert "reading.NAME, chunking.NAME" in refused("time=60")
    assert "reading.max_seconds, reading.ocr_language" in refused("reading.time=60", parameters=False)
    assert "reading.max_seconds=VALUE" in refused("reading.max_seconds")
    assert refused("retrieval.damping=0.5", INDEXING).endswith("reading.NAME, chunking.NAME, models.NAME.")


def test_every_default_lies_within_its_own_range() -> None:
    config = Config()
    assert all(item.words for item in described(config))
    for item in every_setting(config):
        assert item.value == item.default
        assert (item.least is None) == isinstance(item.default, bool | str), item.name
        assert with_settings(config, [f"{item.name}={item.value}"]) == config


def test_a_parameter_is_no_setting_of_a_person() -> None:
    for line in ("control.gate=0", "agentic.hops=3", "watch.poll=5"):
        changed_config = with_settings(Config(), [line])
        assert refused(line, parameters=False).startswith("There is no setting") and changed(changed_config)
        assert line.partition("=")[0] not in [item.name for item in described(Config())]
        # One that a workspace holds can be seen.
        assert line.partition("=")[0] in [item.name for item in described(changed_config)]
    choices = refused("control.gate=0", parameters=False)
    assert "answer.NAME" in choices and "control.NAME" not in choices


def test_what_was_changed_can_be_stored_and_other_versions_do_no_harm() -> None:
    config = replace(Config(), reading=ReadingConfig(max_seconds=60, ocr_language="deu+eng"))
    lines = changed(config, INDEXING)
    assert lines == ["reading.max_seconds=60", "reading.ocr_language=deu+eng"]
    assert saved_config(["reading.gone=1", *lines, "chunking.overlap=1000"]) == config
    assert changed(Config()) == []
    # A parameter of indexing, which an older Clew let a person set, is dropped: nobody could set it back.
    assert changed(saved_config(["chunking.overlap=0", "models.retries=0", "control.gate=0.0"])) == [
        "control.gate=0.0"
    ]
