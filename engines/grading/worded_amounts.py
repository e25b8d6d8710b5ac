"""Numbers that a phrase states with words around them: shares, changes with their sign, times of day.

`4 chances sur 52` is 4/52, `a loss of 250 €` is −250 €, `it is 4 % cheaper` is −4 %, and `nine in the
evening` is 9:00 pm. A phrase with any word that is not known is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import CURRENCIES, make_phrases, map_phrases
from engines.grading.numbers import PARTS
from engines.grading.sentence_quantities import match_quantity
from engines.grading.tokens import AnswerToken, Phrases, is_blank, text_at, tokenize
from engines.language.numerals import write_numerals

_LONGEST = 120
"""Characters of a phrase."""
_CASES = make_phrases(
    "chance, chances, time, times, case, cases, outcome, outcomes, possibility, possibilities, possible"
    ", equally likely, favourable, favorable, are favourable, are favorable, of, the, all",
    "fall, fälle, fällen, chance auf, möglichkeiten, möglichen, günstige, günstigen, der, den",
    "cas, possibilités, possibles, favorables, les, de, des, occasion, probabilidad, posibilidades, caso",
    "casos, posibles, possibilità, casi, possibili, favorevoli, possíveis, favoráveis",
    "шанс, шанса, шансов, случай, случая, случаев, исход, исхода, исходов, возможных, благоприятных",
)
"""Words around the numbers of a share that count what is possible."""
_OUT_OF = make_phrases("of the, of, out of the, out of all, of all, des, dei, dos, de los, di, auf, a")
"""Further words between a number and the one that it is a part of, where cases are counted."""
_FALLS = make_phrases(
    "decrease, decreases, decreased, reduction, drop, drops, dropped, decline, declines",
    "declined",
    "fall, falls, fell, loss, loses, lost, lose, shrinks, shrank, lower, less, cheaper, smaller, is down",
    "goes down, went down, fewer",
    "is reduced, deceleration, decelerates, decelerating, slows down, slowing down, slows, brakes, braking",
    "Verlust, verliert, sinkt, fällt, Abnahme, Rückgang, Senkung, nimmt ab, weniger, billiger, niedriger",
    "Verzögerung, gesunken, perte, perd, baisse, diminution, diminue, moins cher, décélération, de moins",
    "pérdida, pierde, disminuye, baja, disminución, descenso, desaceleración, más barato, perdita, perde",
    "diminuisce, diminuzione, cala, perda, diminui, diminuição, queda, prejuízo, убыток, снижение",
    "уменьшение, уменьшается, снижается, уменьшилась, уменьшилось, уменьшился, снизилась, снизился, дешевле",
    "下降, 降低, 减少, 減少, 便宜, 亏损, 損失, 감소",
)
_RISES = make_phrases(
    "increase, increases, increased, rise, rises, rose, gain, gains, gained, growth, grows, grew, profit",
    "higher, more, dearer, more expensive, greater, larger, is up, goes up, went up, acceleration",
    "accelerates, speeds up",
    "earns, Gewinn, gewinnt, steigt, wächst, Zunahme, Anstieg, Erhöhung, nimmt zu, mehr, teurer, höher",
    "gestiegen, gain de, gagne, hausse, augmentation, augmente, plus cher, bénéfice, ganancia, gana, aumenta",
    "aumento, sube, más caro, guadagno, guadagna, aumento di, cresce, lucro, ganha, прибыль, рост",
    "увеличение, увеличивается, растёт, растет, увеличилась, увеличилось, увеличился, дороже",
    "上升, 提高, 增加, 増加, 盈利, 利益, 증가",
)
_SIGNS = {"-": _FALLS, "": _RISES}
_BESIDE = make_phrases(
    "the, a, an, it, its, is, was, by, of, at, he, she, they, you, we, will, becomes, ends up, there",
    "overall",
    "velocity, speed, price, value, balance, temperature, total, result, on average, per game, than before",
    "per",
    "than originally, than at first, of the original, altogether, in total, net, constant, uniform, rate of",
    "einen, ein, eine, der, die, das, er, sie, es, um, von, ist, Preis, wird, insgesamt, macht, beträgt",
    "une, un, de, le, la, les, il, elle, est, prix, d', résultat, au total, el, ella, una, precio",
    "un total de",
    "es, lo, uno, con, uma, o, preço, di, il, prezzo, è, на, в, цена, он, она, оно, 了, 比原价, 价格, :",
)
"""Words around a change that say nothing of its size or direction."""
_BEFORE_AMOUNTS = make_phrases("of, by, um, von, de, di, da, на")
"""Words between a change and its amount."""
_EACH_SECOND = map_phrases(
    {
        "/s": "every second, each second, per second, pro Sekunde, jede Sekunde, par seconde"
        ", chaque seconde, por segundo, cada segundo, al secondo, в секунду, каждую секунду",
        "/min": "every minute, each minute, per minute, pro Minute, par minute, por minuto, в минуту",
        "/h": "every hour, each hour, per hour, pro Stunde, par heure, por hora, в час",
    }.items()
)
_HALVES = Phrases(
    {
        **dict.fromkeys(("am", "a.m.", "a.m", "in the morning", "morgens", "du matin", "de la mañana"), "am"),
        **dict.fromkeys(("pm", "p.m.", "p.m", "in the evening", "in the afternoon", "at night"), "pm"),
        **dict.fromkeys(("abends", "nachmittags", "du soir", "de l'après-midi", "de la tarde"), "pm"),
        **dict.fromkeys(("de la noche", "di sera", "da noite", "da tarde", "вечера"), "pm"),
        **dict.fromkeys(("утра", "del mattino", "da manhã"), "am"),
    }
)
_CLOCK_LEADS = make_phrases(
    "at, it ends at, ends at, it arrives at, arrives at, exactly, um, à, a las, alle, às, в, it is, il est",
    ".",
    "o'clock, o’clock, sharp, Uhr, heures, horas, ore, часов",
)
"""Words around the hour of a time of day."""
_NOON = 12


def spell_amounts(gold: str, pred: str) -> tuple[str, str]:
    """Return a reference and an answer with the number that each states in words.

    A rise counts as a sign only beside another change: of what grows by 3 the answer may be larger than 3.

    >>> spell_amounts("-4 %", "a drop of 4 %"), spell_amounts("3", "3 more"), spell_amounts("+3", "3 more")
    (('-4 %', '-4 %'), ('3', '3 more'), ('+3', '3'))
    """
    spelled = spell_amount(gold), spell_amount(pred)
    is_change = gold.strip(" $")[:1] in ("+", "-", "−") or spelled[0] != gold
    is_rise = spelled[1] != pred and spelled[1][:1] not in ("-", "−") and _RISES.may_occur(tokenize(pred))
    return (spelled[0], pred) if is_rise and not is_change else spelled


def spell_amount(text: str) -> str:
    """Return a phrase that states a share, a change or a time of day as the number that it is; others as they
    are.

    >>> spell_amount("4 chances sur 52"), spell_amount("a loss of 250 €"), spell_amount("at 9 pm")
    ('4/52', '-250 €', '9:00 pm')
    >>> spell_amount("It is 4% cheaper"), spell_amount("It falls to 96%"), spell_amount("3 apples")
    ('-4%', 'It falls to 96%', '3 apples')
    """
    if not 0 < len(text) <= _LONGEST or "=" in text:
        return text
    written = write_numerals(text.strip(" $.。"))
    tokens = [token for token in tokenize(written) if not is_blank(token) and token.text != "$"]
    if not any(token.kind == "word" for token in tokens):
        return text
    return _spell_share(tokens) or _spell_change(written) or _spell_clock(tokens) or text


def find_opposite_sign(gold: str, pred: str) -> str:
    """Return how the sign of an answer contradicts the word for a change in one of the texts; "" otherwise.

    >>> find_opposite_sign("It falls by 4 %", "+4 %"), find_opposite_sign("-2", "a loss of -2")
    ('one says a fall, the other +', 'a fall by a negative amount')
    """
    if pred.strip(" $")[:1] == "+" and gold.strip(" $")[:1] not in ("-", "−"):
        return "one says a fall, the other +" if spell_amount(gold)[:1] == "-" else ""
    tokens = [token for token in tokenize(pred) if not is_blank(token)] if len(pred) <= _LONGEST else []
    for at in range(2, len(tokens)):
        if tokens[at].kind == "digits" and tokens[at - 1].text in ("-", "−"):
            is_led = _BEFORE_AMOUNTS.match_before(tokens, at - 1)
            fall = _FALLS.match_before(tokens, is_led[0] if is_led else at - 1)
            if fall is not None:
                return "a fall by a negative amount"
    return ""


def _spell_share(tokens: Sequence[AnswerToken]) -> str:
    """Return `4/52` for `4 chances sur 52`; "" for other phrases."""
    numbers = [at for at, token in enumerate(tokens) if token.kind == "digits"]
    if len(numbers) != 2:
        return ""
    first, second = numbers
    between = PARTS.match_before(tokens, second) or _OUT_OF.match_before(tokens, second)
    if between is None or not first < between[0]:
        return ""
    around = [*tokens[:first], *tokens[first + 1 : between[0]], *tokens[second + 1 :]]
    counts_cases = bool(around) and any(token.kind == "word" and len(token.text) > 2 for token in around)
    above, below = (tokens[at].text for at in numbers)
    is_share = counts_cases and _is_made_of(around, _CASES) and 0 <= int(above) <= int(below) > 0
    return f"{above}/{below}" if is_share else ""


def _spell_change(text: str) -> str:
    """Return an amount with the sign of the one word for a change that stands beside it; "" for others."""
    tokens = [token for token in tokenize(text) if token.text != "$" or "$" in CURRENCIES]
    first = next((at for at, token in enumerate(tokens) if token.kind == "digits"), -1)
    if first > 0 and tokens[first - 1].text in CURRENCIES:
        first -= 1
    end = match_quantity(tokens, first, len(tokens)) if first >= 0 else 0
    if not end or (first and tokens[first - 1].text in ("-", "−", "+")):
        return ""
    end += tokens[end - 1].text == "°" and text_at(tokens, end) in tuple("CFK")
    amount = text[tokens[first].start : tokens[end - 1].end]
    before, behind = tokens[:first], tokens[end:]
    changes = [
        (sign, side, span)
        for sign, table in _SIGNS.items()
        for side in (before, behind)
        for span in table.find_all(side, 0, len(side))
    ]
    if len(changes) != 1:
        return ""
    sign, side, (start, stop, _) = changes[0]
    rest = [part for part in (before, behind) if part is not side]
    rest += [side[:start], side[stop:]]
    unit = ""
    for at, part in enumerate(rest):
        if (timed := _EACH_SECOND.find(part)) is not None and part is not before:
            unit, rest[at] = timed[2], [*part[: timed[0]], *part[timed[1] :]]
    known = all(_is_made_of([token for token in part if not is_blank(token)], _BESIDE) for part in rest)
    return f"{sign}{amount}{unit}" if known else ""


def _spell_clock(tokens: Sequence[AnswerToken]) -> str:
    """Return `9:00 pm` for `at nine in the evening`; "" for other phrases."""
    numbers = [at for at, token in enumerate(tokens) if token.kind == "digits"]
    half = _HALVES.find(tokens)
    if len(numbers) not in (1, 2) or half is None or half[0] <= numbers[-1]:
        return ""
    if len(numbers) == 2 and (numbers[1] != numbers[0] + 2 or tokens[numbers[0] + 1].text not in (":", ".")):
        return ""
    around = [*tokens[: numbers[0]], *tokens[numbers[-1] + 1 : half[0]], *tokens[half[1] :]]
    hour, minute = tokens[numbers[0]].text, tokens[numbers[1]].text if len(numbers) == 2 else "00"
    is_time = 0 < int(hour) <= _NOON and len(minute) == 2 and _is_made_of(around, _CLOCK_LEADS)
    return f"{int(hour)}:{minute} {half[2]}" if is_time else ""


def _is_made_of(tokens: Sequence[AnswerToken], table: Phrases[str]) -> bool:
    """Return whether tokens are phrases of a table and nothing else."""
    at = 0
    while at < len(tokens):
        if (match := table.match(tokens, at)) is None:
            return False
        at = match[0]
    return True
