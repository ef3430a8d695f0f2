/** Servers of the same kind, from a folder with dependencies of its own that need not be installed. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Rival } from '../ask.ts'
import { type DatabaseName, locationOf, poolSize } from '../databases.ts'
import type { System } from './system.ts'

const home = new URL('../rivals/package.json', import.meta.url).href

const rival = (name: Rival, databases: readonly DatabaseName[]): System => ({
  asks: name,
  databases,
  home,
  isInstalled: () => existsSync(fileURLToPath(new URL('node_modules', home))),
  open: async (database) => {
    // The types of what may be absent cannot be checked.
    const { open } = await import(new URL(`${name}.ts`, home).href)
    return open({ database, location: locationOf(database), connections: poolSize })
  },
})

export const platformatic: System = rival('platformatic', ['postgres', 'mysql', 'sqlite'])
/** Its statements for MySQL join laterally, which MariaDB does not parse. */
export const zenstack: System = rival('zenstack', ['postgres', 'sqlite'])
