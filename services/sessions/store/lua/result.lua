-- Counts a finished table for one of its players, once.
-- KEYS: 1 what the player has played, 2 finished tables, 3 tables that go on.
-- ARGV: 1 packed: table, finished (when), game, won (0, 1), mu_change (none: it is not rated), sigma_factor,
--       newcomer_mu, newcomer_sigma, kept (how many finished tables are).
-- Returns {mu, sigma, rated games} as they are then.
local games, history, live = unpack(KEYS)
local result = cmsgpack.unpack(ARGV[1])
local function field(name) return result.game .. ':' .. name end
if redis.call('ZADD', history, 'NX', result.finished, result.table) == 1 then
  redis.call('HINCRBY', games, field('played'), 1)
  redis.call('HINCRBY', games, field('won'), result.won)
  if result.mu_change then
    local mu = redis.call('HGET', games, field('mu')) or result.newcomer_mu
    local sigma = redis.call('HGET', games, field('sigma')) or result.newcomer_sigma
    redis.call('HSET', games, field('mu'), string.format('%.17g', mu + result.mu_change),
      field('sigma'), string.format('%.17g', sigma * result.sigma_factor))
    redis.call('HINCRBY', games, field('rated'), 1)
  end
  redis.call('ZREMRANGEBYRANK', history, 0, -1 - result.kept)
  redis.call('ZREM', live, result.table)
end
return redis.call('HMGET', games, field('mu'), field('sigma'), field('rated'))
