"""The box, loaded once into tables of whole numbers: a card is its index."""

import json
from pathlib import Path
from typing import Any

BOX: dict[str, Any] = json.loads(Path(__file__).with_name("components.json").read_text(encoding="utf-8"))

CARDS: tuple[str, ...] = tuple(card["id"] for card in BOX["cards"])
CARD = {name: card for card, name in enumerate(CARDS)}
VALUE: tuple[int, ...] = tuple(card["value"] for card in BOX["cards"])
HAND: int = BOX["setup"]["hand"]
BEST_HIDDEN_TIMES: int = BOX["scoring"]["best_hidden_times"]
