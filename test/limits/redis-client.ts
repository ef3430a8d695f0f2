/** A minimal Redis client: commands and replies over one socket. */
import { connect, type Socket } from 'node:net'

export interface TinyClient {
  call(...command: string[]): Promise<unknown>
  close(): void
}

/** Connects; returns undefined if no Redis is listening. `lost` is called when the connection breaks. */
export async function redisClient(
  port = 6379,
  lost: () => void = () => {},
): Promise<TinyClient | undefined> {
  const socket = await new Promise<Socket | undefined>((resolve) => {
    const opening = connect({ port, host: '127.0.0.1' })
    opening.once('connect', () => resolve(opening))
    opening.once('error', () => resolve(undefined))
  })
  if (socket === undefined) return undefined
  const waiting: ((reply: unknown) => void)[] = []
  let text = ''
  socket.on('error', () => {})
  socket.once('close', () => {
    for (const settle of waiting.splice(0)) settle(new Error('Socket closed unexpectedly'))
    lost()
  })
  socket.on('data', (data) => {
    text += data.toString('latin1')
    for (let reply = read(text, 0); reply !== undefined; reply = read(text, 0)) {
      text = text.slice(reply.end)
      waiting.shift()?.(reply.value)
    }
  })
  return {
    call: async (...command) => {
      const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`)
      const reply = await new Promise<unknown>((resolve) => {
        waiting.push(resolve)
        socket.write(`*${command.length}\r\n${parts.join('')}`)
      })
      if (reply instanceof Error) throw reply
      return reply
    },
    close: () => socket.destroy(),
  }
}

interface Reply {
  readonly value: unknown
  readonly end: number
}

/** Parses one reply of the protocol; undefined if it is incomplete. */
function read(text: string, at: number): Reply | undefined {
  const line = text.indexOf('\r\n', at)
  if (line === -1) return undefined
  const rest = text.slice(at + 1, line)
  const end = line + 2
  switch (text[at]) {
    case '+':
      return { value: rest, end }
    case '-':
      return { value: new Error(rest), end }
    case ':':
      return { value: Number(rest), end }
    case '$': {
      const length = Number(rest)
      if (length === -1) return { value: null, end }
      return text.length < end + length + 2
        ? undefined
        : { value: text.slice(end, end + length), end: end + length + 2 }
    }
    default: {
      const items: unknown[] = []
      let next = end
      for (let i = 0; i < Number(rest); i++) {
        const item = read(text, next)
        if (item === undefined) return undefined
        items.push(item.value)
        next = item.end
      }
      return { value: items, end: next }
    }
  }
}

/**
 * A client that reconnects when its connection breaks. Until then, commands wait without a limit, as with node-redis, or are
 * refused (`queues: false`), as with ioredis if `enableOfflineQueue` is false.
 */
export function reconnectingClient(port: number, queues: boolean): TinyClient {
  let current: TinyClient | undefined
  let closed = false
  const waiting: (() => void)[] = []
  const open = async (): Promise<void> => {
    if (closed) return
    const client = await redisClient(port, () => {
      current = undefined
      if (!closed) setTimeout(open, 50)
    })
    current = client
    if (client === undefined) setTimeout(open, 50)
    else for (const send of waiting.splice(0)) send()
  }
  void open()
  return {
    call: async (...command) => {
      if (current === undefined) {
        if (!queues) throw new Error("Stream isn't writeable")
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      if (current === undefined) throw new Error('The connection is closed')
      return current.call(...command)
    },
    close: () => {
      closed = true
      current?.close()
    },
  }
}
