// The entry `@model-api/core/redis`: a rate limit store in Redis (API_RATE_LIMIT_STORE), shared by several processes; uses the host's own
// client and imports none.

import type { RateLimitStore } from './model/settings/access/access-types.ts'

/** A client with `call(command, ...args)`, as ioredis has. */
export interface CallClient {
  // biome-ignore lint/suspicious/noExplicitAny: the client's own overloads
  call(...args: any[]): Promise<unknown>
}

/** A client with `sendCommand([command, ...args])`, as node-redis has. */
export interface SendCommandClient {
  // biome-ignore lint/suspicious/noExplicitAny: the client's own overloads
  sendCommand(...args: any[]): Promise<unknown>
}

/** A client with `eval(script, numberOfKeys, ...keysAndArguments)`. */
export interface EvalClient {
  // biome-ignore lint/suspicious/noExplicitAny: the client's own overloads
  eval(...args: any[]): Promise<unknown>
}

/** Any of the common clients. */
export type RedisClient = CallClient | SendCommandClient | EvalClient

/** Increments the count and sets the expiry of the key in one atomic step; also repairs a key without expiry. */
const hitScript = `local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }`

const peekScript = `return { tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1]) }`

/**
 * Creates a store that several processes share. Counting is atomic; windows end by the clock of the Redis server.
 *
 * `client` is an ioredis or node-redis client, or one with the same methods; it is neither opened nor closed here.
 *
 * ```ts
 * import { redisRateLimitStore } from '@model-api/core/redis'
 * import { createClient } from 'redis'
 *
 * const client = await createClient().connect()
 * createApi({ db, models, config: { API_RATE_LIMIT: '100 per minute', API_RATE_LIMIT_STORE: redisRateLimitStore(client) } })
 * ```
 */
export function redisRateLimitStore(
  client: RedisClient,
  options: { readonly prefix?: string } = {},
): RateLimitStore {
  const prefix = options.prefix ?? 'model-api:limit:'
  const run = evaluator(client)
  const evaluate = async (script: string, key: string, windowMs: number, now: number) => {
    const answer = await run(script, `${prefix}${key}`, String(windowMs))
    if (!Array.isArray(answer)) throw new Error('Redis: expected a list of count and milliseconds')
    const left = Number(answer[1])
    return { count: Number(answer[0]), resetsAt: now + (left < 0 ? windowMs : left) }
  }
  return {
    hit: (key, windowMs, now) => evaluate(hitScript, key, windowMs, now),
    peek: (key, windowMs, now) => evaluate(peekScript, key, windowMs, now),
  }
}

type Evaluate = (script: string, key: string, argument: string) => Promise<unknown>

/** Returns the client's way to run a script. Tries `call` first, because the `sendCommand` of ioredis takes other arguments. */
function evaluator(client: RedisClient): Evaluate {
  if ('call' in client && typeof client.call === 'function') {
    return (script, key, argument) => client.call('EVAL', script, '1', key, argument)
  }
  if ('sendCommand' in client && typeof client.sendCommand === 'function') {
    return (script, key, argument) => client.sendCommand(['EVAL', script, '1', key, argument])
  }
  if ('eval' in client && typeof client.eval === 'function') {
    return (script, key, argument) => client.eval(script, 1, key, argument)
  }
  throw new Error(
    'redisRateLimitStore: expected a Redis client with call(), sendCommand() or eval(), as ioredis and node-redis have.',
  )
}
