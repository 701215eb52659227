-- Takes what is due in an outbox (bot turns, deadlines, …) and sets each entry aside until it is due again, so that one
-- copy handles it at a time.
-- One that was handed out before gets twice the time, and from the fifth time on twice as much each time: a pool that is
-- late or away must not be given its work again and again.
-- KEYS: 1 outbox, 2 how often each entry was handed out again, 3 if given: since when each of these is late.
-- ARGV: 1 now, 2 milliseconds, 3 how many at the most, 4 how many times the milliseconds at the most.
-- Returns {entry, milliseconds until it is due again} for each.
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[3])
local taken = {}
for place = 1, #due, 2 do
  local id = due[place]
  if KEYS[3] then redis.call('ZADD', KEYS[3], 'NX', due[place + 1], id) end
  local tries = redis.call('HINCRBY', KEYS[2], id, 1)
  local pause = ARGV[2] * (tries > 1 and math.min(ARGV[4], math.max(2, 2 ^ (tries - 3))) or 1)
  redis.call('ZADD', KEYS[1], ARGV[1] + pause, id)
  taken[#taken + 1] = {id, tonumber(pause)}
end
return taken
