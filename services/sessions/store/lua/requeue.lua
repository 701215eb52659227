-- Puts a bot's turn into the outbox as if it had not been handed out before, if the table has not changed.
-- KEYS: 1 table, 2 outbox, 3 how often each bot's turn was handed out again, 4 since when it is late
-- ARGV: 1 expected version, 2 table id, 3 when it is handed out again
-- Returns 1, or 0 if the table has changed.
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[2])
return 1
