/**
 * `limit`, the lower bound of the cost: node:http and the driver alone, one prepared statement if that is enough, and JSON
 * built where it is cheapest.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { DatabaseName } from '../../databases.ts'
import type { System } from '../system.ts'
import type { Found } from './text.ts'

/** Serves one workload. */
export type Answer = (
  args: readonly number[],
  body: Record<string, unknown>,
) => Promise<Found> | Found

export type Answers = Readonly<Record<string, Answer>>

const openers: Readonly<Record<DatabaseName, () => Promise<() => Promise<Answers>>>> = {
  postgres: async () => (await import('./postgres.ts')).open,
  mysql: async () => (await import('./mysql.ts')).open,
  sqlite: async () => (await import('./sqlite.ts')).open,
}

export const limit: System = {
  asks: 'own',
  open: async (name) => listenerOf(await (await openers[name]())()),
}

const listenerOf =
  (answers: Answers): RequestListener =>
  async (req, res) => {
    const started = performance.now()
    const [, name = '', ...args] = (req.url ?? '').split('/')
    const body = req.method === 'GET' ? {} : JSON.parse(await textOf(req))
    const answer = answers[name] as Answer
    const { value, total, status = 200 } = await answer(args.map(Number), body)
    const count = total === undefined ? '' : `,"total_count":${total}`
    const text = `{"datetime":"${new Date().toISOString()}","api_version":"1.0.0","status_code":${status},"response_ms":${performance.now() - started}${count},"next_url":null,"previous_url":null,"errors":null,"value":${value}}`
    res.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    res.end(text)
  }

async function textOf(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of req) text += chunk
  return text
}
