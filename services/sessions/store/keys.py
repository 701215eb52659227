"""Every key and every channel in Redis. Nothing else builds one.

What stands in braces is the hash tag: keys with the same one live on one node of a Redis Cluster, so one script can
change them together. Tables are spread over shards; a shard's outbox and lists carry the same tag as its tables.

What each key holds, its type and its life time stand in docs/architecture.md, "Keys in Redis"; a test compares that
list with a real Redis.
"""

import zlib
from functools import cache
from unicodedata import normalize

SHARDS = 16
# Every key of a table is `{t:<shard>}:<table>` with one of these behind it. A table that expires takes all along.
TABLE_KEYS = ("", ":log", ":once", ":once:order", ":ratings", ":chat", ":present", ":hints")
# The lists of tables that a player has. A table that expires is taken off all of them.
PLAYER_LISTS = ("tables", "live", "history")


# Keys that there is one of.
TOKEN_KEY, API_KEYS, COPIES, OFFERED = "teahouse:token-key", "teahouse:keys", "teahouse:copies", "bots:offered"
HOLDERS, WAITING, PROPOSALS = "{m}:players", "{m}:waiting", "{m}:proposals"
PROPOSAL_TRIES, MATCHER = "{m}:tries", "{m}:matcher"


def shard(name: str) -> int:
    """The shard of a table, or of a player's webhooks."""
    return zlib.crc32(name.encode()) % SHARDS


def table(table: str, suffix: str = "") -> str:
    """`suffix` is one of TABLE_KEYS."""
    return f"{{t:{shard(table)}}}:{table}{suffix}"


@cache
def listed(number: int, status: str) -> str:
    """`status` is "open" or "playing"."""
    return f"{{t:{number}}}:{status}"


@cache
def outbox(number: int) -> str:
    return f"{{t:{number}}}:outbox"


@cache
def tries(number: int) -> str:
    return f"{{t:{number}}}:tries"


@cache
def late(number: int) -> str:
    return f"{{t:{number}}}:late"


@cache
def deadlines(number: int) -> str:
    return f"{{t:{number}}}:deadlines"


@cache
def expiry(number: int) -> str:
    return f"{{t:{number}}}:expiry"


@cache
def results(number: int) -> str:
    return f"{{t:{number}}}:results"


@cache
def results_tries(number: int) -> str:
    return f"{{t:{number}}}:results-tries"


@cache
def states(number: int) -> str:
    return f"{{t:{number}}}:states"


@cache
def webhook_marks(number: int) -> str:
    return f"{{t:{number}}}:hooked"


@cache
def notifications(number: int) -> str:
    return f"{{t:{number}}}:notices"


def player(player: str) -> str:
    return f"{{p:{player}}}"


def account(player: str) -> str:
    return f"{{p:{player}}}:account"


def player_list(player: str, name: str) -> str:
    """`name` is one of PLAYER_LISTS."""
    return f"{{p:{player}}}:{name}"


def games(player: str) -> str:
    return f"{{p:{player}}}:games"


def matched(player: str) -> str:
    return f"{{p:{player}}}:matched"


def offer(player: str) -> str:
    return f"{{p:{player}}}:offer"


def rate(player: str, name: str) -> str:
    return f"{{p:{player}}}:rate:{name}"


def bot_name(name: str) -> str:
    """Names that look alike have one key."""
    return f"bots:name:{normalize('NFKC', ' '.join(name.split())).casefold()}"


def leaderboard(game: str) -> list[str]:
    """Players by rating, and how many rated games each has."""
    return [f"{{l:{game}}}", f"{{l:{game}}}:games"]


def ticket(ticket: str) -> str:
    return f"{{m}}:{ticket}"


def proposal(table: str) -> str:
    return f"{{m}}:{table}"


def asked(player: str) -> str:
    return f"{{m}}:{player}"


def webhooks(player: str) -> str:
    return f"{{h:{shard(player)}}}:{player}"


def webhook(player: str, webhook: str) -> list[str]:
    """The player's webhooks, the webhook's deliveries, those that have ended, the outbox: what its scripts change."""
    mine = webhooks(player)
    return [mine, f"{mine}:{webhook}", f"{mine}:{webhook}:ended", deliveries_due(shard(player))]


def deliveries_due(number: int) -> str:
    return f"{{h:{number}}}:due"


# Channels.


@cache
def changes(number: int) -> str:
    """Where the changes of a shard's tables are published, and that something happened to a player or a ticket."""
    return f"{{t:{number}}}:changes"


@cache
def company(number: int) -> str:
    """Where a shard's tables publish chat, presence and hints."""
    return f"{{t:{number}}}:company"


def own_channel(origin: bytes) -> str:
    """That a copy subscribes to beside those of all shards: whoever counts listeners can leave it out."""
    return f"copy:{origin.hex()}"
