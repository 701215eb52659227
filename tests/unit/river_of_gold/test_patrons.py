"""The clan patrons: RG-101 to RG-107 and what each of the eight does."""

import pytest

from services.engine.dice import Dice
from services.games.river_of_gold import deal
from services.games.river_of_gold.actions.rewards import advance
from services.games.river_of_gold.components import CLAN_PATRONS, ENGINEER, PATRON, PATRONS
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.state import DRAFT, FIRST_DIE, MAIN, PATRONAGE, PICK, ROLL, State
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import (
    SEED,
    act,
    dice_rolling,
    finish,
    goods,
    hand,
    kinds,
    patron,
    position,
    put,
    refused,
    row,
    served,
    vp,
)

SEATS = pytest.mark.parametrize("seats", [2, 3, 4])


def set_up(name: str, seats: int = 2) -> State:
    """A game whose first player has this patron."""
    state = deal.new(seats, "pick", SEED)
    for player, clan in zip(state.players, (3, 0, 1, 2), strict=False):
        player.clan, player.patron = clan, CLAN_PATRONS[clan][0]
    patron(state, state.first, name)
    deal.set_up_players(state, None)
    return state


@SEATS
def test_rg_101_the_draft_goes_from_the_last_player_to_the_first(seats: int) -> None:
    state = deal.new(seats, "draft", SEED)
    assert [patron_ // 2 for patron_ in state.offered] == [0, 1, 2, 3]
    order = []
    while state.phase == DRAFT:
        seat = GAME.actor(state)
        assert seat is not None
        order.append(seat)
        assert GAME.legal(state) == [a.TakePatron(PATRONS[one]) for one in state.offered]
        assert GAME.view(state, None).patrons_offered == [PATRONS[one] for one in state.offered]
        act(state, GAME.legal(state)[0])
    backwards = [(state.first - 1 - n) % seats for n in range(seats)]
    # With four players the first one gets the patron that is left, without a choice.
    assert order == backwards[:3] if seats == 4 else order == backwards
    assert len({player.clan for player in state.players}) == seats and state.offered == []
    assert state.phase in (MAIN, FIRST_DIE) and state.turn == state.first


@SEATS
def test_rg_102_a_random_clan_and_a_secret_choice_of_two(seats: int) -> None:
    state = deal.new(seats, "pick", SEED)
    assert state.phase == PICK
    for n in range(seats):
        seat = (state.first + n) % seats
        assert GAME.actor(state) == seat
        assert GAME.legal(state) == [a.TakePatron(PATRONS[one]) for one in CLAN_PATRONS[state.players[seat].clan]]
        strange = next(one for one in PATRONS if a.TakePatron(one) not in GAME.legal(state))
        refused(state, a.TakePatron(strange))
        events = act(state, GAME.legal(state)[1])
        assert events[0].public == a.PatronTaken(seat)
        assert events[0].private[seat].patron is not None  # type: ignore[attr-defined]
        if n < seats - 1:
            rival = (seat + 1) % seats
            assert GAME.view(state, rival).players[seat].patron is None
            assert GAME.view(state, None).players[seat].patron is None
            assert GAME.view(state, seat).players[seat].patron is not None
    assert "PatronsRevealed" in kinds(events)
    assert all(player.patron % 2 == 1 for player in state.players)
    assert GAME.view(state, None).players[0].patron is not None


def test_rg_102_a_redeal_hides_the_choices_made() -> None:
    state = deal.new(2, "pick", SEED)
    first = state.first
    act(state, GAME.legal(state)[0])
    found = {GAME.redeal(state, 1 - first, Dice(bytes([n] * 32))).players[first].patron for n in range(20)}
    assert found == set(CLAN_PATRONS[state.players[first].clan])
    kept = {GAME.redeal(state, first, Dice(bytes([n] * 32))).players[first].patron for n in range(20)}
    assert kept == {state.players[first].patron}


@SEATS
def test_rg_103_everybody_has_one_patron_before_the_setup(seats: int) -> None:
    state = deal.new(seats, "draft", SEED)
    assert all(player.hand == [] and player.ships == [] for player in state.players)
    while state.phase == DRAFT:
        events = act(state, GAME.legal(state)[0])
    assert kinds(events).count("PlayerReady") == seats
    assert all(player.patron >= 0 and len(player.ships) == 2 for player in state.players)
    refused(state, a.TakePatron(PATRONS[0]))


def test_patron_crab_engineer() -> None:
    """+10 koku at setup; builds in any region."""
    state = set_up("patron_crab_engineer")
    assert state.players[state.first].koku == 17
    state = position(die=1)
    player = patron(state, 0, "patron_crab_engineer")
    player.koku = 25
    assert player.patron == ENGINEER
    spaces = {action.space for action in GAME.legal(state) if isinstance(action, a.Build)}
    assert len(spaces) == 27
    assert len(GAME.legal(state)) <= 200
    tile = next(action.tile for action in GAME.legal(state) if isinstance(action, a.Build))
    act(state, a.Build("S30", tile))
    assert player.koku == 20


def test_patron_crab_trader() -> None:
    """1 VP per river space adjacent to the space built on."""
    state = position(die=2)
    trader = patron(state, 0, "patron_crab_trader")
    trader.koku = 25
    row(state, "e1_port_2", "e1_manor_2", "e1_shrine_2", "e1_port_4")
    act(state, a.Build("S09", "e1_port_2"))
    assert trader.won[PATRONAGE] == 3


def test_patron_mantis_storms_rg_107() -> None:
    """Three starting customers; delivers whatever the die shows; the hand stays at three."""
    state = set_up("patron_mantis_storms")
    assert len(state.players[state.first].hand) == 3
    state = position(die=1)
    storms = patron(state, 0, "patron_mantis_storms")
    hand(state, 0, "artisan_6", "elder_1", "elder_2")
    goods(storms, rice=2)
    act(state, a.Deliver("artisan_6"))
    assert len(storms.hand) == 4
    act(state, a.Discard("elder_1"))
    assert len(storms.hand) == 3


@pytest.mark.parametrize(("mine", "theirs", "points"), [((), (), 3), (("monk_1",), (), 0), ((), ("monk_1",), 3)])
def test_patron_mantis_priestess(mine: tuple[str, ...], theirs: tuple[str, ...], points: int) -> None:
    """3 VP for her own first delivery in a region (Q-25)."""
    state = position(die=1)
    priestess = patron(state, 0, "patron_mantis_priestess")
    served(state, 0, *mine)
    served(state, 1, *theirs)
    hand(state, 0, "artisan_1")
    goods(priestess, porcelain=2)
    act(state, a.Deliver("artisan_1"))
    assert priestess.won[PATRONAGE] == points


@pytest.mark.parametrize(("owners", "points"), [([(1,), (2,)], 2), ([(0,), (0, 0)], 0), ([(0, 1), (0,)], 2)])
def test_patron_crane_iron(owners: list[tuple[int, ...]], points: int) -> None:
    """2 VP in total if an opponent's building was visited, with any ship."""
    state = position(die=1)
    iron = patron(state, 0, "patron_crane_iron")
    put(state, "S03", "e1_port_1", *owners[0])
    put(state, "S05", "e1_port_2", *owners[1])
    act(state, a.Sail(1, 0))
    assert iron.won[PATRONAGE] == points


def test_patron_crane_darling_rg_106_first_turn() -> None:
    """No die is rolled for her in setup: she decides at the start of her first turn."""
    state = set_up("patron_crane_darling")
    darling = state.players[state.first]
    assert state.phase == FIRST_DIE and darling.die == 0
    assert GAME.view(state, None).players[state.first].die is None
    assert GAME.legal(state) == [*(a.SetDie(face) for face in range(1, 7)), a.Roll()]
    act(state, a.SetDie(4))
    assert (darling.die, darling.favor, state.phase, state.turn) == (4, 1, MAIN, state.first)
    assert all(2 <= at <= 14 for at in darling.ships), "her ships were placed by ordinary rolls"


def test_patron_crane_darling_rg_106_rolls_on_her_first_turn() -> None:
    state = set_up("patron_crane_darling")
    state.dice = dice_rolling(6)
    act(state, a.Roll())
    assert (state.players[state.first].die, state.players[state.first].favor, state.phase) == (6, 2, MAIN)


def test_patron_crane_darling_sets_the_die_before_rolling() -> None:
    state = position(die=1)
    darling = patron(state, 0, "patron_crane_darling")
    darling.favor = 1
    act(state, a.Sail(1, 0))
    assert (state.phase, GAME.actor(state)) == (ROLL, 0)
    act(state, a.SetDie(1))
    assert (darling.die, darling.favor, state.turn) == (1, 0, 1), "she may name the face the die shows"


def test_patron_crane_darling_may_exchange_for_favor_first_rg_30() -> None:
    state = position(die=1)
    darling = patron(state, 0, "patron_crane_darling")
    darling.koku = 5
    act(state, a.Sail(1, 0))
    finish(state)
    assert state.phase == ROLL
    assert "none" in refused(state, a.SetDie(3))
    act(state, a.ExchangeFavor())
    act(state, a.SetDie(3))
    assert (darling.die, darling.koku, darling.favor) == (3, 4, 0)


def test_patron_crane_darling_without_favor_must_roll() -> None:
    state = position(die=1)
    darling = patron(state, 0, "patron_crane_darling")
    state.dice = dice_rolling(5)
    act(state, a.Sail(1, 0))
    assert (darling.die, state.turn, state.phase) == (5, 1, MAIN)
    state = position(die=1)
    darling = patron(state, 0, "patron_crane_darling")
    goods(darling, silk=2)
    act(state, a.Sail(1, 0))
    finish(state)
    assert state.phase == ROLL
    act(state, a.ExchangeGoods("silk", "rice"))
    assert state.turn == 1, "nothing is left to decide: the die is rolled"


def test_patron_crane_darling_is_not_asked_after_the_end_trigger() -> None:
    state = position(die=1)
    darling = patron(state, 0, "patron_crane_darling")
    darling.favor, state.ended_by, state.era1, state.era2 = 3, 2, [], []
    act(state, a.Sail(1, 0))
    assert (state.turn, state.phase, darling.die) == (1, MAIN, 1)


def test_patron_scorpion_governor_rg_104() -> None:
    """3 VP when another passes her; leaving a shared position passes, arriving level does not (Q-22)."""
    state = position()
    governor = patron(state, 2, "patron_scorpion_governor")
    governor.influence[0] = 3
    advance(state, 0, 0, 3, None)
    assert vp(governor) == 0
    advance(state, 0, 0, 1, None)
    assert vp(governor) == 3
    advance(state, 0, 0, 1, None)
    assert vp(governor) == 3, "already ahead"
    advance(state, 2, 0, 5, None)
    assert governor.won[PATRONAGE] == 3, "her own advance is no passing"


def test_patron_scorpion_lady_rg_105() -> None:
    """Jumped positions are not counted; 0 is never occupied; 18 may be shared (Q-23)."""
    state = position()
    lady = patron(state, 0, "patron_scorpion_lady")
    advance(state, 0, 0, 1, None)
    assert lady.influence[0] == 1, "the others on 0 do not count"
    state.players[1].influence[0], state.players[2].influence[0] = 2, 4
    advance(state, 0, 0, 2, None)
    assert lady.influence[0] == 5 and lady.koku == 2 and lady.goods == [0, 0, 1]
    lady.influence[1], state.players[1].influence[1], state.players[2].influence[1] = 15, 17, 18
    advance(state, 0, 1, 2, None)
    assert lady.influence[1] == 18
    others = state.players[1]
    advance(state, 1, 0, 3, None)
    assert others.influence[0] == 5, "only she jumps"


def test_every_patron_is_in_a_test() -> None:
    for name in PATRON:
        assert any(test.startswith(f"test_{name}") for test in globals()), name
