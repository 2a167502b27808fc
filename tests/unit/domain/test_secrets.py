import random
import string

import pytest

from archivist.domain import secrets

ALPHABETS = {
    "base62": string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "base36": string.ascii_lowercase + string.digits,
    "base64": string.ascii_letters + string.digits + "+/",
}


@pytest.mark.parametrize("name", ALPHABETS)
@pytest.mark.parametrize("length", [20, 32, 64])
def test_what_a_machine_drew_looks_random(name: str, length: int) -> None:
    dice = random.Random(length)
    drawn = ["".join(dice.choices(ALPHABETS[name], k=length)) for _ in range(500)]
    assert sum(map(secrets.looks_random, drawn)) >= 485


@pytest.mark.parametrize(
    "name",
    """getUserByIdentifierAndName user_service_configuration my-service-account-prod-v2
    TokenBucketRateLimiterConfiguration test_password_reset_flow com.example.internal.Pool
    src/components/PasswordInput2.tsx ApiGatewayApiKey CrtSigV4AsymQueryAuth Md5OfMessageBody
    2024-11-30T12:01:07.822918 1234567890123456 aaaaaaaaaaaaaaaaaaaa 1.2.3-beta.4""".split(),
)
def test_names_dates_and_numbers_do_not_look_random(name: str) -> None:
    assert not secrets.looks_random(name)


@pytest.mark.parametrize(
    "value",
    """your-api-key-here YOUR_API_KEY <your-key> ${TOKEN} $TOKEN {{token}} %TOKEN% xxxxxxxx ... ***
    changeme REDACTED [redacted:password] example-key password my-secret-key None null true string
    !vault :password ab EXAMPLEKEY f{token} [^\\s:]+ abcdefghijklmnop""".split(),
)
def test_what_only_stands_for_a_secret_is_a_placeholder(value: str) -> None:
    assert secrets.is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    [
        "hunter2",
        "abc",
        "my-Dog#2024",
        "Sample#2024",
        "Yourock#99",
        "Tulip#0122Cobalt",
        "!2dsg1!tm",
        "123456",
    ],
)
def test_a_literal_is_no_placeholder(value: str) -> None:
    assert not secrets.is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    """get_password() config.apiKey req.body.password process.env.X self.token os.environ["X"]
    list[str] Optional[str] https://a.b /run/secrets/x ./a/b.pem key.json 12345 3.14""".split(),
)
def test_code_is_no_literal(value: str) -> None:
    assert secrets.is_code(value)


@pytest.mark.parametrize("value", ["hunter2", "Tulip#0122Cobalt", "s3cr3t-value", "abcDEF"])
def test_a_literal_is_no_code(value: str) -> None:
    assert not secrets.is_code(value)


@pytest.mark.parametrize(
    "value,chosen,strong",
    [
        ("hunter2", True, False),
        ("Tulip#0122Cobalt", True, True),
        ("required", False, False),
        ("incorrect.", False, False),
        ("sha256sum", True, False),
        ("482913", True, False),
        ("8", False, False),
        ("ZicUHySIuheXKiNUJGKJ", True, True),
        ("(kcs(xx#!+v@!c#swy", True, True),
        ("passe", False, False),
    ],
)
def test_passwords_and_words(value: str, chosen: bool, strong: bool) -> None:  # noqa: FBT001
    assert secrets.looks_chosen(value) is chosen
    assert secrets.looks_strong(value) is strong


@pytest.mark.parametrize("value", ["db-credentials", "refresh", "my.service.name", "authToken"])
def test_a_name_is_worded(value: str) -> None:
    assert secrets.looks_worded(value)


@pytest.mark.parametrize("value", ["Tulip#0122", "a1b2c3d4", "zqxwvkjh"])
def test_a_secret_is_not_worded(value: str) -> None:
    assert not secrets.looks_worded(value)


def test_ids_and_public_values_are_known() -> None:
    for value in ("47b13e681259a109", "0xdeadbeef", "2dac5e17-a711-4c9e-ae45-76eafec0dc59"):
        assert secrets.is_record_id(value)
    for value in ("toolu_01N55waqGJvj8UHos367ODo3", "req_afqbhbXBKFmb5eo4rzz4sToA", "msg_01eI2xs3"):
        assert secrets.is_record_id(value)
    assert secrets.is_public("sha512-ZJWgDMBJnGvJdqTTd8beL2W5bP0NezNB")
    assert secrets.is_public("ssh-ed25519")
    assert not secrets.is_record_id("x1y2z3w4x1y2z3w4")


def test_the_base64_of_a_basic_header_is_known() -> None:
    assert secrets.is_basic_credential("dXNlcjpodW50ZXIy")
    assert not secrets.is_basic_credential("authentication")
    assert not secrets.is_basic_credential("a")


def test_a_recovery_phrase_has_twelve_words_and_no_grammar() -> None:
    words = (
        "abandon ability able about above absent absorb abstract absurd abuse access acid".split()
    )
    assert secrets.is_phrase(" ".join(words))
    assert not secrets.is_phrase(" ".join(words[:11]))
    assert not secrets.is_phrase(" ".join([*words[:11], "the"]))


def test_a_second_variable_is_no_password() -> None:
    assert secrets.is_numbered_name("password2")
    assert not secrets.is_numbered_name("hunter2")
