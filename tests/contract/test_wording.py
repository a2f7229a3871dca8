"""The languages hold the same keys, and take the same words in."""

from __future__ import annotations

import string

import msgspec
import pytest

from versiondiff.records import LANGUAGES
from versiondiff.wording import CATALOGUES, Wording

KEYS = [field.name for field in msgspec.structs.fields(Wording)]


def braces(template: str) -> list[str]:
    return sorted(field for _, field, _, _ in string.Formatter().parse(template) if field)


def test_every_language_has_a_catalogue() -> None:
    assert tuple(CATALOGUES) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_filled(key: str, language: str) -> None:
    text = getattr(CATALOGUES[language], key)
    assert text
    assert "\n" not in text


@pytest.mark.parametrize("key", KEYS)
def test_the_languages_take_the_same_words_in(key: str) -> None:
    english, *others = [braces(getattr(CATALOGUES[language], key)) for language in LANGUAGES]
    for other in others:
        assert other == english


def test_a_catalogue_that_lacks_a_key_does_not_load() -> None:
    with pytest.raises(TypeError, match="Missing required argument"):
        Wording(separator=", ")  # type: ignore[call-arg]
