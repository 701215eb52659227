"""The methods of the contracts, each with the part that answers it. `wiring.py` makes the parts."""

from collections.abc import AsyncIterator, Awaitable, Callable
from inspect import isasyncgenfunction
from types import MethodType
from typing import Any, get_args, get_origin, get_type_hints

from google.protobuf import message_factory
from google.protobuf.message import Message

from services.platform.contracts import CONTRACTS, OPERATORS
from services.platform.errors import answers, streams
from services.sessions.wiring import Parts

# A part's method: takes the request, gives the answer or a stream of answers.
Answer = Callable[..., Awaitable[Message] | AsyncIterator[Message]]


def answered_by(parts: Parts) -> dict[str, Answer]:
    return {
        # Sessions: games and players
        "ListGames": parts.games.page,
        "GetGame": parts.games.get,
        "CreatePlayer": parts.accounts.create,
        "Authenticate": parts.accounts.authenticate,
        "GetPlayer": parts.accounts.get,
        # Sessions: tables
        "OpenTable": parts.opening.open,
        "ListTables": parts.listing.page,
        "GetTable": parts.listing.get,
        "TakeSeat": parts.seating.take_seat,
        "LeaveSeat": parts.leaving.leave,
        "SetSeat": parts.seating.set_seat,
        "StartTable": parts.starting.start,
        # Sessions: the game
        "Look": parts.positions.look,
        "Act": parts.moves.act,
        "Watch": parts.table_updates.watch,
        "GetLog": parts.replays.log,
        "GetReplay": parts.replays.replay,
        "Undo": parts.undo.undo,
        "Resign": parts.leaving.resign,
        "Return": parts.leaving.come_back,
        "VoteAbsent": parts.leaving.vote_absent,
        "GetBotTurn": parts.bot_turns.get,
        "ActAsBot": parts.bot_turns.act,
        # Accounts
        "CreateKey": parts.api_keys.create,
        "ListKeys": parts.api_keys.page,
        "RevokeKey": parts.api_keys.revoke,
        "AuthenticateKey": parts.api_keys.authenticate,
        "GetOwnPlayer": parts.accounts.get_own,
        "IssueToken": parts.accounts.issue_token,
        "RevokeTokens": parts.accounts.revoke_tokens,
        # Company
        "Say": parts.chat.say,
        "GetChat": parts.chat.page,
        "GetPresence": parts.presence.get,
        "Rematch": parts.rematches.rematch,
        "GetHint": parts.hints.get,
        "GetHintTurn": parts.hints.turn,
        "GiveHint": parts.hints.give,
        # Invitations, Matchmaking, OutsideBots, PlayerEvents
        "Invite": parts.invitations.invite,
        "CreateTicket": parts.tickets.create,
        "GetTicket": parts.tickets.get,
        "JoinTicket": parts.tickets.join,
        "CancelTicket": parts.tickets.cancel,
        "WatchTicket": parts.tickets.watch,
        "OfferBot": parts.outside_bots.offer,
        "ListBots": parts.outside_bots.page,
        "WatchPlayer": parts.player_events.watch,
        # Ratings, Replays
        "GetProfile": parts.profiles.get,
        "GetLeaderboard": parts.leaderboards.page,
        "GetHistory": parts.profiles.history,
        "LookBack": parts.replays.look_back,
        # Webhooks
        "CreateWebhook": parts.webhooks.create,
        "ListWebhooks": parts.webhooks.page,
        "GetWebhook": parts.webhooks.get,
        "EnableWebhook": parts.webhooks.enable,
        "DeleteWebhook": parts.webhooks.delete,
        "ListDeliveries": parts.webhooks.deliveries,
        "BeginAttempt": parts.attempts.begin,
        "EndAttempt": parts.attempts.end,
        # Operators
        "SearchTables": parts.operated_tables.search,
        "InspectTable": parts.operated_tables.inspect,
        "RequeueTurn": parts.operated_tables.requeue,
        "CloseTable": parts.operated_tables.close,
        "RenewTable": parts.operated_tables.renew,
        "GetRetention": parts.operated_tables.get_retention,
        "SweepTables": parts.operated_tables.sweep,
        "GetStatistics": parts.statistics.get,
    }


class SessionService:
    """What the server serves: finds every method of the contracts here by its name."""

    descriptors = (*CONTRACTS, OPERATORS)

    def __init__(self, parts: Parts) -> None:
        self.begin, self.end = parts.begin, parts.end
        listed = answered_by(parts)
        check(listed)
        for name, answer in listed.items():
            setattr(self, name, handler(answer))


def handler(answer: Any) -> Any:
    """As the server and its links take it: a call costs what a call of the part's method costs."""
    wrapped = streams(answer.__func__) if isasyncgenfunction(answer) else answers(answer.__func__)
    return wrapped.__get__(answer.__self__, type(answer.__self__))


def check(listed: dict[str, Answer]) -> None:
    """Every method of every contract is answered, with the types of the contract, and nothing else is."""
    methods = {method.name: method for contract in SessionService.descriptors for method in contract.methods}
    if listed.keys() != methods.keys():
        raise TypeError(f"answered or in the contracts, but not both: {sorted(listed.keys() ^ methods.keys())}")
    for name, method in methods.items():
        wanted = tuple(message_factory.GetMessageClass(each) for each in (method.input_type, method.output_type))
        if types_of(listed[name]) != (*wanted, method.server_streaming):
            raise TypeError(f"{name} takes and gives {types_of(listed[name])}; the contract says {wanted}")


def types_of(answer: Answer) -> tuple[Any, Any, bool]:
    """What a part's method takes, what it gives, and whether it gives a stream."""
    assert isinstance(answer, MethodType)
    hints = get_type_hints(answer)
    given = hints.pop("return")
    streaming = get_origin(given) is not None
    [taken] = hints.values()
    return taken, get_args(given)[0] if streaming else given, streaming
