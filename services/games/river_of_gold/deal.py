"""Setting up a game (section 2, RG-101 to RG-103), and dealing again what a seat cannot know."""

from services.engine.dice import Dice
from services.engine.game import Event
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
from services.games.river_of_gold.deliver import take_cards
from services.games.river_of_gold.rewards import Tale, card_names
from services.games.river_of_gold.state import (
    DRAFT,
    EMPTY,
    MAIN,
    NOBODY,
    PICK,
    SOURCES,
    Player,
    State,
    clone,
)
from teahouse.games.river_of_gold.v1 import structs

ERA_1 = frozenset(ERA_TILES[0])


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
    # With fewer spaces than tiles the rest leaves the game (RG-18).
    for space, tile in zip(STARTING_SPACES[seats], _shuffled(STARTING_TILES, dice), strict=False):
        shore[space] = tile
    return shore


def _stack(era: int, seats: int, dice: Dice) -> tuple[list[int], list[int]]:
    """The stack of an era, and the tiles that leave the game unseen (RG-19)."""
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


def set_up_players(state: State, tale: Tale) -> None:
    """RG-22 to RG-25, in turn order; then the first turn begins."""
    seats = len(state.players)
    for position in range(seats):
        seat = (state.first + position) % seats
        _set_up(state, seat, position, tale)
    begin_turn(state, state.first, tale)


def _set_up(state: State, seat: int, position: int, tale: Tale) -> None:
    player, dice = state.players[seat], state.dice
    player.koku = SETUP["koku_by_turn_position"][position]
    cards = SETUP["hand"]
    if player.patron == ENGINEER:
        player.koku = min(player.koku + ENGINEER_KOKU, MOST_KOKU)
    elif player.patron == STORMS:
        cards = STORMS_HAND
    elif player.patron == GOVERNOR:
        state.governor = seat
    player.hand = take_cards(state, cards, tale)
    player.ships = [start + dice.below(6) + 1 for start in SHIP_STARTS]
    if player.patron != DARLING:  # RG-106
        player.die = dice.below(6) + 1
    if tale is not None:
        ships = [RIVER_NAMES[at] for at in player.ships]
        public = structs.PlayerReady(seat, ships, cards, [], player.die or None)
        own = structs.PlayerReady(seat, ships, cards, card_names(player.hand), player.die or None)
        tale.append(Event(public, {seat: own}, reveals=True))


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Shuffles what the seat cannot know: others' hands with the deck, and the stacks below their top tiles.

    A tile removed in setup was seen by nobody, so it may as well lie in a stack.
    """
    other = clone(state)
    _redeal_customers(other, seat, dice)
    removed: list[int] = []
    for stack, first_era in ((other.era1, True), (other.era2, False)):
        below = stack[:-1]
        pool = below + [tile for tile in other.removed if (tile in ERA_1) is first_era]
        dice.shuffle(pool)
        stack[:-1] = pool[: len(below)]
        removed += pool[len(below) :]
    other.removed = removed
    if other.phase == PICK:
        for rival, player in enumerate(other.players):
            if rival != seat and player.patron != NO_PATRON:
                player.patron = dice.choice(CLAN_PATRONS[player.clan])
    other.dice = Dice(b"".join(dice.word().to_bytes(4, "big") for _ in range(8)))
    return other


def _redeal_customers(state: State, seat: int, dice: Dice) -> None:
    rivals = [player for rival, player in enumerate(state.players) if rival != seat]
    pool = state.deck + [card for player in rivals for card in player.hand]
    dice.shuffle(pool)
    for player in rivals:
        held = len(player.hand)
        player.hand, pool = pool[:held], pool[held:]
    state.deck = pool
