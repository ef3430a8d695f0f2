/** Proxies in front of a database server that cause faults of networks and clusters at chosen commands. */
import { connect, createServer, type Socket } from 'node:net'
import type { ServerName } from './servers.ts'

/** A command of a client. The execution of a prepared statement has the text of the statement; on MySQL, all are text. */
export interface Command {
  readonly kind: 'query' | 'prepare' | 'execute' | 'other'
  readonly text: string
  /** Counts the connections to the proxy, from 1. */
  readonly connection: number
  /** Whether a transaction is open on this connection. */
  readonly inTransaction: boolean
}

/** What the proxy does with a command. */
export type Verdict =
  | 'forward'
  /** The server does not receive the command, and the client receives this error; only on MySQL and MariaDB. */
  | { readonly error: readonly [errno: number, message: string]; readonly rollback?: boolean }
  /** The server does not receive the command, and the client receives no response. */
  | 'swallow'
  /** The server executes the command, but the client does not receive the response. */
  | 'lose the answer'
  /** The server does not receive the command, and the connection ends. */
  | 'cut'
  /** The server executes the command, and the connection ends before the response arrives. */
  | 'cut afterwards'

export type Decide = (command: Command) => Verdict

export interface FaultProxy {
  readonly url: string
  /** Every command so far. */
  readonly commands: readonly Command[]
  /** Connections of clients that are open. */
  open(): number
  close(): Promise<void>
}

/**
 * Starts a proxy to a server on a free port of the loopback interface.
 *
 * ```ts
 * // Galera's answer to the first command that it sees after another node's commit has aborted this transaction:
 * faultProxy('mysql', url, ({ inTransaction }) =>
 *   inTransaction ? { error: [1213, 'Deadlock found'], rollback: true } : 'forward')
 * ```
 */
