"""The public story alone tells the whole table: pawns, lanterns, tokens and points are worked out again from it.

Nothing of the engine is used but its data and its table of guest sets, which test_gr_68 checks by itself.
"""

import random
from typing import Any

import pytest

from services.games.geishas_road.components import BOX, COLOURS, GUEST_POINTS
from services.games.geishas_road.game import GAME
from teahouse.games.geishas_road.v1.structs import Options
from tests.unit.geishas_road.pieces import CASES, PLAYERS
from tests.unit.geishas_road.table import act

FACES = {lantern["id"]: (lantern["light"], lantern["dark"]) for lantern in BOX["lanterns"]}
SYMBOLS = {1: 2, 2: 1, 3: 0, 4: 0}


class Log:
    """A person with a box who follows the story."""

    def __init__(self, view: Any) -> None:
        self.starter: int = view.starting_seat
        self.next_starter = self.starter
        self.mode, self.destiny, self.circle = view.mode, view.destiny, view.circle
        self.pawns = {colour: self.circle.index(colour) for colour in COLOURS}
        self.favour: dict[str, int | None] = {geisha.colour: geisha.favour_token for geisha in view.geishas}
        self.free = {colour for colour in COLOURS if self.mode != "basic"}
        self.points = [0, 0]
        self.due = 0
        self.begin(1, view.upper_row, view.lower_row)

    def begin(self, number: int, upper: list[Any], lower: list[Any]) -> None:
        self.round = number
        self.rows = {
            "upper": [(each.id, each.dark) for each in upper],
            "lower": [(each.id, each.dark) for each in lower],
        }
        self.tiles: dict[str, list[tuple[str, bool]]] = {colour: [] for colour in COLOURS}
        self.returns = dict.fromkeys(COLOURS, 0)
        self.at_teahouse = dict.fromkeys(COLOURS, 0 if self.mode == "basic" else 3)
        self.totals = [dict.fromkeys(COLOURS, 0) for _ in (0, 1)]
        self.guests = [dict.fromkeys(COLOURS, 0) for _ in (0, 1)]
        self.unused = [2 if self.mode == "advanced" else 0] * 2
        self.won: dict[str, int | None] = {}

    def read(self, event: Any) -> None:
        reader = getattr(self, "on_" + type(event).__name__.lower(), None)
        if reader is not None:
            reader(event)

    def on_roundbegan(self, event: Any) -> None:
        assert event.starting_seat == self.next_starter
        self.begin(event.round, event.upper_row, event.lower_row)
        self.starter = event.starting_seat

    def on_offered(self, event: Any) -> None:
        self.unused[event.seat] -= any(card.face_down for card in event.cards)

    def on_countered(self, event: Any) -> None:
        self.unused[event.seat] -= 1 + event.face_down

    def on_placed(self, event: Any) -> None:
        assert self.due == 0, "the tokens of the card before were not taken"
        _, colour, value = event.card.split("-")
        assert event.from_position == self.pawns[colour]
        stop = self.pawns[colour] = (self.pawns[colour] + int(value)) % 5
        home = self.circle[stop] == colour
        self.returns[colour] += home
        assert (event.to_position, event.return_number) == (stop, self.returns[colour] if home else 0)
        self.totals[event.seat][colour] += int(value)
        self.place, self.placer = self.circle[stop], event.seat
        there = self.at_teahouse[self.place] + (self.place in self.free)
        self.due = 0 if self.mode == "basic" else min(SYMBOLS[int(value)], there)
        if home and self.returns[colour] == 2 and self.destiny:
            [(lantern, dark)] = self.tiles[colour]
            self.tiles[colour] = [(lantern, not dark)]
        elif home:
            row = self.rows["upper" if self.returns[colour] == 1 else "lower"]
            self.tiles[colour] += [row.pop(0)] if row else []

    def on_tokenstaken(self, event: Any) -> None:
        assert (event.seat, event.teahouse, event.guests + event.favour) == (self.placer, self.place, self.due)
        self.due = 0
        self.at_teahouse[self.place] -= event.guests
        self.guests[event.seat][self.place] += event.guests
        if event.favour:
            self.free.remove(self.place)
            self.favour[self.place] = event.seat

    def on_favourdecided(self, event: Any) -> None:
        first, second = (totals[event.geisha] for totals in self.totals)
        winner = self.favour[event.geisha] if first == second else int(second > first)
        assert (event.totals, event.seat) == ([first, second], winner)
        self.won[event.geisha] = winner

    def on_roundscored(self, event: Any) -> None:
        assert max(list(self.won.values()).count(seat) for seat in (0, 1)) < 4
        scored = []
        for seat, lines in enumerate(event.points):
            mine = [colour for colour in COLOURS if self.won[colour] == seat]
            lanterns = sum(FACES[lantern][dark] for colour in mine for lantern, dark in self.tiles[colour])
            guests = GUEST_POINTS[tuple(self.guests[seat].values())]
            assert [lines.tiles, lines.lanterns, lines.guests, lines.special_markers] == [
                self.round * len(mine),
                lanterns,
                guests,
                self.unused[seat],
            ]
            scored.append(self.round * len(mine) + lanterns + guests + self.unused[seat])
            self.points[seat] += scored[-1]
        self.next_starter = 1 - self.starter if scored[0] == scored[1] else int(scored[1] < scored[0])

    def on_gameended(self, event: Any) -> None:
        geishas = [list(self.won.values()).count(seat) for seat in (0, 1)]
        tokens = [list(self.favour.values()).count(seat) for seat in (0, 1)]
        ways = [("four_geishas", [int(count >= 4) for count in geishas]), ("points", self.points)]
        ways += [("favour_tokens", tokens)] if self.mode != "basic" else []
        decisive = ((reason, int(two > one)) for reason, (one, two) in ways if one != two)
        assert (event.reason, event.seat) == next(decisive, ("shared", None))
        assert event.round == self.round

    def agrees_with(self, view: Any) -> None:
        for geisha in view.geishas:
            colour = geisha.colour
            assert (geisha.position, geisha.returns) == (self.pawns[colour], self.returns[colour])
            assert [(lantern.id, lantern.dark) for lantern in geisha.lanterns] == self.tiles[colour]
            assert [side.total for side in geisha.sides] == [totals[colour] for totals in self.totals]
            assert geisha.favour_token == self.favour[colour]
        for teahouse in view.teahouses:
            assert (teahouse.guests, teahouse.favour) == (
                self.at_teahouse[teahouse.colour],
                teahouse.colour in self.free,
            )
        for row, lanterns in (("upper", view.upper_row), ("lower", view.lower_row)):
            assert [(lantern.id, lantern.dark) for lantern in lanterns] == self.rows[row]
        assert [len(player.special_markers) for player in view.players] == self.unused


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_table_and_the_points_worked_out_again_from_the_story(case: int) -> None:
    _, options = CASES[case]
    reasons = set()
    for number in range(25):
        rng = random.Random(100 * case + number)
        state = GAME.new(PLAYERS, Options(**options), rng.randbytes(32))
        log = Log(GAME.view(state, None))
        while GAME.actor(state) is not None:
            for event in act(state, rng.choice(GAME.legal(state))):
                log.read(event.public)
            log.agrees_with(GAME.view(state, None))
        outcome = GAME.outcome(state)
        assert outcome is not None
        assert outcome.scores == log.points
        reasons.add(outcome.reason)
    assert {"points", "four_geishas"} <= reasons
