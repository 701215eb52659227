"""How the threads that deliver to webhooks are shared."""

from contextlib import ExitStack

from services.bots.webhooks import MOST_OF_ONE, UNDER_WAY, place_for, settings


def test_one_players_slow_receivers_leave_threads_for_the_others() -> None:
    assert settings.webhook_threads > MOST_OF_ONE
    with ExitStack() as slow:
        assert all(slow.enter_context(place_for("p_ada")) for _ in range(MOST_OF_ONE))
        with place_for("p_ada") as free, place_for("p_bob") as free_for_others:
            assert (free, free_for_others) == (False, True)
    with place_for("p_ada") as free:
        assert free
    assert not UNDER_WAY
