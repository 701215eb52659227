"""Lists tables, private and finished ones too: by status, game, age, or with a bot that is stuck."""

import argparse

from deploy.admin import add_json, age, as_json, operate, print_table, since
from teahouse.v1 import operators_pb2 as op
from teahouse.v1 import sessions_pb2 as pb

MOST = 1000
HEAD = ("table", "game", "status", "version", "idle", "age", "decision", "again", "rules", "seats")


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=show)
    parser.add_argument("--status", default="", choices=["open", "playing", "finished", "closed"])
    parser.add_argument("--game", default="", help="for example tea_garden")
    parser.add_argument("--rules", default="", help="a version of the rules, for example 1-5f2c81aa")
    parser.add_argument("--age", type=age, default=0, help="opened at least this long ago: seconds, 15m, 6h, 2d")
    parser.add_argument("--idle", type=age, default=0, help="unchanged for at least this long")
    parser.add_argument(
        "--stuck", action="store_true", help="a bot's turn was handed out again twice and is still not played"
    )
    parser.add_argument("--limit", type=int, default=50, help="at least this many tables, if there are (default: 50)")
    parser.add_argument("--cursor", default="", help="for the next page: the cursor that the page before printed")
    add_json(parser)


def show(arguments: argparse.Namespace) -> None:
    request = op.SearchTablesRequest(
        status=arguments.status,
        game=arguments.game,
        rules_version=arguments.rules,
        age=arguments.age,
        idle=arguments.idle,
        stuck=arguments.stuck,
        cursor=arguments.cursor,
    )
    found = search(request, arguments.limit)
    if arguments.json:
        print(as_json(found))
        return
    print_table(HEAD, [row(each) for each in found.tables])
    if found.next_cursor:
        print(f"There may be more: --cursor {found.next_cursor}")


def search(request: op.SearchTablesRequest, limit: int) -> op.SearchTablesResponse:
    """Reads pages until there are enough tables, or no more."""
    found = op.SearchTablesResponse(next_cursor="")
    while True:
        request.limit = min(limit - len(found.tables), MOST)
        page = operate("SearchTables", request)
        found.tables.extend(page.tables)
        found.next_cursor = request.cursor = page.next_cursor
        if not page.next_cursor or len(found.tables) >= limit:
            return found


def row(each: op.TableRow) -> tuple[object, ...]:
    table = each.table
    seats = " ".join(seat_name(seat) for seat in table.seats)
    idle, old = since(table.updated_at), since(table.created_at)
    rules = table.rules_version
    return (table.id, table.game, table.status, table.version, idle, old, decision(table), each.tries, rules, seats)


def decision(table: pb.Table) -> str:
    """Whose decision it is."""
    if not table.HasField("actor"):
        return "-"
    seat = table.seats[table.actor]
    return f"{table.actor} {'automa' if seat.kind == 'automa' else seat.bot or seat.stand_in or 'person'}"


def seat_name(seat: pb.Seat) -> str:
    if seat.kind == "player":
        return seat.player.id + (f"({seat.stand_in})" if seat.stand_in else "")
    return seat.bot or seat.kind
