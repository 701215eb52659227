-- One change of a table, all or nothing. Every key shares the table's hash tag.
-- KEYS: 1 table, 2 log, 3 outbox, 4 list of open tables, 5 list of tables in play, 6 answers to repeated requests,
--       7 how often each bot's turn was handed out again, 8 deadlines, 9 when tables expire, 10 order of the answers,
--       11 finished tables to be counted, 12 players who have webhooks, 13 outbox of what they are told,
--       14 how many tables of the shard are open, in play, finished, closed, 15 since when bots' turns are late
-- ARGV: 1 expected version, 2 record, 3 state ('' = as it was), 4 log entry, 5 channel, 6 message,
--       7 table id, 8 when a bot's turn is handed out again ('' = no bot has the decision),
--       9 list it belongs to ('open', 'playing', '' = none, '=' = as it was), 10 its place in the list,
--       11 answer to keep for a repeated request ('' = none), 12 for how many milliseconds, 13 its name,
--       14 how many answers to keep, 15 deadline of the seat that has the decision ('' = none, '=' = as it was),
--       16 when the table expires ('' = as it was), 17 when the game finished ('' = it goes on),
--       18 who is told what if they have webhooks: "<type> <player> <milliseconds since 1970> <game>" on a line each,
--       19 status of the table ('' = as it was), 20 a channel that only the writing copy hears ('' = unknown)
-- Returns {'ok', how many other copies of the service listen}, {'stale', current version} or {'again', first answer}.
if ARGV[11] ~= '' then
  local first = redis.call('HGET', KEYS[6], ARGV[13])
  if first then return {'again', first} end
end
local version = redis.call('HGET', KEYS[1], 'version') or '0'
if version ~= ARGV[1] then return {'stale', version} end
if ARGV[3] == '' then
  redis.call('HSET', KEYS[1], 'version', version + 1, 'record', ARGV[2])
else
  redis.call('HSET', KEYS[1], 'version', version + 1, 'record', ARGV[2], 'state', ARGV[3])
end
redis.call('RPUSH', KEYS[2], ARGV[4])
if redis.call('HDEL', KEYS[7], ARGV[7]) == 1 then redis.call('ZREM', KEYS[15], ARGV[7]) end
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
if ARGV[11] ~= '' then
  redis.call('HSET', KEYS[6], ARGV[13], ARGV[11])
  if redis.call('RPUSH', KEYS[10], ARGV[13]) > tonumber(ARGV[14]) then
    redis.call('HDEL', KEYS[6], redis.call('LPOP', KEYS[10]))
  end
  redis.call('PEXPIRE', KEYS[6], ARGV[12])
  redis.call('PEXPIRE', KEYS[10], ARGV[12])
end
if ARGV[15] == '' then
  redis.call('ZREM', KEYS[8], ARGV[7])
elseif ARGV[15] ~= '=' then
  redis.call('ZADD', KEYS[8], ARGV[15], ARGV[7])
end
if ARGV[19] ~= '' then
  local before = redis.call('HGET', KEYS[1], 'status')
  if before ~= ARGV[19] then
    if before and redis.call('HINCRBY', KEYS[14], before, -1) == 0 then redis.call('HDEL', KEYS[14], before) end
    redis.call('HINCRBY', KEYS[14], ARGV[19], 1)
    redis.call('HSET', KEYS[1], 'status', ARGV[19])
  end
end
if ARGV[16] ~= '' then redis.call('ZADD', KEYS[9], ARGV[16], ARGV[7]) end
if ARGV[17] ~= '' then redis.call('ZADD', KEYS[11], ARGV[17], ARGV[7]) end
for line, player, at in string.gmatch(ARGV[18], '(%S+ (%S+) (%d+) %S+)') do
  local mark = redis.call('HGET', KEYS[12], player)
  if mark then redis.call('ZADD', KEYS[13], at, ARGV[7] .. ' ' .. version + 1 .. ' ' .. line .. ' ' .. mark) end
end
-- The writing copy has told its own watchers.
local heard = redis.call('PUBSUB', 'NUMSUB', ARGV[5], ARGV[20])
local others = heard[2] - heard[4]
if others > 0 or ARGV[20] == '' then redis.call('PUBLISH', ARGV[5], ARGV[6]) end
return {'ok', others}
