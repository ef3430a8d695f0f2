/** The faults: what each does to the database, the network, the service or its clients, and how long. */
import { once } from 'node:events'
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { deadlocks, isolated } from './conflicts.ts'
import { endConnections, takeConnections } from './connections.ts'
import { fullDisk } from './full-disk.ts'
import { readYourWrites } from './read-your-writes.ts'
import type { Setup, SetupName } from './setups.ts'

/** What a fault can use and act on. */
export interface Scene {
  readonly setup: Setup
  /** Ends the service with a signal and starts it again at the same port. */
  restartService(signal: NodeJS.Signals): Promise<void>
  readonly port: number
  /** The ports of every service; `port` is the first. */
  readonly ports: readonly number[]
}

export interface Fault {
  readonly name: string
  readonly on: readonly SetupName[]
  /** The pools with which the service meets the fault; absent: all. */
  readonly pools?: readonly string[]
  /** Whether the service itself ends, so that connections of its clients break. */
  readonly serviceEnds?: boolean
  /** Whether it needs a disk that can be filled. */
  readonly fillsDisk?: boolean
  /** What the service must have reported, which proves that the fault occurred. */
  readonly reports?: RegExp
  /** Causes the fault and ends it; rejects if it did not occur. */
  run(scene: Scene): Promise<void>
}

const servers = ['postgres', 'mysql'] as const
const replicated = ['postgres with a replica', 'mysql with a replica'] as const
const several = [...replicated, 'galera'] as const
const everywhere = ['sqlite', ...servers, ...several] as const

const serverOf = ({ setup }: Scene) => {
  if (setup.server === null || setup.proxy === null) throw new Error('a file has no server')
  return { server: setup.server, proxy: setup.proxy }
}

const otherOf = ({ setup: { other } }: Scene) => {
  if (other === undefined) throw new Error('the set-up has one server')
  return other
}

const fileOf = ({ targets: [file = ''] }: Setup): string => file

