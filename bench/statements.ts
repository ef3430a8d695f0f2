/** Counts the statements of this process, whichever driver sends them. */
import { createRequire } from 'node:module'
import Sqlite from 'better-sqlite3'
import pg from 'pg'

// biome-ignore lint/suspicious/noExplicitAny: methods of any driver
type Methods = Record<string, (...args: any[]) => unknown>

/** Counts from now on; answers how many there were so far. */
export function countStatements(): () => number {
  let count = 0
  const counting = (methods: Methods, names: readonly string[]): void => {
    for (const name of names) {
      const method = methods[name]
      if (method === undefined) throw new Error(`the driver has no ${name}()`)
      methods[name] = function (this: unknown, ...args) {
        count += 1
        return method.apply(this, args)
      }
    }
  }
  counting(pg.Client.prototype as unknown as Methods, ['query'])
  const statement = Object.getPrototypeOf(new Sqlite(':memory:').prepare('select 1')) as Methods
  counting(statement, ['get', 'all', 'run'])
  // The class that pools of mysql2 are made of; its entry does not pass it on.
  const require = createRequire(import.meta.url)
  const { Connection } = require('mysql2') as { Connection: { prototype: object } }
  const base = Object.getPrototypeOf(Connection.prototype) as Methods
  counting(Object.hasOwn(base, 'query') ? base : (Connection.prototype as Methods), [
    'query',
    'execute',
  ])
  return () => count
}
