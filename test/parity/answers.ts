/** A separate process with a time zone of its own: sends every request to every database and prints the responses. */
import { get, testApi } from '../support/api.ts'
import { askedTwice } from '../support/asked-twice.ts'
import { openDatabases } from '../support/databases.ts'
import { requestsAbout } from './requests.ts'
import { createSamples, fields, Sample } from './samples.ts'

/** The bytes of the response, or of all responses of a chain, by the label of the database and the URL. */
export type Answers = Readonly<Record<string, Readonly<Record<string, string>>>>

const config = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_MAX_URL_LENGTH: 20_000,
}

async function main(): Promise<Answers> {
  const answers: Record<string, Record<string, string>> = {}
  for (const db of openDatabases()) {
    try {
      // The time zone of the database session must not matter either.
      const zone = process.env.SESSION_ZONE
      if (zone !== undefined && db.name === 'postgres') {
        const name = new URL(db.url ?? '').pathname.slice(1)
        await db.execScript(`alter database ${name} set timezone to '${zone}'`)
      }
      await createSamples(db)
      const api = askedTwice(testApi(db, [Sample], config))
      const found: Record<string, string> = {}
      for (const { url, follow = false } of fields.flatMap((field) =>
        requestsAbout(field, process.env.TZ !== 'UTC'),
      )) {
        let text = ''
        for (let next: string | null = url, count = 0; next !== null && count < 30; count += 1) {
          const answer = await get(api, next)
          text += `${answer.text}\n`
          next = follow ? (answer.body.next_url ?? null) : null
        }
        found[url] = text
      }
      answers[db.label] = found
    } finally {
      await db.close()
    }
  }
  return answers
}

process.stdout.write(JSON.stringify(await main()))
