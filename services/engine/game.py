"""What every game answers. Server, bots, tests and replays are built on these questions alone.

A game is a pure machine: no clock, no I/O, no global state, and every random draw comes from the dice in its state.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from msgspec import Struct, field

from services.engine.dice import Dice

State = TypeVar("State")


class IllegalAction(Exception):
    """The rules forbid the action now. Raised before anything is touched; the text tells a player why."""


class BadOptions(Exception):
    """The game cannot be dealt with these seats or options. The text says what is allowed."""


class BadSeats(BadOptions):
    """There are too many or too few seats, or an automa that the game does not have."""


class WrongRules(Exception):
    """A stored position was made by another version of the rules or of their data."""


class Event(Struct, gc=False):
    """Something that happened, in words that a client can animate."""

    # One of the game's generated event structs: what everybody sees.
    public: Struct
    # What a seat sees instead of the public part.
    private: dict[int, Struct] = field(default_factory=dict)
    # Something hidden came to light: the step can no longer be taken back.
    reveals: bool = False


# Where the events of an action are told; None when nobody listens, as in playouts.
Story: TypeAlias = list[Event] | None


class Line(Struct):
    """One line of a final score; the game's texts have "score.<label>"."""

    label: str
    points: int


class Outcome(Struct):
    """How a game ended, in seat order. Equal places are shared."""

    places: list[int]
    scores: list[int]
    breakdown: list[list[Line]]
    # Why it ended like this, if the game has more than one way; the game's texts have "reason.<reason>".
    reason: str = "points"


class Info(Struct, frozen=True):
    """What a lobby needs to know about a game."""

    id: str
    title: dict[str, str]
    min_seats: int
    max_seats: int
    # Weakest first.
    bots: tuple[str, ...] = ("random", "greedy", "easy", "medium", "hard")
    automas: tuple[str, ...] = ()

    def check_seats(self, seats: Sequence[str]) -> None:
        if not self.min_seats <= len(seats) <= self.max_seats:
            needed = f"{self.min_seats}" + (f" to {self.max_seats}" if self.max_seats > self.min_seats else "")
            automas = f", of which an automa can be one ({', '.join(self.automas)})" if self.automas else ""
            raise BadSeats(f"seats: {len(seats)}; {self.id} needs {needed}{automas}")
        for seat in seats:
            if seat != "player" and seat not in self.automas:
                raise BadSeats(f"{self.id} has no automa {seat!r}; it has {', '.join(self.automas) or 'none'}")


class Game(ABC, Generic[State]):
    """One game's rules. An action is one of the structs generated from the game's .proto (`structs.ACTIONS`)."""

    info: ClassVar[Info]
    # The generated module: Options, View, ACTIONS, EVENTS.
    structs: ClassVar[ModuleType]
    # The type of a position: a msgspec struct.
    state_type: ClassVar[type]
    # The code's own number; the data's fingerprint is added to it (see codec.rules_version).
    rules: ClassVar[int] = 1
    # How far bots that search look: after so many turns, of any seat, they trust `evaluate`.
    horizon: ClassVar[int] = 3
    # How many of these turns they search; in the others every seat acts at first sight. 1 is the own turn.
    tree: ClassVar[int] = 1
    # For games whose turns are long and nearly certain. Not 0: the best ends of the own turn are compared by the best
    # end of the seat's next turn, for which so many positions are looked at, and not by averages up to the horizon.
    sequel: ClassVar[int] = 0

    @abstractmethod
    def new(self, seats: Sequence[str], options: Any, seed: bytes) -> State:
        """Deals. A seat is "player" or the id of an automa; raises BadOptions."""

    @abstractmethod
    def seats(self, state: State) -> int:
        """How many seats the game has."""

    @abstractmethod
    def actor(self, state: State) -> int | None:
        """The one seat that has the decision, or None when the game is over."""

    def turn_over(self, state: State, seat: int) -> bool:
        """Whether a turn of that seat, which took the last action, has ended: `evaluate` means most there.

        For games in which a seat may have two turns in a row; elsewhere a turn ends when another seat has the decision.
        """
        return self.actor(state) != seat

    def settled(self, state: State) -> bool:
        """Whether a part of the game has just ended, so that bots that search need not look further than this."""
        return False

    @abstractmethod
    def legal(self, state: State) -> list[Any]:
        """Every legal action of the actor: complete, without duplicates, in an order that reveals nothing."""

    @abstractmethod
    def apply(self, state: State, action: Any, tell: bool = True) -> list[Event]:
        """Carries the actor's action out in place; raises IllegalAction before touching anything.

        With `tell=False` the list may stay empty: playouts need no story.
        """

    @abstractmethod
    def clone(self, state: State) -> State:
        """An independent copy, fast: search lives on it."""

    @abstractmethod
    def view(self, state: State, seat: int | None) -> Any:
        """What that seat, or a spectator (None), may know, as the generated View struct."""

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """The result once the game is over."""

    @abstractmethod
    def redeal(self, state: State, seat: int, dice: Dice) -> State:
        """A random position that looks the same to that seat. Its own dice are replaced too: the seed must not leak."""

    @abstractmethod
    def evaluate(self, state: State, seat: int) -> float:
        """How good the position is for that seat, in points or anything that grows with the chance to win."""

    def evaluate_all(self, state: State) -> list[float]:
        """The same for every seat; for games where that costs less than one after the other."""
        return [self.evaluate(state, seat) for seat in range(self.seats(state))]

    def first_sight(self, state: State, legal: list[Any], seat: int) -> Sequence[Any]:
        """What that seat, which has the decision, would do without thinking: actions in order, perhaps its whole turn.

        Search plays on with it, so it must be fast. It may use only what that seat knows. This one looks one action
        ahead. To end the turn changes the evaluation in the same way now and later; so an action that does not end it
        is good if it makes the position better, not if it is better than one whose turn is over.
        """
        best, most = legal[0], float("-inf")
        end, most_at_end = None, float("-inf")
        for action in legal:
            after = self.clone(state)
            self.apply(after, action, tell=False)
            value = self.evaluate(after, seat)
            if self.turn_over(after, seat):
                if value > most_at_end:
                    end, most_at_end = action, value
            elif value > most:
                best, most = action, value
        return (best if end is None or most > self.evaluate(state, seat) else end,)

    def turns(self, state: State, seat: int) -> Sequence[tuple[float, Sequence[Any]]]:
        """Ways through that seat's turn: the lead over the others, by `evaluate`, that each promises, and its actions.

        For games that can tell them all at once: bots that search compare the most promising as wholes. It may use only
        what that seat knows.
        """
        return ()
