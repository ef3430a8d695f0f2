/** One of two processes with an API on the same database: writes its records, and reads all records with the ETags of earlier responses. */
import { createApi } from '@model-api/core'
import { openDatabase } from '@model-api/http-node'
import { random } from '../../bench/random.ts'
import {
  acknowledge,
  acknowledgedAt,
  announce,
  lastState,
  type Message,
  possibleStates,
} from './histories.ts'
import {
  type Caller,
  callers,
  config,
  groupOf,
  ids,
  models,
  none,
  type Reading,
  readings,
  type State,
  viewOf,
  viewOfShown,
  writer,
} from './world.ts'

export interface Order {
  readonly url: string
  readonly index: 0 | 1
  readonly operations: number
  readonly seed: number
}

/** What a process has done. */
export interface Tally {
  operations: number
  writes: number
  conditionalReads: number
  notModified: number
  /** The number of 304 responses to an ETag that another caller received. */
  sharedTags: number
  /** Responses with records that had changed in the meantime, so that the other process had to be asked for its writes. */
  asked: number
  readonly stale: string[]
}

const order = JSON.parse(process.argv[2] ?? '') as Order
const next = random(order.seed + order.index)
const { db, close } = await openDatabase(order.url)
const api = createApi({ db, models, config, env: {}, onWarning: () => {} })
const tally: Tally = {
  operations: 0,
  writes: 0,
  conditionalReads: 0,
  notModified: 0,
  sharedTags: 0,
  asked: 0,
  stale: [],
}

const tell = (message: Message): void => void process.send?.(message)
const waiting = new Map<number, () => void>()
let asked = 0

/** Resolves when this process knows all writes that the other one began earlier. */
const sync = (): Promise<void> =>
  new Promise((resolve) => {
    asked += 1
    waiting.set(asked, resolve)
    tell({ kind: 'sync', number: asked })
  })

process.on('message', (message: Message) => {
  switch (message.kind) {
    case 'announced':
      announce(message.id, message.state)
      return
    case 'acknowledged':
      return acknowledge(message.id, message.at)
    case 'sync':
      return tell({ kind: 'synced', number: message.number })
    case 'synced':
      waiting.get(message.number)?.()
      waiting.delete(message.number)
  }
})

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

async function request(method: string, url: string, caller: Caller, sent: Sent = {}) {
  tally.operations += 1
  const { status, headers, text } = await api.answer({
    method,
    url,
    headers: {},
    user: caller,
    ...sent,
  })
  return { status, headers, text }
}

// ---------------------------------------------------------------- writes

const own = ids.filter((id) => id % 2 === order.index)
const busy = new Set<number>()

interface Change {
  readonly id: number
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly state: State
}

const versions = new Map<number, number>()

function nextChange(id: number): Change {
  const stored = lastState(id)
  if (stored !== null && next(5) === 0) return { id, method: 'DELETE', state: null }
  const version = (versions.get(id) ?? 0) + 1
  versions.set(id, version)
  const state = { version, salary: next(3), hidden: next(3) === 0 ? 1 : 0 }
  return { id, method: stored === null ? 'POST' : 'PATCH', state }
}

/** Takes at most this many of the process's own records that are not being written. */
function takeRecords(most: number): readonly number[] {
  const free = own.filter((id) => !busy.has(id))
  const taken = [
    ...new Set(Array.from({ length: Math.min(most, free.length) }, () => free[next(free.length)])),
  ]
  const found = taken.filter((id) => id !== undefined)
  for (const id of found) busy.add(id)
  return found
}

async function write(): Promise<void> {
  const taken = takeRecords(next(4) === 0 ? 3 : 1)
  if (taken.length === 0) return
  const changes = taken.map(nextChange)
  const isPatch = changes.every(({ method }) => method === 'PATCH')
  const positions = changes.map(({ id, state }) => {
    tell({ kind: 'announced', id, state })
    return announce(id, state)
  })
  // A busy SQLite file gives 503, and nothing is stored.
  for (let attempt = 1; ; attempt++) {
    const { status, text } = await (changes.length === 1 && changes[0] !== undefined
      ? writeOne(changes[0])
      : isPatch
        ? writeList(changes)
        : writeBatch(changes))
    if (status === 200 || status === 201) break
    if (status !== 503 || attempt > 100) throw new Error(`a write is answered ${status}: ${text}`)
  }
  tally.writes += 1
  for (const [i, { id }] of changes.entries()) {
    const at = positions[i] ?? 0
    acknowledge(id, at)
    tell({ kind: 'acknowledged', id, at })
    busy.delete(id)
  }
}

const bodyOf = ({ id, method, state }: Change): object =>
  method === 'POST' ? { id, group_id: groupOf(id), ...state } : { ...state }
const urlOf = ({ id, method }: Change): string =>
  method === 'POST' ? '/api/items' : `/api/items/${id}`

const writeOne = (change: Change) =>
  request(change.method, urlOf(change), writer, {
    ...(change.method === 'DELETE' ? {} : { body: bodyOf(change) }),
  })

const writeList = (changes: readonly Change[]) =>
  request('PATCH', '/api/items', writer, {
    body: changes.map((change) => ({ id: change.id, ...change.state })),
  })

