/**
 * Several callers at once: random reads and writes of callers with different roles and scopes, sent to one service. Some wait
 * for others; some are cancelled. Each response equals, byte for byte, that of a service that serves only this caller, with the
 * same data: no caller sees what another one writes.
 */
import type { Api, ApiRequest } from '@model-api/core'
import fc from 'fast-check'
import { askedTwice } from '../support/asked-twice.ts'
import { plainDialect } from '../support/plain-dialect.ts'
import { batches, check } from '../support/property.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { ask } from './answer.ts'
import {
  type Caller,
  callers,
  createCallers,
  credentialOf,
  type Knowing,
  restoreCallers,
  serviceOf,
} from './callers.ts'
import { type Act, randomSteps, type Step, type Template } from './random-steps.ts'

runsOn('one server of each kind')

interface Case {
  readonly who: readonly Caller[]
  readonly steps: readonly Step[]
}

/** Sends a request of an act; returns the response as text. */
type Send = (request: Template, more?: Partial<ApiRequest>) => Promise<Told>

interface Told {
  /** Status, headers and body. */
  readonly told: string
  readonly text: string
  readonly etag: string | undefined
}

const somebody = fc.subarray([...callers], { minLength: 2, maxLength: 5 })

const cases: fc.Arbitrary<Case> = somebody.chain((who) =>
  randomSteps(who.length).map((steps) => ({ who, steps })),
)

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn()
}

/** Replaces the placeholders in the text of a step by the values of this caller. */
function asSentBy(text: string, me: Caller): string {
  const other = callers[(callers.indexOf(me) + 1) % callers.length] as Caller
  return text.replace(/#(me|name|(their)?(\d+))/g, (_, what, their, key) => {
    if (what === 'me') return String(me.id)
    if (what === 'name') return me.name
    return String(Number(key) + (their === undefined ? me : other).base)
  })
}

const sender =
  (api: Api, me: Caller, knowing: Knowing, way: 'handled' | 'sent'): Send =>
  async ({ method, url, body, key }, more = {}) => {
    const { user, headers } = credentialOf(me, knowing)
    const request: ApiRequest = {
      ...more,
      method,
      // A URL from a response has no placeholders, and stays as it is.
      url: asSentBy(url, me),
      headers: {
        'x-request-id': 'r',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...headers,
        ...more.headers,
      },
      ...(body === undefined ? {} : { body: asSentBy(body, me) }),
      ...(user === undefined ? {} : { user }),
    }
    const { told, text } = await ask(api, request, way)
    const etag = /"etag":"((?:[^"\\]|\\.)*)"/.exec(told)?.[1]?.replaceAll('\\"', '"')
    return { told: told.replace(/"response_ms":[\d.e-]+/, '"response_ms":0'), text, etag }
  }

/** Returns all responses to one step, except that to a cancelled request. */
async function perform(act: Act, send: Send, together: boolean): Promise<readonly string[]> {
  const get = (url: string) => ({ method: 'GET', url })
  switch (act.kind) {
    case 'read':
    case 'write':
      return [(await send(act.request)).told]
    case 'pages': {
      const seen: string[] = []
      let url: string | null | undefined = act.url
      for (let i = 0; i < 8 && typeof url === 'string'; i++) {
        const { told, text } = await send(get(url))
        seen.push(told)
        url = (JSON.parse(text) as { next_url?: string | null }).next_url
      }
      return seen
    }
    case 'again': {
      const first = await send(get(act.url))
      const head = await send({ method: 'HEAD', url: act.url })
      const headers = { 'if-none-match': first.etag ?? '"none"' }
      return [first.told, head.told, (await send(get(act.url), { headers })).told]
    }
    case 'exchange': {
      const patch = { method: 'PATCH', url: act.url, body: act.body }
      const first = await send(get(act.url))
      const headers = { 'if-match': first.etag ?? '"none.none"' }
      const changed = await send(patch, { headers })
      return [first.told, changed.told, (await send(patch, { headers })).told]
    }
    case 'twice': {
      if (together) {
        const both = await Promise.all([send(act.request), send(act.request)])
        return both.map(({ told }) => told)
      }
      return [(await send(act.request)).told, (await send(act.request)).told]
    }
    case 'given up': {
      if (together) {
        const client = new AbortController()
        const gone = send(act.request, { signal: client.signal }).catch(() => {})
        await turns(act.turns)
        client.abort()
        await gone
      }
      return [(await send(act.request)).told]
    }
  }
}

