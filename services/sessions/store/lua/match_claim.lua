-- Claims tickets for one table: all of them, or none if one is no longer free.
-- KEYS: 1 tickets that wait, 2 proposals, 3 proposal, then the tickets.
-- ARGV: 1 table id, 2 proposal, 3 when others may finish it, then the ids of the tickets.
-- Returns whether they are claimed.
for i = 4, #KEYS do
  if redis.call('HGET', KEYS[i], 'status') ~= 'waiting' then return 0 end
end
for i = 4, #KEYS do
  redis.call('HSET', KEYS[i], 'status', 'claimed')
  redis.call('ZREM', KEYS[1], ARGV[i])
end
redis.call('SET', KEYS[3], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1
