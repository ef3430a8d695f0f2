/** The reference's world in a real database, and the APIs that serve it. */
import type { Api, ApiConfig } from '@model-api/core'
import { sql } from 'kysely'
import { testApi } from '../api.ts'
import type { TestDatabase } from '../databases.ts'
import { createTables, insertRows } from '../tables.ts'
import { depths } from './arbitrary.ts'
import type { World } from './rows.ts'
import { junctions, models } from './schema.ts'

export const open: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
}

export const createWorldTables = (db: TestDatabase): Promise<void> => createTables(db, models)

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