const isRead = ({ kind }: Act): boolean => kind === 'read' || kind === 'pages' || kind === 'again'

type Answers = readonly (readonly string[])[]

/** Runs the steps of all callers concurrently. A write waits for the earlier steps of its caller, and the later ones wait for the write. */
function togetherOn(api: Api, { who, steps }: Case, knowing: Knowing): Promise<Answers> {
  const all: Promise<readonly string[]>[] = []
  for (const { who: index, act, after, turns: count } of steps) {
    const before = all.filter((_, i) => {
      const other = steps[i] as Step
      return i < after || (other.who === index && !(isRead(act) && isRead(other.act)))
    })
    const send = sender(api, who[index] as Caller, knowing, 'sent')
    all.push(
      Promise.all(before)
        .then(() => turns(count))
        .then(() => perform(act, send, true)),
    )
  }
  return Promise.all(all)
}

/** The steps of one caller, one after the other. */
async function aloneOn(
  api: Api,
  { who, steps }: Case,
  index: number,
  knowing: Knowing,
): Promise<ReadonlyMap<Step, readonly string[]>> {
  const send = sender(api, who[index] as Caller, knowing, 'handled')
  const answers = new Map<Step, readonly string[]>()
  for (const step of steps) {
    if (step.who === index) answers.set(step, await perform(step.act, send, false))
  }
  return answers
}

/**
 * Whether the responses to the same request, sent twice at once, are as expected: one may tell the client to repeat it, the
 * others are as if sent one after the other.
 */
function isAsTwice(told: readonly string[], expected: readonly string[]): boolean {
  const left = [...expected]
  const done = told.filter((one) => !one.includes('"code":"request_in_progress"'))
  if (!done.includes(expected[0] ?? '')) return false
  return done.every((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}

const isSame = ({ kind }: Act, told: readonly string[], expected: readonly string[]): boolean =>
  kind === 'twice'
    ? isAsTwice(told, expected)
    : told.length === expected.length && told.every((one, i) => one === expected[i])

/** Describes a failed case. */
const described = ({ who, steps }: Case): string =>
  steps
    .map(({ who: index, act, after, turns: count }, i) => {
      const me = who[index] as Caller
      const {
        method,
        url,
        body = '',
        key = '',
      } = 'request' in act ? act.request : { method: '', body: '', ...act, key: '' }
      const words = [i, me.name, act.kind, method, asSentBy(url, me), asSentBy(body, me), key]
      return [...words, `after ${after}, ${count} turns`].filter((one) => one !== '').join(' ')
    })
    .join('\n')

eachDatabase('callers at once', (test, db) => {
  test.before(() => createCallers(db))

  const problemOf = async (
    given: Case,
    knowing: Knowing,
    repeated: boolean,
  ): Promise<string | undefined> => {
    await restoreCallers(db)
    const service = serviceOf(db, knowing)
    const asked = repeated ? askedTwice(service) : service
    const together = await togetherOn(asked, given, knowing)
    await restoreCallers(db)
    for (const [index, { name }] of given.who.entries()) {
      const api = serviceOf(db, knowing, {
        dialect: plainDialect(db.kysely, { multiRowInserts: true }),
      })
      const alone = await aloneOn(api, given, index, knowing)
      for (const [i, step] of given.steps.entries()) {
        const expected = alone.get(step)
        const told = together[i] ?? []
        if (expected === undefined || isSame(step.act, told, expected)) continue
        return `step ${i} of ${name}:\n${told.join('\n')}\ninstead of\n${expected.join('\n')}\n${described(given)}`
      }
    }
    return undefined
  }

  const ways = (['host', 'basic'] as const).flatMap((knowing) =>
    [false, true].map((repeated) => ({ knowing, repeated })),
  )
  for (const [i, { knowing, repeated }] of ways.entries()) {
    batches(
      test,
      `users of ${knowing}, each read asked ${repeated ? 'twice' : 'once'}`,
      4,
      ({ numRuns, seed }) =>
        // Uses another seed for each way, so that each tests other cases.
        check(cases, { numRuns, seed: seed + 1000 * i }, (given) =>
          problemOf(given, knowing, repeated),
        ),
    )
  }
})
