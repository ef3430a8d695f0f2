/** Runs the proof on each variant of a fixture. */
import { sqliteFile } from '../cli/support.ts'
import { checksRelease, extent } from '../support/extent.ts'
import { eachDatabase, notRun, runsOn } from '../support/suite.ts'
import type { Fixture, Variant } from './fixture.ts'
import { proof } from './proof.ts'

export function eachServed({ name, variants, usual }: Fixture): void {
  runsOn('one server of each engine')
  if (extent === 'usual') notRun(`most seeded requests of ${name}`, '20; a whole run has 1,000')
  for (const only of ['sqlite', 'postgres', 'mysql'] as const) {
    const variant = variants[only]
    if (variant === undefined) continue
    if (!checksRelease && usual !== undefined && usual !== only) {
      notRun(`${name} on ${only}`, `a usual run has it on ${usual}`)
      continue
    }
    eachDatabase(
      `${name}, served without changes`,
      (test, db) => {
        proof(test, db, variant, async () => {
          if (db.url === undefined) return sqliteFile(variant.script)
          await db.execScript(variant.script)
          return db.url
        })
      },
      { only },
    )
  }
}

/** Runs the proof on pairs of databases, on each server of MySQL and MariaDB. */
export function eachPairOfDatabases(
  title: string,
  variantOf: (first: string, second: string) => Variant,
): void {
  eachDatabase(
    title,
    (test, db) => {
      const own = db.url === undefined ? '' : new URL(db.url).pathname.slice(1)
      // They end in digits, as every database of a run does, so that the runner finds and drops them if this process is killed.
      const others = [`${own}000`, `${own}001`] as const
      const variant = variantOf(...others)
      proof(test, db, variant, async () => {
        for (const name of others) {
          await db.execScript(
            `create database ${name} character set utf8mb4 collate utf8mb4_general_ci`,
          )
        }
        await db.execScript(variant.script)
        return db.url ?? ''
      })
      test.after(async () => {
        for (const name of others) await db.execScript(`drop database if exists ${name}`)
      })
    },
    { only: 'mysql' },
  )
}
