"""Whole games by clicks alone, against bots."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.person import Person

ME, GREEDY = {"kind": "me"}, {"kind": "bot", "bot": "greedy"}
People = Callable[..., Person]


@pytest.mark.parametrize("game", ["geishas_road", "river_of_gold", "tea_garden", "thurn_and_taxis"])
def test_a_whole_game_by_clicks_alone(person: People, game: str) -> None:
    ada = person()
    ada.begin_with(game, {}, [ME, GREEDY])
    assert ada.play() > 10
    expect(ada.page.locator(".outcome")).to_contain_text("Total")
    # The favour of four geishas wins without points.
    if game != "geishas_road":
        assert ada.page.locator(".outcome .chart .part").count() > 0


def test_a_solo_game_against_the_automa(person: People) -> None:
    ada = person()
    ada.begin("Tea Garden", "Solo against Lu Yu")
    ada.play()
    expect(ada.page.locator(".happened")).to_contain_text("Lu Yu")
    expect(ada.page.locator(".outcome")).to_contain_text("Lu Yu")


def test_a_whole_game_with_the_keyboard_and_its_replay(person: People) -> None:
    ada = person()
    ada.page.keyboard.press("Tab")
    ada.begin_with("geishas_road", {"mode": "advanced"}, [ME, GREEDY])
    ada.play(keyboard=True)
    ada.page.get_by_role("link", name="See the replay").focus()
    ada.page.keyboard.press("Enter")
    ada.page.locator(".replay .board").wait_for()
    slider = ada.page.get_by_role("slider")
    steps = int(slider.get_attribute("max") or 0)
    first = ada.version
    slider.focus()
    ada.page.keyboard.press("ArrowRight")
    expect(ada.page.locator(".replay .play")).to_have_attribute("data-version", str(first + 1))
    ada.page.keyboard.press("End")
    expect(ada.page.locator(".replay .play")).to_have_attribute("data-version", str(first + steps))
    expect(ada.page.locator(".outcome")).to_be_visible()
    assert ada.problems() == []


def test_two_clicks_from_the_name_to_the_first_move(person: People) -> None:
    ada = person()
    ada.begin("Geisha's Road")
    assert ada.wait_for_turn()
    ada.move()


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("game", ["geishas_road", "river_of_gold", "tea_garden", "thurn_and_taxis"])
def test_a_click_into_the_middle_of_a_place_is_a_click_on_it(person: People, game: str, width: int) -> None:
    """Also where its drawing has a gap there, as between a city and its long name, or where a piece stands on it."""
    ada = person(width=width, height=9000)
    ada.page.get_by_role("button", name="Po polsku").click()
    ada.begin_with(game, {}, [ME, *[GREEDY] * (1 if game == "geishas_road" else 2)])
    places, there = ".board .spot.live, .board .city", 0
    for _ in range(12):
        assert ada.wait_for_turn()
        there += ada.page.locator(places).count()
        assert ada.missed(places) == []
        ada.move()
    assert there


def test_pieces_explain_themselves(person: People) -> None:
    """To whoever hovers, and to whoever presses long on a touch screen."""
    ada = person()
    ada.begin_with("river_of_gold", {}, [ME, GREEDY])
    ada.page.locator(".track .region-number").first.hover()
    tip = ada.page.locator(".tip")
    expect(tip).to_contain_text("Region 1")
    ada.page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    touch = {"pointerType": "touch", "bubbles": True}
    ada.page.locator(".water-space").nth(4).dispatch_event("pointerdown", touch)
    expect(tip).to_contain_text("River space 5")

    before = ada.version
    place = ada.page.locator(".board svg .spot.live").first
    place.dispatch_event("pointerdown", touch)
    expect(tip).to_be_visible()
    place.dispatch_event("click")
    assert ada.page.locator(".ask.choosing").count() == 0, "who asks what a place is does not move there"
    place.dispatch_event("click")
    ada.page.locator(f".play:not([data-version='{before}']), .ask.choosing").first.wait_for()
