"""The dice of a game: every random draw follows from a seed and a counter.

Word k of a seed is bytes 4·(k mod 8) … +4, big-endian, of SHA-256(seed ‖ k div 8 as 8 bytes, big-endian). It takes ten
lines to write again in any language, and gives the same game on every machine.

>>> dice = Dice(seed=bytes(32))
>>> [dice.below(6) for _ in range(5)]
[1, 2, 3, 3, 1]
>>> dice.counter
5
"""

from collections.abc import MutableSequence, Sequence
from functools import lru_cache
from hashlib import sha256
from struct import Struct as Layout
from typing import Any, TypeVar

from msgspec import Struct

T = TypeVar("T")
WORDS = 1 << 32
EIGHT_WORDS = Layout(">8I")


# One hash gives eight words, which are mostly drawn one after the other.
@lru_cache(maxsize=64)
def block(seed: bytes, number: int) -> tuple[int, ...]:
    return EIGHT_WORDS.unpack(sha256(seed + number.to_bytes(8, "big")).digest())


class Dice(Struct, array_like=True, gc=False):
    """A seed and how many words of it have been used."""

    seed: bytes
    counter: int = 0

    @classmethod
    def fresh(cls, source: "Dice") -> "Dice":
        """Dice with a new seed, drawn from other dice: a redealt position must not carry the seed of the game."""
        return cls(b"".join(source.word().to_bytes(4, "big") for _ in range(8)))

    def word(self) -> int:
        k = self.counter
        self.counter = k + 1
        return block(self.seed, k >> 3)[k & 7]

    def below(self, n: int) -> int:
        """A whole number from 0 to n-1, all equally likely (words that would favour some are thrown away)."""
        limit = WORDS - WORDS % n
        while True:
            word = self.word()
            if word < limit:
                return word % n

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Fisher-Yates from the end: swaps item i with one of the items 0 … i."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def clone(self) -> "Dice":
        return Dice(self.seed, self.counter)


def seed_hash(seed: bytes) -> str:
    """What is published before the game, so that anyone can check afterwards that the seed was fixed."""
    return sha256(seed).hexdigest()
