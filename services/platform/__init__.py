"""What every service of ours is built on; it knows nothing of games, tables or bots.

settings.py           every setting, an environment variable
server.py             starts a gRPC service: health, reflection, metrics, draining
channels.py           how one service connects to another, with TLS where the operator wants it
link/                 one gRPC stream that carries many calls (docs/link.md)
errors.py             refusals, and how they cross a process
call_limit.py         the limit on calls under way
clock.py              the time, the same in all copies
logs.py, metrics.py   what a service says about itself
tracing/              which request a call belongs to, and its spans
pool/                 what sessions and bot workers agree on: queues and levels
public_addresses.py   which URLs of strangers we call
"""
