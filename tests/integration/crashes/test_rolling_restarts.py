"""Two gateways are restarted one after the other while people play."""

from deploy.stack import Stack
from tests.campaigns.rolling_restarts import roll


def test_a_rolling_restart_loses_nothing_and_shows_nobody_more_than_one_error(stack: Stack) -> None:
    assert not roll(stack, clients=8).problems