/** One in four batches is preceded by a dry run. */
async function writeBatch(changes: readonly Change[]) {
  const operations = changes.map((change) => ({
    id: `c${change.id}`,
    method: change.method,
    url: urlOf(change),
    ...(change.method === 'DELETE' ? {} : { body: bodyOf(change) }),
  }))
  if (next(4) === 0) {
    await request('POST', '/api/batch', writer, { body: { operations, dry_run: true } })
  }
  return request('POST', '/api/batch', writer, { body: { operations } })
}

// ---------------------------------------------------------------- reads

/** A response with an ETag: the view of each record, in the order of the reading, and the caller. */
interface Copy {
  readonly views: readonly string[]
  readonly caller: Caller
}

/** The latest copies of each reading, by their ETags. */
const copies = new Map<Reading, Map<string, Copy>>()
const mostCopies = 6

function keep(reading: Reading, etag: string, copy: Copy): void {
  const known = copies.get(reading) ?? new Map<string, Copy>()
  copies.set(reading, known)
  const before = known.get(etag)
  if (before !== undefined && before.views.join() !== copy.views.join()) {
    tally.stale.push(`${reading.url}: one ETag for ${before.views.join()} and ${copy.views.join()}`)
  }
  known.delete(etag)
  known.set(etag, copy)
  const [oldest] = known.keys()
  if (known.size > mostCopies && oldest !== undefined) known.delete(oldest)
}

/** The copies whose ETags a read sends: the latest one, or several. */
function chosenCopies(reading: Reading): ReadonlyMap<string, Copy> {
  const known = [...(copies.get(reading) ?? [])]
  return new Map(next(2) === 0 ? known.slice(-1) : known.filter(() => next(2) === 0))
}

interface Asked {
  readonly reading: Reading
  readonly caller: Caller
}

/** The latest reads. Most are repeated soon, before the records change or just after. */
const recent: Asked[] = []

function nextRead(): Asked {
  const again = recent[next(6)]
  if (again !== undefined) return again
  const reading = readings[next(readings.length)] as Reading
  const caller = callers[next(callers.length)] as Caller
  recent.unshift({ reading, caller })
  recent.length = Math.min(recent.length, 4)
  return { reading, caller }
}

async function read(): Promise<void> {
  const { reading, caller } = nextRead()
  if (next(4) === 0) await sync()
  const sent = chosenCopies(reading)
  const condition = [...sent.keys()].join(', ')
  const from = reading.ids.map(acknowledgedAt)
  const headers: Record<string, string> = condition === '' ? {} : { 'if-none-match': condition }
  const answer = await request('GET', reading.url, caller, { headers })
  if (condition !== '') tally.conditionalReads += 1
  const etag = answer.headers.etag ?? ''
  if (answer.status === 304) {
    tally.notModified += 1
    const copy = sent.get(etag)
    if (copy === undefined) {
      tally.stale.push(`304 of ${reading.url}: the ETag ${etag} was not sent`)
      return
    }
    if (copy.caller !== caller) tally.sharedTags += 1
    return judge(reading, caller, copy.views, from, '304')
  }
  if (answer.status !== 200 && answer.status !== 404) {
    if (answer.status === 503) return
    throw new Error(`${reading.url} is answered ${answer.status}: ${answer.text}`)
  }
  const { value } = JSON.parse(answer.text ?? '') as { readonly value: unknown }
  const shown = new Map(reading.records(value).map((one) => [one.id, viewOfShown(one, reading)]))
  const views = reading.ids.map((id) => shown.get(id) ?? none)
  if (answer.status === 200) {
    if (etag === '') tally.stale.push(`${reading.url}: no ETag`)
    keep(reading, etag, { views, caller })
  }
  return judge(reading, caller, views, from, String(answer.status))
}

/** Reports records as stale that match none of their states during the read. */
async function judge(
  reading: Reading,
  caller: Caller,
  views: readonly string[],
  from: readonly number[],
  status: string,
): Promise<void> {
  const wrong = (): number | undefined =>
    reading.ids.find((id, i) =>
      possibleStates(id, from[i] ?? 0).every(
        (state) => viewOf(state, caller, reading) !== views[i],
      ),
    )
  if (wrong() === undefined) return
  tally.asked += 1
  await sync()
  const id = wrong()
  if (id === undefined) return
  const at = reading.ids.indexOf(id)
  const states = possibleStates(id, from[at] ?? 0).map((state) => viewOf(state, caller, reading))
  tally.stale.push(
    `${status} of ${reading.url} for caller ${caller.id}: record ${id} is ${views[at]}; it can only be ${states.join(' or ')}`,
  )
}

// ---------------------------------------------------------------- the load

/** The number of concurrent requests of a process. */
const lanes = 4

async function lane(): Promise<void> {
  while (tally.operations < order.operations && tally.stale.length < 10) {
    await (next(6) === 0 ? write() : read())
    // Messages of the other process arrive between two turns of the event loop; a synchronous driver would never reach the next
    // turn.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

process.on('disconnect', () => void close().then(() => process.exit()))
// The other process must be running before it receives a message.
await sync()
await Promise.all(Array.from({ length: lanes }, lane))
process.send?.({ kind: 'done', tally })
