// toRow, toRecord and toColumn are typed by the model; compiled, never run.

import {
  type Api,
  type DatabaseOf,
  defineModel,
  type RecordOf,
  type WriteCallback,
} from '@model-api/core'
import type { Kysely } from 'kysely'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

const Visit = defineModel('Visit', {
  table: 'visits',
  columns: {
    id: { type: 'integer', primaryKey: true },
    starts_at: { type: 'datetime', column: 'from' },
    price: { type: 'decimal', precision: 8, scale: 2 },
    state: { type: 'enum', enum: ['open', 'closed'] },
    note: { type: 'text', nullable: true },
    secret: { type: 'string', hidden: true },
  },
  computed: { loud: { type: 'string', expression: (eb) => eb.ref('note') } },
  meta: {},
})
declare const api: Api
declare const db: Kysely<DatabaseOf<[typeof Visit]>>

const row = api.toRow(Visit, { id: 1, starts_at: '2024-05-14T10:30:00Z', secret: 'x' })
holds<Equal<keyof typeof row, 'id' | 'from' | 'secret'>>()
const partial = { note: null, price: '1' } as { note: string | null; price?: string }
const some = api.toRow(Visit, partial)
holds<Equal<keyof typeof some, 'note' | 'price'>>()
// @ts-expect-error: no field "start_at"
api.toRow(Visit, { start_at: '2024-05-14T10:30:00Z' })
// @ts-expect-error: a decimal is a string
api.toRow(Visit, { price: 1 })
// @ts-expect-error: open or closed
api.toRow(Visit, { state: 'done' })
db.updateTable('visits').set(row)
db.insertInto('visits').values({
  ...row,
  ...api.toRow(Visit, { price: '1', state: 'open', note: null }),
})
// @ts-expect-error: an insert needs the other columns
db.insertInto('visits').values(row)

export const record = async (): Promise<void> => {
  const whole = await db.selectFrom('visits').selectAll().executeTakeFirstOrThrow()
  const all = api.toRecord(Visit, whole)
  holds<Equal<(typeof all)['starts_at'], string>>()
  holds<Equal<keyof typeof all, 'id' | 'starts_at' | 'price' | 'state' | 'note' | 'secret'>>()
  const part = api.toRecord(
    Visit,
    await db.selectFrom('visits').select(['from', 'state']).executeTakeFirstOrThrow(),
  )
  holds<Equal<typeof part, { starts_at: string; state: 'open' | 'closed' }>>()
  const any = api.toRecord(Visit, {} as Record<string, unknown>)
  holds<Equal<typeof any, Partial<RecordOf<typeof Visit>>>>()
  const named = api.toRecord('Visit', whole)
  named.whatever
}

db.selectFrom('visits').where('from', '<', api.toColumn(Visit, 'starts_at', '2024-05-14T10:30:00Z'))
api.toColumn(Visit, 'note', null)
api.toColumn('Visit', 'any', new Date())
// @ts-expect-error: no field "from"
api.toColumn(Visit, 'from', '2024-05-14T10:30:00Z')
// @ts-expect-error: a computed column is not stored
api.toColumn(Visit, 'loud', 'x')
// @ts-expect-error: a datetime is a string
api.toColumn(Visit, 'starts_at', 1)

/** Records of callbacks, typed and untyped. */
defineModel('Visit', {
  columns: Visit.columns,
  computed: Visit.computed,
  meta: {
    add_callback(visit, _model, { toRow }) {
      toRow(Visit, visit)
      return visit
    },
    update_callback(visit, _model, { toRow }) {
      const whole = toRow(Visit, visit)
      holds<Equal<keyof typeof whole, 'id' | 'from' | 'price' | 'state' | 'note' | 'secret'>>()
      return visit
    },
  },
})
export const untyped: WriteCallback = (object, model, { toRow, toRecord, toColumn, before }) => {
  toRow(model, object)
  toColumn(model, 'starts_at', object.starts_at)
  toRecord(model, before ?? {}).starts_at
  return object
}
