-- A player's mark goes, unless it was set anew meanwhile. KEYS: 1 marks of a shard. ARGV: 1 player, 2 the mark as seen.
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1
