/** What clients recorded: which writes were acknowledged, refused or left open, and every wrong response. */

/** The outcome of a write for its client. `acknowledged`: a success; `open`: no response, or a 5xx; `refused`: any other response. */
export type Outcome = 'acknowledged' | 'open' | 'refused'

/** The last token that was acknowledged, and every one that was left open. */
export interface Tokens {
  acknowledged: string
  readonly open: Set<string>
}

export interface Ledger {
  readonly entries: Map<string, Outcome>
  readonly orders: Map<string, Outcome>
  /** The position of each acknowledged entry, if the service sends positions. */
  readonly positions: Map<string, string>
  /** Entries that were repeated with one Idempotency-Key until they were acknowledged. */
  readonly repeated: Map<string, Outcome>
  /** Increments of each counter: how many were acknowledged, and how many have an open outcome. */
  readonly increments: Map<number, { acknowledged: number; open: number }>
  /** The tokens that each label may have: the last acknowledged one, and every open one. */
  readonly labels: Map<number, Tokens>
  /** The tokens that each pair of twins may have. */
  readonly twins: Map<number, Tokens>
  /** Responses by status; 0: the connection ended without one. */
  readonly statuses: Map<number, number>
  /** Wrong responses: a status that the fault does not explain, or a missing record. */
  readonly wrong: Map<string, number>
  /** Requests that got no response in time. */
  unanswered: number
  /** The time of each successful response, in milliseconds of the process's clock. */
  readonly successes: number[]
}

export const emptyLedger = (): Ledger => ({
  entries: new Map(),
  orders: new Map(),
  positions: new Map(),
  repeated: new Map(),
  increments: new Map(),
  labels: new Map(),
  twins: new Map(),
  statuses: new Map(),
  wrong: new Map(),
  unanswered: 0,
  successes: [],
})

export const count = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** What the database contains at the end. */
export interface Stored {
  readonly entries: readonly string[]
  /** Tokens of orders, with the number of their lines. */
  readonly orders: ReadonlyMap<string, number>
  readonly counters: ReadonlyMap<number, number>
  readonly labels: ReadonlyMap<number, string>
  /** Both tokens of each pair. */
  readonly twins: ReadonlyMap<number, readonly string[]>
}

export interface Verdict {
  /** Acknowledged writes that are not stored. */
  readonly lost: number
  /** Orders without all of their lines. */
  readonly half: number
  /** Wrong responses, duplicates, and increments that no client sent. */
  readonly wrong: readonly string[]
}

/** Compares the records of the clients with what is stored. */
export function judge(ledger: Ledger, stored: Stored, linesOfOrder: number): Verdict {
  const wrong = [...ledger.wrong].map(([what, times]) => `${what} (${times})`)
  const held = new Set(stored.entries)
  let lost = 0
  if (held.size < stored.entries.length) {
    wrong.push(`${stored.entries.length - held.size} entries are stored twice`)
  }
  for (const [token, outcome] of [...ledger.entries, ...ledger.repeated]) {
    if (outcome === 'acknowledged' && !held.has(token)) lost += 1
    if (outcome === 'refused' && held.has(token)) wrong.push(`${token} was refused and is stored`)
  }
  let half = 0
  for (const [token, outcome] of ledger.orders) {
    const lines = stored.orders.get(token)
    if (outcome === 'acknowledged' && lines === undefined) lost += 1
    if (lines !== undefined && lines !== linesOfOrder) half += 1
  }
  for (const [counter, { acknowledged, open }] of ledger.increments) {
    const value = stored.counters.get(counter) ?? 0
    if (value < acknowledged) lost += acknowledged - value
    if (value > acknowledged + open) {
      wrong.push(`counter ${counter} is ${value}, at most ${acknowledged + open} were sent`)
    }
  }
  for (const [id, tokens] of ledger.labels) {
    if (!mayBe(tokens, stored.labels.get(id))) lost += 1
  }
  for (const [pair, tokens] of ledger.twins) {
    const [first, second] = stored.twins.get(pair) ?? []
    if (first !== second) half += 1
    else if (!mayBe(tokens, first)) lost += 1
  }
  return { lost, half, wrong }
}

const mayBe = ({ acknowledged, open }: Tokens, token = ''): boolean =>
  token === acknowledged || open.has(token)
