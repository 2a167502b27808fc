import json
import random
import string
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archivist.domain.redaction import Cleaned, Gate, parse_rules
from archivist.shipped import gate as shipped_gate
from helpers.shared import shared_folder, why_missing

ALPHANUMERIC = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"


def drawn(count: int, alphabet: str = ALPHANUMERIC, seed: int = 1) -> str:
    """Return a fake body, put together here so that scanners of the repository stay quiet."""
    return "".join(random.Random(seed * 1000 + count).choices(alphabet, k=count))


GITHUB = "gh" + "p_" + drawn(36)
AWS = "AK" + "IA" + drawn(16, string.ascii_uppercase + "234567")
JWT = "ey" + "J" + drawn(20) + ".ey" + "J" + drawn(60) + "." + drawn(43)
UUID = "2dac5e17-a711-4c9e-ae45-76eafec0dc59"
PASSWORD = "Tulip#0122Cobalt"
HEADER, FOOTER = "-----BEGIN RSA PRIV" + "ATE KEY-----", "-----END RSA PRIV" + "ATE KEY-----"
BODY = "\n".join(drawn(64, seed=line) for line in range(1, 9))


@pytest.fixture(scope="module")
def gate() -> Gate:
    return shipped_gate()


@pytest.mark.parametrize(
    "text,cleaned",
    [
        (f"export GITHUB_TOKEN={GITHUB}", "export GITHUB_TOKEN=[redacted: github token]"),
        ("postgres://app:hunter2pass@db/prod", "postgres://app:[redacted: password]@db/prod"),
        (f"My key is {GITHUB}, why?", "My key is [redacted: github token], why?"),
        (
            f"我把密钥设成了{GITHUB}，但还是报错",
            "我把密钥设成了[redacted: github token]，但还是报错",
        ),
        (f"**{GITHUB}**", "**[redacted: github token]**"),
        (f'"a\\n{GITHUB}\\n"', '"a\\n[redacted: github token]\\n"'),
        (f"aws {AWS}.", "aws [redacted: aws key id]."),
        (f"Bearer {JWT}", "Bearer [redacted: jwt]"),
        ("DB_PASSWORD=abc", "DB_PASSWORD=[redacted: password]"),
        ("MY_TOKEN=abc", "MY_TOKEN=[redacted: token]"),
        ("PGPASSWORD=abc psql", "PGPASSWORD=[redacted: password] psql"),
        ("密码：hunter2", "密码：[redacted: password]"),
        (
            "Authorization: Bearer abcdefgh12345678",
            "Authorization: Bearer [redacted: credential]",
        ),
        (f"password: {PASSWORD}\n", "password: [redacted: password]\n"),
        (f"{{'password': '{PASSWORD}'}}", "{'password': '[redacted: password]'}"),
        (f"?user=a&password={PASSWORD}&ssl=1", "?user=a&password=[redacted: password]&ssl=1"),
        (f"Pwd={PASSWORD};Encrypt=true", "Pwd=[redacted: password];Encrypt=true"),
        (f"<password>{PASSWORD}</password>", "<password>[redacted: password]</password>"),
        (
            f"- name: DB_PASSWORD\n  value: {PASSWORD}",
            "- name: DB_PASSWORD\n  value: [redacted: password]",
        ),
        (f'"{HEADER}\\n{drawn(64)}\\n{FOOTER}\\n"', '"[redacted: private key]\\n"'),
        (f"see\n{HEADER}\n{BODY}\n{FOOTER}\nend", "see\n[redacted: private key]\nend"),
        (f"see\n{HEADER}\n{BODY}\n\nIt fails.", "see\n[redacted: private key]\n\nIt fails."),
    ],
)
def test_a_secret_goes_and_what_stands_beside_it_stays(gate: Gate, text: str, cleaned: str) -> None:
    assert gate.clean(text).text == cleaned


