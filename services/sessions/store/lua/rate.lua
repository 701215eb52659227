-- Counts one more use in a stretch of time that begins with the first.
-- KEYS: 1 counter. ARGV: 1 milliseconds. Returns how many there were, and the milliseconds that are left.
local used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {used, redis.call('PTTL', KEYS[1])}
