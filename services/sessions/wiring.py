"""The parts of the session service: how each is made, and what it is given. Nothing else makes one."""

import asyncio
import logging
import secrets

from redis.exceptions import RedisError

from services.platform import clock
from services.platform.settings import Settings
from services.sessions.matching.matchmaker import Matchmaker
from services.sessions.matching.proposals import Proposals
from services.sessions.matching.ticket_store import TicketStore
from services.sessions.matching.tickets import Tickets
from services.sessions.operators.statistics import Statistics
from services.sessions.operators.tables import OperatedTables
from services.sessions.people.accounts import Accounts
from services.sessions.people.api_keys import ApiKeys
from services.sessions.people.chat import Chat
from services.sessions.people.leaderboards import Leaderboards
from services.sessions.people.player_lists import PlayerLists
from services.sessions.people.presence import Presence
from services.sessions.people.profiles import Profiles
from services.sessions.people.quotas import Quotas
from services.sessions.people.ratings import Ratings
from services.sessions.people.tokens import Tokens
from services.sessions.play.cache import TableCache
from services.sessions.play.hints import Hints
from services.sessions.play.leaving import Leaving
from services.sessions.play.moves import Moves
from services.sessions.play.positions import Positions
from services.sessions.play.replays import Replays
from services.sessions.play.timeouts import Timeouts
from services.sessions.play.undo import Undo
from services.sessions.rules.client import RulesClient
from services.sessions.rules.games import Games
from services.sessions.rules.renewal import Renewal
from services.sessions.rules.replayer import Replayer
from services.sessions.store import keys
from services.sessions.store.claims import Claims
from services.sessions.store.committer import Committer
from services.sessions.store.connection import connect
from services.sessions.store.ids import ORIGIN
from services.sessions.store.tables import TableStore
from services.sessions.tables.invitations import Invitations
from services.sessions.tables.listing import Listing
from services.sessions.tables.opening import Opening
from services.sessions.tables.rematches import Rematches
from services.sessions.tables.retention import Retention
from services.sessions.tables.seating import Seating
from services.sessions.tables.starting import Starting
from services.sessions.tables.table_counts import TableCounts
from services.sessions.tables.writer import TableWriter
from services.sessions.turns.bot_turns import BotTurns
from services.sessions.turns.dispatcher import Dispatcher
from services.sessions.turns.outbox import Outbox
from services.sessions.turns.outside_bots import OutsideBots
from services.sessions.turns.worker_queue import WorkerQueue
from services.sessions.updates.change_listener import CONNECTED, HINT, LINE, ChangeListener, by_kind
from services.sessions.updates.hub import Hub
from services.sessions.updates.player_events import PlayerEvents
from services.sessions.updates.table_updates import TableUpdates
from services.sessions.webhooks.attempts import Attempts
from services.sessions.webhooks.notifier import Notifier
from services.sessions.webhooks.webhook_store import WebhookStore
from services.sessions.webhooks.webhooks import Webhooks

log = logging.getLogger(__name__)


