"""Names of what is kept: what they look like, and how new ones are made."""

import re
import secrets

# Without letters and digits that are mistaken for each other.
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
TABLE_ID = re.compile(r"t_[a-z0-9]{14}")
# The length of an id, and of what marks the messages of one process: messages begin with both.
ID, ORIGIN = 16, 8
# Characters of an idempotency key.
LONGEST_KEY = 100


def new_id(prefix: str, length: int = 14) -> str:
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(length))
