/** Many models: 500 of 20 columns and 10 relations each, the same in every run, and their tables. */
import { type AnyModel, belongsTo, type Column, defineModel, hasMany } from '@model-api/core'

export const scale = { models: 500, columns: 20, relations: 10 }

/** Half of the relations of a model have a foreign key in this model; the other half are the inverse relations. */
const ways = scale.relations / 2

/** How far along the circle of models each foreign key leads. No two of them lead to the same model. */
const steps = [1, 7, 31, 101, 211]

const firsts =
  'Amber Bridge Candle Distant Ember Forest Garden Harbour Island Journey Kingdom Lantern Meadow Northern Ocean Paper Quiet River Silver Tower Under Valley Winter Yellow Zenith'.split(
    ' ',
  )
const seconds =
  'Account Address Batch Category Contract Customer Delivery Employee Invoice Item Ledger Machine Note Order Payment Product Report Shipment Ticket Vendor'.split(
    ' ',
  )

/** Returns the name of a model, such as `AmberAccount` or `BridgeAccount`. The index continues around the circle. */
function name(index: number): string {
  const place = (index + scale.models) % scale.models
  return `${firsts[place % firsts.length]}${seconds[Math.floor(place / firsts.length)]}`
}

const values: Readonly<Record<string, Column>> = {
  title: { type: 'string', maxLength: 120 },
  code: { type: 'string', maxLength: 20, description: 'How it is called on paper.' },
  email: { type: 'string', maxLength: 120, validator: 'email', nullable: true },
  state: { type: 'enum', enum: ['draft', 'open', 'closed'] },
  note: { type: 'text', nullable: true },
  amount: { type: 'decimal', precision: 12, scale: 2 },
  weight: { type: 'float', nullable: true },
  pieces: { type: 'integer' },
  serial: { type: 'bigint', nullable: true },
  active: { type: 'boolean' },
  due_on: { type: 'date', nullable: true },
  created_at: { type: 'datetime' },
  reference: { type: 'uuid', nullable: true },
  extra: { type: 'json', nullable: true },
}

const sqlTypes: Readonly<Record<string, string>> = {
  decimal: 'decimal(12, 2)',
  float: 'real',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'integer',
}

function model(index: number): AnyModel {
  const keys = steps.map(
    (_, way) => [`way_${way}_id`, { type: 'integer', nullable: true }] as const,
  )
  const to = steps.map(
    (step, way) => [`way_${way}`, belongsTo(name(index + step), `way_${way}_id`)] as const,
  )
  const from = steps.map(
    (step, way) => [`back_${way}`, hasMany(name(index - step), `way_${way}_id`)] as const,
  )
  return defineModel(name(index), {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      ...Object.fromEntries(keys),
      ...values,
    },
    relations: Object.fromEntries([...to, ...from]),
    meta: {},
  })
}

/** Makes new models on each call, like a process that starts. */
export function manyModels(): AnyModel[] {
  if (steps.length !== ways) throw new Error('every way needs a step')
  return Array.from({ length: scale.models }, (_, index) => model(index))
}

/** Yields the statements that create the tables on SQLite, and insert 20 rows into the first one. */
export function* tablesOf(models: readonly AnyModel[]): Generator<string> {
  for (const { table, columns } of models) {
    const definitions = Object.entries(columns).map(([field, { type, primaryKey, nullable }]) =>
      primaryKey
        ? `${field} integer primary key`
        : `${field} ${sqlTypes[type] ?? 'text'}${nullable ? '' : ' not null'}`,
    )
    yield `create table ${table} (${definitions.join(', ')})`
  }
  for (let id = 1; id <= 20; id++) {
    yield `insert into ${models[0]?.table} (id, way_0_id, title, code, state, amount, pieces, active, created_at) values (${id}, null, 'Title ${id}', 'C${id}', 'open', 12.5, ${id}, 1, '2024-06-01 10:20:30')`
  }
}
