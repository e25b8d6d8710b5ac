"""The English words for numbers, and what they are worth."""

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL = {word: value for value, word in enumerate(f"{_SMALL} seventeen eighteen nineteen".split())}
TENS = {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
