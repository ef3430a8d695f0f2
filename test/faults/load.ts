/** Clients that read and write continuously, and record the responses. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { count, type Ledger, type Outcome, type Tokens } from './ledger.ts'
import { counters, labels, linesOfOrder } from './world.ts'

/** Milliseconds that a client waits for a response. */
const patience = 15_000

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  readonly body: any
  readonly etag: string | null
  /** The position of a write, if replicas are read. */
  readonly position: string | null
}

export interface LoadOptions {
  readonly url: () => string
  readonly ledger: Ledger
  readonly clients: number
  /** Whether the fault ends the service itself, so that connections are refused or reset. */
  readonly serviceEnds: boolean
  /** No request changes rows that all clients change, because on a busy machine some would wait too long for a lock. */
  readonly withoutTwins?: boolean
}

/** Starts the clients; the returned function stops them and waits for their last responses. */
export function startLoad(options: LoadOptions): () => Promise<void> {
  let goesOn = true
  const all = Promise.all(
    Array.from({ length: options.clients }, (_, i) => client(options, i, () => goesOn)),
  )
  return async () => {
    goesOn = false
    await all
  }
}

async function client(options: LoadOptions, place: number, goesOn: () => boolean): Promise<void> {
  const own = 1 + (place % labels)
  const writeLabel = (options: LoadOptions) => relabel(options, own)
  const writePair = (options: LoadOptions) => writeTwins(options, own)
  const acts = [
    ...[writeEntry, readBack, writeOrder, readList, increment, writeLabel, writeRepeatedly],
    ...(options.withoutTwins ? [readVariously] : [readVariously, writePair]),
  ]
  for (let i = place; goesOn(); i++) {
    const act = acts[i % acts.length] ?? readList
    await act(options)
    await sleep(5)
  }
}

