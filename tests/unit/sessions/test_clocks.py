"""How a clock runs: deadline and banks after each change."""

import pytest

from services.platform.errors import Refusal
from services.sessions.play.clocks import check_in_time, checked, fill_banks, help_back, running, wind
from teahouse.v1 import sessions_pb2 as pb

PLAYER, BOT = pb.Seat(kind="player"), pb.Seat(kind="bot", bot="greedy")


class Table:
    """A table in play, to which things happen at given times."""

    def __init__(self, clock: pb.Clock, *seats: pb.Seat) -> None:
        self.table = pb.Table(status="playing", seats=seats, clock=checked(clock))
        fill_banks(self.table)

    def happens(self, at: int, entry: pb.LogEntry, actor: int) -> None:
        before = running(self.table)
        entry.at, self.table.actor = at, actor
        wind(self.table, before, entry)

    def start(self, actor: int) -> None:
        self.happens(0, pb.LogEntry(), actor)

    def acts(self, at: int, seat: int, actor: int, undoable: bool = False) -> None:
        self.happens(at, pb.LogEntry(seat=seat, action=b"{}", undoable=undoable), actor)

    @property
    def deadline(self) -> int | None:
        return self.table.deadline if self.table.HasField("deadline") else None


def test_a_move_clock_begins_anew_when_the_decision_comes() -> None:
    table = Table(pb.Clock(kind="move", seconds=10), PLAYER, PLAYER)
    table.start(0)
    assert table.deadline == 10_000
    table.acts(4_000, 0, 1)
    assert table.deadline == 14_000


def test_a_step_that_can_be_taken_back_brings_no_new_time() -> None:
    table = Table(pb.Clock(kind="move", seconds=10), PLAYER, PLAYER)
    table.start(0)
    table.acts(4_000, 0, 0, undoable=True)
    table.happens(5_000, pb.LogEntry(seat=0, undoes=4), 0)
    assert table.deadline == 10_000
    table.acts(6_000, 0, 0)
    assert table.deadline == 16_000


def test_a_bank_is_charged_with_the_whole_turn_and_gets_its_increment_after_it() -> None:
    table = Table(pb.Clock(kind="bank", seconds=60, increment=5), PLAYER, PLAYER)
    table.start(0)
    table.acts(7_000, 0, 0)
    assert (table.deadline, list(table.table.banks)) == (60_000, [60_000, 60_000])
    table.acts(10_000, 0, 1)
    assert (table.deadline, list(table.table.banks)) == (70_000, [55_000, 60_000])
    table.acts(30_000, 1, 0)
    assert (table.deadline, list(table.table.banks)) == (85_000, [55_000, 45_000])


def test_bots_have_no_clock() -> None:
    table = Table(pb.Clock(kind="bank", seconds=60), PLAYER, BOT)
    table.start(1)
    assert table.deadline is None
    table.acts(50_000, 1, 0)
    assert table.deadline == 110_000
    table.acts(60_000, 0, 1)
    assert (table.deadline, table.table.banks[0]) == (None, 50_000)


def test_who_is_replaced_and_returns_has_what_was_left() -> None:
    table = Table(pb.Clock(kind="bank", seconds=60, increment=5), PLAYER, PLAYER)
    table.start(0)
    table.table.seats[0].stand_in = "greedy"
    table.happens(20_000, pb.LogEntry(), 0)
    assert (table.deadline, table.table.banks[0]) == (None, 40_000)
    table.table.seats[0].stand_in = ""
    help_back(table.table, 0)
    table.happens(30_000, pb.LogEntry(), 0)
    assert table.deadline == 70_000


def test_to_leave_and_return_brings_no_new_time_for_a_move() -> None:
    table = Table(pb.Clock(kind="move", seconds=60), PLAYER, PLAYER)
    table.start(0)
    for left, returned, deadline in ((59_000, 59_500, 60_500), (60_400, 60_401, 60_501)):
        table.table.seats[0].stand_in = "greedy"
        table.happens(left, pb.LogEntry(), 0)
        assert table.deadline is None
        table.table.seats[0].stand_in = ""
        table.happens(returned, pb.LogEntry(), 0)
        assert table.deadline == deadline
    table.acts(60_450, 0, 1)
    assert table.deadline == 120_450


def test_the_next_decision_has_all_its_time_again() -> None:
    table = Table(pb.Clock(kind="move", seconds=60), PLAYER, PLAYER)
    table.start(0)
    table.table.seats[0].stand_in = "greedy"
    table.happens(59_000, pb.LogEntry(), 0)
    table.acts(59_010, 0, 0)
    table.table.seats[0].stand_in = ""
    table.happens(59_500, pb.LogEntry(), 0)
    assert table.deadline == 119_500


@pytest.mark.parametrize(("seconds", "given"), [(600, 30_000), (5, 5_000)])
def test_who_returns_after_time_was_up_gets_a_little_for_the_same_move(seconds: int, given: int) -> None:
    table = Table(pb.Clock(kind="move", seconds=seconds), PLAYER, PLAYER)
    table.start(0)
    late = seconds * 1000 + 150
    table.table.seats[0].stand_in = "greedy"
    table.happens(late, pb.LogEntry(), 0)
    table.table.seats[0].stand_in = ""
    table.happens(late, pb.LogEntry(), 0)
    assert table.deadline == late + given


@pytest.mark.parametrize(("seconds", "given"), [(600, 30_000), (5, 5_000)])
def test_who_returns_with_an_empty_bank_gets_a_little(seconds: int, given: int) -> None:
    table = Table(pb.Clock(kind="bank", seconds=seconds), PLAYER, PLAYER)
    table.start(0)
    table.table.seats[0].stand_in = "greedy"
    table.happens(seconds * 1000 + 150, pb.LogEntry(), 0)
    assert table.table.banks[0] == 0
    help_back(table.table, 0)
    assert table.table.banks[0] == given


def test_an_action_counts_until_the_deadline_and_not_after_it() -> None:
    table = Table(pb.Clock(kind="move", seconds=10), PLAYER, PLAYER)
    table.start(0)
    check_in_time(table.table, 0, 10_000)
    check_in_time(table.table, 1, 10_001)  # refused for another reason
    with pytest.raises(Refusal, match="1 ms ago"):
        check_in_time(table.table, 0, 10_001)


@pytest.mark.parametrize(
    "clock",
    [
        pb.Clock(kind="hourglass", seconds=5),
        pb.Clock(kind="none", seconds=5),
        pb.Clock(kind="move"),
        pb.Clock(kind="move", seconds=-1),
        pb.Clock(kind="move", seconds=2**62),
        pb.Clock(kind="move", seconds=5, increment=1),
        pb.Clock(kind="bank", seconds=5, increment=-1),
        pb.Clock(kind="bank", seconds=5, increment=2**62),
        pb.Clock(kind="bank", seconds=5, on_timeout="explode"),
    ],
)
def test_clocks_that_make_no_sense(clock: pb.Clock) -> None:
    with pytest.raises(Refusal) as refused:
        checked(clock)
    assert refused.value.reason == "BAD_CLOCK"


def test_no_clock_and_the_default_rule() -> None:
    assert checked(pb.Clock()) is None
    assert checked(pb.Clock(kind="none", on_timeout="bot")) is None
    clock = checked(pb.Clock(kind="move", seconds=3 * 86400))
    assert clock is not None
    assert clock.on_timeout == "bot"
