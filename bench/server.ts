/** A measured server in a separate process: `server.ts <system> <database>`. Reports the resources that it has used on request. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DatabaseName } from './databases.ts'
import { countStatements } from './statements.ts'
import { systems } from './systems/systems.ts'

/** The first message of a server. */
export interface Listening {
  readonly port: number
  /** The processes that serve requests. */
  readonly pids?: readonly number[]
}

/** The report of a server. */
export interface Used {
  /** The time of the report, in microseconds of the clock that CPU profiles use. */
  readonly at?: number
  /** Microseconds of CPU of all threads of the process. */
  readonly cpu: number
  /** Missing if the driver's statements are not counted. */
  readonly statements?: number
  /** The most memory so far, in MiB. */
  readonly memory: number
}

const [system = '', database = ''] = process.argv.slice(2)
const chosen = systems[system]
if (chosen === undefined) throw new Error(`no system is called "${system}"`)
// Counts no statements in a profile, because the counting would appear in place of the driver.
const isProfiled = process.execArgv.includes('--cpu-prof')
const statements =
  isProfiled || chosen.hasOtherDriver === true
    ? () => undefined
    : countStatements(database as DatabaseName, chosen.home ?? import.meta.url)
const server = createServer(await chosen.open(database as DatabaseName))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port, pids: [process.pid] } satisfies Listening)
})

process.on('message', () => {
  const { user, system: kernel } = process.cpuUsage()
  const count = statements()
  const used: Used = {
    at: Number(process.hrtime.bigint() / 1000n),
    cpu: user + kernel,
    ...(count === undefined ? {} : { statements: count }),
    memory: process.resourceUsage().maxRSS / 1024,
  }
  process.send?.(used)
})
process.on('disconnect', () => process.exit())