/** Sends a request once; undefined if there is no response. */
async function ask(
  { url, ledger, serviceEnds }: LoadOptions,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${url()}${path}`, {
      method,
      signal: AbortSignal.timeout(patience),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { status } = response
    const text = await response.text()
    count(ledger.statuses, status)
    if (status < 400) ledger.successes.push(performance.now())
    const said = JSON.parse(text)
    if (status >= 500 && status !== 503) {
      count(ledger.wrong, `${method} ${status} ${said.errors?.code}`)
    }
    const { headers: told } = response
    return { status, body: said, etag: told.get('etag'), position: told.get('x-write-position') }
  } catch (error) {
    count(ledger.statuses, 0)
    if (error instanceof DOMException && error.name === 'TimeoutError') ledger.unanswered += 1
    else if (!serviceEnds) {
      const cause = (error as { cause?: { code?: unknown } }).cause?.code ?? String(error)
      count(ledger.wrong, `${method} ended without an answer: ${cause}`)
    } else await sleep(100)
    return undefined
  }
}

const outcomeOf = (answer: Answer | undefined): Outcome => {
  if (answer === undefined || answer.status >= 500) return 'open'
  return answer.status < 300 ? 'acknowledged' : 'refused'
}

async function writeEntry(options: LoadOptions): Promise<void> {
  const token = randomUUID()
  options.ledger.entries.set(token, 'open')
  const answer = await ask(options, 'POST', '/api/entries', { token, note: 'plain' })
  options.ledger.entries.set(token, outcomeOf(answer))
  if (answer?.position) options.ledger.positions.set(token, answer.position)
  unexpected(options, answer, [201, 503])
}

async function writeOrder(options: LoadOptions): Promise<void> {
  const token = randomUUID()
  options.ledger.orders.set(token, 'open')
  const lines = Array.from({ length: linesOfOrder }, (_, position) => ({ position }))
  const answer = await ask(options, 'POST', '/api/orders', { token, lines })
  options.ledger.orders.set(token, outcomeOf(answer))
  unexpected(options, answer, [201, 503])
}

async function readList(options: LoadOptions): Promise<void> {
  const answer = await ask(options, 'GET', '/api/entries?limit=10&order_by=-id')
  unexpected(options, answer, [200, 503])
}

/** Reads records that were acknowledged. */
async function readBack(options: LoadOptions): Promise<void> {
  const acknowledged = [...options.ledger.entries]
    .slice(-50)
    .filter(([, is]) => is === 'acknowledged')
  const [token] = acknowledged[Math.floor(Math.random() * acknowledged.length)] ?? []
  if (token === undefined) return
  const position = options.ledger.positions.get(token)
  const headers = position === undefined ? {} : { 'x-write-position': position }
  const answer = await ask(options, 'GET', `/api/entries?token__eq=${token}`, undefined, headers)
  unexpected(options, answer, [200, 503])
  if (answer?.status === 200 && answer.body.total_count !== 1) {
    count(options.ledger.wrong, 'an acknowledged entry was not found')
  }
}

/** Adds one to a counter, unless another client changed it in the meantime. */
async function increment(options: LoadOptions): Promise<void> {
  const counter = 1 + Math.floor(Math.random() * counters)
  const path = `/api/counters/${counter}`
  const read = await ask(options, 'GET', path)
  unexpected(options, read, [200, 503])
  if (read?.status !== 200) return
  const known = options.ledger.increments.get(counter) ?? { acknowledged: 0, open: 0 }
  options.ledger.increments.set(counter, known)
  const value = read.body.value.value + 1
  const answer = await ask(options, 'PATCH', path, { value }, { 'if-match': read.etag ?? '' })
  unexpected(options, answer, [200, 412, 503])
  const outcome = outcomeOf(answer)
  if (outcome === 'acknowledged') known.acknowledged += 1
  if (outcome === 'open') known.open += 1
}

/** Changes one record with one statement. No other client changes its token. */
async function relabel(options: LoadOptions, label: number): Promise<void> {
  await retoken(options, options.ledger.labels, label, `/api/labels/${label}`)
}

/** Changes two records in one transaction. No other client changes their token. */
async function writeTwins(options: LoadOptions, pair: number): Promise<void> {
  const path = `/api/twins?id__in=(${2 * pair - 1},${2 * pair})&max_affected=2`
  await retoken(options, options.ledger.twins, pair, path)
}

async function retoken(
  options: LoadOptions,
  all: Map<number, Tokens>,
  key: number,
  path: string,
): Promise<void> {
  const token = randomUUID()
  const answer = await ask(options, 'PATCH', path, { token })
  unexpected(options, answer, [200, 503])
  const known = all.get(key) ?? { acknowledged: '', open: new Set() }
  all.set(key, known)
  const outcome = outcomeOf(answer)
  if (outcome === 'acknowledged') known.acknowledged = token
  if (outcome === 'open') known.open.add(token)
}

const pick = (choices: readonly string[]): string =>
  choices[Math.floor(Math.random() * choices.length)] ?? ''

/** Sends queries of many forms, so that the caches by form are used. */
async function readVariously(options: LoadOptions): Promise<void> {
  const keys = Array.from({ length: 1 + Math.floor(Math.random() * 40) }, (_, i) => i + 1)
  const query = [
    `limit=${1 + Math.floor(Math.random() * 20)}`,
    pick(['order_by=id', 'order_by=-id', 'order_by=token', 'order_by=-note,id']),
    pick(['', 'fields=id', 'fields=id,token', 'count=exact', 'count=none']),
    pick(['', `id__in=(${keys.join(',')})`, 'id__gt=3', 'id__lt=900', 'note__ne=x']),
    pick(['', 'token__ilike=a%25', 'token__startswith=b', 'note__isnull=false']),
  ]
  const path = `/api/entries?${query.filter((part) => part !== '').join('&')}`
  unexpected(options, await ask(options, 'GET', path), [200, 503])
}

/** Sends one record with one key until it is acknowledged. */
async function writeRepeatedly(options: LoadOptions): Promise<void> {
  const token = randomUUID()
  const { repeated } = options.ledger
  repeated.set(token, 'open')
  for (let attempt = 0; attempt < 40; attempt++) {
    const headers = { 'idempotency-key': token }
    const answer = await ask(options, 'POST', '/api/entries', { token, note: 'repeated' }, headers)
    unexpected(options, answer, [201, 409, 503])
    if (answer?.status === 201) {
      repeated.set(token, 'acknowledged')
      return
    }
    await sleep(250)
  }
}

function unexpected(
  { ledger }: LoadOptions,
  answer: Answer | undefined,
  statuses: readonly number[],
): void {
  // Failures of the service itself have been recorded already.
  if (answer === undefined || answer.status >= 500 || statuses.includes(answer.status)) return
  count(ledger.wrong, `${answer.status} ${JSON.stringify(answer.body?.errors).slice(0, 300)}`)
}