export const faults: readonly Fault[] = [
  { name: 'none', on: everywhere, run: () => sleep(3_000) },
  {
    name: 'connections ended by the server, ten times',
    on: servers,
    async run({ setup }) {
      const db = setup.admin()
      for (let i = 0; i < 10; i++) {
        await endConnections(setup, db)
        await sleep(300)
      }
      await db.destroy()
    },
  },
  {
    name: 'restart',
    on: servers,
    async run(scene) {
      const { server } = serverOf(scene)
      await server.stop()
      await server.start()
    },
  },
  {
    name: 'stopped for 5 s',
    on: servers,
    async run(scene) {
      const { server } = serverOf(scene)
      await server.stop()
      await sleep(5_000)
      await server.start()
    },
  },
  {
    name: 'killed (kill -9) and started',
    on: servers,
    async run(scene) {
      const { server } = serverOf(scene)
      await server.kill()
      await server.start()
    },
  },
  {
    name: 'paused for 8 s',
    on: servers,
    async run(scene) {
      const { server } = serverOf(scene)
      await server.pause()
      await sleep(8_000)
      await server.resume()
    },
  },
  {
    name: 'silent network for 8 s',
    on: servers,
    async run(scene) {
      const { proxy } = serverOf(scene)
      proxy.silence()
      await sleep(8_000)
      proxy.resume()
    },
  },
  {
    name: 'network replaced: open connections lead nowhere',
    on: servers,
    async run(scene) {
      const { proxy } = serverOf(scene)
      proxy.replace()
      await sleep(6_000)
      proxy.forget()
    },
  },
  {
    name: 'no connections left for 5 s',
    on: servers,
    async run({ setup }) {
      const giveBack = await takeConnections(setup)
      await sleep(5_000)
      await giveBack()
    },
  },
  {
    name: 'rows locked for 6 s',
    on: servers,
    async run({ setup }) {
      const db = setup.admin()
      await db.transaction().execute(async (transaction) => {
        await sql`select * from counters for update`.execute(transaction)
        await sleep(6_000)
      })
      await db.destroy()
    },
  },
  {
    name: 'schema changed under way',
    on: servers,
    async run({ setup }) {
      const db = setup.admin()
      const [wider, narrower] =
        setup.name === 'postgres'
          ? [
              sql`alter table entries alter column note type text`,
              sql`alter table entries alter column note type varchar(200)`,
            ]
          : [
              sql`alter table entries modify note text null`,
              sql`alter table entries modify note varchar(200) null`,
            ]
      for (let i = 0; i < 3; i++) {
        await wider.execute(db)
        await sleep(500)
        await sql`alter table entries add column added integer null`.execute(db)
        await sleep(500)
        await sql`alter table entries drop column added`.execute(db)
        await narrower.execute(db)
        await sleep(500)
      }
      await db.destroy()
    },
  },
  {
    name: 'read-only for 4 s',
    on: servers,
    async run({ setup }) {
      const db = setup.admin()
      const [on, off] =
        setup.name === 'postgres'
          ? [
              sql`alter role app set default_transaction_read_only = on`,
              sql`alter role app reset default_transaction_read_only`,
            ]
          : [sql`set global read_only = 1`, sql`set global read_only = 0`]
      await on.execute(db)
      await endConnections(setup, db)
      await sleep(4_000)
      await off.execute(db)
      await endConnections(setup, db)
      await db.destroy()
    },
  },
  fullDisk,
  deadlocks,
  isolated('repeatable read'),
  isolated('serializable'),
  readYourWrites,
  {
    name: 'the replica, or one of the nodes, killed (kill -9) for 5 s',
    on: several,
    async run(scene) {
      const { server } = otherOf(scene)
      await server.kill()
      await sleep(5_000)
      await server.start()
    },
  },
  {
    name: 'the replica, or one of the nodes, paused for 8 s',
    on: several,
    async run(scene) {
      const { server } = otherOf(scene)
      await server.pause()
      await sleep(8_000)
      await server.resume()
    },
  },
  {
    name: 'silent network to the replica, or to one of the nodes, for 8 s',
    on: several,
    async run(scene) {
      const { proxy } = otherOf(scene)
      proxy.silence()
      await sleep(8_000)
      proxy.resume()
    },
  },
  {
    name: 'the primary killed (kill -9) and started',
    on: replicated,
    async run(scene) {
      const { server } = serverOf(scene)
      await server.kill()
      await server.start()
    },
  },
  {
    name: 'file locked by another process for 4 s',
    on: ['sqlite'],
    async run({ setup }) {
      const file = new Database(fileOf(setup), { timeout: 10_000 })
      file.exec('begin exclusive')
      await sleep(4_000)
      file.exec('commit')
      file.close()
    },
  },
  {
    name: 'file locked by another process again and again, for 20 ms',
    on: ['sqlite'],
    async run({ setup }) {
      const file = new Database(fileOf(setup), { timeout: 10_000 })
      for (let i = 0; i < 100; i++) {
        file.exec('begin immediate')
        await sleep(20)
        file.exec('commit')
        await sleep(20)
      }
      file.close()
    },
  },
  {
    name: 'file moved away for 3 s',
    on: ['sqlite'],
    async run({ setup }) {
      const files = ['', '-wal', '-shm'].map((end) => `${fileOf(setup)}${end}`)
      for (const file of files) if (existsSync(file)) renameSync(file, `${file}.moved`)
      await sleep(3_000)
      for (const file of files) if (existsSync(`${file}.moved`)) renameSync(`${file}.moved`, file)
    },
  },
  {
    name: 'file removed, and restored from a copy after 3 s',
    on: ['sqlite'],
    // With a pool of the host, SQLite continues to write to the removed file.
    pools: ['ours'],
    async run({ setup }) {
      const target = fileOf(setup)
      const file = new Database(target, { timeout: 10_000 })
      // No write may be acknowledged between the copy and the removal.
      file.exec('begin immediate')
      for (const end of ['', '-wal']) copyFileSync(target + end, `${target}.copy${end}`)
      for (const end of ['', '-wal', '-shm']) rmSync(target + end)
      file.exec('rollback')
      file.close()
      const copy = new Database(`${target}.copy`)
      copy.pragma('wal_checkpoint(truncate)')
      copy.close()
      await sleep(3_000)
      renameSync(`${target}.copy`, target)
    },
  },
  {
    name: 'service killed (kill -9) and started, three times',
    on: everywhere,
    serviceEnds: true,
    async run({ restartService }) {
      for (let i = 0; i < 3; i++) {
        await sleep(1_000)
        await restartService('SIGKILL')
      }
    },
  },
  {
    name: 'service ended (SIGTERM) and started, three times',
    on: everywhere,
    serviceEnds: true,
    async run({ restartService }) {
      for (let i = 0; i < 3; i++) {
        await sleep(1_000)
        await restartService('SIGTERM')
      }
    },
  },
  {
    name: 'clients that vanish, send slowly, or read nothing',
    on: everywhere,
    async run({ port }) {
      const sockets = Array.from({ length: 60 }, () => connect(port, '127.0.0.1'))
      for (const socket of sockets) socket.on('error', () => {})
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))
      const list = 'GET /api/entries?limit=100 HTTP/1.1\r\nhost: x\r\n\r\n'
      for (const [i, socket] of sockets.entries()) {
        if (i % 3 === 0) {
          socket.write(list)
          setImmediate(() => socket.destroy())
        } else if (i % 3 === 1) {
          socket.write('POST /api/entries HTTP/1.1\r\nhost: x\r\ncontent-length: 999\r\n\r\n{')
        } else {
          socket.pause()
          socket.write(list.repeat(20))
        }
      }
      await sleep(5_000)
      for (const socket of sockets) socket.destroy()
    },
  },
]
