"""Setting up a game (section 3) and its second round (section 11)."""

from services.engine.dice import Dice
from services.games.geishas_road.components import (
    BASIC,
    CARDS,
    DESTINY_DARK,
    DESTINY_ROW,
    FIVE,
    GUESTS_PER_TEAHOUSE,
    HAND,
    LANTERNS,
    UPPER_ROW,
)
from services.games.geishas_road.state import AT_TEAHOUSE, NONE, REMOVED, USE, State


def new_game(mode: int, destiny: bool, starter: int | None, seed: bytes) -> State:
    """Returns a game before the first draw of its first turn."""
    dice = Dice(seed)
    circle = list(FIVE)
    dice.shuffle(circle)  # GR-13
    home = [circle.index(colour) for colour in FIVE]
    if starter is None:
        starter = dice.below(2)  # GR-18
    state = State(
        dice=dice,
        mode=mode,
        destiny=destiny,
        circle=circle,
        home=home,
        round=0,
        turn=0,
        starter=starter,
        active=starter,
        phase=USE,
        actor=starter,
        deck=[],
        hands=[],
        drawn=[],
        used=[],
        specials=[],
        intrigue=[],
        intrigue_drawn=[],
        marker=NONE,
        laid=[],
        hidden=[],
        hidden_drawn=[],
        counters=0,
        swap=NONE,
        swap_card=NONE,
        returned=[],
        queue=[],
        stop=NONE,
        due=0,
        sides=[],
        totals=[],
        pawns=home[:],
        began=[],
        returns=[],
        upper=[],
        lower=[],
        tiles=[],
        teahouses=[],
        guests=[],
        favour=_favour_tokens(mode, dice),
        scored=[],
        won=[],
        winner=NONE,
        reason="",
    )
    deal_round(state, starter)
    return state


def _favour_tokens(mode: int, dice: Dice) -> list[int]:
    if mode != BASIC:
        return [AT_TEAHOUSE] * len(FIVE)  # GR-21
    favour = [0, 1, *[REMOVED] * (len(FIVE) - 2)]  # GR-19
    dice.shuffle(favour)
    return favour


def deal_round(state: State, starter: int) -> None:
    """Lays out what is new in a round. Circle, pawns, favour tokens and points stay (GR-72, GR-77)."""
    state.round += 1
    state.turn = 0
    state.starter = starter
    deck = list(range(len(CARDS)))
    state.dice.shuffle(deck)
    state.hands = [deck[:HAND], deck[HAND : 2 * HAND]]
    state.deck = deck[2 * HAND :]
    state.drawn = [0, 0]
    state.used = [0, 0]
    state.specials = [0, 0]
    state.intrigue = [[], []]
    state.intrigue_drawn = [0, 0]
    state.returned = []
    state.sides = [[], []]
    state.totals = [[0] * len(FIVE), [0] * len(FIVE)]
    state.began = state.pawns[:]
    state.returns = [0] * len(FIVE)
    state.tiles = [[] for _ in FIVE]
    state.teahouses = [0] * len(FIVE) if state.mode == BASIC else list(GUESTS_PER_TEAHOUSE)
    state.guests = [[0] * len(FIVE), [0] * len(FIVE)]
    _lay_lanterns(state)


def _lay_lanterns(state: State) -> None:
    faces = [2 * lantern for lantern in range(len(LANTERNS))]
    state.dice.shuffle(faces)
    if not state.destiny:
        state.upper, state.lower = faces[:UPPER_ROW], faces[UPPER_ROW:]  # GR-17
        return
    turned = list(range(DESTINY_ROW))  # GR-81
    state.dice.shuffle(turned)
    for index in turned[:DESTINY_DARK]:
        faces[index] += 1
    state.upper, state.lower = faces[:DESTINY_ROW], []