class Parts:
    """Every part of the service, and what runs beside its calls."""

    def __init__(self, settings: Settings) -> None:
        # What comes from outside: Redis, the rules services, the worker pool. `origin` marks this copy's messages.
        self.redis, origin = connect(settings.redis_url), secrets.token_bytes(ORIGIN)
        self.rules = rules = RulesClient(settings)
        # Deliveries have a queue of their own: many of them must not delay a bot's turn.
        self.queues = queue, deliveries = WorkerQueue(settings), WorkerQueue(settings)

        # Redis.
        store, claims = TableStore(self.redis), Claims(self.redis)
        redis, committer = store.redis, Committer(self.redis, origin)
        lists, limits = PlayerLists(redis), Quotas(redis)

        # Who hears of what.
        hub = Hub(redis, origin)
        self.presence = presence = Presence(store, hub, origin)

        # Turns of bots, and the way of every change of a table.
        outbox = Outbox(redis, claims)
        dispatcher = Dispatcher(settings, store, outbox, queue)
        writer = TableWriter(settings, store, committer, hub, dispatcher, lists)

        # Rules.
        replayer = Replayer(store, rules)
        renewal = Renewal(settings, store, rules, replayer, writer)
        self.games = Games(rules)

        # People.
        self.tokens = tokens = Tokens(settings, redis)
        self.accounts = accounts = Accounts(redis, tokens)
        self.api_keys = ApiKeys(redis)
        self.outside_bots = outside_bots = OutsideBots(redis, accounts, rules)
        self.chat = chat = Chat(store, limits)
        self.leaderboards = Leaderboards(redis, rules)
        self.profiles = Profiles(store, accounts, lists)
        ratings = Ratings(store, claims, self.leaderboards)

        # Tables.
        self.opening = Opening(accounts, lists, rules, writer)
        self.listing = Listing(store, lists, rules)
        self.seating = seating = Seating(store, accounts, outside_bots, rules, writer, hub)
        self.starting = starting = Starting(store, rules, writer)
        self.invitations = Invitations(accounts, writer, hub)
        self.rematches = Rematches(store, lists, starting, writer, hub)
        retention = Retention(settings, store, lists)

        # The game.
        cache = TableCache(store)
        self.positions = Positions(store, renewal)
        self.moves = moves = Moves(store, cache, rules, renewal, writer, hub)
        self.bot_turns = BotTurns(rules, renewal, cache, moves, outbox, dispatcher)
        self.undo = Undo(cache, replayer, renewal, writer)
        self.leaving = Leaving(settings, store, rules, seating, writer)
        self.hints = hints = Hints(settings, store, rules, limits, queue)
        self.replays = Replays(store, rules, replayer)
        self.table_updates = TableUpdates(store, renewal, presence, chat)

        # Quick match.
        ticket_store, proposals = TicketStore(redis), Proposals(redis, claims, origin)
        self.tickets = Tickets(ticket_store, accounts, ratings, rules, hub)
        self.player_events = PlayerEvents(store, accounts, lists, ticket_store, proposals, hub)
        matchmaker = Matchmaker(settings, ticket_store, proposals, lists, starting, hub)

        # Webhooks.
        webhook_store = WebhookStore(redis)
        self.webhooks = Webhooks(settings, webhook_store)
        self.attempts = Attempts(settings, webhook_store)
        notifier = Notifier(settings, webhook_store, deliveries)

        # The operator.
        self.operated_tables = OperatedTables(
            settings, store, rules, presence, outbox, dispatcher, renewal, retention, writer
        )
        self.statistics = Statistics(settings, store, outbox, rules)

        # What runs beside the calls.
        news = {LINE: presence.hear_line, CONNECTED: presence.hear_connected, HINT: hints.hear}
        self.subscription = ChangeListener(
            settings.redis_url,
            origin,
            topics={keys.changes: hub.hear, keys.news: by_kind(news)},
            stands=[hub.missed_all, presence.look_again],
        )
        timeouts = Timeouts(store, claims, rules, writer)
        runners = (self.subscription, presence, dispatcher, timeouts, retention, matchmaker, ratings, notifier)
        self.beside = [runner.run for runner in (*runners, TableCounts(redis))]
        self.tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        await self._until_redis_answers()
        self.tasks = [asyncio.create_task(run()) for run in self.beside]
        self.tasks.append(asyncio.create_task(clock.follow(self.redis)))
        await self.subscription.listening.wait()

    async def _until_redis_answers(self) -> None:
        while True:
            try:
                await clock.look(self.redis)
                return await self.tokens.load_key()
            except (RedisError, OSError) as error:
                log.warning("waiting for Redis: %s", error)
                await asyncio.sleep(0.3)

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.presence.end()
        for queue in self.queues:
            queue.close()
        await self.rules.close()
        await self.redis.aclose()
