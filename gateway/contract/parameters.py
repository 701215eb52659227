"""Parameters that several routes take."""

from typing import Annotated

from fastapi import Header, Query

# Of lists that come page by page.
Limit = Annotated[int, Query(ge=1, le=100)]
Cursor = Annotated[str, Query(max_length=1000, description="`next_cursor` of the page before.")]
# Goes with the body of a request that must not be carried out twice.
OnceKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=100,
        description="Any text of your own. Repeat a request whose answer was lost with the same key: it is carried out "
        "once.",
    ),
]
