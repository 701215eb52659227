-- Sets what is due aside until it is due again, so that one copy of the service has it at a time.
-- KEYS: 1 an outbox. ARGV: 1 now, 2 due again, 3 how many at the most.
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, each in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], each) end
return due
