"""The words of families: names, things and units that stand for each other, and idle sentences."""

from __future__ import annotations

from collections.abc import Mapping

from engines.mwp.problems.numbers import Language

WordGroups = tuple[tuple[str, ...], ...]
"""Groups of words that can stand for each other; forms of a word are separated by `|`."""


def _group(words: str) -> tuple[str, ...]:
    return tuple(words.split())


NAMES: Mapping[Language, WordGroups] = {
    "en": (
        _group(
            "Alice Amy Ann Anna Betty Carla Dana Ellen Emily Emma Faye Gina Haley Jane Janet Jenny Jessica "
            "Julia "
            "Kate Katie Laura Linda Lisa Lucy Maria Marie Mary Melanie Mia Nancy Olivia Rachel Rosa Sally "
            "Sandy Sara Sarah Sophia Susan Tina Vera Wendy"
        ),
        _group(
            "Adam Alan Albert Andrew Ben Bill Bob Brian Carl Charles Dan Daniel David Edward Eric Frank Fred "
            "George Henry Jack Jacob Jake James Jason Jim Joe John Keith Kevin Luke Mark Martin Mike Oscar "
            "Paul Peter Randy Robert Roger Sam Sean Steve Tim Tom Victor Walter William"
        ),
    ),
    "zh": (
        _group("小明 小刚 小强 小军 小华 小亮 小林 小东 小龙"),
        _group("小红 小丽 小芳 小英 小兰 小玲 小燕 小娟"),
        _group("李老师 王老师 张老师 刘老师 陈老师 赵老师"),
    ),
}
THINGS: Mapping[Language, WordGroups] = {
    "en": (
        _group(
            "pen|pens pencil|pencils book|books crayon|crayons marble|marbles sticker|stickers card|cards "
            "balloon|balloons toy|toys button|buttons ribbon|ribbons shell|shells coin|coins stamp|stamps"
        ),
        _group(
            "banana|bananas pear|pears peach|peaches plum|plums lemon|lemons mango|mangoes carrot|carrots "
            "tomato|tomatoes potato|potatoes cookie|cookies cupcake|cupcakes muffin|muffins"
        ),
        _group("cat|cats dog|dogs rabbit|rabbits hamster|hamsters goat|goats"),
        _group("box|boxes bag|bags basket|baskets crate|crates jar|jars carton|cartons"),
        _group("red blue green yellow purple brown"),
    ),
    "zh": (
        _group("苹果 梨子 桃子 橘子 西瓜 菠萝"),
        _group("铅笔 钢笔 圆珠笔 毛笔"),
        _group("故事书 连环画 科技书 文艺书"),
    ),
}
UNITS: Mapping[Language, WordGroups] = {
    "en": (
        _group("dollar|dollars euro|euros peso|pesos crown|crowns"),
        _group("mile|miles kilometer|kilometers league|leagues"),
        _group("pound|pounds kilogram|kilograms"),
        _group("inch|inches centimeter|centimeters"),
        _group("gallon|gallons liter|liters quart|quarts"),
    ),
    "zh": (_group("公顷 亩"),),
}
DISTRACTORS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "The library down the road has been open for {} years.",
        "A bus passes the corner every {} minutes.",
        "The oldest tree in the park is {} feet tall.",
        "There are {} steps in front of the town hall.",
        "The radio was playing for {} minutes that morning.",
        "A poster on the wall says that the museum closes in {} days.",
        "The river nearby is {} yards wide.",
        "The clock tower was painted {} months ago.",
        "On the way there are {} traffic lights.",
        "The weather report speaks of {} degrees for tomorrow.",
    ),
    "zh": (
        "附近的图书馆已经开放了{}年。",
        "公园里最老的一棵树高{}米。",
        "路口每{}分钟开来一辆公共汽车。",
        "市政厅门前有{}级台阶。",
        "那天早上收音机播放了{}分钟的音乐。",
        "旁边的小河宽{}米。",
        "钟楼是{}个月以前粉刷的。",
        "一路上共有{}盏红绿灯。",
    ),
}
"""Each with a number, and about nothing that word problems ask for."""
