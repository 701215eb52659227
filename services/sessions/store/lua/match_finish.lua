-- The table of a proposal is made (or can never be): its tickets are closed, its players free for another one.
-- KEYS: 1 who waits with which ticket, 2 proposals, 3 how often each was handed out, 4 proposal, then the tickets.
-- ARGV: 1 table id, 2 'matched' or 'cancelled', 3 for how many milliseconds the tickets can still be looked at, then the
--       players.
-- Returns whether this call did it.
if redis.call('DEL', KEYS[4]) == 0 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
for i = 5, #KEYS do
  redis.call('HSET', KEYS[i], 'status', ARGV[2], 'table', ARGV[1])
  redis.call('PEXPIRE', KEYS[i], ARGV[3])
end
for i = 4, #ARGV do redis.call('HDEL', KEYS[1], ARGV[i]) end
return 1
