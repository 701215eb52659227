"""An independent copy of a position, fast: search lives on it."""

from services.games.tea_garden.state import Court, LuYu, Player, State


def clone_player(p: Player) -> Player:
    return Player(
        p.hand.copy(),
        p.deck.copy(),
        p.discard.copy(),
        [stack.copy() for stack in p.stacks],
        p.leaves.copy(),
        p.scrolls.copy(),
        p.pagodas.copy(),
        p.gardens.copy(),
        [row.copy() for row in p.cups],
        [row.copy() for row in p.markers],
        p.caravans.copy(),
        p.vp,
        p.tokens,
        p.own,
        p.near,
        p.far,
        p.provinces,
        p.teapots,
        p.boat,
        p.spot,
        p.sector,
        p.part,
        p.centre,
        p.workers,
        p.row,
        p.passed,
        p.turn_spaces,
        p.messengers,
        p.waiting,
        p.decrees,
        [tokens.copy() for tokens in p.sets],
    )


def clone_lu_yu(lu: LuYu) -> LuYu:
    return LuYu(
        lu.seat,
        lu.deck.copy(),
        lu.laid.copy(),
        [pile.copy() for pile in lu.piles],
        lu.box.copy(),
        lu.played_in.copy(),
        lu.cards.copy(),
        lu.fresh,
        lu.fermented,
    )


def clone_court(court: Court) -> Court:
    if not court.decrees:
        return court  # without the expansion nothing here changes
    return Court(
        court.halls.copy(),
        [spaces.copy() for spaces in court.spaces],
        court.hall_deck.copy(),
        court.past_halls.copy(),
        court.basic_row.copy(),
        court.basic_deck.copy(),
        court.premium_row.copy(),
        court.premium_deck.copy(),
        court.decrees,  # dealt once, never changed
        [spaces.copy() for spaces in court.honours],
        [seats.copy() for seats in court.beside],
        court.young,
        court.purchases,
        court.bought,
    )


def clone(s: State) -> State:
    return State(
        s.dice.clone(),
        [clone_player(p) for p in s.players],
        clone_lu_yu(s.lu_yu) if s.lu_yu is not None else None,
        s.round,
        s.first,
        s.seat,
        s.question,
        s.action_row.copy(),
        s.action_deck.copy(),
        s.caravan_row.copy(),
        s.caravan_deck.copy(),
        s.emperor_row.copy(),
        s.emperor_deck.copy(),
        [stack.copy() for stack in s.cup_stacks],
        s.tokens,  # dealt once, never changed
        [spaces.copy() for spaces in s.spaces],
        s.room,
        s.spots.copy(),
        s.removed.copy(),
        s.box_cards,  # never changed either; redeal replaces them
        s.box_caravans,
        s.box_tiles,
        s.laid,
        s.freed,
        s.strength,
        s.main_used,
        s.side_used,
        s.repeated,
        s.effects_used,
        s.sold,
        [frame.copy() for frame in s.frames],
        s.due,  # replaced, never changed
        s.paying_for,
        s.subject,
        s.option,
        s.left,
        s.reached,
        clone_court(s.court),
    )
