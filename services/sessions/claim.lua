-- Takes the bot turns that are due and sets each aside until it is due again, so that one copy hands it out at a time.
-- KEYS: 1 outbox. ARGV: 1 now, 2 due again, 3 how many at the most. Returns table ids.
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, id in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], id) end
return due
