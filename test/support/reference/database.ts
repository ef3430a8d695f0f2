/** The reference's world in a real database, and the APIs that serve it. */
import type { Api, ApiConfig } from '@model-api/core'
import { sql } from 'kysely'
import { testApi } from '../api.ts'
import type { TestDatabase } from '../databases.ts'
import { switchJitOff } from '../jit.ts'
import { createTables, insertRows } from '../tables.ts'
import { depths } from './arbitrary.ts'
import type { World } from './rows.ts'
import { junctions, models } from './schema.ts'

export const open: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  // Random conditions nest deeper than those of clients.
  API_MAX_RELATION_FILTERS: 50,
  API_MAX_AGGREGATES: 20,
}

export async function createWorldTables(db: TestDatabase): Promise<void> {
  await switchJitOff(db)
  await createTables(db, models)
}

/** One API per serialisation depth. */
export function worldApis(db: TestDatabase): ReadonlyMap<number | undefined, Api> {
  return new Map(
    depths.map((depth) => [
      depth,
      testApi(db, models, depth === undefined ? open : { ...open, API_SERIALIZATION_DEPTH: depth }),
    ]),
  )
}

/** Replaces all rows. */
export async function loadWorld(db: TestDatabase, world: World): Promise<void> {
  await db.kysely.transaction().execute(async (kysely) => {
    const within = { ...db, kysely }
    // Rows of one table may refer to each other in any order.
    const mysql = db.name === 'mysql'
    if (mysql) await sql`set session foreign_key_checks = 0`.execute(kysely)
    const tables = [...junctions, 'remarks', 'badges', 'order_lines', 'works', 'labels', 'authors']
    for (const table of tables) await kysely.deleteFrom(table).execute()
    for (const name of ['Author', 'Label', 'Work', 'OrderLine', 'Badge', 'Remark']) {
      const model = models.find((candidate) => candidate.name === name)
      const rows = world.rows[name] ?? []
      if (model !== undefined && rows.length > 0) await insertRows(within, model, rows)
    }
    for (const table of junctions) {
      const links = world.links[table] ?? []
      if (links.length > 0)
        await kysely
          .insertInto(table)
          .values([...links])
          .execute()
    }
    if (mysql) await sql`set session foreign_key_checks = 1`.execute(kysely)
  })
}

/** SQLite: stores the same values in the forms that other programs might use, each row in another form. */
export async function storeInOtherForms(db: TestDatabase): Promise<void> {
  for (const { name, columns } of models) {
    const table = tableNames[name]
    if (table === undefined) continue
    for (const [field, column] of Object.entries(columns)) {
      const forms = otherForms[column.type]
      if (forms === undefined) continue
      const name = `"${column.column ?? field}"`
      // Each row takes one form. A value at the beginning or end of the calendar may not have that form.
      const choices = forms.map((form, i) => `when ${i} then ${form.replaceAll('x', name)}`)
      const changed = `case (rowid + length(${name})) % ${forms.length + 1} ${choices.join(' ')} end`
      await db.execScript(`update ${table} set ${name} = ifnull(${changed}, ${name})`)
    }
  }
}

/** SQLite: stores some of the texts as their bytes, which sort after all texts. */
export async function storeBytes(db: TestDatabase): Promise<void> {
  for (const [table, column] of [
    ['authors', 'name'],
    ['works', 'title'],
    ['works', 'body'],
    ['works', 'kind'],
    ['labels', 'note'],
    ['badges', 'motto'],
  ] as const) {
    await db.execScript(
      `update ${table} set ${column} = cast(${column} as blob) where (rowid + length(${column})) % 2`,
    )
  }
}

const tableNames: Readonly<Record<string, string>> = {
  Author: 'authors',
  Work: 'works',
  Remark: 'remarks',
}

/** The same value as `x`, which is stored in the form of JSON. */
const otherForms: Readonly<Record<string, readonly string[]>> = {
  datetime: [
    `replace(replace(x, 'T', ' '), 'Z', '')`,
    `strftime('%Y-%m-%dT%H:%M:%S', substr(x, 1, 19), '+150 minutes') || substr(x, 20, 4) || '+02:30'`,
    `strftime('%Y-%m-%d %H:%M:%S', substr(x, 1, 19), '-840 minutes') || substr(x, 20, 4) || '-1400'`,
    `replace(x, '.000', '')`,
    `replace(x, 'T00:00:00.000Z', '')`,
  ],
  date: [`x || ' 00:00:00'`, `x || 'T23:59:59Z'`],
  time: [`iif(x like '%:00', substr(x, 1, 5), x || '+02:00')`, `x || '.000Z'`],
  uuid: [`upper(x)`, `upper(substr(x, 1, 20)) || substr(x, 21)`],
  boolean: [`iif(x, 'true', 'f')`, `iif(x, 'T', 'FALSE')`],
}
