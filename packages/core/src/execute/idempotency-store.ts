// Remembers what POST requests with an Idempotency-Key were answered, in a table of the same database (contract §8, reliability R14).

import { type Expression, type RawBuilder, sql } from 'kysely'
import { tableOf } from '../compile/source.ts'
import type { Target } from '../compile/target.ts'
import type { JsonValue } from '../json/json-value.ts'
import { stringify } from '../json/stringify.ts'
import { type Connection, execute } from './run.ts'

const table = 'idempotency_keys'
const lifetime = 24 * 60 * 60 * 1000
/** A request that has not ended by then is taken for dead, and its key may be used again. */
const lease = 60 * 1000
/** The smallest of the databases' text columns. */
const longestAnswer = 60_000
const purgeEvery = 60 * 1000

/** What was answered. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly total: number
  /** Undefined where the answer was too long to be kept: then the records are read again. */
  readonly value?: JsonValue
  /** A hash of the resources that the caller could list; under another one the records are read again. */
  readonly authority: string
  readonly many: boolean
  /** Keys of the records, in JSON forms. */
  readonly keys: readonly (readonly JsonValue[])[]
}

/** One key of one client for one route. */
export interface Claim {
  readonly id: string
  readonly fingerprint: string
}

export type ClaimOutcome =
  | { readonly kind: 'claimed' | 'busy' | 'mismatch' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }

interface Row {
  readonly fingerprint: string
  readonly answer: string | null
  readonly claimed_at: string | number | bigint
  readonly expires_at: string | number | bigint
}

/** Where keys are kept. */
export interface KeyStore {
  readonly connection: Connection
  readonly target: Target
  readonly now: number
}

/** Claims a key, or says what has become of it. */
export async function claimKey(store: KeyStore, claim: Claim): Promise<ClaimOutcome> {
  await purge(store)
  const row = await findOrCreateTable(store, claim.id)
  if (row === undefined) return (await insertClaim(store, claim)) ? claimed : busy
  const over = Number(row.expires_at) <= store.now
  if (!over && row.fingerprint !== claim.fingerprint) return { kind: 'mismatch' }
  if (!over && row.answer !== null) return { kind: 'answered', answer: JSON.parse(row.answer) }
  const dead = Number(row.claimed_at) + lease <= store.now
  if (!over && !dead) return busy
  return (await takeOver(store, claim, row)) ? claimed : busy
}

const claimed: ClaimOutcome = { kind: 'claimed' }
const busy: ClaimOutcome = { kind: 'busy' }

/** Stores the answer, in the transaction of the write: both are kept or neither. */
export async function storeAnswer(
  store: KeyStore,
  { id }: Claim,
  answer: StoredAnswer,
): Promise<void> {
  const whole = stringify(answer as unknown as JsonValue)
  const { value: _, ...short } = answer
  const text = whole.length > longestAnswer ? stringify(short as unknown as JsonValue) : whole
  await run(store, sql`update ${place(store)} set answer = ${text} where id = ${id}`)
}

/** Gives a key back after a failure, so that the client may try again with it. */
export async function releaseKey(store: KeyStore, { id }: Claim): Promise<void> {
  await run(store, sql`delete from ${place(store)} where id = ${id} and answer is null`)
}

const place = ({ target }: KeyStore): Expression<unknown> => tableOf(target, table)

async function run<T>({ connection }: KeyStore, statement: RawBuilder<T>) {
  return execute(connection, statement.compile(connection.db))
}

async function find(store: KeyStore, id: string): Promise<Row | undefined> {
  const { rows } = await run(
    store,
    sql<Row>`select fingerprint, answer, claimed_at, expires_at from ${place(store)} where id = ${id}`,
  )
  return rows[0]
}

/** The table is made when it is first needed; never inside a transaction of the host, which it could end. */
async function findOrCreateTable(store: KeyStore, id: string): Promise<Row | undefined> {
  try {
    return await find(store, id)
  } catch (error) {
    const { db, dialect } = store.connection
    if (db.isTransaction || dialect.classify(error).kind !== 'other') throw error
    await createTable(store)
    return find(store, id)
  }
}

/** Several processes may do so at once; whoever comes late finds it there. */
async function createTable({ connection, target }: KeyStore): Promise<void> {
  const schema = connection.db.schema
  const builder = target.schema === undefined ? schema : schema.withSchema(target.schema)
  try {
    await builder
      .createTable(table)
      .ifNotExists()
      .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
      .addColumn('fingerprint', 'varchar(64)', (column) => column.notNull())
      .addColumn('answer', 'text')
      .addColumn('claimed_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
  } catch (error) {
    if (connection.dialect.classify(error).kind !== 'unique') throw error
  }
}

async function insertClaim(store: KeyStore, { id, fingerprint }: Claim): Promise<boolean> {
  const { now } = store
  try {
    await run(
      store,
      sql`insert into ${place(store)} (id, fingerprint, claimed_at, expires_at)
        values (${id}, ${fingerprint}, ${now}, ${now + lifetime})`,
    )
    return true
  } catch (error) {
    if (store.connection.dialect.classify(error).kind === 'unique') return false
    throw error
  }
}

/** Compare and set: of several requests that find a dead claim, one gets it. */
async function takeOver(store: KeyStore, { id, fingerprint }: Claim, row: Row): Promise<boolean> {
  const { now } = store
  const { numAffectedRows } = await run(
    store,
    sql`update ${place(store)}
      set fingerprint = ${fingerprint}, answer = null, claimed_at = ${now}, expires_at = ${now + lifetime}
      where id = ${id} and claimed_at = ${Number(row.claimed_at)}`,
  )
  return numAffectedRows === 1n
}

const purged = new WeakMap<object, number>()

/** Removes what is over, now and then; a failure is the business of the statement that follows. */
async function purge(store: KeyStore): Promise<void> {
  const { dialect } = store.connection
  const last = purged.get(dialect) ?? 0
  if (store.connection.db.isTransaction || store.now - last < purgeEvery) return
  purged.set(dialect, store.now)
  await run(store, sql`delete from ${place(store)} where expires_at <= ${store.now}`).catch(
    () => {},
  )
}
