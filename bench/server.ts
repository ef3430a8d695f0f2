/** One measured server in a process of its own: `server.ts <system> <database>`; says on request what it has used. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DatabaseName } from './databases.ts'
import { countStatements } from './statements.ts'
import { systems } from './systems/systems.ts'

/** The first thing a server tells. */
export interface Listening {
  readonly port: number
  /** The processes that answer. */
  readonly pids?: readonly number[]
}

/** What a server tells of itself. */
export interface Used {
  /** When it told: microseconds of the clock that CPU profiles go by. */
  readonly at?: number
  /** Microseconds of this process, all its threads. */
  readonly cpu: number
  readonly statements: number
  /** Most memory so far, in MiB. */
  readonly memory: number
}

const [system = '', database = ''] = process.argv.slice(2)
const chosen = systems[system]
if (chosen === undefined) throw new Error(`no system is called "${system}"`)
// In a profile, counting would stand where the driver does.
const isProfiled = process.execArgv.includes('--cpu-prof')
const statements = isProfiled
  ? () => 0
  : countStatements(database as DatabaseName, chosen.home ?? import.meta.url)
const server = createServer(await chosen.open(database as DatabaseName))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port, pids: [process.pid] } satisfies Listening)
})

process.on('message', () => {
  const { user, system: kernel } = process.cpuUsage()
  const used: Used = {
    at: Number(process.hrtime.bigint() / 1000n),
    cpu: user + kernel,
    statements: statements(),
    memory: process.resourceUsage().maxRSS / 1024,
  }
  process.send?.(used)
})
process.on('disconnect', () => process.exit())
