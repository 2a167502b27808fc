import pytest

from archivist.domain.lang import language_of, languages_of


@pytest.mark.parametrize(
    "text, lang",
    [
        ("Please keep the tests in one file", "en"),
        ("Bitte schreib die Tests in eine Datei", "de"),
        ("Unser Server steht in Frankfurt", "de"),
        ("Usamos pnpm, no npm", "es"),
        ("Nunca borres los archivos sin preguntarme", "es"),
        ("N'utilise jamais d'abréviations", "fr"),
        ("Não use abreviações nos nomes", "pt"),
        ("我喜欢用 Rust 写后端服务", "zh"),
        ("変数名は英語で書いてください", "ja"),
        ("パスを修正", "ja"),
        ("변수 이름은 영어로 써줘", "ko"),
        ("Всегда спрашивай меня", "ru"),
        ("please rename 订单 to order in the code", "en"),
    ],
)
def test_tells_the_language(text: str, lang: str) -> None:
    assert language_of(text) == lang


def test_says_the_default_when_nothing_tells() -> None:
    assert language_of("foo bar baz", "de") == "de"
    assert language_of("42", "en") == "en"
    assert language_of("") == "other"


def test_offers_both_languages_of_a_mixed_sentence() -> None:
    assert set(languages_of("I prefer 深色模式")) == {"en", "zh"}


def test_curly_apostrophes_count() -> None:
    assert language_of("It’s fine, don’t") == "en"
