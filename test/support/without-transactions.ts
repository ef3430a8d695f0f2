/** A Kysely dialect whose driver refuses BEGIN, with the message of kysely-d1. */
import type { Dialect } from 'kysely'

export function withoutTransactions(dialect: Dialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver() {
      const driver = dialect.createDriver()
      driver.beginTransaction = async () => {
        throw new Error('Transactions are not supported yet.')
      }
      return driver
    },
  }
}
