/** The order of the test files: none is lost, and every file that the queue names exists. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { equal, ok } from '../../support/assert.ts'
import type { Way } from '../../support/path.ts'
import {
  jobsLeftOut,
  type Lane,
  lanesOf,
  needsOwnProcess,
  queueOf,
  slowest,
  takeJob,
  waiting,
} from '../../support/queue.ts'
import { repository } from '../../support/source.ts'
import { suite } from '../../support/suite.ts'

suite('the queue of test files', (test) => {
  const files = readdirSync(join(repository, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .sort()

  test('has every file once, and again for each additional way', () => {
    const queue = queueOf(files, 'whole')
    const on = (way: Way) => queue.filter((job) => job.way === way).map(({ file }) => file)
    equal(on('usual').sort(), files)
    const expected = {
      plain: ['golden/golden', 'parity/parity', 'security/leaks', 'security/write-leaks'],
      query: ['golden/golden', 'contract/filtering', 'contract/joins', 'contract/search'],
      batch: ['contract/column-rights', 'security/scope', 'security/user-roles'],
    }
    for (const [way, starts] of Object.entries(expected)) {
      const again = on(way as Way)
      ok(again.every((file) => files.includes(file)))
      ok(starts.every((start) => again.includes(`${start}.test.ts`)))
    }
  })

  test('omits nothing from a whole run, and only additional ways from a usual one', () => {
    const usual = queueOf(files, 'usual')
    const leftOut = jobsLeftOut(files, 'usual')
    equal(usual.length + leftOut.length, queueOf(files, 'whole').length)
    ok(leftOut.length > 0 && leftOut.every(({ way }) => way !== 'usual'))
    equal(jobsLeftOut(files, 'whole'), [])
  })

  test('has every file once if all take one way', () => {
    const queue = queueOf(files, 'usual', 'plain')
    equal(queue.map(({ file }) => file).sort(), files)
    ok(queue.every(({ way }) => way === 'plain'))
  })

  const taken = (files: readonly string[], lanes: readonly Lane[]) => {
    const queue = files.map((file) => ({ file, way: 'usual' as const }))
    return lanes.map((lane) => takeJob(queue, lane)?.file)
  }

  test('gives waiting files to one lane while there are others', () => {
    const lanes = lanesOf(2)
    equal(lanes, ['waiting first', 'computing first'])
    const [waits, computes] = lanes as [Lane, Lane]
    equal(
      taken(
        ['faults/a', 'faults/b', 'unit/a', 'unit/b'],
        [waits, computes, computes, computes, waits],
      ),
      ['faults/a', 'unit/a', 'unit/b', 'faults/b', undefined],
    )
    equal(taken(['unit/a'], [waits]), ['unit/a'])
  })

  test('has lanes for waiting files only, besides those that may compute', () => {
    equal(lanesOf(3), ['waiting first', 'computing first', 'computing first', 'waiting'])
    equal(taken(['unit/a', 'faults/a'], ['waiting', 'waiting']), ['faults/a', undefined])
  })

  test('names only existing files as slow or waiting', () => {
    for (const start of [...slowest, ...waiting])
      ok(
        files.some((file) => file.startsWith(start)),
        start,
      )
    ok(queueOf(files, 'usual')[0]?.file.startsWith(slowest[0] ?? ''))
  })

  test('gives some files a process of their own', () => {
    ok(files.some(needsOwnProcess))
  })
})
