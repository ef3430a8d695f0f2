/** Compares two recordings of the same random writes, and tells their differences by class. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Line } from './record.ts'
import type { Any } from './tools.ts'

/** Differences of one class, grouped by what they have in common, with the first examples of each group. */
class Differences {
  readonly #groups = new Map<string, { count: number; examples: string[] }>()
  readonly #title: string
  readonly #most: number
  #count = 0

  constructor(title: string, most: number) {
    this.#title = title
    this.#most = most
  }

  add(group: string, ...example: readonly string[]): void {
    const found = this.#groups.get(group) ?? { count: 0, examples: [] }
    this.#groups.set(group, found)
    found.count += 1
    this.#count += 1
    if (found.examples.length < this.#most) found.examples.push(example.join('\n'))
  }

  print(): string {
    const groups = [...this.#groups].sort(([, one], [, other]) => other.count - one.count)
    const texts = groups.flatMap(([name, { count, examples }]) => [
      `  ${count} × ${name}`,
      ...examples.map((text) => text.replace(/^/gm, '      ')),
    ])
    return [`${this.#title}: ${this.#count}`, ...texts].join('\n')
  }
}

const isAccepted = ({ response }: Line): boolean => response.status < 400
const textOf = (value: unknown): string => JSON.stringify(value) ?? 'nothing'
const same = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other)
const cut = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}…` : text)
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
const sentBy = ({ statements }: Line): number => sumOf(Object.values(statements))

/** The calls of the attempt that was committed, and those outside of a transaction, by model. */
function lastCalls({ calls }: Line): unknown {
  const attemptOf = (call: string): number => Number.parseInt(call, 10)
  const last = Math.max(...Object.values(calls).flat().map(attemptOf))
  const kept = (call: string): boolean => attemptOf(call) === 0 || attemptOf(call) === last
  const models = Object.entries(calls).sort(([one], [other]) => (one < other ? -1 : 1))
  return models.map(([model, list]) => [
    model,
    list.filter(kept).map((call) => call.replace(/^\d+ /, '')),
  ])
}

/** Where two values differ first, and both values there. */
function firstDifference(a: Any, b: Any, path = ''): string {
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    const key = Object.keys({ ...a, ...b }).find((name) => !same(a[name], b[name]))
    if (key !== undefined) return firstDifference(a[key], b[key], `${path}.${key}`)
  }
  return `${path}\na: ${cut(textOf(a))}\nb: ${cut(textOf(b))}`
}

function where({ chunk, index, variant, kind, fault, request }: Line): string {
  const { method, url, user, headers, body } = request
  const shown = [same(headers, {}) ? '' : textOf(headers), body === undefined ? '' : textOf(body)]
  const title = `chunk ${chunk}, request ${index}, ${variant}, ${kind}${fault && `, fault: ${fault}`}`
  return `${title}\n${user}: ${method} ${url} ${cut(shown.join(' '))}`
}

const errorOf = ({ response: { status, body }, failures }: Line): string =>
  cut([status, textOf(body.errors), ...failures].join(' '))
const codeOf = ({ response: { status, body } }: Line): string =>
  isAccepted({ response: { status } } as Line) ? 'accepts' : `${status} ${body.errors?.code ?? ''}`

/** The statements of the requests of one kind. */
interface Sent {
  requests: number
  a: number
  b: number
  /** In how many requests `b` sends more. */
  more: number
  example: string
}

class Statements {
  readonly #kinds = new Map<string, Sent>()

  add(kind: string, a: Line, b: Line): void {
    const sent = this.#kinds.get(kind) ?? { requests: 0, a: 0, b: 0, more: 0, example: '' }
    this.#kinds.set(kind, sent)
    sent.requests += 1
    sent.a += sentBy(a)
    sent.b += sentBy(b)
    if (sentBy(b) <= sentBy(a)) return
    sent.more += 1
    sent.example ||= `${where(a)}\na: ${textOf(a.statements)}\nb: ${textOf(b.statements)}`
  }

  print(examples: number): string {
    const kinds = [...this.#kinds].sort(([one], [other]) => (one < other ? -1 : 1))
    const row = (name: string, ...cells: readonly unknown[]): string =>
      `  ${name.padEnd(42)}${cells.map((cell) => String(cell).padStart(12)).join('')}`
    const rows = kinds.map(([kind, { requests, a, b, more }]) => {
      const means = [a, b].map((count) => (count / requests).toFixed(2))
      return row(kind, requests, ...means, more, ...(b > a ? ['b sends more'] : []))
    })
    const worse = kinds.filter(([, { more }]) => more > 0 && examples > 0)
    const texts = worse.map(
      ([kind, { example }]) => `  ${kind}\n${example.replace(/^/gm, '      ')}`,
    )
    const head = row('kind', 'requests', 'mean of a', 'mean of b', 'b more in')
    const count = sumOf(kinds.map(([, { more }]) => more))
    return [`4. b sends more statements: ${count}`, head, ...rows, ...texts].join('\n')
  }
}

/** The lines of a file. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  for await (const line of createInterface({ input: createReadStream(path) }))
    yield JSON.parse(line)
}

/** Compares two transcripts. Once the stored records differ, the rest of the chunk has other requests and is not compared. */
export async function compareTranscripts(
  linesOfA: AsyncIterable<Line>,
  linesOfB: AsyncIterator<Line>,
  examples: number,
): Promise<string> {
  const accepted = new Differences('1. accepted in both, with another result', examples)
  const onlyOne = new Differences('2. accepted in one of both', examples)
  const refused = new Differences('3. refused in both, with another error', examples)
  const stored = new Differences('   refused, and rows have changed all the same', examples)
  const statements = new Statements()
  const counts = { accepted: 0, refused: 0, skipped: 0 }

  const compareAccepted = (a: Line, b: Line): void => {
    counts.accepted += 1
    const parts = {
      response: [a.response, b.response],
      rows: [
        [a.changes, a.state],
        [b.changes, b.state],
      ],
      calls: [lastCalls(a), lastCalls(b)],
    }
    const different = Object.entries(parts).filter(([, [one, other]]) => !same(one, other))
    if (different.length === 0) return
    const shown = different.map(([name, [one, other]]) => `${name} ${firstDifference(one, other)}`)
    const names = different.map(([name]) => name).join(' and ')
    accepted.add(`${names} of ${a.kind}`, where(a), ...shown)
  }
  const compareRefused = (a: Line, b: Line): void => {
    counts.refused += 1
    for (const [name, { changes }] of Object.entries({ a, b })) {
      if (!same(changes, {})) stored.add(`${name}: ${a.kind}`, where(a), cut(textOf(changes)))
    }
    if (same([a.response, a.failures], [b.response, b.failures])) return
    const isSame = codeOf(a) === codeOf(b)
    const unchanged = same([a.changes, b.changes], [{}, {}])
    refused.add(
      isSame ? `${codeOf(a)}, in other words` : `${codeOf(a)} → ${codeOf(b)}`,
      where(a),
      unchanged ? 'rows are unchanged in both' : 'ROWS HAVE CHANGED',
      `a: ${errorOf(a)}`,
      `b: ${errorOf(b)}`,
    )
  }

  let diverged: number | undefined
  for await (const a of linesOfA) {
    const { value: b } = await linesOfB.next()
    if (b === undefined) throw new Error('b has fewer lines than a')
    if (a.chunk !== b.chunk || a.index !== b.index) throw new Error('these are not the same runs')
    if (diverged === a.chunk) {
      counts.skipped += 1
      continue
    }
    if (a.state !== b.state) diverged = a.chunk
    if (!same([a.kind, a.request], [b.kind, b.request])) {
      accepted.add('no result: another request was made of the same records', where(a), where(b))
      diverged = a.chunk
    } else if (isAccepted(a) !== isAccepted(b)) {
      const error = errorOf(isAccepted(a) ? b : a)
      onlyOne.add(`a ${codeOf(a)}, b ${codeOf(b)}: ${a.kind}`, where(a), error)
    } else {
      ;(isAccepted(a) ? compareAccepted : compareRefused)(a, b)
      statements.add(`${a.kind}${isAccepted(a) ? '' : ', refused'}`, a, b)
    }
  }
  if ((await linesOfB.next()).done !== true) throw new Error('b has more lines than a')
  const both = `accepted in both: ${counts.accepted}, refused in both: ${counts.refused}`
  const rest = `not compared after a difference of rows: ${counts.skipped}`
  const classes = [accepted, onlyOne, refused, stored].map((one) => one.print())
  return [`${both}, ${rest}`, ...classes, statements.print(examples)].join('\n\n')
}
