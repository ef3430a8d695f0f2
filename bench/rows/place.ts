/** One size of the table on one server, and how it is asked there: through model-api, or by statements. */
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
  /** The statements that were sent, where the place was opened to listen; whoever reads them empties it. */
  readonly sent: CompiledQuery[]
}

/** Makes the rows, unless they are there, and opens pool and API over them; with `listens`, tells what is sent. */
export async function open(database: RowsDatabase, rows: number, listens: boolean): Promise<Place> {
  const script = await openScript(database, databaseOf(rows))
  await fillRows(database, script, rows)
  const sent: CompiledQuery[] = []
  // Parallel workers of PostgreSQL are processes of their own, whose CPU would be nobody's.
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
      // A count of everything is measured however long it takes.
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

/** The text of an answer; one that is no success is an error. */
export async function answerOf(api: Api, { method, url, body }: ApiAsk): Promise<string> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const { status, text } = await api.answer({ method, url, headers, body } as never)
  if (status >= 300) throw new Error(`${url}: ${status} ${text?.slice(0, 300)}`)
  return text ?? ''
}

/** Runs a statement by hand over the pool that the API has, too. */
export async function run(
  { given, db }: Place,
  { text, parameters = [] }: Statement,
): Promise<readonly unknown[]> {
  let n = 0
  const printed = given.database === 'postgres' ? text.replaceAll('?', () => `$${++n}`) : text
  return (await db.executeQuery(CompiledQuery.raw(printed, [...parameters]))).rows
}
