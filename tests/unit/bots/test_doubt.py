"""What is likely to be lost by ending thought."""

import pytest

from services.bots.search.stopping import expected_loss, noise


def test_a_clear_lead_loses_nothing_and_neither_do_equals() -> None:
    assert expected_loss(3.0, 0.5) < 1e-6
    assert expected_loss(0.0, 0.01) < 0.01
    assert expected_loss(0.0, 1.0) == pytest.approx(0.3989, abs=1e-4)


def test_being_behind_loses_at_least_what_is_seen() -> None:
    assert expected_loss(-2.0, 0.1) == pytest.approx(2.0)
    assert expected_loss(-2.0, 0.0) == 2.0
    assert expected_loss(2.0, 0.0) == 0.0


def test_noise_is_that_of_the_differences_in_the_same_deals() -> None:
    luck = [float(number * 7 % 11) for number in range(40)]
    assert noise(luck, [value - 2 for value in luck], 1.0) < 0.1, "luck is the same for both"
    assert noise(luck, [0.0] * 40, 1.0) > 5
    assert noise([1.0], [], 4.0) == 4.0, "nothing seen yet: as usual"
