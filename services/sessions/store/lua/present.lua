-- Notes who is connected to a table through one copy of the service, tells the others if that has changed, and returns
-- what this copy may have missed.
-- KEYS: 1 table, 2 who is connected, by copy, 3 chat
-- ARGV: 1 this copy, 2 who is connected here ('' = nobody), 3 milliseconds it is kept, 4 channel, 5 message,
--       6 the newest line that this copy knows ('' = it wants none)
-- Returns {copy, who, copy, who, …}, {the lines after that one}.
local before = redis.call('HGET', KEYS[2], ARGV[1]) or ''
local now = redis.call('EXISTS', KEYS[1]) == 1 and ARGV[2] or ''
if now ~= '' then
  redis.call('HSET', KEYS[2], ARGV[1], now)
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
elseif before ~= '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
end
if now ~= before then redis.call('PUBLISH', ARGV[4], ARGV[5]) end
local lines = ARGV[6] ~= '' and redis.call('XRANGE', KEYS[3], '(' .. ARGV[6], '+') or {}
return {redis.call('HGETALL', KEYS[2]), lines}
