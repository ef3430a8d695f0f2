/** The checks of the health route: calls share one while it runs, and its state for half a second after its start. */
import { createReadiness } from '../../../packages/core/src/database/readiness.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** A readiness whose checks run until they fail by `end`, with a clock that the test sets. */
function startReadiness() {
  const clock = { now: 0 }
  const ends: (() => void)[] = []
  const readiness = createReadiness({
    db: {} as never,
    dialect: () =>
      new Promise((_, reject) => {
        ends.push(() => reject(new Error('no connection')))
      }),
    writes: false,
    elapsed: () => clock.now,
  })
  return { clock, ends, readiness }
}

suite('readiness', (test) => {
  test('calls during a check share it, however long it runs', async () => {
    const { clock, ends, readiness } = startReadiness()
    const first = readiness.state()
    clock.now = 900
    const second = readiness.state()
    equal(ends.length, 1)
    for (const end of ends) end()
    equal(await Promise.all([first, second]), ['database unreachable', 'database unreachable'])
  })

  test('calls after a check share its state until 500 ms after its start', async () => {
    const { clock, ends, readiness } = startReadiness()
    const first = readiness.state()
    ends[0]?.()
    await first
    clock.now = 500
    equal([await readiness.state(), ends.length], ['database unreachable', 1])
    clock.now = 501
    const last = readiness.state()
    equal(ends.length, 2)
    ends[1]?.()
    await last
  })
})