PROVIDERS: dict[str, str] = {
    "anthropic key": "sk-" + "ant-api03-" + drawn(90),
    "openai key": "sk-" + "proj-" + drawn(120),
    "openrouter key": "sk-" + "or-v1-" + drawn(64, HEX),
    "hugging face token": "hf" + "_" + drawn(34),
    "groq key": "gs" + "k_" + drawn(52),
    "slack token": "xap" + "p-1-A" + drawn(10).upper() + "-1234567890-" + drawn(64, HEX),
    "gitlab token": "glp" + "at-" + drawn(20),
    "google api key": "AI" + "za" + drawn(35),
    "stripe key": "sk" + "_live_" + drawn(24),
    "npm token": "np" + "m_" + drawn(36),
    "nvidia key": "nva" + "pi-" + drawn(64),
    "tailscale key": "tsk" + "ey-auth-" + drawn(17) + "-" + drawn(32),
    "telegram token": "123456789:A" + "A" + drawn(33),
    "azure secret": "abc8" + "Q~" + drawn(34),
    "terraform token": drawn(14) + ".atlas" + "v1." + drawn(67),
    "twilio key": "S" + "K" + drawn(32, HEX),
    "zhipu key": drawn(32, HEX) + "." + drawn(16),
    "slack webhook": "https://hooks.sla" + "ck.com/services/T0AAAAAAA/B0AAAAAAA/" + drawn(24),
    "discord webhook": "https://discord.com/api/web" + "hooks/123456789012345678/" + drawn(68),
    "webhook": "https://open.fei" + "shu.cn/open-apis/bot/v2/hook/" + UUID,
}


@pytest.mark.parametrize("kind", PROVIDERS)
@pytest.mark.parametrize(
    "context", ["{}", "so it is {}, see?", "（{}）。", "`{}`", '{{"a":"{}"}}', "x\n{}\ny"]
)
def test_tokens_are_known_by_their_form_alone(gate: Gate, kind: str, context: str) -> None:
    cleaned = gate.clean(context.format(PROVIDERS[kind]))
    assert cleaned == Cleaned(context.format(f"[redacted: {kind}]"), (kind,))


@pytest.mark.parametrize(
    "text",
    [
        f"the admin password is {PASSWORD} on staging",
        f"Log in with user demo and password {PASSWORD} please",
        f"use {PASSWORD} as the password",
        f"password for the wifi: {PASSWORD}",
        f"I changed the root password to {PASSWORD} yesterday.",
        f"log in as admin / {PASSWORD}",
        f"数据库密码是 {PASSWORD}，用户名 root",
        f"账号 admin 密码 {PASSWORD}",
        f"口令为{PASSWORD}。",
        f"パスワードは {PASSWORD} です",
        f"パスワード：{PASSWORD}",
        f"Das Passwort lautet {PASSWORD} für den Server",
        f"das Kennwort für den Admin ist {PASSWORD}.",
        f"la contraseña es {PASSWORD} en producción",
        f"La clave del servidor es {PASSWORD}",
        f"le mot de passe est {PASSWORD} sur le serveur",
        f"mot de passe : {PASSWORD}",
        f"비밀번호는 {PASSWORD}",
        f"machine a.io\n  login me\n  password {PASSWORD}\n",
        f"db.internal:5432:prod:app:{PASSWORD}",
        f"mysqldump -uroot -p{PASSWORD} app > x.sql",
        f"sshpass -p '{PASSWORD}' ssh root@h",
        f"curl -u admin:{PASSWORD} https://x/api",
        f"tool --db-password {PASSWORD} --verbose",
        f"echo '{PASSWORD}' | sudo -S apt update",
        f"CREATE USER app WITH PASSWORD '{PASSWORD}';",
        f"root:{PASSWORD}@tcp(127.0.0.1:3306)/app",
        f'auth=("admin", "{PASSWORD}")',
        f'"{{\\"password\\": \\"{PASSWORD}\\"}}"',
        f'"A=1\\nDB_PASSWORD={PASSWORD}\\nC=2"',
    ],
)
def test_passwords_are_found_where_they_are_told(gate: Gate, text: str) -> None:
    cleaned = gate.clean(text)
    assert cleaned.kinds == ("password",)
    assert cleaned.text.count("[redacted: password]") == 1
    assert PASSWORD[2:] not in cleaned.text


