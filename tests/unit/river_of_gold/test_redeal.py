"""Hidden information: section 16, RG-99 and RG-100."""

from services.engine import registry
from services.engine.dice import Dice
from services.games.river_of_gold import deal
from services.games.river_of_gold.components import CUSTOMER, TILES
from services.games.river_of_gold.game import GAME
from services.games.river_of_gold.state import DISCARD
from teahouse.games.river_of_gold.v1 import structs as a
from tests.unit.river_of_gold.table import SEED, act, goods, hand, position

CODEC = registry.codec("river_of_gold")


def test_rg_99_the_same_seed_gives_the_same_deal() -> None:
    assert CODEC.encode(deal.new(3, "draft", SEED)) == CODEC.encode(deal.new(3, "draft", SEED))
    assert CODEC.encode(deal.new(3, "draft", SEED)) != CODEC.encode(deal.new(3, "draft", bytes(32)))


def test_rg_99_only_the_top_tile_of_a_stack_shows() -> None:
    """Q-28"""
    state = deal.new(3, "none", SEED)
    stacks = GAME.view(state, 0).stacks
    assert [(stack.era, stack.tiles, stack.top) for stack in stacks] == [
        (1, 10, TILES[state.era1[-1]]),
        (2, 11, TILES[state.era2[-1]]),
    ]
    shown = CODEC.view(state, 0).decode()
    assert all(f'"{TILES[tile]}"' not in shown for tile in state.era1[:-1] + state.era2[:-1] + state.removed)


def test_a_hand_is_its_owners_alone() -> None:
    state = deal.new(2, "none", SEED)
    for seat in (0, 1):
        view = GAME.view(state, seat)
        assert len(view.players[seat].hand) == 2
        assert view.players[1 - seat].hand == [] and view.players[1 - seat].hand_size == 2
    assert all(player.hand == [] for player in GAME.view(state, None).players)


def test_rg_100_a_drawn_card_is_private_and_a_discarded_one_public() -> None:
    state = position(die=1)
    hand(state, 0, "artisan_1", "elder_1")
    goods(state.players[0], porcelain=2)
    events = act(state, a.Deliver("artisan_1"))
    drawn = next(event for event in events if isinstance(event.public, a.CustomersDrawn))
    assert drawn.public == a.CustomersDrawn(0, 2, []) and drawn.reveals
    assert len(drawn.private[0].customers) == 2  # type: ignore[attr-defined]
    assert state.phase == DISCARD
    events = act(state, a.Discard("elder_1"))
    assert events[0].public == a.CustomerDiscarded(0, "elder_1") and not events[0].private
    assert GAME.view(state, None).customer_discards == ["elder_1"]
    assert state.discards == [CUSTOMER["elder_1"]]


def test_a_redeal_keeps_the_view_and_changes_what_is_hidden() -> None:
    state = deal.new(3, "none", SEED)
    hands, stacks, decks = set(), set(), set()
    for n in range(30):
        other = GAME.redeal(state, 0, Dice(bytes([n] * 32)))
        assert CODEC.view(other, 0) == CODEC.view(state, 0)
        assert CODEC.view(other, None) == CODEC.view(state, None)
        assert other.players[0].hand == state.players[0].hand
        assert (other.era1[-1], other.era2[-1]) == (state.era1[-1], state.era2[-1])
        assert other.dice.seed != state.dice.seed
        hands.add(tuple(other.players[1].hand))
        stacks.add((tuple(other.era1), tuple(other.era2)))
        decks.add(tuple(other.deck))
    assert min(len(hands), len(stacks), len(decks)) > 20


def test_a_tile_removed_in_setup_may_lie_in_a_redealt_stack() -> None:
    """Nobody knows which era tiles are out, but their era is known."""
    state = deal.new(2, "none", SEED)
    out = set()
    for n in range(40):
        other = GAME.redeal(state, 1, Dice(bytes([n] * 32)))
        assert sorted(other.removed + other.era1 + other.era2) == sorted(state.removed + state.era1 + state.era2)
        assert all(TILES[tile].startswith("e1") for tile in other.era1)
        out |= set(other.era1) & set(state.removed)
    assert len(out) > 6
