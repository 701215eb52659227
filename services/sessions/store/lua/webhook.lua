-- Writes or removes a webhook, if it is still as it was read. Removing it removes its deliveries too.
-- KEYS: 1 the player's webhooks, 2 the webhook's deliveries, 3 those that have ended, 4 outbox of deliveries
-- ARGV: 1 webhook id, 2 the webhook as it was read ('' = new), 3 as it shall be ('' = gone),
--       4 how many a player may have, 5 how its entries in the outbox begin
-- Returns 'ok', 'webhook' (somebody else changed it) or 'full'.
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 'webhook' end
if ARGV[2] == '' and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then return 'full' end
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  return 'ok'
end
for _, delivery in ipairs(redis.call('HKEYS', KEYS[2])) do redis.call('ZREM', KEYS[4], ARGV[5] .. delivery) end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2], KEYS[3])
return 'ok'
