"""Words that a question holds and its answer does not: of questions, of grammar, of politeness.

English, German, Spanish and French words are taken out of a query whole; Chinese and Japanese ones
cut a run of characters, because nothing else there separates words.
"""

from typing import Final

_ENGLISH: Final = """
a about above again against ago all also am an and any anyone anything are aren as ask asked at be
became because been being below between both but by came can cannot could couldn did didn do does
doesn doing don done each either else ever every few find for from further get gets getting go
goes going got had hadn has hasn have haven having he her here hers herself him himself his how i
if in into is isn it its itself just know let like likely ll many me might mine more most much
must my myself no nor not now of off on once one only or other our ours ourselves out over own
please re same say said says shall she should shouldn show so some someone something such t tell
than that the their theirs them themselves then there these they thing things this those though
through to together too under up upon us use used very ve want wants was wasn way we well were
weren what whatever when where whether which while who whom whose why will with within without won
would wouldn yes yet you your yours yourself
"""
_GERMAN: Final = """
aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist bitte da dabei
dadurch dafür damit dann das dass dein deine dem den denn der des deshalb dich die dies diese
diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas
euch euer für gab geben gibt hab habe haben hast hat hatte hatten hier hinter ich ihm ihn ihnen
ihr ihre im in ins ist ja jede jeder jedes jetzt kann kannst kein keine können könnte machen man
mein meine meinem meinen meiner mich mir mit muss müssen nach nicht nichts noch nun nur ob oder
ohne schon sehr sein seine seit sich sie sind so soll sollen sollte sondern sonst über um und uns
unser unter viel vom von vor wann war waren warum was weil welche welchem welchen welcher welches
wem wen wenn wer werde werden weshalb wie wieder wieso wird wir wo woher wohin womit wurde wurden
zu zum zur zwischen
"""
_SPANISH: Final = """
a al algo alguien alguna alguno algunos ante antes aquel aquella así aun aunque bajo bien cada
como cómo con contra cual cuál cuales cuáles cuando cuándo cuanto cuánto de del desde donde dónde
dos e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estaba
estar estas este esto estos estoy favor fue fueron ha había hace hacer hago han has hasta hay he
hemos la las le les lo los más me mi mí mis mucho muy nada ni no nos nosotros nuestra nuestro o os
otra otro para pero poco por porque puede puedo pues que qué quien quién quienes se sea según ser
si sí sido sin sobre solo sólo somos son soy su sus también tan tanto te tener tengo ti tiene
tienen todo todos tu tú tus un una unas uno unos usted va vamos voy y ya yo
"""
_FRENCH: Final = """
a ai aie ainsi alors après as au aucun aussi autre aux avant avec avez avions avoir avons bien car
ce ceci cela celle celles celui ces cet cette ceux chaque chez ci comme comment d dans de des
depuis deux dire dis dit donc dont du elle elles en encore entre es est et étaient étais était été
êtes être eu eux fait faire fais font il ils j je jusque l la là laquelle le lequel les lesquels
leur leurs lui m ma mais me même mes moi moins mon n ne ni non nos notre nous on ont ou où par
parce pas peu peut peux plus plait plaît pour pourquoi puis qu quand que quel quelle quelles quels
qui quoi s sa sans se sera ses si sien son sont sous sur t ta te tes toi ton tous tout toute
toutes très tu un une va vers veux vos votre vous y
"""

STOP_WORDS: Final = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
    "es": frozenset(_SPANISH.split()),
    "fr": frozenset(_FRENCH.split()),
}
"""Words to leave out of a query, case-folded, by language. Many mean something in another one."""

STOP_CHARS: Final = tuple(
    sorted(
        set(
            """
            为什么 怎么样 怎么 怎样 什么 哪里 哪个 哪些 哪儿 多少 几个 是否 是不是
            有没有 能不能 可不可以 请问 请 我们 你们 他们 她们 它们 咱们 我的 你的
            他的 她的 这个 那个 这些 那些 这里 那里 之前 以前 以后 之后 上次 一下
            一个 关于 告诉 帮我 可以 应该 需要 知道 记得 说过 吗 呢 吧 啊 的 了 着
            是 在 有 和 与 或 我 你 他 她 它 们 这 那 谁 就 都 也 还 很 把 被
            给 让 从 到 对 为 要 会 能 想 為什麼 怎麼 什麼 哪裡 哪個 多少 請問 請
            我們 你們 他們 這個 那個 這些 這裡 那裡 嗎 呢 為 說過 ください ですか
            ますか でしょうか ました でした ません です ます った して した する
            しました どこ どれ どの どう どんな いつ だれ 誰 なぜ なに 何 いくつ これ
            それ あれ この その あの ここ そこ こと もの ため よう から まで より
            について という として には では とは へは にも でも は が を に で と
            も の へ や か ね よ
            """.split()
        ),
        key=lambda word: (-len(word), word),
    )
)
"""Chinese and Japanese words at which a run of characters is cut, the longest first."""
