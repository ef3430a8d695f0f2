/** The models of the service under test: records with a token each, orders with lines, counters, labels, twins. */
import { belongsTo, createApi, defineModel, hasMany } from '@model-api/core'
import type { Kysely } from 'kysely'

const id = { type: 'integer', primaryKey: true, generated: true } as const

export const Entry = defineModel('Entry', {
  columns: {
    id,
    token: { type: 'string', maxLength: 60, unique: true },
    note: { type: 'string', maxLength: 200, nullable: true },
  },
  meta: {},
})

export const Order = defineModel('Order', {
  columns: { id, token: { type: 'string', maxLength: 60, unique: true } },
  relations: { lines: hasMany('OrderLine', 'order_id') },
  meta: {},
})

export const OrderLine = defineModel('OrderLine', {
  columns: { id, order_id: { type: 'integer' }, position: { type: 'integer' } },
  relations: { order: belongsTo('Order', 'order_id') },
  meta: {},
})

export const Counter = defineModel('Counter', {
  columns: { id, value: { type: 'integer' } },
  meta: {},
})

/** Each client changes the token of its own label; the statements of faults change `touched`. */
export const Label = defineModel('Label', {
  columns: { id, token: { type: 'string', maxLength: 60 }, touched: { type: 'integer' } },
  meta: {},
})

/** Pairs of records. Each client changes both records of its pair together, so they always have the same token. */
export const Twin = defineModel('Twin', {
  columns: { id, token: { type: 'string', maxLength: 60 }, touched: { type: 'integer' } },
  meta: {},
})

export const models = [Entry, Order, OrderLine, Counter, Label, Twin]

/** The number of lines of each order. */
export const linesOfOrder = 3

/** The number of counters; their keys are 1 to this. */
export const counters = 4

/** The maximum number of clients, and the number of labels (their keys are 1 to this) and of pairs of twins. */
export const labels = 16

/** Milliseconds; the faults last longer. */
export const statementTimeout = 2_000

// biome-ignore lint/suspicious/noExplicitAny: any database
type AnyKysely = Kysely<any>

export const apiOf = (
  db: AnyKysely,
  replicas: readonly AnyKysely[],
  onError: (error: unknown) => void,
) =>
  createApi({
    db,
    replicas,
    models,
    config: {
      API_ALLOW_NESTED_WRITES: true,
      API_ALLOW_BULK: true,
      API_STATEMENT_TIMEOUT: statementTimeout,
      API_HEALTH_ROUTE: '/health',
      API_CREATE_DOCS: false,
      ...(replicas.length > 0 ? { API_READ_YOUR_WRITES: 'header' } : {}),
    },
    onError,
    onWarning: () => {},
  })
