/** Counts the statements of this process, whichever library sends them. */
import { createRequire } from 'node:module'
import type { DatabaseName } from './databases.ts'

// biome-ignore lint/suspicious/noExplicitAny: methods of any driver
type Methods = Record<string, (...args: any[]) => unknown>

/** Starts counting, in the driver that the file `from` would import. Returns a function that returns the number so far. */
export function countStatements(database: DatabaseName, from: string): () => number {
  let count = 0
  const { methods, names } = sending[database](createRequire(from))
  for (const name of names) {
    const method = methods[name]
    if (method === undefined) throw new Error(`the driver has no ${name}()`)
    methods[name] = function (this: unknown, ...args) {
      count += 1
      return method.apply(this, args)
    }
  }
  return () => count
}

interface Sending {
  readonly methods: Methods
  readonly names: readonly string[]
}

const sending: Readonly<Record<DatabaseName, (require: NodeJS.Require) => Sending>> = {
  postgres: (require) => ({ methods: require('pg').Client.prototype, names: ['query'] }),
  sqlite: (require) => {
    const Sqlite = require('better-sqlite3')
    const statement = new Sqlite(':memory:').prepare('select 1')
    return { methods: Object.getPrototypeOf(statement), names: ['get', 'all', 'run'] }
  },
  // Depending on its version, mysql2 defines these methods in a base class of `Connection`, which it does not export and from
  // which the connections of pools inherit too.
  mysql: (require) => {
    const { Connection } = require('mysql2')
    const base = Object.getPrototypeOf(Connection.prototype)
    const methods = Object.hasOwn(base, 'query') ? base : Connection.prototype
    return { methods, names: ['query', 'execute'] }
  },
}
