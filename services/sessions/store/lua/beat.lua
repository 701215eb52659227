-- One copy of the service says that it lives, and learns which do. By the clock of Redis: those of the copies may differ.
-- KEYS: 1 copies. ARGV: 1 this copy, 2 for how many seconds this is believed. Returns the copies that live.
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)
