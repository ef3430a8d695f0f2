/** Shows the statements that model-api sends for a request, and the plan of the database for each. */
import { CompiledQuery } from 'kysely'
import { random } from '../random.ts'
import { answerOf, type Place } from './place.ts'
import type { Question } from './questions.ts'

/**
 * Returns the statements, each with its plan. For a write, returns only the statements, because EXPLAIN would need the types of the
 * values.
 */
export async function plansOf(question: Question, place: Place): Promise<string> {
  const ask = question.api(random(1), place.given)
  place.sent.length = 0
  await answerOf(place.api, ask)
  const parts = [`## ${question.name}: ${ask.method} ${ask.url}`]
  for (const { sql, parameters } of [...place.sent]) {
    parts.push(`${sql}\n  -- ${JSON.stringify(parameters)}`)
    if (ask.method === 'GET') parts.push(await planOf(place, sql, parameters))
  }
  return parts.join('\n')
}

async function planOf({ db }: Place, sql: string, parameters: readonly unknown[]): Promise<string> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(`explain ${sql}`, [...parameters]))
  return (rows as readonly Readonly<Record<string, unknown>>[])
    .map((row) => `  ${Object.values(row).map(String).join(' | ')}`)
    .join('\n')
}
