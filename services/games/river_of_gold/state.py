"""A position. This module holds data only and decides nothing."""

from msgspec import Struct

from services.engine.dice import Dice

# The decision that is due (the table of RG-27).
DRAFT, PICK, FIRST_DIE, MAIN, PENDING, DISCARD, SELLING, WRAP_UP, OTHERS, ROLL, OVER = range(11)
PHASES = (
    "patron_draft",
    "patron_pick",
    "first_die",
    "main",
    "pending",
    "discard",
    "sell",
    "wrap_up",
    "pending_others",
    "roll",
    "over",
)

# Sources of victory points during play; indices into `Player.won`.
SOURCES = ("visits", "owned", "influence", "masteries", "merchants", "nobles", "patron", "last_tile")
VISITS, OWNED, TRACK, MASTERY, MERCHANTS, NOBLES, PATRONAGE, LAST_TILE = range(len(SOURCES))

NOBODY = -1
EMPTY = -1


class Player(Struct, array_like=True, gc=False):
    clan: int
    patron: int
    koku: int
    favor: int
    favor_limit: int
    # 0 before the first roll.
    die: int
    # Index of the royal ship, or -1.
    royal: int
    # Delivered customers as bits.
    delivered: int
    # Regions where the player has a building, as bits; follows from the markers.
    lands: int
    goods: list[int]
    influence: list[int]
    # River spaces 1-14, empty before the placement.
    ships: list[int]
    hand: list[int]
    # How many choices of each kind of components.CHOICES are due.
    pending: list[int]
    # Victory points by SOURCES.
    won: list[int]
    # The number of the player's buildings by type; follows from the markers.
    built: list[int]


class State(Struct, array_like=True, gc=False):
    dice: Dice
    players: list[Player]
    phase: int
    # The seat that has the decision.
    actor: int
    # The seat whose turn it is.
    turn: int
    first: int
    # By shore space: the tile or -1, the seats of the first and second marker or -1.
    shore: list[int]
    marker: list[int]
    second: list[int]
    # Slots 1 to 4; -1 without a tile.
    row: list[int]
    # Slot index that lost its tile this turn, or -1.
    gap: int
    # The stacks, top tile last, and the era tiles removed in setup, which nobody saw.
    era1: list[int]
    era2: list[int]
    removed: list[int]
    discarded_tiles: list[int]
    # The customer deck, top card last, and its discard pile.
    deck: list[int]
    discards: list[int]
    scoring_tiles: list[int]
    masteries: list[int]
    # By mastery in play: seats in the order of the slots.
    claims: list[list[int]]
    # Face-up patrons of the draft.
    offered: list[int]
    # The seat of the Governor, or -1; kept here because every advance needs it.
    governor: int
    # The seat that triggered the end, or -1.
    ended_by: int


def clone_player(player: Player) -> Player:
    return Player(
        player.clan,
        player.patron,
        player.koku,
        player.favor,
        player.favor_limit,
        player.die,
        player.royal,
        player.delivered,
        player.lands,
        player.goods[:],
        player.influence[:],
        player.ships[:],
        player.hand[:],
        player.pending[:],
        player.won[:],
        player.built[:],
    )


def clone(state: State) -> State:
    return State(
        state.dice.clone(),
        [clone_player(player) for player in state.players],
        state.phase,
        state.actor,
        state.turn,
        state.first,
        state.shore[:],
        state.marker[:],
        state.second[:],
        state.row[:],
        state.gap,
        state.era1[:],
        state.era2[:],
        state.removed[:],
        state.discarded_tiles[:],
        state.deck[:],
        state.discards[:],
        state.scoring_tiles[:],
        state.masteries[:],
        [claims[:] for claims in state.claims],
        state.offered[:],
        state.governor,
        state.ended_by,
    )
