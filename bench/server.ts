/** One measured server in a process of its own: `server.ts <system> <database>`; says on request what it has used. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DatabaseName } from './databases.ts'
import { countStatements } from './statements.ts'
import { systems } from './systems/systems.ts'

/** What a server tells of itself. */
export interface Used {
  /** Microseconds of this process, all its threads. */
  readonly cpu: number
  readonly statements: number
  /** Most memory so far, in MiB. */
  readonly memory: number
}

const [system = '', database = ''] = process.argv.slice(2)
const chosen = systems[system]
if (chosen === undefined) throw new Error(`no system is called "${system}"`)
const statements = countStatements()
const server = createServer(await chosen.open(database as DatabaseName))
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})

process.on('message', () => {
  const { user, system: kernel } = process.cpuUsage()
  const used: Used = {
    cpu: user + kernel,
    statements: statements(),
    memory: process.resourceUsage().maxRSS / 1024,
  }
  process.send?.(used)
})
process.on('disconnect', () => process.exit())
