/** A proxy in front of MariaDB or MySQL that answers chosen commands itself: the faults of a cluster, made on a real server. */
import { connect, createServer, type Socket } from 'node:net'

/** A command of a client. Statements that are executed have the text they were prepared with. */
export interface MysqlCommand {
  readonly kind: 'query' | 'prepare' | 'execute' | 'other'
  readonly text: string
  /** Counts the connections to the proxy, from 1. */
  readonly connection: number
  /** Whether a transaction was begun on this connection and not ended since. */
  readonly inTransaction: boolean
}

/** What becomes of a command. */
export type Verdict =
  | 'forward'
  /** The server does not see it, and the client gets this error. */
  | { readonly error: readonly [errno: number, message: string]; readonly rollback?: boolean }
  /** The server does not see it, and nobody answers. */
  | 'swallow'
  /** The server executes it, and its answer is lost. */
  | 'lose the answer'
  /** Both connections end. */
  | 'cut'

export interface MysqlProxy {
  readonly url: string
  /** Every command so far. */
  readonly commands: readonly MysqlCommand[]
  /** Connections to clients that are open. */
  open(): number
  close(): Promise<void>
}

const comQuery = 0x03
const comPrepare = 0x16
const comExecute = 0x17

/**
 * Starts a proxy on a free port of the loopback interface.
 *
 * ```ts
 * // Galera's answer to the first statement that it sees after another node's commit has aborted this transaction:
 * mysqlProxy(url, ({ kind, inTransaction }) =>
 *   kind === 'prepare' && inTransaction ? { error: [1213, 'Deadlock found'], rollback: true } : 'forward')
 * ```
 */
export async function mysqlProxy(
  target: string,
  decide: (command: MysqlCommand) => Verdict,
): Promise<MysqlProxy> {
  const { hostname, port } = new URL(target)
  const commands: MysqlCommand[] = []
  const clients = new Set<Socket>()
  let accepted = 0
  const server = createServer((client) => {
    accepted += 1
    clients.add(client)
    client.on('close', () => clients.delete(client))
    const upstream = connect(Number(port || 3306), hostname)
    relay(client, upstream, accepted, (command) => {
      commands.push(command)
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

function relay(
  client: Socket,
  upstream: Socket,
  connection: number,
  decide: (command: MysqlCommand) => Verdict,
): void {
  const statements = new Map<number, string>()
  let inTransaction = false
  let preparing: string | undefined
  /** Answers of the server that the client does not get. */
  let dropped = 0
  let silent = false
  const end = (): void => {
    client.destroy()
    upstream.destroy()
  }
  for (const socket of [client, upstream]) socket.on('error', end).on('close', end)

  const commandOf = (packet: Buffer): MysqlCommand => {
    const about = { connection, inTransaction }
    switch (packet[4]) {
      case comQuery:
        return { ...about, kind: 'query', text: packet.toString('utf8', 5) }
      case comPrepare:
        return { ...about, kind: 'prepare', text: packet.toString('utf8', 5) }
      case comExecute:
        return { ...about, kind: 'execute', text: statements.get(packet.readUInt32LE(5)) ?? '' }
      default:
        return { ...about, kind: 'other', text: '' }
    }
  }

  eachPacket(client, (packet) => {
    // A command begins a sequence; everything else belongs to the handshake.
    if (packet[3] !== 0) return void upstream.write(packet)
    const command = commandOf(packet)
    const verdict = decide(command)
    if (command.kind === 'query') {
      if (/^(?:begin|start transaction)/i.test(command.text)) inTransaction = true
      if (/^(?:commit|rollback)/i.test(command.text)) inTransaction = false
    }
    if (verdict === 'cut') return end()
    if (verdict === 'swallow') return
    if (typeof verdict === 'object') {
      if (verdict.rollback === true) {
        dropped += 1
        upstream.write(packetOf(0, Buffer.concat([Buffer.of(comQuery), Buffer.from('rollback')])))
      }
      return void client.write(errorPacket(...verdict.error))
    }
    if (verdict === 'lose the answer') silent = true
    if (command.kind === 'prepare') preparing = command.text
    upstream.write(packet)
  })
  eachPacket(upstream, (packet) => {
    if (preparing !== undefined && packet[4] === 0) {
      statements.set(packet.readUInt32LE(5), preparing)
    }
    preparing = undefined
    if (dropped > 0) dropped -= 1
    else if (!silent) client.write(packet)
  })
}

/** Splits what a socket receives into packets: three bytes of length, a sequence number, and the payload. */
function eachPacket(socket: Socket, take: (packet: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data])
    while (rest.length >= 4) {
      const size = 4 + rest.readUIntLE(0, 3)
      if (rest.length < size) return
      take(rest.subarray(0, size))
      rest = rest.subarray(size)
    }
  })
}

function packetOf(sequence: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, payload])
}

function errorPacket(errno: number, message: string): Buffer {
  const number = Buffer.alloc(2)
  number.writeUInt16LE(errno)
  return packetOf(1, Buffer.concat([Buffer.of(0xff), number, Buffer.from(`#HY000${message}`)]))
}
