-- One change of a table, all or nothing. Every key shares the table's hash tag.
-- KEYS: the table's own, then its shard's; the names below say which. ARGV: 1 the change, packed; store/committer.py
-- says what each of its fields is.
-- Returns {'ok', how many other copies of the service listen}, {'stale', current version} or {'again', first answer}.
local table, log, once, once_order, outbox, tries, late, open, playing, deadlines, expiry, results, states, hooked,
  notices = unpack(KEYS)
local change = cmsgpack.unpack(ARGV[1])
local id = change.table
if change.once_answer then
  local first = redis.call('HGET', once, change.once_key)
  if first then return {'again', first} end
end
local version = tonumber(redis.call('HGET', table, 'version') or 0)
if version ~= change.expected then return {'stale', version} end
if change.state then
  redis.call('HSET', table, 'version', version + 1, 'record', change.record, 'state', change.state)
else
  redis.call('HSET', table, 'version', version + 1, 'record', change.record)
end
redis.call('RPUSH', log, change.entry)
if redis.call('HDEL', tries, id) == 1 then redis.call('ZREM', late, id) end
if change.bot_due then
  redis.call('ZADD', outbox, change.bot_due, id)
else
  redis.call('ZREM', outbox, id)
end
if change.listed then
  redis.call('ZREM', open, id)
  redis.call('ZREM', playing, id)
  if change.listed == 'open' then redis.call('ZADD', open, change.created, id) end
  if change.listed == 'playing' then redis.call('ZADD', playing, change.created, id) end
  local before = redis.call('HGET', table, 'status')
  if before ~= change.status then
    if before and redis.call('HINCRBY', states, before, -1) == 0 then redis.call('HDEL', states, before) end
    redis.call('HINCRBY', states, change.status, 1)
    redis.call('HSET', table, 'status', change.status)
  end
end
if change.once_answer then
  redis.call('HSET', once, change.once_key, change.once_answer)
  if redis.call('RPUSH', once_order, change.once_key) > change.once_most then
    redis.call('HDEL', once, redis.call('LPOP', once_order))
  end
  redis.call('PEXPIRE', once, change.once_ms)
  redis.call('PEXPIRE', once_order, change.once_ms)
end
if change.deadline == 0 then
  redis.call('ZREM', deadlines, id)
elseif change.deadline then
  redis.call('ZADD', deadlines, change.deadline, id)
end
if change.expires then redis.call('ZADD', expiry, change.expires, id) end
if change.finished then redis.call('ZADD', results, change.finished, id) end
if change.notifications then
  -- A line each: "<type> <player> <milliseconds since 1970> <game>".
  for line, player, at in string.gmatch(change.notifications, '(%S+ (%S+) (%d+) %S+)') do
    local mark = redis.call('HGET', hooked, player)
    if mark then redis.call('ZADD', notices, at, id .. ' ' .. version + 1 .. ' ' .. line .. ' ' .. mark) end
  end
end
-- The writing copy has told its own watchers.
local heard = redis.call('PUBSUB', 'NUMSUB', change.channel, change.own_channel or '')
local others = heard[2] - heard[4]
if others > 0 or not change.own_channel then redis.call('PUBLISH', change.channel, change.message) end
return {'ok', others}