@pytest.mark.parametrize(
    "text",
    [
        f"Cookie: theme=dark; sessionid={drawn(32)}; lang=en",
        f"-b 'session={drawn(40)}'",
        f"Set-Cookie: connect.sid=s%3A{drawn(32)}; Path=/",
        f"X-Api-Key: {drawn(32, HEX)}",
        f"//npm.example.org/:_authToken={UUID}",
        f'"auth": "{drawn(40)}"',
        f"AZURE_OPENAI_API_KEY: {drawn(32, HEX)}",
        f"os.environ['HEROKU_API_KEY'] = '{UUID}'",
        f"AccountKey={drawn(86)}==;EndpointSuffix=core.windows.net",
        f"error: invalid credential 'zz{drawn(40)}' (request 4411)",
        f"SECRET_KEY = 'django-insecure-{drawn(50, string.ascii_lowercase + '!@#$%^&*(-_=+)')}'",
        f"[Interface]\nPrivateKey = {drawn(43)}=",
        f"otpauth://totp/Acme:bob?secret={drawn(32, BASE32)}&issuer=Acme",
        f"my 2FA secret is {drawn(16, BASE32)}",
        "Your verification code is 482913.",
        "验证码是 482913，请勿泄露",
        "seed words: abandon ability able about above absent absorb abstract absurd abuse acid act",
        "助记词：abandon ability able about above absent absorb abstract absurd abuse access acid",
        f"https://b.s3.amazonaws.com/k?X-Amz-Signature={drawn(64, HEX)}",
        f"https://oauth2:{drawn(26)}@gitlab.com/a/b.git",
    ],
)
def test_other_secrets_are_found_by_what_stands_beside_them(gate: Gate, text: str) -> None:
    cleaned = gate.clean(text)
    assert len(cleaned.kinds) == 1
    assert "[redacted: " in cleaned.text


KEPT = """
Explain the token bucket algorithm
We need a password reset page
The secret to good code is naming
max_tokens=4096 and temperature=0.2
def get_token(self) -> str:
password = getpass.getpass()
const password = req.body.password;
api_key: str | None = None
apiKey: config.apiKey
token: ${{ secrets.GITHUB_TOKEN }}
password: !vault ansible-vault
password: string;
let token = self.next_token();
token = tokens[i]
if (password !== confirmPassword) throw new Error("passwords do not match");
KeyError: 'access_token'
"password": "Password"
"password": {"type": "string", "minLength": 8}
the password must be at least 12 characters long
the password is incorrect
passwords are hashed with bcrypt12 before storage
use --password to set it
--password-stdin
mkdir -p src/components
curl -u "$USER:$TOKEN" https://x
postgres://user:password@localhost/db
postgres://${DB_USER}:${DB_PASS}@${DB_HOST}/app
http://localhost:3000/?next=foo@bar.com
git@github.com:acme/app.git
OPENAI_API_KEY=your-api-key-here
API_KEY=<your-key>
TOKEN=${TOKEN}
sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
Authorization: Bearer $TOKEN
Authorization: Bearer <token>
AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
toolu_01N55waqGJvj8UHos367ODo3 used the token
msg_01eI2xs3IZPo3Z8nPqTw4urN
req_afqbhbXBKFmb5eo4rzz4sToA
call_3WrdrXZGZUCX4YPf5dR3wUHH
chatcmpl-60uBHnS8n0OmMwkIqY5ub6pO1w94v
session id a7630242-435b-475b-a57c-210564775e9e
pod api-2a026160-b5b9-4186-aa27-4e1ba8d202f1
commit 47b13e681259a10996cb740f485aa20c6426dfd5
the token refactor is in 8424471bbb8e4d96c596cd7470477c27e4866d76
"integrity": "sha512-ZJWgDMBJnGvJdqTTd8beL2W5bP0NezNB5x6TOeqFS2jSulBAEMckntn7trPetSCs5OnsHB8l+Zcv=="
checksum = "4e369b065a4df1a2ef95f6616c7eb54ec7c56b3014c9a0c021347f40c36b8a8e"
golang.org/x/net v0.20.0 h1:cQB0whlGj+TfMbio6T/G+YPCarapcXQf0f0xIMr22fk=
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGT35fH/BHp458JaoBFiSSDslGQazTQ4m//ZFDDtQhF0 dev@laptop
key fingerprint is SHA256:2oiQJpta+BL3ZTIpau32EtzWvnFITf4rdEY8dZSdttY
arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf
{"eos_token": "</s>", "input_tokens": 1523, "next_page_token": null}
2024-11-30T12:01:07.822918Z level=info msg=started
exit code 127, status code is 200
密码不能少于八位
密码加密使用 bcrypt12
令牌已过期，错误码 40101
パスワードを入力してください
Das Passwort muss mindestens 8 Zeichen lang sein
la contraseña es obligatoria
mot de passe oublié ?
class="sk-toggleable__content sk-estimator-doc-link"
""".strip().splitlines()


@pytest.mark.parametrize("text", KEPT)
def test_prose_code_ids_and_placeholders_stay(gate: Gate, text: str) -> None:
    assert gate.clean(text) == Cleaned(text)


def test_public_keys_and_certificates_stay(gate: Gate) -> None:
    for name in ("CERTIFICATE", "PUBLIC KEY"):
        text = f"-----BEGIN {name}-----\n{BODY}\n-----END {name}-----"
        assert gate.clean(text).text == text
    assert gate.clean('grep -r "' + HEADER + '" .').kinds == ()


