"""What a seat, or a spectator, may see of a position (section 16). What events tell is said where they happen."""

from services.games.river_of_gold.actions.rewards import card_names, choices
from services.games.river_of_gold.components import (
    CLANS,
    CUSTOMERS,
    MASTERIES,
    MASTERY_SLOTS,
    NO_PATRON,
    PATRONS,
    PLACES,
    RIVER_NAMES,
    SCORING_TILES,
    SPACES,
    TILES,
)
from services.games.river_of_gold.state import PHASES, PICK, Player, State
from teahouse.games.river_of_gold.v1 import structs


def view(state: State, seat: int | None) -> structs.View:
    seats = len(state.players)
    return structs.View(
        phase=PHASES[state.phase],
        turn=state.turn,
        first=state.first,
        players=[_player(state, who, player, who == seat) for who, player in enumerate(state.players)],
        shore=_shore(state),
        row=[structs.RowTile(slot + 1, TILES[tile]) for slot, tile in enumerate(state.row) if tile >= 0],
        stacks=[_stack(1, state.era1), _stack(2, state.era2)],
        discarded_tiles=[TILES[tile] for tile in state.discarded_tiles],
        customer_deck=len(state.deck),
        customer_discards=card_names(state.discards),
        scoring_tiles=[
            structs.ScoringTile(region + 1, SCORING_TILES[tile], list(PLACES[seats][tile]))
            for region, tile in enumerate(state.scoring_tiles)
        ],
        masteries=[
            structs.Mastery(MASTERIES[card], list(MASTERY_SLOTS[seats][card]), list(claims))
            for card, claims in zip(state.masteries, state.claims, strict=True)
        ],
        patrons_offered=[PATRONS[patron] for patron in state.offered],
        imperial_visit_done=not state.era1,
        end_triggered_by=state.ended_by if state.ended_by >= 0 else None,
    )


def _player(state: State, seat: int, player: Player, own: bool) -> structs.Player:
    # The choices between two patrons are secret until all are made.
    patron_known = player.patron != NO_PATRON and (own or state.phase != PICK)
    return structs.Player(
        seat=seat,
        vp=sum(player.won),
        koku=player.koku,
        silk=player.goods[0],
        rice=player.goods[1],
        porcelain=player.goods[2],
        favor=player.favor,
        favor_limit=player.favor_limit,
        influence=list(player.influence),
        ships=[structs.Ship(ship + 1, RIVER_NAMES[at], ship == player.royal) for ship, at in enumerate(player.ships)],
        hand_size=len(player.hand),
        hand=card_names(player.hand) if own else [],
        delivered=[name for card, name in enumerate(CUSTOMERS) if player.delivered >> card & 1],
        pending=choices(player.pending),
        clan=CLANS[player.clan] if player.clan >= 0 else None,
        patron=PATRONS[player.patron] if patron_known else None,
        die=player.die or None,
    )


def _shore(state: State) -> list[structs.Building]:
    found = []
    for space, tile in enumerate(state.shore):
        if tile >= 0:
            markers = [seat for seat in (state.marker[space], state.second[space]) if seat >= 0]
            found.append(structs.Building(SPACES[space], TILES[tile], markers))
    return found


def _stack(era: int, stack: list[int]) -> structs.Stack:
    return structs.Stack(era, len(stack), TILES[stack[-1]] if stack else None)
