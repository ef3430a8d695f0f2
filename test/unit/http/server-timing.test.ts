/** The timer behind Server-Timing: how time is attributed when statements overlap, fail, or contain work of the service. */
import { startTiming } from '../../../packages/core/src/http/server-timing.ts'
import { equal, rejects } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** A clock that the test advances. */
function handClock() {
  let now = 1000
  return {
    elapsed: () => now,
    pass(ms: number): void {
      now += ms
    },
  }
}

suite('the stopwatch of a request', (test) => {
  test('names the stages in the order of the pipeline, whatever the order they came in', () => {
    const { elapsed, pass } = handClock()
    const timing = startTiming(elapsed)
    pass(1)
    timing.enter('serialize')
    pass(2)
    timing.enter('plan')
    pass(3)
    timing.enter('serialize')
    pass(4)
    equal(timing.header(), 'route;dur=1, plan;dur=3, serialize;dur=6, total;dur=10')
  })

  test('counts overlapping statements once, and continues with the stage before', async () => {
    const { elapsed, pass } = handClock()
    const timing = startTiming(elapsed)
    timing.enter('plan')
    await Promise.all([
      timing.database(async () => pass(5)),
      timing.database(async () => {
        await null
        pass(7)
      }),
    ])
    pass(2)
    equal(timing.header(), 'route;dur=0, plan;dur=2, database;dur=12, total;dur=14')
  })

  test('a stage entered during a statement begins when the statement has ended', async () => {
    const { elapsed, pass } = handClock()
    const timing = startTiming(elapsed)
    await timing.database(async () => {
      timing.enter('serialize')
      pass(5)
    })
    pass(1)
    equal(timing.header(), 'route;dur=0, database;dur=5, serialize;dur=1, total;dur=6')
  })

  test('own work inside a transaction is not counted as database time; a failure ends it, too', async () => {
    const { elapsed, pass } = handClock()
    const timing = startTiming(elapsed)
    const transaction = timing.database(async () => {
      pass(1)
      await timing.ownWork(async () => {
        pass(10)
        await timing.database(async () => pass(100))
        throw new Error('stop')
      })
    })
    await rejects(() => transaction, /stop/)
    pass(1000)
    equal(timing.header(), 'route;dur=1010, database;dur=101, total;dur=1111')
  })

  test('durations have three decimals', () => {
    const { elapsed, pass } = handClock()
    const timing = startTiming(elapsed)
    pass(1.23456)
    equal(timing.header(), 'route;dur=1.235, total;dur=1.235')
  })
})
