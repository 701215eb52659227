-- A player's place on a leaderboard; news that are older than what stands there change nothing.
-- KEYS: 1 players by rating, 2 how many rated games each has. ARGV: 1 player, 2 rating, 3 rated games.
if tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0') <= tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
end
