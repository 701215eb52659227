-- A friend joins the ticket that asks for it; with the last one the ticket begins to wait.
-- KEYS: 1 who waits with which ticket, 2 ticket, 3 the tickets that ask for the friend. ARGV: 1 ticket id, 2 friend, 3 now.
-- Returns '', 'closed', or the ticket with which the friend waits already.
local other = redis.call('HGET', KEYS[1], ARGV[2])
if other == ARGV[1] then return '' end
if redis.call('HGET', KEYS[2], 'status') ~= 'forming' then return 'closed' end
if other then return other end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
redis.call('HSET', KEYS[2], 'ready:' .. ARGV[2], 1)
if redis.call('HINCRBY', KEYS[2], 'missing', -1) == 0 then
  redis.call('HSET', KEYS[2], 'status', 'waiting', 'since', ARGV[3])
end
return ''
