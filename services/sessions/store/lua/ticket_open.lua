-- A new ticket, if its maker has none that waits.
-- KEYS: 1 who waits with which ticket, 2 ticket, 3 tickets that wait, then for each friend the tickets that ask for it.
-- ARGV: 1 ticket id, 2 maker, 3 record, 4 now.
-- Returns '' (also if it is there already) or another ticket with which the maker waits.
if redis.call('EXISTS', KEYS[2]) == 1 then return '' end
local other = redis.call('HGET', KEYS[1], ARGV[2])
if other then return other end
local friends = #KEYS - 3
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], 'record', ARGV[3], 'status', friends > 0 and 'forming' or 'waiting', 'since', ARGV[4],
  'missing', friends, 'ready:' .. ARGV[2], 1)
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
for i = 4, #KEYS do redis.call('SADD', KEYS[i], ARGV[1]) end
return ''