export async function faultProxy(
  name: ServerName,
  target: string,
  decide: Decide,
): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const { defaultPort, relay } = protocols[name]
  const commands: Command[] = []
  const clients = new Set<Socket>()
  let accepted = 0
  const server = createServer((client) => {
    accepted += 1
    const connection = accepted
    clients.add(client)
    client.on('close', () => clients.delete(client))
    const upstream = connect(Number(port || defaultPort), hostname)
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
    let inTransaction = false
    relay({ client, upstream, end }, ({ kind, text }) => {
      const command: Command = { kind, text, connection, inTransaction }
      commands.push(command)
      // One query may contain BEGIN and the statement after it.
      if (kind === 'query' || kind === 'execute') {
        if (/^(?:begin|start transaction)/i.test(text)) inTransaction = true
        if (/^(?:commit|rollback)/i.test(text)) inTransaction = false
      }
      return decide(command)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    commands,
    open: () => clients.size,
    close: async () => {
      for (const client of clients) client.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A connection of a client, and the proxy's connection to the server for it. */
interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  end(): void
}

type Relay = (pair: Pair, decide: (command: Pick<Command, 'kind' | 'text'>) => Verdict) => void

const protocols: Readonly<Record<ServerName, { defaultPort: string; relay: Relay }>> = {
  mysql: { defaultPort: '3306', relay: relayMysql },
  postgres: { defaultPort: '5432', relay: relayPostgres },
}

/** Passes responses of the server on, drops them, or ends the connection, according to the last verdict. */
function answers({ client, end }: Pair) {
  let mode: 'pass' | 'drop' | 'end' = 'pass'
  return {
    follow(verdict: Verdict): void {
      if (verdict === 'lose the answer') mode = 'drop'
      if (verdict === 'cut afterwards') mode = 'end'
    },
    take(packet: Buffer): void {
      if (mode === 'end') end()
      else if (mode === 'pass') client.write(packet)
    },
  }
}

const comQuery = 0x03
/**
 * The bytes before a query without attributes, if client and server support query attributes: the number of attributes, and the
 * number of their sets.
 */
const noAttributes = Buffer.of(0, 1)

function relayMysql(pair: Pair, decide: Parameters<Relay>[1]): void {
  const { client, upstream, end } = pair
  const answered = answers(pair)
  /** The number of responses to commands that the proxy itself has sent. */
  let dropped = 0
  /** The bytes before the text of a query: the numbers of MySQL's query attributes, if client and server use them. */
  let attributes: Buffer = Buffer.alloc(0)

  const commandOf = (packet: Buffer): Pick<Command, 'kind' | 'text'> => {
    if (packet[4] !== comQuery) return { kind: 'other', text: '' }
    if (noAttributes.equals(packet.subarray(5, 7))) attributes = noAttributes
    return { kind: 'query', text: packet.toString('utf8', 5 + attributes.length) }
  }

  // Three bytes of length, a sequence number, and the payload.
  const sizeOf = (data: Buffer) => (data.length < 4 ? undefined : 4 + data.readUIntLE(0, 3))
  eachPacket(client, sizeOf, (packet) => {
    // A command has the sequence number 0; other packets belong to the handshake.
    if (packet[3] !== 0) {
      upstream.write(packet)
      return
    }
    const command = commandOf(packet)
    const verdict = decide(command)
    if (verdict === 'cut') end()
    else if (typeof verdict === 'object') {
      if (verdict.rollback === true) {
        dropped += 1
        const rollback = [Buffer.of(comQuery), attributes, Buffer.from('rollback')]
        upstream.write(mysqlPacket(0, Buffer.concat(rollback)))
      }
      client.write(mysqlError(...verdict.error))
    } else if (verdict !== 'swallow') {
      answered.follow(verdict)
      upstream.write(packet)
    }
  })
  eachPacket(upstream, sizeOf, (packet) => {
    if (dropped > 0) dropped -= 1
    else answered.take(packet)
  })
}

function mysqlPacket(sequence: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, payload])
}

function mysqlError(errno: number, message: string): Buffer {
  const number = Buffer.alloc(2)
  number.writeUInt16LE(errno)
  return mysqlPacket(1, Buffer.concat([Buffer.of(0xff), number, Buffer.from(`#HY000${message}`)]))
}

function relayPostgres(pair: Pair, decide: Parameters<Relay>[1]): void {
  const { client, upstream, end } = pair
  const answered = answers(pair)
  const statements = new Map<string, string>()
  let bound = ''
  let started = false

  const commandOf = (packet: Buffer): Pick<Command, 'kind' | 'text'> => {
    const [first = '', second = ''] = packet.toString('utf8', 5).split('\0')
    switch (String.fromCharCode(packet[0] ?? 0)) {
      case 'Q':
        return { kind: 'query', text: first }
      case 'P':
        statements.set(first, second)
        return { kind: 'prepare', text: second }
      case 'B':
        bound = second
        return { kind: 'other', text: '' }
      case 'E':
        return { kind: 'execute', text: statements.get(bound) ?? '' }
      default:
        return { kind: 'other', text: '' }
    }
  }

  // The first message has no type: four bytes of length, and the payload.
  const sizeOf = (data: Buffer) => {
    if (!started) return data.length < 4 ? undefined : data.readInt32BE(0)
    return data.length < 5 ? undefined : 1 + data.readInt32BE(1)
  }
  eachPacket(client, sizeOf, (packet) => {
    if (!started) {
      started = true
      upstream.write(packet)
      return
    }
    const verdict = decide(commandOf(packet))
    if (typeof verdict === 'object') throw new Error('errors are for MySQL and MariaDB')
    if (verdict === 'cut') end()
    else if (verdict !== 'swallow') {
      answered.follow(verdict)
      upstream.write(packet)
    }
  })
  upstream.on('data', (data) => answered.take(data))
}

/** Splits received data into packets; `sizeOf` returns the length of the first one, or undefined if more data is needed. */
function eachPacket(
  socket: Socket,
  sizeOf: (data: Buffer) => number | undefined,
  take: (packet: Buffer) => void,
): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data])
    for (;;) {
      const size = sizeOf(rest)
      if (size === undefined || rest.length < size) return
      take(rest.subarray(0, size))
      rest = rest.subarray(size)
    }
  })
}
