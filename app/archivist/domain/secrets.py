"""Tell a secret from the text that only looks like one.

Pure judgements about a single value: placeholder, code, identifier, password, random token.
They know nothing of where the value stood; `redaction` does.
"""

import base64
import binascii
import math
import re
from collections import Counter

# The pairs of letters that make up five sixths of English text and code. In a random token they are
# a quarter of all pairs, in a word or an identifier (of any European language) more than half.
_COMMON_PAIRS = frozenset(
    """se re in er th te on el le en at de or st he es me ar et nt al ti co an lf ne nd ed ta
    it ro fi ng li il ra no is ea ec ur tr io as am ct ma na ri ex ce si pe pa tu di ot ac
    ad ss ve ch la od ef fo lo ou ge rn ca om ha ns pr un rt nc to ll mp ue po ut us im rs
    ic ul ts em rr mo op pl cl da ep ai ls pt va ck ho hi oc os ap ke ee ag wi su lu rg do
    ty so ol xt lt um ba ry ir ob ow fa sh fr sp ab ni tt bu up be ig pp mi id bl rm ie
    gs of ew ay ey ga sa wa by sy""".split()
)
_LETTERS = re.compile(r"[A-Za-z]+")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_DRAWN = re.compile(r"[\w+/=.~:@%-]+\Z", re.ASCII)
_DIGIT = re.compile(r"[0-9]")
_LOWER = re.compile(r"[a-zß-öø-ÿ]")
_UPPER = re.compile(r"[A-ZÀ-ÖØ-Þ]")
_SPECIAL = re.compile(r"[!@#$%^&*?+~]")
_DIGIT_TURN = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_CASE_TURN = re.compile(r"(?<=[a-z])(?=[A-Z])")

_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{7,}\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z")
# Ids that stand in every transcript and name a record, never a right.
_RECORD = re.compile(
    r"(?:toolu|srvtoolu|msg|req|call|chatcmpl|cmpl|resp|run|thread|asst|file|batch|evt|event|item|rs"
    r"|fc|ws|wf|step|vs|ft|ftjob|gen|org|proj|user|usr|cus|sub|in|pi|ch|price|prod|acct|seg|trace"
    r"|span|job|task|node|pod|img|vol|snap|subnet|sg|vpc|ami|igw|eni|rtb|i)"
    r"[_-][A-Za-z0-9][A-Za-z0-9_-]*\Z"
)
_PUBLIC = re.compile(
    r"(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2|sk-(?:ssh|ecdsa)|AAAA[A-E]3Nza"
    r"|sha(?:1|224|256|384|512)[-:]|SHA256:|h1:|md5[-:]|pk_(?:live|test)_|pk\.|phc_|arn:|urn:|data:[a-z]+/)"
)

# What stands where a secret would, in examples and templates.
_HIDDEN = re.compile(
    r"(?i)x{5,}|\*{3,}|•{2,}|\.{3}|…|_{4,}|\[redacted|redacted\]|abcdefghijkl|%s|%d(?![0-9a-f])"
)
_SAME = re.compile(r"(?i)([x*•.\-_#?0])\1*\Z")
_TEMPLATE = re.compile(
    r"\$\{|\{\{|\$\(|\$\[|<[^>]{1,60}>?\Z|\[[^\]]{1,60}\]\Z"
    r"|\$[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*\Z|\$env:"
    r"|%[A-Za-z_][A-Za-z0-9_]*%\Z|%\([A-Za-z_]+\)|%[sdrv]\Z|@[A-Z_]+@\Z|:[a-z_]+\Z|!\w+\Z"
    r"|&[a-z]+\Z|\{[A-Za-z0-9_.:!\[\]()'\" ]{0,60}\}"
)
_EXAMPLE_WORDS = frozenset(
    """your yours example examples placeholder changeme changeit dummy sample insert replace
    replaceme todo fake redacted removed hidden masked foobar fixme tbd goes""".split()
)
_EMPTY_WORDS = frozenset(
    """none null nil undefined true false yes no on off string str text int integer number bool
    boolean bytes object any void required optional missing empty invalid incorrect wrong
    unset default auto expired revoked valid correct unknown password passwd passphrase
    passwort kennwort pass pwd secret secrets token tokens key keys apikey api_key api-key
    credential credentials mypassword mysecret mytoken mykey secretkey secret_key
    access_token auth bearer basic digest user username login name email value test testing
    here include same-origin omit read write contraseña clave senha prompt
    ask stdin file env vault keyring keychain 密码 密碼 パスワード 비밀번호""".split()
)
_YOURS = re.compile(
    r"(?:your|my)[-_ ]?(?:own|super|very|api|app|db|user|access|auth|private|secret|key|token|pass"
    r"|pw|pwd|name|value|account|project|service|client|string)[a-z_ -]*[0-9]*\Z"
)
_NAME_WORDS = frozenset(
    """password passwd passwort passphrase pass secret token key apikey credential credentials
    auth required""".split()
)
_REGEX = re.compile(r"\(\?[:=!<Pi]|\[\^|\\[wWdDsSbB]|\][*+?{]|\)[*+?]\Z|\.\*|\{[0-9]+,")
_WORD_PARTS = re.compile(r"[^A-Za-z]+")
_CALL = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[(\[]")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*!?)+\Z")
_TYPE = re.compile(r"[&*]?(?:[A-Z]\w*|str|int|bytes|string|dict|list)(?:[<\[|].*|\?|\s*\|.*)\Z")
_PATH = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@+-]+(?:[/\\][\w.@+-]*)*\Z|[\w.-]+\.[a-z]{2,4}\Z"
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,:_/T+-]*[a-zA-Z%]{0,2}\Z")
# A value is judged by so many characters, its letters by fewer: more would only cost time.
_HEAD = 256
_LETTERS_HEAD = 96
_PHRASE_STOPS = frozenset(
    """the and for are was were his her its our your but not has had from which there their
    been more would could should than them these those some has does did how why where who
    while""".split()
)


