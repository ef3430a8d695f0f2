/** The order of the test files: those that wait have lanes of their own, and every file that the queue names exists. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { equal, ok } from '../../support/assert.ts'
import {
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
    const jobs = files.map((file) => ({ file, way: 'usual' as const }))
    ok(queueOf(jobs)[0]?.file.startsWith(slowest[0] ?? ''))
  })

  test('gives some files a process of their own', () => {
    ok(files.some(needsOwnProcess))
  })
})
