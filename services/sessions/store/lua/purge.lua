-- Removes all that there is of a table. Every key shares the table's hash tag.
-- KEYS: 1 table, 2 how often each bot's turn was handed out again, 3 how many tables of the shard have which status,
--       4 to 9 the shard's sorted sets that may name the table, 10 and more: the table's other keys
-- ARGV: 1 expected version, 2 table id
-- Returns 1, or 0 if the table has changed.
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
local status = redis.call('HGET', KEYS[1], 'status')
if status and redis.call('HINCRBY', KEYS[3], status, -1) == 0 then redis.call('HDEL', KEYS[3], status) end
redis.call('HDEL', KEYS[2], ARGV[2])
for place = 4, 9 do redis.call('ZREM', KEYS[place], ARGV[2]) end
for place = 10, #KEYS do redis.call('DEL', KEYS[place]) end
redis.call('DEL', KEYS[1])
return 1