def is_placeholder(value: str) -> bool:
    """Tell whether a value only stands for a secret: `<your-key>`, `${TOKEN}`, `xxxx`."""
    bare = value[:_HEAD].strip(" \t\"'`")
    if len(bare) < 3 or _SAME.match(bare) or _HIDDEN.search(bare) or _TEMPLATE.match(bare):
        return True
    if _REGEX.search(bare):
        return True
    lower = bare.lower()
    if lower in _EMPTY_WORDS or "EXAMPLE" in bare or _YOURS.match(lower):
        return True
    words = _WORD_PARTS.split(lower)
    if not _EXAMPLE_WORDS.isdisjoint(words):
        return not (_SPECIAL.search(bare) and _DIGIT.search(bare))
    return not _NAME_WORDS.isdisjoint(words) and not _DIGIT.search(bare) and looks_worded(bare)


def is_code(value: str) -> bool:
    """Tell whether an unquoted value is an expression, a type, a path or a number."""
    return bool(
        (_CALL.match(value) and len(_SPECIAL.findall(value)) < 3)
        or _TYPE.match(value)
        or _SCHEME.match(value)
        or _NUMBER.match(value)
        or (_DOTTED.match(value) and not _looks_drawn(value))
        or is_path(value)
    )


def is_path(value: str) -> bool:
    """Tell whether a value is the path or name of a file whose parts are words."""
    return bool(_PATH.match(value)) and not _looks_drawn(value)


def is_record_id(value: str) -> bool:
    """Tell whether a value names a record or its content: hash, UUID, message id, public key."""
    return bool(
        _HEX.match(value) or _UUID.match(value) or _RECORD.match(value) or _PUBLIC.match(value)
    )


def is_public(value: str) -> bool:
    """Tell whether a value is public by its shape: public key, integrity hash, publishable key."""
    return bool(_PUBLIC.match(value))


def looks_random(value: str, *, least: int = 16) -> bool:
    """Tell whether a value was drawn by a machine: no words in it, letters mixed with digits."""
    if len(value) < least or _NUMBER.match(value) or not _DRAWN.match(value):
        return False
    return _looks_drawn(value) and _entropy(value) >= 2.5


def looks_chosen(value: str) -> bool:
    """Tell whether a value looks like a password: letters with digits or signs, or random."""
    if len(value) < 4 or not (_LOWER.search(value) or _UPPER.search(value)):
        return len(value) >= 6 and value.isascii() and value.isdigit()
    return bool(
        _DIGIT.search(value) or _SPECIAL.search(value.rstrip("!?")) or looks_random(value, least=10)
    )


def looks_strong(value: str) -> bool:
    """Tell whether a value can hardly stand in a sentence: letters, digits and signs, or random."""
    if len(value) < 6 or not (_LOWER.search(value) or _UPPER.search(value)):
        return False
    signs = len(_SPECIAL.findall(value))
    if signs and (_DIGIT.search(value) or (signs > 2 and len(value) >= 16)):
        return not _CALL.match(value)
    return looks_random(value, least=10)


def looks_worded(value: str) -> bool:
    """Tell whether a value is made of words joined by `-`, `_`, `.` or capitals, as names are."""
    value = value[:_HEAD]
    if _SPECIAL.search(value):
        return False
    pairs, common = _pairs(value)
    if _DIGIT.search(value) and len(_DIGIT_TURN.findall(value)) > 2:
        return False
    return pairs < 4 or common / pairs >= 0.45


def is_basic_credential(value: str) -> bool:
    """Tell whether a value is the Base64 of `user:password`, as in a Basic header."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and len(plain) >= 4


def is_numbered_name(value: str) -> bool:
    """Tell whether a value is `password1` or `token2`: the name of a second variable."""
    return value.rstrip("0123456789").lower() in _EMPTY_WORDS


def is_phrase(value: str) -> bool:
    """Tell whether words can be a recovery phrase: 12 to 24 of them, none of grammar."""
    words = _LETTERS.findall(value)
    return 12 <= len(words) <= 24 and _PHRASE_STOPS.isdisjoint(words)


def _looks_drawn(value: str) -> bool:
    value = value[:_HEAD]
    digit_turns = len(_DIGIT_TURN.findall(value))
    if digit_turns / len(value) >= 0.22:
        return True
    turns = digit_turns + len(_CASE_TURN.findall(value))
    has_digit = bool(_DIGIT.search(value))
    pairs, common = _pairs(value)
    if pairs < 4:
        return digit_turns >= 2 and is_record_id(value)
    if not has_digit and turns < 2 and not (turns and pairs >= 6):
        return False
    share = common / pairs
    mixing = turns / len(value)
    return (share < 0.45 and mixing > 0.04) or (share < 0.6 and mixing >= 0.22)


def _pairs(value: str) -> tuple[int, int]:
    pairs = common = 0
    for word in _CAMEL.findall(value[:_LETTERS_HEAD]):
        lower = word.lower()
        pairs += len(lower) - 1
        common += sum(lower[i : i + 2] in _COMMON_PAIRS for i in range(len(lower) - 1))
    return pairs, common


def _entropy(value: str) -> float:
    """Return Shannon's entropy of the characters in bits; a long value is judged by its head."""
    head = value[:_HEAD]
    counts = Counter(head)
    return -sum(n / len(head) * math.log2(n / len(head)) for n in counts.values())
