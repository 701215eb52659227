-- One step of a delivery, if it and its webhook are still as they were read. All or nothing.
-- KEYS: 1 the player's webhooks, 2 the webhook's deliveries, 3 those that have ended, 4 outbox of deliveries
-- ARGV: 1 webhook id, 2 the webhook as it was read, 3 as it shall be,
--       4 delivery id, 5 the delivery as it was read ('' = new), 6 as it shall be,
--       7 its entry in the outbox, 8 when it is handed out next ('' = it has ended), 9 when it happened,
--       10 how many that have ended are kept, 11 how many may wait
-- Returns 'ok', 'webhook' or 'delivery' (somebody else changed it), or 'full' (too many wait).
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 'webhook' end
if (redis.call('HGET', KEYS[2], ARGV[4]) or '') ~= ARGV[5] then return 'delivery' end
if ARGV[5] == '' and redis.call('HLEN', KEYS[2]) - redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[11]) then
  return 'full'
end
if ARGV[3] ~= ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
redis.call('HSET', KEYS[2], ARGV[4], ARGV[6])
if ARGV[8] ~= '' then
  redis.call('ZADD', KEYS[4], ARGV[8], ARGV[7])
  return 'ok'
end
redis.call('ZREM', KEYS[4], ARGV[7])
redis.call('ZADD', KEYS[3], ARGV[9], ARGV[4])
if redis.call('ZCARD', KEYS[3]) > tonumber(ARGV[10]) then
  redis.call('HDEL', KEYS[2], redis.call('ZPOPMIN', KEYS[3])[1])
end
return 'ok'
