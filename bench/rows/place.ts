/** A table of one size on one server, and the two ways to send requests to it: through model-api, or as statements. */
import { type Api, createApi } from '@model-api/core'
import { CompiledQuery, type Kysely, type Logger } from 'kysely'
import { locationOf, openScript, type Script } from '../databases.ts'
import { openKysely } from '../systems/kysely.ts'
import { databaseOf, fillRows, type RowsDatabase } from './data.ts'
import { models } from './models.ts'
import { type ApiAsk, cursorPages, type Given, type Statement } from './questions.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tables are those of data.ts
export type AnyKysely = Kysely<any>

export interface Place {
  readonly given: Given
  readonly script: Script
  readonly db: AnyKysely
  readonly api: Api
  /** The statements that were sent, if the place was opened with `listens`. The reader empties the list. */
  readonly sent: CompiledQuery[]
}

/** Makes the rows, unless they exist, and opens a pool and an API over them. `listens` records the statements. */
export async function open(database: RowsDatabase, rows: number, listens: boolean): Promise<Place> {
  const script = await openScript(database, databaseOf(rows))
  await fillRows(database, script, rows)
  const sent: CompiledQuery[] = []
  // No parallel workers on PostgreSQL, because their CPU would not be measured.
  const alone = database === 'postgres' ? '?options=-c%20max_parallel_workers_per_gather%3D0' : ''
  const location = `${locationOf(database, databaseOf(rows))}${alone}`
  const log: Logger = ({ query }) => {
    sent.push(query)
  }
  const db = openKysely(database, true, { location, ...(listens ? { log } : {}) })
  const api = createApi({
    db,
    models,
    config: {
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
      API_ALLOW_BULK: true,
      API_SERIALIZATION_TYPE: 'dynamic',
      API_CREATE_DOCS: false,
      // A count of the whole table may take long.
      API_STATEMENT_TIMEOUT: 120_000,
    },
    onWarning: () => {},
  })
  await api.ready
  const given = { database, rows }
  const links: Record<string, string> = {}
  for (const [name, { list, conditions }] of Object.entries(cursorPages)) {
    const url = `${list}&${conditions(rows)}`
    const cursor = cursorOf(await answerOf(api, { method: 'GET', url }))
    links[name] = `${list}&after=${encodeURIComponent(cursor)}`
  }
  return { given: { ...given, links }, script, db, api, sent }
}

function cursorOf(answer: string): string {
  const { next_url } = JSON.parse(answer) as { readonly next_url: string | null }
  const cursor = new URL(next_url ?? '', 'http://localhost').searchParams.get('after')
  if (cursor === null) throw new Error('a page in the middle of the table has no next page')
  return cursor
}

/** Sends a request to model-api and returns the text of the response. Rejects if it is not a success. */
export async function answerOf(api: Api, { method, url, body }: ApiAsk): Promise<string> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const { status, text } = await api.answer({ method, url, headers, body } as never)
  if (status >= 300) throw new Error(`${url}: ${status} ${text?.slice(0, 300)}`)
  return text ?? ''
}

/** Runs a statement by hand over the same pool as the API. */
export async function run(
  { given, db }: Place,
  { text, parameters = [] }: Statement,
): Promise<readonly unknown[]> {
  let n = 0
  const printed = given.database === 'postgres' ? text.replaceAll('?', () => `$${++n}`) : text
  return (await db.executeQuery(CompiledQuery.raw(printed, [...parameters]))).rows
}
