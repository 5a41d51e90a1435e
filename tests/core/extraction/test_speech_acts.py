"""What is typed and asks nothing: by the parse in English, by words that stand for a sentence elsewhere."""

from __future__ import annotations

from core.answering.models import Models
from core.extraction.speech_acts import asks_nothing

NOTHING = """
yes | No. | OK! | okay | hello | Hi there | thanks | Thank you very much | great, thanks | thanks a lot | please
thank you for your help | sorry | bye | Good evening! | good morning | ? | ... | !!! | 👍
Tell me more | tell me more about it | show me more | go on | keep going | Continue | again | Say that again | next
more | More please | more details please | give me another example | what else? | Anything else? | explain this
why? | and when? | When? | by whom? | since when? | who else? | which one? | how many? | so what? | and then?
And the captain? | And in 2021? | And Tobias Renwick? | are you sure? | How are you? | Who are you? | What can you do?
What do you mean? | can you help me? | Could you explain that? | I see | I agree | that is great | you are wrong
That’s wrong | is that true? | Where was he born? | When did she die? | Did it sink? | what was it? | really? | cool
ja | nein | Danke! | Vielen Dank | Danke schön | Guten Morgen | Und wann? | Warum? | Weiter
oui | merci beaucoup | Et quand ? | Pourquoi ? | Dis-moi plus | sí | muchas gracias | ¿Y cuándo? | Cuéntame más
grazie | E quando? | Perché? | obrigado | да | Спасибо | Почему? | А когда?
jawohl | d'accord | perfetto | شكرا جزيلا | This is not what I meant | Welche? | Quel ? | Ok, got it
네 | 감사합니다 | 왜? | はい | なぜ? | 谢谢 | 为什么?
"""
SOMETHING = """
Tobias Renwick | tobias renwick | Grey Petrel | freight | the freight | insurance claim | stolen copper | 2021 | drowned
captain of the Grey Petrel | bunker invoice Nouadhibou | “hold harmless” | more than 30 containers | other ships
More about the Grey Petrel | another ship that lost containers | And who signed? | But when did the ship sail?
Who signed? | What happened? | Who was drunk? | What was stolen? | Who drowned? | Did anyone drown? | How was it paid?
Who is the agent? | Which bank? | What is opened? | What does clause 3 of the charter say? | What about the Gannet?
Can you tell me who signed? | I want to know who paid | Could you list the ships? | Tell me about the fire
What is this about? | What do we know so far? | Summarise the documents | Give me an overview | Tell me everything
the tenant? | containers | sum of amounts | signed by? | sold to whom | paid in full? | Goodbye Lane | clause 4
Thanks, and who signed the lease? | Hello, when did the ship sail? | No ships sailed in 1999
Was kostet das Boot? | Wer unterschrieb? | Qui a signé ? | Où habite Camille Durand? | ¿Quién firmó? | Chi ha firmato?
Wie is de kapitein? | Кто подписал договор? | 김민수는 누구입니까? | 谁签了合同? | 船長は誰ですか? | من وقع العقد؟
"""


def _cases(lines: str) -> list[str]:
    return [case.strip() for line in lines.strip().splitlines() for case in line.split(" | ")]


def test_only_what_asks_nothing_is_recognised_as_such(models: Models) -> None:
    asked = [typed for typed in _cases(NOTHING) if not asks_nothing(models.parse(typed))]
    ignored = [typed for typed in _cases(SOMETHING) if asks_nothing(models.parse(typed))]
    assert (asked, ignored) == ([], [])
