"""The events that clients animate. A playout passes no story, so it does no work here."""

from services.engine.game import Event
from services.games.geishas_road.components import CARDS, COLOURS, FACE_POINTS, LANTERNS, MARKERS
from services.games.geishas_road.state import NONE, State
from teahouse.games.geishas_road.v1 import structs as s

# Indexed by face; created once, because every view shows all of them.
FACES = [
    s.Lantern(LANTERNS[face >> 1], bool(face & 1), points, FACE_POINTS[face ^ 1])
    for face, points in enumerate(FACE_POINTS)
]


def lantern(face: int) -> s.Lantern:
    return FACES[face]


def offered_cards(state: State, seat: int | None) -> list[s.OfferedCard]:
    """The offer as that seat sees it. Only the seat that laid a face-down card knows it."""
    return [
        s.OfferedCard(position, by != NONE, CARDS[card] if by in (NONE, seat) else None, share_of(state, position))
        for position, (card, by) in enumerate(zip(state.laid, state.hidden, strict=True))
    ]


def share_of(state: State, position: int) -> int | None:
    return next((entry >> 2 for entry in state.queue if entry & 3 == position), None)


def round_began(state: State) -> Event:
    def told(hand: list[int]) -> s.RoundBegan:
        return s.RoundBegan(
            state.round,
            state.starter,
            [lantern(face) for face in state.upper],
            [lantern(face) for face in state.lower],
            [CARDS[card] for card in hand],
        )

    return Event(told([]), {seat: told(hand) for seat, hand in enumerate(state.hands)}, reveals=True)


def drawn(state: State, card: int) -> Event:
    seat, deck = state.active, len(state.deck)
    own = s.Drawn(seat, state.turn, deck, CARDS[card])
    return Event(s.Drawn(seat, state.turn, deck), {seat: own}, reveals=True)


def revealed(state: State) -> Event:
    return Event(s.Revealed(state.active, CARDS[state.laid[0]]), reveals=True)


def intrigued(state: State) -> Event:
    left, right = state.intrigue[state.active]
    own = s.Intrigued(state.active, CARDS[left], CARDS[right])
    return Event(s.Intrigued(state.active), {state.active: own})


def offered(state: State) -> Event:
    seat, marker = state.active, MARKERS[state.marker]
    own = s.Offered(seat, marker, offered_cards(state, seat))
    return Event(s.Offered(seat, marker, offered_cards(state, None)), {seat: own}, reveals=True)


def countered(state: State, seat: int, position: int, returned: int, laid_by: int, drawn: int) -> Event:
    """`laid_by` is the seat that laid the returned card face down, or NONE."""
    face_down = state.hidden[position] != NONE

    def told(to: int) -> s.Countered:
        return s.Countered(
            seat,
            position,
            face_down,
            CARDS[returned] if laid_by in (NONE, to) else None,
            CARDS[state.laid[position]] if not face_down or to == seat else None,
            CARDS[drawn] if to == seat else None,
        )

    return Event(told(2), {0: told(0), 1: told(1)}, reveals=True)


def chosen(seat: int, positions: tuple[int, ...]) -> Event:
    return Event(s.Chosen(seat, list(positions)))


def turned_up(state: State) -> Event:
    return Event(s.TurnedUp(offered_cards(state, None)), reveals=True)


def placed(seat: int, card: int, start: int, stop: int, number: int) -> Event:
    return Event(s.Placed(seat, CARDS[card], start, stop, number))


def lantern_taken(colour: int, row: str, face: int) -> Event:
    return Event(s.LanternTaken(COLOURS[colour], row, lantern(face)))


def lantern_turned(colour: int, face: int) -> Event:
    return Event(s.LanternTurned(COLOURS[colour], lantern(face)))


def tokens_taken(seat: int, teahouse: int, guests: int, favour: int) -> Event:
    return Event(s.TokensTaken(seat, COLOURS[teahouse], guests, bool(favour)))


def intrigue_shown(seat: int, card: int) -> Event:
    return Event(s.IntrigueShown(seat, CARDS[card]), reveals=True)


def favour_decided(state: State, colour: int) -> Event:
    seat = state.won[colour]
    totals = [state.totals[0][colour], state.totals[1][colour]]
    return Event(s.FavourDecided(COLOURS[colour], totals, None if seat == NONE else seat))


def round_scored(number: int, points: list[list[int]]) -> s.RoundScored:
    return s.RoundScored(number, [s.RoundPoints(*lines) for lines in points])


def game_ended(state: State) -> Event:
    winner = None if state.winner == NONE else state.winner
    return Event(s.GameEnded(state.reason, state.round, winner))
