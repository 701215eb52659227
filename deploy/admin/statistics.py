"""Counts tables, moves, players and keys in Redis; shows memory, queues, and what is overdue."""

import argparse

from deploy.admin import LONG, add_json, as_json, operate, print_table, span
from teahouse.v1 import operators_pb2 as op

MEGA = 1_000_000


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=show)
    add_json(parser)


def show(arguments: argparse.Namespace) -> None:
    found = operate("GetStatistics", op.GetStatisticsRequest(), LONG)
    if arguments.json:
        print(as_json(found))
        return
    running = {each.game: each.versions for each in found.rules}
    rows = [(each.game, each.status, each.tables, each.entries, rules(each, running)) for each in found.tables]
    print_table(("game", "status", "tables", "log entries", "rules"), rows)
    total = sum(each.tables for each in found.tables), sum(each.entries for each in found.tables)
    print(f"\n{total[0]:,} tables, {total[1]:,} log entries, {found.players:,} players, {found.tickets:,} tickets wait")
    services = [f"{game} {', '.join(versions) or 'does not answer'}" for game, versions in running.items()]
    print(f"rules: {'; '.join(services)}")
    limit = f" of {found.memory_limit / MEGA:,.1f}" if found.memory_limit else ""
    print(f"Redis: {found.memory / MEGA:,.1f} MB{limit}, at the most {found.memory_peak / MEGA:,.1f} MB")
    overdue = f", the oldest overdue for {span(found.bot_overdue / 1000)}" if found.bot_overdue else ""
    print(f"bots: {found.bot_turns:,} turns due or being played{overdue}")
    for queue in found.queues:
        print(f"queue {queue.name}: {queue.waiting:,} wait, the oldest for {span(queue.oldest)}")
    print(f"clocks that run: {found.clocks:,}; finished tables to be counted: {found.to_be_counted:,}\n")
    print_table(("keys in Redis", "number"), sorted(found.keys.items()))


def rules(count: op.TableCount, running: dict[str, list[str]]) -> str:
    gone = count.status == "playing" and count.rules_version not in running.get(count.game, [])
    return count.rules_version + ("  (no service runs these)" if gone else "")
