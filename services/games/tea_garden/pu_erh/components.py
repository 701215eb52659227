"""What only the Pu-erh expansion has: halls, decrees and Pu-erh tokens, from pu-erh.json.

A hall tile or Pu-erh token is its index in the tables here; of the tokens the basic ones come first. A decree in play
is its index for the brown side, and the index after it for the red side.
"""

from services.games.tea_garden.components import PU_ERH, compile_reward, leaf_cost

_setup = PU_ERH["setup"]

HALL_IDS: tuple[str, ...] = tuple(tile["id"] for tile in PU_ERH["hall_tiles"])
HALL_NUMBERS = {name: number for number, name in enumerate(HALL_IDS)}
HALL_REWARD = tuple(compile_reward(tile["reward"]) for tile in PU_ERH["hall_tiles"])
HALL_SPACES: tuple[int, ...] = tuple(PU_ERH["court"]["space_strengths"])
HALL_VP: tuple[int, ...] = tuple(PU_ERH["court"]["hall_vp"])

_tokens = PU_ERH["pu_erh_basic"] + PU_ERH["pu_erh_premium"]
PU_ERH_IDS: tuple[str, ...] = tuple(token["id"] for token in _tokens)
PU_ERH_NUMBERS = {name: number for number, name in enumerate(PU_ERH_IDS)}
BASIC_TOKENS = range(len(PU_ERH["pu_erh_basic"]))
PREMIUM_TOKENS = range(BASIC_TOKENS.stop, len(_tokens))
PU_ERH_BONUS = tuple(compile_reward(token["bonus"]) for token in _tokens)
PU_ERH_PRICE = tuple(leaf_cost(token.get("price", {"green": 0})) for token in _tokens)
STARS: tuple[int, ...] = tuple(token["stars"] for token in _tokens)
POINTS: tuple[int, ...] = tuple(token["points"] for token in _tokens)
CAKE: int = PU_ERH["cake"]["size"]
# The strength that the first, second … purchase of one visit to the market needs.
MARKET_STRENGTH: tuple[int, ...] = tuple(strength for strength, _ in PU_ERH["market"]["strength_to_tokens"])

DECREE_KINDS = (
    "river_segment",
    "emperor_row",
    "centre_workers",
    "gardens",
    "caravans",
    "cup_tiles",
    "pu_erh_cakes",
)
DECREE_SIDES = ("brown", "red")
_decrees = [(decree, side) for decree in PU_ERH["decrees"] for side in DECREE_SIDES]
DECREE_IDS: tuple[str, ...] = tuple(decree["id"] for decree, _ in _decrees)
DECREE_SIDE = tuple(side for _, side in _decrees)
DECREE_KIND = tuple(DECREE_KINDS.index(decree["kind"]) for decree, _ in _decrees)
DECREE_NEED: tuple[int, ...] = tuple(decree[side]["need"] for decree, side in _decrees)
DECREE_VP: tuple[tuple[int, ...], ...] = tuple(tuple(decree[side]["vp"]) for decree, side in _decrees)

DECREES_IN_PLAY = (_setup["decrees_brown"], _setup["decrees_red"])
BASIC_ROW: int = _setup["basic_shown"]
PREMIUM_ROW: int = _setup["premium_shown"]
MESSENGERS: int = _setup["messengers_available"]
WAITING: int = _setup["messengers_waiting"]


def halls_shown(players: int) -> int:
    number: int = _setup["hall_tiles_shown"][str(players)]
    return number
