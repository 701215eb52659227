"""Tables by status: as a copy of the session service counts them, and as they are in Redis."""

import re
from collections import Counter
from typing import Any

import httpx

from deploy.stack import Stack
from teahouse.v1 import sessions_pb2 as pb

FIGURE = re.compile(r'^teahouse_tables{status="(\w+)"} (\S+)$', re.MULTILINE)


def counted(stack: Stack, copy: str) -> Counter[str]:
    text = httpx.get(stack.metrics(copy), trust_env=False).text
    return +Counter({status: int(float(number)) for status, number in FIGURE.findall(text)})


def there(store: Any) -> Counter[str]:
    """By the tables' own records."""
    keys = [key for key in store.scan_iter("{t:*}:t_*", count=1000, _type="hash") if key.count(b":") == 2]
    with store.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.hget(key, "record")
        records = pipe.execute()
    return Counter(pb.TableRecord.FromString(record).table.status for record in records if record)
