-- One change of a table, all or nothing. Every key shares the table's hash tag.
-- KEYS: 1 table, 2 log, 3 outbox, 4 list of open tables, 5 list of tables in play, 6 answer to a repeated request,
--       7 how often each bot's turn was handed out again
-- ARGV: 1 expected version, 2 record, 3 state ('' = as it was), 4 log entry, 5 channel, 6 message,
--       7 table id, 8 when a bot's turn is handed out again ('' = no bot has the decision),
--       9 list it belongs to ('open', 'playing', '' = none, '=' = as it was), 10 its place in the list,
--       11 answer to keep for a repeated request ('' = none), 12 for how many milliseconds
-- Returns {'ok', new version}, {'stale', current version} or {'again', first answer}.
if ARGV[11] ~= '' then
  local first = redis.call('GET', KEYS[6])
  if first then return {'again', first} end
end
local version = redis.call('HGET', KEYS[1], 'version') or '0'
if version ~= ARGV[1] then return {'stale', version} end
redis.call('HSET', KEYS[1], 'version', version + 1, 'record', ARGV[2])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'state', ARGV[3]) end
redis.call('RPUSH', KEYS[2], ARGV[4])
redis.call('HDEL', KEYS[7], ARGV[7])
if ARGV[8] ~= '' then
  redis.call('ZADD', KEYS[3], ARGV[8], ARGV[7])
else
  redis.call('ZREM', KEYS[3], ARGV[7])
end
if ARGV[9] ~= '=' then
  redis.call('ZREM', KEYS[4], ARGV[7])
  redis.call('ZREM', KEYS[5], ARGV[7])
  if ARGV[9] == 'open' then redis.call('ZADD', KEYS[4], ARGV[10], ARGV[7]) end
  if ARGV[9] == 'playing' then redis.call('ZADD', KEYS[5], ARGV[10], ARGV[7]) end
end
if ARGV[11] ~= '' then redis.call('SET', KEYS[6], ARGV[11], 'PX', ARGV[12]) end
redis.call('PUBLISH', ARGV[5], ARGV[6])
return {'ok', version + 1}
