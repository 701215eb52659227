-- Keeps what a bot would do at a table and tells every copy of the service.
-- KEYS: 1 table, 2 its hints. ARGV: 1 bot, 2 hint, 3 milliseconds it is kept, 4 channel, 5 message.
if redis.call('EXISTS', KEYS[1]) == 0 then return end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('PUBLISH', ARGV[4], ARGV[5])
