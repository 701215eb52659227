-- Counts a finished table for one of its players, once.
-- KEYS: 1 what the player has played, 2 finished tables, 3 tables that go on.
-- ARGV: 1 table id, 2 when it finished, 3 game, 4 whether the player won (0, 1), 5 change of mu ('' = not rated),
--       6 factor of sigma, 7 mu of a newcomer, 8 sigma of a newcomer, 9 how many finished tables are kept.
-- Returns {mu, sigma, rated games} as they are then.
local function field(name) return ARGV[3] .. ':' .. name end
if redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], field('played'), 1)
  redis.call('HINCRBY', KEYS[1], field('won'), ARGV[4])
  if ARGV[5] ~= '' then
    local mu = redis.call('HGET', KEYS[1], field('mu')) or ARGV[7]
    local sigma = redis.call('HGET', KEYS[1], field('sigma')) or ARGV[8]
    redis.call('HSET', KEYS[1], field('mu'), string.format('%.17g', mu + ARGV[5]),
      field('sigma'), string.format('%.17g', sigma * ARGV[6]))
    redis.call('HINCRBY', KEYS[1], field('rated'), 1)
  end
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - ARGV[9])
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return redis.call('HMGET', KEYS[1], field('mu'), field('sigma'), field('rated'))
