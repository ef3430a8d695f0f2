/** Other libraries that generate an API from models or tables. They have their own folder and dependencies, which need not be installed. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Rival } from '../ask.ts'
import { type DatabaseName, databaseNames, locationOf, poolSize } from '../databases.ts'
import type { System } from './system.ts'

const home = new URL('../rivals/package.json', import.meta.url).href

const rival = (name: Rival, databases: readonly DatabaseName[], users = false): System => ({
  asks: name,
  databases,
  users,
  home,
  isInstalled: () => existsSync(fileURLToPath(new URL('node_modules', home))),
  open: async (database) => {
    // The import has no types, because the module may be missing.
    const { open } = await import(new URL(`${name}.ts`, home).href)
    return open({ database, location: locationOf(database), connections: poolSize, users })
  },
})

/** ZenStack's statements for MySQL use LATERAL joins, which MariaDB does not support. */
const zenstackDatabases = ['postgres', 'sqlite'] as const

export const platformatic: System = rival('platformatic', databaseNames)
export const zenstack: System = rival('zenstack', zenstackDatabases)
export const feathers: System = rival('feathers', databaseNames)
/** Supabase Lite has no connection to MariaDB, and opens SQLite files only through Node's own driver. */
export const supabaseLite: System = {
  ...rival('supabase-lite', ['postgres']),
  hasOtherDriver: true,
}

/** The rivals with users. The users' condition is a rule, a policy or a hook. */
export const platformaticUsers: System = rival('platformatic', databaseNames, true)
export const zenstackUsers: System = rival('zenstack', zenstackDatabases, true)
export const feathersUsers: System = rival('feathers', databaseNames, true)
