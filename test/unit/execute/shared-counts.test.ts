/** Concurrent counts: how often they run, and that a request never gets a count that began before it. */
import { createSharedCounts, readPage } from '@model-api/core/internals'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** A promise that the test resolves. */
function gate<T>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open = (_: T): void => {}
  const promise = new Promise<T>((resolve) => {
    open = resolve
  })
  return { promise, open }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

suite('shared counts', (test) => {
  test('a request that is alone runs its own count, each time', () => {
    const counts = createSharedCounts(() => 0)
    for (let i = 0; i < 3; i++) {
      const turn = counts.join('books', async () => 1)
      equal(turn.kind, 'own')
      if (turn.kind === 'own') turn.done()
    }
  })

  test('requests during a count share the next one, which begins when the first has ended', async () => {
    const counts = createSharedCounts(() => 0)
    let runs = 0
    const count = async (): Promise<number> => {
      runs += 1
      return 7
    }
    const first = counts.join('books', count)
    const others = [1, 2, 3].map(() => counts.join('books', count))
    const totals = Promise.all(
      others.map((turn) => (turn.kind === 'shared' ? turn.total() : Number.NaN)),
    )
    await settle()
    equal(runs, 0)
    if (first.kind === 'own') first.done()
    equal(await totals, [7, 7, 7])
    equal(runs, 1)
  })

  test('a round of concurrent requests needs at most two counts, each time', async () => {
    let runs = 0
    const counts = createSharedCounts(() => 0)
    const count = async (): Promise<number> => ++runs
    const round = (): Promise<(number | string)[]> =>
      Promise.all(
        [1, 2, 3].map((_) => {
          const turn = counts.join('books', count)
          if (turn.kind === 'shared') return turn.total()
          setImmediate(turn.done)
          return 'own'
        }),
      )
    equal(await round(), ['own', 1, 1])
    equal(await round(), ['own', 2, 2])
    equal(await round(), ['own', 3, 3])
  })

  test('a request that reads the total late gets a count that began after it joined', async () => {
    let runs = 0
    const counts = createSharedCounts(() => 0)
    const count = async (): Promise<number> => ++runs
    const first = counts.join('books', count)
    const late = counts.join('books', count)
    if (first.kind === 'own') first.done()
    await settle()
    equal(counts.join('books', count).kind, 'own')
    equal(late.kind === 'shared' ? await late.total() : 'own', 1)
  })

  test('after a shared count, a request that is alone runs its own count again', async () => {
    const counts = createSharedCounts(() => 0)
    const count = async (): Promise<number> => 1
    const own = counts.join('books', count)
    const shared = counts.join('books', count)
    if (own.kind === 'own') own.done()
    if (shared.kind === 'shared') equal(await shared.total(), 1)
    equal(counts.join('books', count).kind, 'own')
  })

  test('a request during a shared count gets the one after it', async () => {
    const counts = createSharedCounts(() => 0)
    const gates = [gate<number>(), gate<number>()]
    let runs = 0
    const count = (): Promise<number> => (gates[runs++] as ReturnType<typeof gate<number>>).promise
    const first = counts.join('books', count)
    const second = counts.join('books', count)
    const early = second.kind === 'shared' ? second.total() : Promise.resolve(Number.NaN)
    if (first.kind === 'own') first.done()
    await settle()
    equal(runs, 1)
    const third = counts.join('books', count)
    const late = third.kind === 'shared' ? third.total() : Promise.resolve(Number.NaN)
    gates[0]?.open(1)
    gates[1]?.open(2)
    equal([await early, await late], [1, 2])
    equal(runs, 2)
  })

  test('no request joins a count that has been running for long', () => {
    let now = 0
    const counts = createSharedCounts(() => now)
    const count = async (): Promise<number> => 1
    equal(counts.join('books', count).kind, 'own')
    now = 1_000
    equal(counts.join('books', count).kind, 'shared')
    now = 1_001
    equal(counts.join('books', count).kind, 'own')
    equal(counts.join('books', count).kind, 'shared')
  })

  test('requests share counts of the same query only', () => {
    const counts = createSharedCounts(() => 0)
    equal(counts.join('books', async () => 1).kind, 'own')
    equal(counts.join('authors', async () => 1).kind, 'own')
    equal(counts.join('books', async () => 1).kind, 'shared')
  })

  test('a failed count fails for all who waited, and the next request counts again', async () => {
    const counts = createSharedCounts(() => 0)
    const first = counts.join('books', async () => 1)
    const failing = async (): Promise<number> => {
      throw new Error('away')
    }
    const waiting = [counts.join('books', failing), counts.join('books', failing)]
    const totals = Promise.allSettled(
      waiting.map((turn) => (turn.kind === 'shared' ? turn.total() : Promise.resolve(0))),
    )
    if (first.kind === 'own') first.done()
    equal(
      (await totals).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    await settle()
    const next = counts.join('books', async () => 2)
    equal(next.kind, 'own')
  })

  test('no request waits for a count that is not needed because the page gives the total', async () => {
    const counts = createSharedCounts(() => 0)
    const first = counts.join('books', async () => 1)
    ok(counts.join('books', async () => 1).kind === 'shared')
    if (first.kind === 'own') first.done()
    const next = counts.join('books', async () => 2)
    equal(next.kind === 'shared' ? await next.total() : 2, 2)
    equal(counts.join('tags', async () => 1).kind, 'own')
  })

  test('a page that fails before it is sent does not block others', async () => {
    const counts = createSharedCounts(() => 0)
    const ready = { sql: 'select 1', parameters: [] }
    const plan = { count: 'exact', page: { kind: 'numbered', number: 1, limit: 1, offset: 0 } }
    const rows = {
      get statement(): never {
        throw new Error('not compiled')
      },
    }
    const program = {
      plan,
      read: { kind: 'rows', rows },
      count: () => ({ ready }),
      withoutTotal: () => program,
    }
    const read = readPage as unknown as (...all: readonly unknown[]) => Promise<unknown>
    await read({ counts }, program).catch(() => {})
    equal(counts.join(ready.sql, async () => 0).kind, 'own')
  })
})
