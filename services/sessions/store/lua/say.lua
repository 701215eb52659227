-- Adds a line to a table's chat and tells every copy of the service.
-- KEYS: 1 table, 2 chat
-- ARGV: 1 line, 2 how many lines are kept, 3 channel, 4 head of the message, 5 key of the request ('' = none),
--       6 among how many of the latest lines that key is looked for
-- Returns {id, line} of the new line, or of the first one if the request was repeated; nothing if there is no such table.
if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
if ARGV[5] ~= '' then
  for _, entry in ipairs(redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', ARGV[6])) do
    if entry[2][4] == ARGV[5] then return {entry[1], entry[2][2]} end
  end
end
local id = redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[2], '*', 'line', ARGV[1], 'key', ARGV[5])
redis.call('PUBLISH', ARGV[3], ARGV[4] .. id .. ' ' .. ARGV[1])
return {id, ARGV[1]}
