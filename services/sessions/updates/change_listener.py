"""What the copies of the service tell each other, over Redis: changes of tables, chat, presence, hints."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping

from redis.exceptions import RedisError

from services.sessions.store import keys
from services.sessions.store.connection import connect_to_node
from services.sessions.store.ids import ID
from services.sessions.store.keys import SHARDS

log = logging.getLogger(__name__)
# Seconds after which a silent subscription is asked whether it still stands, and in which it must answer.
QUIET = 3.0
# The first byte of a message on a news channel says what it is about; the table's id follows.
LINE, CONNECTED, HINT = b"l", b"c", b"h"
Hear = Callable[[bytes], None]


class ChangeListener:
    """Owns the connection on which this copy listens, and opens it again when it is lost."""

    def __init__(
        self,
        url: str,
        origin: bytes,
        topics: dict[Callable[[int], str], Hear],
        stands: Iterable[Callable[[], None]],
    ) -> None:
        """`topics`: who hears what is published on a channel that every shard has. `stands` is called whenever the
        subscription stands: from then on nothing is missed, but something may have been."""
        self.url, self.on_stand = url, tuple(stands)
        self.hear = {topic(number).encode(): hear for topic, hear in topics.items() for number in range(SHARDS)}
        self.channels = [keys.own_channel(origin).encode(), *self.hear]
        # Set once the first subscription stands.
        self.listening = asyncio.Event()

    async def run(self) -> None:
        """Passes on what the other copies publish, until cancelled."""
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                log.warning("lost the subscription, trying again: %s", error)
            except Exception:
                log.exception("the subscription goes on after an error")
            await asyncio.sleep(0.2)

    async def _listen(self) -> None:
        async with connect_to_node(self.url) as redis, redis.pubsub() as pubsub:
            await pubsub.subscribe(*self.channels)
            missing, asked = len(self.channels), False
            while True:
                message = await pubsub.get_message(timeout=QUIET)
                if message is None and asked:
                    raise ConnectionError("it does not answer")
                asked = message is None
                if message is None:
                    await pubsub.ping()
                elif message["type"] == "subscribe":
                    missing -= 1
                    if not missing:
                        self._stands()
                elif message["type"] == "message" and (hear := self.hear.get(message["channel"])):
                    hear(message["data"])

    def _stands(self) -> None:
        self.listening.set()
        for look_again in self.on_stand:
            look_again()


def by_kind(hearers: Mapping[bytes, Callable[[str, bytes], None]]) -> Hear:
    """For the news channels, by the first byte of a message. A kind that only newer copies know is passed over."""

    def hear(data: bytes) -> None:
        if heard := hearers.get(data[:1]):
            heard(data[1 : 1 + ID].decode(), data[1 + ID :])

    return hear
