/** A TCP proxy on loopback that can stop passing data on, like a network that loses all packets. */
import { connect, createServer, type Socket } from 'node:net'

export interface SilentProxy {
  readonly port: number
  /** The URL of a server with the address of the proxy. */
  through(url: string): string
  /** Stops passing data on: connections stay open, and new ones are accepted, but nothing is sent. */
  silence(): void
  /** Calls `silence` at the first packet of a client that contains this text, and does not pass that packet on. */
  silenceAt(text: string): void
  /** Passes on the data that was received meanwhile, and all data from now on. */
  resume(): void
  /** Connections that are open now never get data again, as after a change of network; new connections work. */
  replace(): void
  /** Closes the server's side of the connections of `replace`, as TCP keep-alive eventually does. */
  forget(): void
  close(): Promise<void>
}

/** Starts a proxy to a port of this machine. */
export async function silentProxy(to: number): Promise<SilentProxy> {
  let isSilent = false
  let silencing: string | undefined
  const open = new Set<Socket>()
  const lost = new Set<Socket>()
  const held: (() => void)[] = []
  const unsent = new Map<Socket, Buffer>()
  const silence = (): void => {
    isSilent = true
    for (const socket of open) socket.pause()
  }
  const pair = (client: Socket): void => {
    const server = connect(to, '127.0.0.1')
    for (const [from, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(from)
      from.on('data', (data) => {
        if (silencing !== undefined && from === client && data.includes(silencing)) {
          silencing = undefined
          silence()
          unsent.set(other, data)
        } else other.write(data)
      })
      from.on('end', () => void other.end())
      from.on('close', () => {
        open.delete(from)
        if (!lost.has(from)) other.destroy()
      })
      from.on('error', () => {})
    }
  }
  const listening = createServer((client) => {
    client.on('error', () => {})
    if (!isSilent) return pair(client)
    client.pause()
    open.add(client)
    client.on('close', () => open.delete(client))
    held.push(() => pair(client))
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const { port } = listening.address() as { port: number }
  return {
    port,
    through(url) {
      const changed = new URL(url)
      changed.hostname = '127.0.0.1'
      changed.port = String(port)
      return changed.href
    },
    silence,
    silenceAt(text) {
      silencing = text
    },
    resume() {
      isSilent = false
      for (const begin of held.splice(0)) begin()
      for (const [socket, data] of unsent) if (!lost.has(socket)) socket.write(data)
      unsent.clear()
      for (const socket of open) if (!lost.has(socket)) socket.resume()
    },
    replace() {
      isSilent = false
      held.length = 0
      for (const socket of open) {
        lost.add(socket)
        socket.pause()
      }
    },
    forget() {
      for (const socket of lost) socket.destroy()
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => listening.close(resolve))
    },
  }
}
