import pytest

from archivist import shipped
from archivist.domain.markers import opens_topic

CUES = shipped.cues()

OPENING = {
    "now let's do the login page": "now let's",
    "Now lets look at the tests": "now lets",
    "Switching to a different topic": "switching to",
    "Different topic: the stylesheet": "different topic",
    "Moving on to the importer": "moving on to",
    "let's move on": "let's move on",
    "lets move on to the docs": "lets move on",
    "Can you help me with the stylesheet?": "can you help me with",
    "New question: where is the cache?": "new question",
    "Unrelated but where is the log?": "unrelated but",
    "Changing subject, how do I deploy?": "changing subject",
    "On another note, the build is slow": "on another note",
    "anyway, how do I export it": "anyway",
    "by the way, where do the logs go": "by the way",
    "btw, can we cache it": "btw",
    # W8: curly apostrophes, no comma, any case
    "Let’s move on": "let's move on",
    "NOW LET’S do the login": "now let's",
    "Anyway I think we need a changelog": "anyway",
    "BTW can we add a cache": "btw",
    "by the way thanks for the fix": "by the way",
    # behind a greeting, in a later sentence
    "ok, now let's do the footer": "now let's",
    "Thanks, that works! New question: how do I deploy?": "new question",
    # other languages
    "换个话题，数据库怎么备份": "换个话题",
    "顺便问一下，日志在哪里": "顺便问一下",
    "Cambiando de tema, ¿cómo se despliega?": "cambiando de tema",
    "Por cierto, ¿dónde está el registro?": "por cierto",
    "Anderes Thema: die Tests": "anderes thema",
    "Übrigens, wo liegen die Logs?": "übrigens",
    "話は変わりますが、テストはどこですか": "話は変わ",
    "ところで、ログはどこですか": "ところで",
    "Changeons de sujet : le build": "changeons de sujet",
    "Au fait, où est le journal ?": "au fait",
}

STAYING = [
    # W7
    "git says: Switching to branch 'dev'",
    "Switching to branch 'dev'",
    "a new questionnaire",
    "can you help me with the next step of the same bug",
    "Is there any way, like, to fix it? anyway, next",
    # code, quotations, quoted lines, logs
    "`now let's` is in the list",
    'He wrote "let\'s move on" in the ticket',
    "what does this print?\n```\nlet's move on\n```",
    "> let's move on\nwho wrote that?",
    "[10:00:01] Moving on to the next step\nwhy does it stop?",
    # in the middle of a clause
    "I do not want a different topic",
    "we are not switching to Python",
    "Tom says let's move on",
    "it works, btw",
    "I tried it, by the way, and it works",
    "看一下这个切换分支的按钮",
    "",
]


@pytest.mark.parametrize("text, phrase", OPENING.items())
def test_a_phrase_at_the_start_of_a_clause_opens_a_topic(text: str, phrase: str) -> None:
    assert opens_topic(text, CUES) == phrase


@pytest.mark.parametrize("text", STAYING)
def test_anything_else_stays_with_the_topic(text: str) -> None:
    assert opens_topic(text, CUES) is None
