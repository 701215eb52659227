"""Every key and every channel in Redis. Nothing else builds one.

What stands in braces is the hash tag: keys with the same one live on one node of a Redis Cluster, so one script can
change them together. Tables are spread over shards; a shard's outbox and lists carry the same tag as its tables.

What each key holds, its type and its life time stand in docs/architecture.md, "Keys in Redis"; a test compares that
list with a real Redis.
"""

import zlib
from collections.abc import Callable
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
    return table_of(shard(table), table) + suffix


def table_of(number: int, table: str) -> str:
    """The same for whoever knows its shard already."""
    return f"{{t:{number}}}:{table}"


@cache
def listed(number: int, status: str) -> str:
    """`status` is "open" or "playing"."""
    return f"{{t:{number}}}:{status}"


def of_shard(name: str) -> Callable[[int], str]:
    return cache(lambda number: f"{{t:{number}}}:{name}")


outbox, tries, late = of_shard("outbox"), of_shard("tries"), of_shard("late")
deadlines, expiry, states = of_shard("deadlines"), of_shard("expiry"), of_shard("states")
results, results_tries = of_shard("results"), of_shard("results-tries")
webhook_marks, notifications = of_shard("hooked"), of_shard("notices")
# Channels: changes of the shard's tables, and that something happened to a player or a ticket; chat, presence, hints.
changes, news = of_shard("changes"), of_shard("company")


def own_channel(origin: bytes) -> str:
    """That a copy subscribes to beside those of all shards: whoever counts listeners can leave it out."""
    return f"copy:{origin.hex()}"


def player(player: str) -> str:
    return f"{{p:{player}}}"


def of_player(name: str) -> Callable[[str], str]:
    return lambda player: f"{{p:{player}}}:{name}"


account, games, matched, offer = of_player("account"), of_player("games"), of_player("matched"), of_player("offer")


def player_list(player: str, name: str) -> str:
    """`name` is one of PLAYER_LISTS."""
    return f"{{p:{player}}}:{name}"


def rate(player: str, name: str) -> str:
    return f"{{p:{player}}}:rate:{name}"


def bot_name(name: str) -> str:
    """Names that look alike have one key."""
    return f"bots:name:{normalize('NFKC', ' '.join(name.split())).casefold()}"


def leaderboard(game: str) -> list[str]:
    """Players by rating, and how many rated games each has."""
    return [f"{{l:{game}}}", f"{{l:{game}}}:games"]


def in_matchmaking(name: str) -> str:
    """A ticket, a proposal (named by its table), or the tickets that ask a player to join."""
    return f"{{m}}:{name}"


ticket = proposal = asked = in_matchmaking


def webhooks(player: str) -> str:
    return f"{{h:{shard(player)}}}:{player}"


def webhook(player: str, webhook: str) -> list[str]:
    """The player's webhooks, the webhook's deliveries, those that have ended, the outbox: what its scripts change."""
    mine = webhooks(player)
    return [mine, f"{mine}:{webhook}", f"{mine}:{webhook}:ended", deliveries_due(shard(player))]


def deliveries_due(number: int) -> str:
    return f"{{h:{number}}}:due"
