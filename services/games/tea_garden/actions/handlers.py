"""The state machine's tables: who lists the answers to a question, who carries an action out, what follows a payment,
and which main actions there are.

The modules with the rules enter their functions here: an expansion adds questions and actions by adding modules.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct

from services.engine.game import Event, IllegalAction, Story
from services.games.tea_garden.state import Player, State

Lister = Callable[[State, Player], list[Any]]
Doer = Callable[[State, Player, Any, Story], None]
Follower = Callable[[State, Player, Story], None]
L = TypeVar("L", bound=Lister)
D = TypeVar("D", bound=Doer)
F = TypeVar("F", bound=Follower)

LISTERS: dict[int, Lister] = {}
DOERS: dict[type, Doer] = {}
AFTER_PAYING: dict[int, Follower] = {}
MAIN_ACTIONS: list[Lister] = []


def lists(question: int) -> Callable[[L], L]:
    """Marks the function that lists the legal answers to a question."""

    def enter(function: L) -> L:
        LISTERS[question] = function
        return function

    return enter


def does(action: type) -> Callable[[D], D]:
    """Marks the function that checks and carries out a kind of action."""

    def enter(function: D) -> D:
        DOERS[action] = function
        return function

    return enter


def after_paying(purpose: int) -> Callable[[F], F]:
    """Marks the function that goes on when the leaves for something are paid."""

    def enter(function: F) -> F:
        AFTER_PAYING[purpose] = function
        return function

    return enter


def main_action(function: L) -> L:
    """Marks a function that lists main actions open to the player."""
    MAIN_ACTIONS.append(function)
    return function


def tell(story: Story, public: Struct, private: dict[int, Struct] | None = None, reveals: bool = False) -> None:
    if story is not None:
        story.append(Event(public, private or {}, reveals))


def demand(condition: object, why: str) -> None:
    if not condition:
        raise IllegalAction(why)