def test_a_long_bare_value_goes_whole(gate: Gate) -> None:
    text = f"ALIPAY_PRIVATE_KEY={drawn(1600)}== # end"
    assert gate.clean(text).text == "ALIPAY_PRIVATE_KEY=[redacted: private key] # end"


def test_the_kinds_are_told_once_in_order(gate: Gate) -> None:
    text = f"{GITHUB} and DB_PASSWORD=abc and {GITHUB}"
    assert gate.clean(text).kinds == ("github token", "password")


def test_in_json_only_the_string_values_are_cleaned(gate: Gate) -> None:
    text = (
        '{ "command" : "export TOKEN=' + GITHUB + '",\n  "n": 1.10, "big": 12345678901234567890,'
        ' "token": "hunter", "nested": {"api_key":"x y", "password": "绝密的"}, "k": null,'
        ' "tokens": 5, "token": "<your-token>", "list": ["a", "\\u00e4"] }'
    )
    cleaned = gate.clean_json(text)
    assert cleaned.text == (
        '{ "command" : "export TOKEN=[redacted: github token]",\n  "n": 1.10,'
        ' "big": 12345678901234567890, "token": "[redacted: token]", "nested": {"api_key":"x y",'
        ' "password": "[redacted: password]"}, "k": null, "tokens": 5, "token": "<your-token>",'
        ' "list": ["a", "\\u00e4"] }'
    )
    assert cleaned.kinds == ("github token", "token", "password")


def test_in_json_a_pair_of_name_and_value_is_understood(gate: Gate) -> None:
    text = json.dumps(
        {"env": [{"name": "DB_PASSWORD", "value": "abc"}, {"name": "A", "value": "b"}]}
    )
    assert gate.clean_json(text).text == text.replace('"abc"', '"[redacted: password]"')


@pytest.mark.parametrize("text", ["", "no json", "{broken", "[" * 100_000, '{"a": 1}', "12", '"a"'])
def test_what_is_no_json_is_cleaned_as_text(gate: Gate, text: str) -> None:
    assert gate.clean_json(text) == Cleaned(text)
    token = f"{text} {GITHUB}"
    assert GITHUB not in gate.clean_json(token).text


def test_half_a_surrogate_pair_stays_escaped_in_json(gate: Gate) -> None:
    cleaned = gate.clean_json('{"a": "é \\ud800 ' + GITHUB + '"}').text
    assert json.loads(cleaned) == {"a": "é \ud800 [redacted: github token]"}
    cleaned.encode("utf-8")


PARTS = st.sampled_from(
    [
        GITHUB, AWS, JWT, PASSWORD, HEADER, FOOTER, BODY, UUID, "password", "token", "secret",
        "key", " is ", "=", ": ", '"', "'", "`", "\\n", "\n", " ", "密码", "：", "パスワード",
        "API_KEY", "Authorization: ", "Bearer ", "Basic ", "https://", "a:b@c", "cookie: a=",
        ";", "&", "[redacted: password]", "[redacted: ", "]", "--password ", "curl -u ",
        "ENV ", "{", "}", "\x00", "\ud800", "ß", "x" * 20, "1234567", "!", "$", "sk" + "-",
        "_", "-", ".", "/", "seed phrase ", "abandon ability ", "code is ", "482913",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(PARTS, max_size=25).map("".join))


@settings(max_examples=600, deadline=None)
@given(TEXTS)
def test_any_text_is_cleaned_and_twice_is_the_same(text: str) -> None:
    once = shipped_gate().clean(text)
    assert shipped_gate().clean(once.text) == Cleaned(once.text)
    assert bool(once.kinds) == (once.text != text)


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), TEXTS),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["token", "a", "name", "value", "密码"]), inner),
        ),
        max_leaves=8,
    ),
    st.booleans(),
)
def test_cleaned_json_has_the_same_structure(value: object, escaped: bool) -> None:  # noqa: FBT001
    text = json.dumps(value, ensure_ascii=escaped)
    cleaned = shipped_gate().clean_json(text).text
    assert _shape(json.loads(cleaned)) == _shape(json.loads(text))
    assert shipped_gate().clean_json(cleaned).text == cleaned


def _shape(value: object) -> object:
    match value:
        case dict():
            return {key: _shape(inner) for key, inner in value.items()}
        case list():
            return [_shape(inner) for inner in value]
        case str():
            return str
        case _:
            return value


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


