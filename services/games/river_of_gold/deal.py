"""Setting up a game (section 2, RG-101 to RG-103)."""

from services.engine.dice import Dice
from services.engine.game import Event, Story
from services.games.river_of_gold.actions.deliver import take_cards
from services.games.river_of_gold.actions.rewards import card_names
from services.games.river_of_gold.cleanup import begin_turn
from services.games.river_of_gold.components import (
    CLAN_PATRONS,
    CLANS,
    CUSTOMERS,
    DARLING,
    ENGINEER,
    ENGINEER_KOKU,
    ERA_COUNTS,
    ERA_TILES,
    GOODS,
    GOVERNOR,
    IMPERIAL_MARKETS,
    IMPERIAL_SPACES,
    MASTERIES,
    MASTERIES_IN_PLAY,
    MOST_KOKU,
    NO_CHOICES,
    NO_PATRON,
    REGIONS,
    RIVER_NAMES,
    ROW,
    SCORING_TILES,
    SETUP,
    SHIP_STARTS,
    SPACES,
    STARTING_SPACES,
    STARTING_TILES,
    STORMS,
    STORMS_HAND,
)
from services.games.river_of_gold.state import DRAFT, EMPTY, MAIN, NOBODY, PICK, SOURCES, Player, State
from teahouse.games.river_of_gold.v1 import structs


def new(seats: int, patrons: str, seed: bytes) -> State:
    dice = Dice(seed)
    shore = _shore(seats, dice)
    era1, removed1 = _stack(0, seats, dice)
    era2, removed2 = _stack(1, seats, dice)
    state = State(
        dice=dice,
        players=[_player() for _ in range(seats)],
        phase=MAIN,
        actor=0,
        turn=0,
        first=0,
        shore=shore,
        marker=[NOBODY] * len(SPACES),
        second=[NOBODY] * len(SPACES),
        row=[era1.pop() for _ in range(ROW)],
        gap=-1,
        era1=era1,
        era2=era2,
        removed=removed1 + removed2,
        discarded_tiles=[],
        deck=_shuffled(range(len(CUSTOMERS)), dice),
        discards=[],
        scoring_tiles=_shuffled(range(len(SCORING_TILES)), dice),
        masteries=sorted(_shuffled(range(len(MASTERIES)), dice)[:MASTERIES_IN_PLAY]),
        claims=[[] for _ in range(MASTERIES_IN_PLAY)],
        offered=[],
        governor=NOBODY,
        ended_by=NOBODY,
    )
    state.first = state.turn = state.actor = dice.below(seats)
    _clans(state, patrons)
    return state


def _shuffled(items: range | tuple[int, ...], dice: Dice) -> list[int]:
    found = list(items)
    dice.shuffle(found)
    return found


def _shore(seats: int, dice: Dice) -> list[int]:
    shore = [EMPTY] * len(SPACES)
    for space, tile in zip(IMPERIAL_SPACES, _shuffled(IMPERIAL_MARKETS, dice), strict=True):
        shore[space] = tile
    # If there are fewer spaces than tiles, the rest leave the game (RG-18).
    for space, tile in zip(STARTING_SPACES[seats], _shuffled(STARTING_TILES, dice), strict=False):
        shore[space] = tile
    return shore


def _stack(era: int, seats: int, dice: Dice) -> tuple[list[int], list[int]]:
    """The stack of an era, and the tiles removed from the game unseen (RG-19)."""
    tiles = _shuffled(ERA_TILES[era], dice)
    kept = ERA_COUNTS[seats][era]
    return tiles[:kept], tiles[kept:]


def _player() -> Player:
    return Player(
        clan=-1,
        patron=NO_PATRON,
        koku=0,
        favor=SETUP["favor"],
        favor_limit=SETUP["favor_limit"],
        die=0,
        royal=-1,
        delivered=0,
        lands=0,
        goods=[SETUP["goods_each_type"]] * len(GOODS),
        influence=[SETUP["influence_each_region"]] * REGIONS,
        ships=[],
        hand=[],
        pending=list(NO_CHOICES),
        won=[SETUP["vp"]] * len(SOURCES),
        built=[0, 0, 0, 0],
    )


def _clans(state: State, patrons: str) -> None:
    seats = len(state.players)
    if patrons == "draft":
        state.offered = [state.dice.choice(pair) for pair in CLAN_PATRONS]
        state.phase, state.actor = DRAFT, (state.first - 1) % seats
        return
    for player, clan in zip(state.players, _shuffled(range(len(CLANS)), state.dice), strict=False):
        player.clan = clan
    if patrons == "pick":
        state.phase = PICK
    else:
        set_up_players(state, None)


def set_up_players(state: State, story: Story) -> None:
    """RG-22 to RG-25, in turn order; then the first turn begins."""
    seats = len(state.players)
    for position in range(seats):
        seat = (state.first + position) % seats
        _set_up(state, seat, position, story)
    begin_turn(state, state.first, story)


def _set_up(state: State, seat: int, position: int, story: Story) -> None:
    player, dice = state.players[seat], state.dice
    player.koku = SETUP["koku_by_turn_position"][position]
    cards = SETUP["hand"]
    if player.patron == ENGINEER:
        player.koku = min(player.koku + ENGINEER_KOKU, MOST_KOKU)
    elif player.patron == STORMS:
        cards = STORMS_HAND
    elif player.patron == GOVERNOR:
        state.governor = seat
    player.hand = take_cards(state, cards, story)
    player.ships = [start + dice.below(6) + 1 for start in SHIP_STARTS]
    if player.patron != DARLING:  # RG-106
        player.die = dice.below(6) + 1
    if story is not None:
        ships = [RIVER_NAMES[at] for at in player.ships]
        public = structs.PlayerReady(seat, ships, cards, [], player.die or None)
        own = structs.PlayerReady(seat, ships, cards, card_names(player.hand), player.die or None)
        story.append(Event(public, {seat: own}, reveals=True))
