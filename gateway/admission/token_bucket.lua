-- A token bucket: takes as many of the wanted permits as there are.
-- KEYS: 1 bucket
-- ARGV: 1 how many permits it holds, 2 milliseconds in which it fills, 3 permits wanted
-- Returns {permits taken, permits left, milliseconds until there is one more}.
local holds, window, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'level', 'at')
local since = math.max(0, now - (tonumber(known[2]) or now))
local level = math.min(holds, (tonumber(known[1]) or holds) + since * holds / window)
local taken = math.min(wanted, math.floor(level))
level = level - taken
if taken > 0 then
  redis.call('HSET', KEYS[1], 'level', tostring(level), 'at', now)
  redis.call('PEXPIRE', KEYS[1], window)
end
return {taken, math.floor(level), math.ceil((math.floor(level) + 1 - level) * window / holds)}
