/** What is loaded when first used: not at the start, a failure to load it is reported, and the first response is that of every later one. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { equal, match } from '../support/assert.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { suite } from '../support/suite.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('first-use-program.ts', import.meta.url))

interface Output {
  /** The modules that were loaded before they were used. */
  readonly atStart: readonly string[]
  readonly results: Readonly<
    Record<
      string,
      {
        /** The status while the module could not be read, and what was reported. */
        readonly failed: number
        readonly error: readonly string[]
        readonly first: readonly [status: number, body: unknown]
        readonly second: readonly [status: number, body: unknown]
      }
    >
  >
  readonly errors: readonly string[]
}

suite('what is loaded when first used', (test) => {
  let output: Output

  test.before(async () => {
    const { stdout } = await run(process.execPath, [...sourceArguments, program], {
      maxBuffer: 64 << 20,
    })
    output = JSON.parse(stdout)
  })

  test('is not loaded at the start', () => {
    equal([output.atStart, Object.keys(output.results).length], [[], 6])
  })

  test('is a reported 500 if it cannot be read, and read again by the next request', () => {
    for (const [file, { failed, error, first }] of Object.entries(output.results)) {
      equal([failed, first[0]], [500, 200], file)
      // The page of the error cannot be made either.
      equal(error.length, file.endsWith('/pages.ts') ? 2 : 1, file)
      for (const one of error) match(one, `cannot read ${file}`)
    }
    equal(output.errors, [])
  })

  test('gives the same response the first time as later', () => {
    for (const [file, { first, second }] of Object.entries(output.results)) {
      equal(first, second, file)
    }
  })
})
