-- One step of a delivery, if it and its webhook are still as they were read. All or nothing.
-- KEYS: 1 the player's webhooks, 2 the webhook's deliveries, 3 those that have ended, 4 outbox of deliveries
-- ARGV: 1 packed: webhook (its id), webhook_was (as it was read), webhook_now (as it shall be), delivery (its id),
--       delivery_was ('' = it is new), delivery_now, entry (how it stands in the outbox), due (when it is handed out
--       next; none: it has ended), at (when it happened), kept (how many that have ended are), most (that may wait).
-- Returns 'ok', 'webhook' or 'delivery' (somebody else changed it), or 'full' (too many wait).
local webhooks, deliveries, ended, outbox = unpack(KEYS)
local step = cmsgpack.unpack(ARGV[1])
if redis.call('HGET', webhooks, step.webhook) ~= step.webhook_was then return 'webhook' end
if (redis.call('HGET', deliveries, step.delivery) or '') ~= step.delivery_was then return 'delivery' end
if step.delivery_was == '' and redis.call('HLEN', deliveries) - redis.call('ZCARD', ended) >= step.most then
  return 'full'
end
if step.webhook_now ~= step.webhook_was then redis.call('HSET', webhooks, step.webhook, step.webhook_now) end
redis.call('HSET', deliveries, step.delivery, step.delivery_now)
if step.due then
  redis.call('ZADD', outbox, step.due, step.entry)
  return 'ok'
end
redis.call('ZREM', outbox, step.entry)
redis.call('ZADD', ended, step.at, step.delivery)
if redis.call('ZCARD', ended) > step.kept then
  redis.call('HDEL', deliveries, redis.call('ZPOPMIN', ended)[1])
end
return 'ok'
