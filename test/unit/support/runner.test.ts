/** The runner counts every failure, however it occurs. */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { equal, match } from '../../support/assert.ts'
import { repository } from '../../support/source.ts'
import { suite } from '../../support/suite.ts'
import { sum } from '../../support/table.ts'
import type { Order } from '../../support/worker-protocol.ts'
import type { Report } from '../../worker.ts'

const support = pathToFileURL(join(repository, 'test/support/suite.ts')).href

interface Outcome {
  /** `passed/failed`, or how the process ended without a report. */
  readonly tally: string
  readonly output: string
}

/** Runs a test file with this content as the runner would. */
function outcomeOf(content: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-runner-'))
  const file = join(folder, 'some.test.ts')
  writeFileSync(file, `import { suite } from '${support}'\n${content}`)
  return new Promise((resolve) => {
    const child = fork(join(repository, 'test/worker.ts'), {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, TEST_TIMEOUT_MS: '300' },
    })
    let output = ''
    let tally: string | undefined
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data: Buffer) => {
        output += data.toString()
      })
    }
    child.on('message', (message) => {
      const { passed, failed } = sum([message as Report])
      tally = `${passed}/${failed}`
    })
    child.on('close', (code) => {
      rmSync(folder, { recursive: true })
      resolve({ tally: tally ?? `exit ${code}`, output })
    })
    child.send({ file, coverage: undefined, spares: {}, next: false } satisfies Order)
  })
}

const good = `test('good', () => {})`

const cases: readonly [what: string, content: string, tally: string, said: string][] = [
  ['a passing test', `suite('a', (test) => { ${good} })`, '1/0', ''],
  [
    'a failing test',
    `suite('a', (test) => { ${good}; test('bad', () => { throw new Error('reason') }) })`,
    '1/1',
    'reason',
  ],
  [
    'a test that throws something else',
    `suite('a', (test) => { ${good}; test('bad', () => { throw 'reason' }) })`,
    '1/1',
    "non-Error: 'reason'",
  ],
  [
    'a rejected test',
    `suite('a', (test) => { test('bad', () => Promise.reject(undefined)) })`,
    '0/1',
    'non-Error: undefined',
  ],
  [
    'a failing before hook',
    `suite('a', (test) => { test.before(() => { throw new Error('reason') }); ${good} })`,
    '0/1',
    'reason',
  ],
  [
    'a failing before.each hook',
    `suite('a', (test) => { test.before.each(() => { throw 'reason' }); ${good} })`,
    '0/1',
    'reason',
  ],
  [
    'a failing after.each hook',
    `suite('a', (test) => { test.after.each(() => { throw 'reason' }); ${good} })`,
    '0/1',
    'reason',
  ],
  [
    'a failing after hook',
    `suite('a', (test) => { test.after(() => { throw 'reason' }); ${good} })`,
    '1/1',
    'reason',
  ],
  [
    'a test that never settles',
    `suite('a', (test) => { test('slow', () => new Promise(() => {})); ${good} })`,
    '0/2',
    '"slow" did not settle',
  ],
  [
    'a test after one that never settles',
    `suite('a', (test) => { test('slow', () => new Promise(() => {})) }); suite('b', (test) => { ${good} })`,
    '0/2',
    'not run: "slow" may still be running',
  ],
  ['a file without a suite', '', '0/1', 'declares no suite'],
  ['a suite without tests', `suite('a', () => {})`, '0/1', 'has no tests'],
  ['two tests of one title', `suite('a', (test) => { ${good}; ${good} })`, '0/1', 'are called'],
  [
    'a file that fails after its first suite',
    `suite('a', (test) => { ${good} }); throw new Error('reason')`,
    '1/1',
    'reason',
  ],
  ['a file that cannot be read', `suite('a' (`, '0/1', 'could not be loaded'],
  [
    'a test that ends the process',
    `suite('a', (test) => { test('bad', () => process.exit(0)) })`,
    'exit 0',
    '',
  ],
  [
    'an unhandled rejection',
    `suite('a', (test) => { test('bad', async () => { Promise.reject(new Error('reason')); await new Promise((done) => setTimeout(done, 50)) }) })`,
    'exit 1',
    'reason',
  ],
]

suite('the runner counts', (test) => {
  const outcomes = new Map<string, Promise<Outcome>>()
  test.before(() => {
    for (const [what, content] of cases) outcomes.set(what, outcomeOf(content))
  })
  for (const [what, , tally, said] of cases) {
    test(what, async () => {
      const outcome = await outcomes.get(what)
      equal(outcome?.tally, tally, outcome?.output)
      match(outcome?.output ?? '', said)
    })
  }
})
