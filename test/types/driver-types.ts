// DatabaseOf with the types of a database's drivers, and columns whose names in the database are not literal types; compiled, never run.

import { type DatabaseOf, defineBase, defineModel } from '@model-api/core'
import type { Kysely } from 'kysely'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

const id = { type: 'integer', primaryKey: true, generated: true } as const
const Visit = defineModel('Visit', {
  table: 'visits',
  columns: {
    id,
    starts_at: { type: 'datetime', column: 'from' },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    open: { type: 'boolean' },
    state: { type: 'enum', enum: ['new', 'done'] },
    doc: { type: 'json', nullable: true },
  },
  meta: {},
})
declare const postgres: Kysely<DatabaseOf<[typeof Visit], 'postgres'>>
declare const sqlite: Kysely<DatabaseOf<[typeof Visit], 'sqlite'>>
declare const plain: Kysely<DatabaseOf<[typeof Visit]>>

export const check = async (): Promise<void> => {
  const row = await postgres.selectFrom('visits').selectAll().executeTakeFirstOrThrow()
  holds<
    Equal<
      typeof row,
      {
        id: number
        from: Date
        price: string | null
        open: boolean
        state: 'new' | 'done'
        doc: unknown
      }
    >
  >()
  const stored = await sqlite.selectFrom('visits').selectAll().executeTakeFirstOrThrow()
  holds<
    Equal<
      typeof stored,
      {
        id: number
        from: string
        price: number | null
        open: number
        state: 'new' | 'done'
        doc: string | null
      }
    >
  >()
  const json = await plain.selectFrom('visits').select(['from', 'open']).executeTakeFirstOrThrow()
  holds<Equal<typeof json, { from: string; open: boolean }>>()
  await postgres
    .insertInto('visits')
    .values({ from: new Date(), price: 1, open: true, state: 'new' })
    .execute()
  await postgres.updateTable('visits').set({ from: '2024-05-14', price: '1.00' }).execute()
  // @ts-expect-error: PostgreSQL has no numbers as booleans
  await postgres.updateTable('visits').set({ open: 1 }).execute()
  // @ts-expect-error: better-sqlite3 takes no Date
  await sqlite.updateTable('visits').set({ from: new Date() }).execute()
  // @ts-expect-error: better-sqlite3 takes no boolean
  await sqlite.updateTable('visits').set({ open: true }).execute()
}

// ---------------------------------------------------------------- names in the database

const widened = (column: string) => ({ type: 'integer', column }) as const
const literal = <const Name extends string>(column: Name) => ({ type: 'integer', column }) as const
// @ts-expect-error: the name is a string, so that rows would have any name
defineModel('Widened', { columns: { id, place: widened('place_id') } })
// @ts-expect-error: in a base, too
defineBase({ columns: { place: widened('place_id') } })
const Literal = defineModel('Literal', {
  table: 'literals',
  columns: { id, place: literal('place_id') },
})
holds<Equal<keyof DatabaseOf<[typeof Literal]>['literals'], 'id' | 'place_id'>>()
