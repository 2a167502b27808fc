"""A cheap guess at the language of a sentence, by script and function words.

Good enough to choose the cues for a sentence; it never decides what is kept or thrown away.
"""

import re
from typing import Final

OTHER: Final = "other"

# Words so common that a sentence of five words holds one or two, and that no other of these
# languages uses as often. Words that two of them share ("die", "a", "no", "me") are left out
# or stand in both lists, where they cancel out.
FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": frozenset(
        "im ive ill dont lets the a an and or but of to in on at for with by from is are was "
        "were be been am do does did has have had i i'm i'd i've i'll it's don't let's we're "
        "we'll can't isn't doesn't my you your he she it we they our its their this that "
        "these those as if so not no yes will would can could should shall may might must "
        "what which who when where why how than then there here just please always never use "
        "instead make sure into out up about only every any all".split()
    ),
    "de": frozenset(
        "in der die das den dem des ein eine einen einem einer eines und oder aber nicht kein "
        "keine keinen ist sind war waren wird werden wurde hat haben hatte ich du er sie es "
        "wir ihr mein meine unser unsere euer mir mich dir dich uns auf aus bei mit nach von "
        "vor zu zum zur im am für über unter durch ohne um wenn weil dass daß ob als wie was "
        "wer wo warum schon noch nur auch immer nie niemals bitte ja nein doch jetzt ab man "
        "mal muss müssen soll sollen kann können nutze nimm verwende benutze schreib darf "
        "dürfen will wollen hier dort sonst statt lieber nochmal".split()
    ),
    "es": frozenset(
        "el la los las un una unos unas y o a pero de del al en con por para sin sobre es son "
        "era fue está están ser estar hay ha han he yo tú él ella nosotros mi mis tu tus su "
        "sus nuestro nuestra nuestros nuestras que qué como cómo cuando donde porque si no sí "
        "se lo le les me te nos más muy ya siempre nunca ahora antes después también este "
        "esta esto estos estas ese esa eso usa usar uso usamos tenemos decidimos vamos odio "
        "cada quiero prefiero gusta gustan debe deben solo todo todos todas vez otra".split()
    ),
    "fr": frozenset(
        "le la les un une des et ou mais de du au aux en avec par pour sans sur dans est sont "
        "était être a ont ai as je j'ai j'aime tu il elle on nous vous ils elles mon ma mes "
        "ton ta tes son sa ses notre nos votre vos leur que qu'il qui quoi quand où comment "
        "pourquoi si ne n'est pas plus jamais toujours ce cet cette ces c'est se s'il me te y "
        "déjà aussi très bien faut doit doivent toutes tous chaque peux peut veux voudrais "
        "utilise utiliser préfère plutôt à d'abord l'on désormais".split()
    ),
    "pt": frozenset(
        "o a os as um uma uns umas e ou mas de do da dos das no na nos nas em com por para "
        "pelo pela sem sobre é são era foi está estão ser estar há tem têm eu você ele ela "
        "nós meu minha seu sua nosso nossa que como quando onde porque se não sim já sempre "
        "nunca agora antes depois também este esta isto esse essa isso ao à mais muito vamos "
        "quero prefiro deve devem só todos todas".split()
    ),
}

_SPOKEN_IN: Final = {
    word: tuple(lang for lang, words in FUNCTION_WORDS.items() if word in words)
    for word in frozenset().union(*FUNCTION_WORDS.values())
}
# Letters that one of them uses far more than the others count as a word of it.
_LETTERS: Final[dict[str, re.Pattern[str]]] = {
    "de": re.compile(r"[äöüß]"),
    "es": re.compile(r"[ñ¿¡]|ción\b"),
    "fr": re.compile(r"[çœèêëîû]|\b[ldjnmstc]'|\bqu'"),
    "pt": re.compile(r"[ãõ]|ção\b"),
}
_WORD = re.compile(r"[a-zà-öø-ÿœ]+(?:'[a-zà-ÿ]+)?")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3041-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
_HANGUL = re.compile(r"[\uac00-\ud7a3\u1100-\u11ff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]+")
_MARKS = str.maketrans("’‘`´", "''''")
# A character of these scripts says about as much as half a word of Latin text.
_CHARS_PER_WORD: Final = 2
_LOOK_AT: Final = 4_000


def language_of(text: str, default: str = OTHER) -> str:
    """Return the language code of `text`, or `default` when nothing in it tells.

    One of en zh ja ko de es fr pt ru; names and commands in Latin letters inside a Chinese or
    Japanese sentence do not change its language.
    """
    return languages_of(text, default)[0]


def languages_of(text: str, default: str = OTHER) -> tuple[str, ...]:
    """Return the likely languages, best first: several when scripts mix or words do not decide."""
    folded = text[:_LOOK_AT].lower().translate(_MARKS)
    words = _WORD.findall(folded)
    script, strength = _by_script(folded)
    votes = _votes(folded, words)
    latin = _winners(votes, default)
    if not strength:
        return latin
    if not any(votes.values()):
        return (script,)
    return (script, *latin) if strength >= len(words) * _CHARS_PER_WORD else (*latin, script)


def _by_script(text: str) -> tuple[str, int]:
    """The language of the strongest script beside Latin, and how many characters speak for it."""
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    return max(
        ("ja" if kana > 1 and kana * 8 >= han else "zh", kana + han),
        ("ko", len(_HANGUL.findall(text))),
        ("ru", sum(len(word) for word in _CYRILLIC.findall(text)) // 2),
        key=lambda scored: scored[1],
    )


def _votes(text: str, words: list[str]) -> dict[str, int]:
    votes = dict.fromkeys(FUNCTION_WORDS, 0)
    for word in words:
        for lang in _SPOKEN_IN.get(word, ()):
            votes[lang] += 1
    for lang, letters in _LETTERS.items():
        votes[lang] += letters.search(text) is not None
    return votes


def _winners(votes: dict[str, int], default: str) -> tuple[str, ...]:
    best = max(votes.values())
    if not best:
        return (default,)
    winners = [lang for lang, count in votes.items() if count == best]
    return tuple(sorted(winners, key=lambda lang: lang != default))
