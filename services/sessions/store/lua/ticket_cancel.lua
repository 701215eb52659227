-- Cancels a ticket that nobody has claimed.
-- KEYS: 1 who waits with which ticket, 2 ticket, 3 tickets that wait, then for each player the tickets that ask for it.
-- ARGV: 1 ticket id, 2 for how many milliseconds it can still be looked at, then the players.
-- Returns whether it is cancelled, now or before.
local status = redis.call('HGET', KEYS[2], 'status')
if status ~= 'forming' and status ~= 'waiting' then return status == 'cancelled' and 1 or 0 end
redis.call('HSET', KEYS[2], 'status', 'cancelled')
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[3], ARGV[1])
for i = 3, #ARGV do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[1] then redis.call('HDEL', KEYS[1], ARGV[i]) end
  redis.call('SREM', KEYS[i + 1], ARGV[1])
end
return 1
