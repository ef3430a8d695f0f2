/** Counts that are asked for at the same time: how often they run, and that none is older than its request. */
import { createSharedCounts, readPage } from '@model-api/core/internals'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** A promise that is settled by hand. */
function gate<T>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open = (_: T): void => {}
  const promise = new Promise<T>((resolve) => {
    open = resolve
  })
  return { promise, open }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

suite('shared counts', (test) => {
  test('who comes alone counts by himself, each time', () => {
    const counts = createSharedCounts(() => 0)
    for (let i = 0; i < 3; i++) {
      const turn = counts.join('books', async () => 1)
      equal(turn.kind, 'own')
      if (turn.kind === 'own') turn.done()
    }
  })

  test('who comes meanwhile waits for one count, which begins when the other has ended', async () => {
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

  test('while several ask again and again, they share from the beginning; then each counts by himself', async () => {
    let now = 0
    let runs = 0
    const counts = createSharedCounts(() => now)
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
    now += 99
    equal(await round(), [2, 2, 2])
    now += 99
    equal(await round(), [3, 3, 3])
    now += 100
    equal(await round(), ['own', 4, 4])
  })

  /** Three who shared a count of 20 ms, and what the next ones share. */
  async function afterThree() {
    let now = 0
    let runs = 0
    const counts = createSharedCounts(() => now)
    const count = async (): Promise<number> => {
      now += 20
      return ++runs
    }
    const join = (): Promise<number> => {
      const turn = counts.join('books', count)
      if (turn.kind === 'shared') return turn.total()
      setImmediate(turn.done)
      return Promise.resolve(0)
    }
    await Promise.all([join(), join(), join(), join()])
    equal(runs, 1)
    return { join, runs: () => runs }
  }

  test('those who were answered together are waited for, and counted for together', async () => {
    const { join, runs } = await afterThree()
    const first = join()
    await settle()
    const second = join()
    await settle()
    equal(runs(), 1)
    const third = join()
    await settle()
    equal(runs(), 2)
    equal(await Promise.all([first, second, third]), [2, 2, 2])
  })

  test('where they do not come, it is counted all the same, and the next ones do not wait for them', async () => {
    const { join, runs } = await afterThree()
    equal(await Promise.all([join(), join()]), [2, 2])
    const next = Promise.all([join(), join()])
    await settle()
    equal(runs(), 3)
    equal(await next, [3, 3])
  })

  test('a count that nobody asked for in the end harms nobody where it fails', async () => {
    let now = 0
    const counts = createSharedCounts(() => now)
    const share = (count: () => Promise<number>) => counts.join('books', count)
    const first = share(async () => 1)
    const slow = async (): Promise<number> => {
      now += 20
      return 1
    }
    const others = [share(slow), share(slow)]
    if (first.kind === 'own') first.done()
    await Promise.all(others.map((turn) => (turn.kind === 'shared' ? turn.total() : 0)))
    const failing = async (): Promise<number> => {
      throw new Error('away')
    }
    equal([share(failing).kind, share(failing).kind], ['shared', 'shared'])
    await settle()
    // Whoever asks afterwards is counted for anew.
    const last = share(slow)
    ok(last.kind === 'own' || (await last.total()) === 1)
  })

  test('one who asks again and again alone does not', async () => {
    const counts = createSharedCounts(() => 0)
    const count = async (): Promise<number> => 1
    const own = counts.join('books', count)
    const shared = counts.join('books', count)
    if (own.kind === 'own') own.done()
    if (shared.kind === 'shared') equal(await shared.total(), 1)
    equal(counts.join('books', count).kind, 'own')
  })

  test('who comes while the shared one runs gets the one after it', async () => {
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

  test('nobody joins one that has been under way for long', () => {
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

  test('what is counted tells requests apart', () => {
    const counts = createSharedCounts(() => 0)
    equal(counts.join('books', async () => 1).kind, 'own')
    equal(counts.join('authors', async () => 1).kind, 'own')
    equal(counts.join('books', async () => 1).kind, 'shared')
  })

  test('a count that fails fails for those who waited, and the next one is tried again', async () => {
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
    equal(next.kind === 'shared' ? await next.total() : 'own', 2)
  })

  test('nobody waits for one that was never asked for, since the page itself told the total', async () => {
    const counts = createSharedCounts(() => 0)
    const first = counts.join('books', async () => 1)
    ok(counts.join('books', async () => 1).kind === 'shared')
    if (first.kind === 'own') first.done()
    const next = counts.join('books', async () => 2)
    equal(next.kind === 'shared' ? await next.total() : 2, 2)
    equal(counts.join('tags', async () => 1).kind, 'own')
  })

  test('a page that fails before it is sent holds nobody up', async () => {
    const counts = createSharedCounts(() => 0)
    const ready = { sql: 'select 1', parameters: [] }
    const statements = {
      count: () => ({ ready }),
      rows: () => {
        throw new Error('not compiled')
      },
    }
    const connection = { counts, dialect: { shortcuts: { countsInStatement: true } } }
    const plan = { count: 'exact', page: { kind: 'numbered', number: 1, limit: 1, offset: 0 } }
    const read = readPage as unknown as (...all: readonly unknown[]) => Promise<unknown>
    await read(connection, statements, plan).catch(() => {})
    equal(counts.join(ready.sql, async () => 0).kind, 'own')
  })
})