@pytest.mark.parametrize(
    "part",
    [
        "password=", "key=", '"token": "', "key key ", "the password for ", "password    ",
        "a://b:c", "://a:b@", "cookie: a=", "cookie:a=b;", "bearer ", "authorization: ",
        HEADER, HEADER + "\n", "sk" + "-", "ey" + "J", "ey" + "Jaaaaaaaa.", "gh" + "p_", "密码",
        "密码：", "wallet abandon ", "code is ", "otp ", " -p", "curl -u ", "mysql x -p ",
        "machine a login b password ", "as the password ", "echo a | ", "[redacted: ", "\\n",
        "a" * 16 + " ", "x" * 5000 + ".", "A", "0123456789abcdef" * 2 + ".", "-", "_", "=",
        "'", '"', "{", "\\", ":5432:", "sig=", "8q~", "aA1", "-us1",
        "name: password\n value: ", "key" + " " * 200, "\ud800", "\x00",
    ],
)  # fmt: skip
def test_no_text_takes_more_than_its_length(gate: Gate, part: str) -> None:
    once = (part * (8_000 // len(part) + 1))[:8_000]
    short = min(_seconds(lambda: gate.clean(once)) for _ in range(3))
    long = min(_seconds(lambda: gate.clean(once * 8)) for _ in range(2))
    assert long < 0.2 or long / short < 24  # 64 if the time grew with the square of the length


def test_a_text_of_fifty_megabytes_is_cleaned(gate: Gate) -> None:
    text = ("The archive keeps every conversation. " * 26 + "\n") * 50_000 + GITHUB
    assert len(text) > 49_000_000
    cleaned = gate.clean(text)
    assert cleaned.kinds == ("github token",)
    assert len(cleaned.text) == len(text) - len(GITHUB) + len("[redacted: github token]")


def test_strings_of_transcripts_are_cleaned_fast(gate: Gate) -> None:
    # Every line holds an anchor: ordinary text is several times as fast.
    text = (
        "I looked at `src/parser/index.py` and the tests in tests/unit. The token count is 4096;"
        " the request toolu_01N55waqGJvj8UHos367ODo3 took 12 ms, see https://example.com/a/b.\n"
        '{"id": "2dac5e17-a711-4c9e-ae45-76eafec0dc59", "sha": "47b13e681259a10996cb740f485a"}\n'
    ) * 20
    took = _seconds(lambda: [gate.clean(text) for _ in range(100)])
    assert len(text) * 100 / took > 3_000_000


def test_rules_are_data_and_faults_in_them_are_told() -> None:
    ours = {"token": [{"kind": "acme key", "starts": ["acme_"], "body": "[a-z0-9]{8,20}"}]}
    gate = Gate(parse_rules([ours]))
    assert gate.clean("acme_abcd1234!").text == "[redacted: acme key]!"
    assert gate.clean(f"password={GITHUB}").kinds == ()
    assert Gate(parse_rules([])).clean("密码：hunter2").kinds == ()
    shape = {"kind": "x", "anchors": ["abc"], "pattern": "abc(?P<secret>d)", "check": "none"}
    assert Gate(parse_rules([{"shape": [shape]}])).clean("ABC abcd").text == "ABC abc[redacted: x]"
    faults: list[dict[str, object]] = [
        {"token": [{"kind": "x", "starts": ["a"], "body": "b"}]},
        {"token": [{"kind": "x", "starts": ["abc"]}]},
        {"token": {}},
        {"token": ["abc"]},
        {"stems": "abc"},
        {"shape": [{**shape, "pattern": "abc"}]},
        {"shape": [{**shape, "anchors": []}]},
        {"shape": [{**shape, "check": "?"}]},
        {"shape": [{**shape, "back": "1"}]},
        {"name": [{"kind": "x", "level": "?"}]},
    ]
    for table in faults:
        with pytest.raises(ValueError):
            parse_rules([table])


def test_the_public_corpus_is_hidden_and_its_look_alikes_stay(gate: Gate) -> None:
    shared = shared_folder()
    if shared is None:
        pytest.skip(why_missing("data/secrets"))
    figures = _bench(gate, shared / "data/secrets/cases.json")
    assert figures["recall"]["all"] >= 0.97
    assert figures["keep_changed"] <= 0.01


def _bench(gate: Gate, data: Path) -> dict[str, Any]:
    import importlib.util

    path = Path(__file__).parents[2] / "bench" / "redaction.py"
    spec = importlib.util.spec_from_file_location("bench_redaction", path)
    assert spec is not None
    assert spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    found: dict[str, Any] = bench.measure(gate, json.loads(data.read_text("utf-8")))
    return found
