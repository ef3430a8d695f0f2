/** Which test files may share a process, and that their output and counts are kept apart. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { equal, match } from '../../support/assert.ts'
import { type FileProcess, startFileProcess } from '../../support/file-process.ts'
import { repository } from '../../support/source.ts'
import { suite } from '../../support/suite.ts'
import { sum } from '../../support/table.ts'

const support = pathToFileURL(join(repository, 'test/support/suite.ts')).href

const folder = mkdtempSync(join(tmpdir(), 'model-api-file-process-'))
let written = 0

/** Runs a file with this content: returns its counts, its output and what it left behind. */
async function run(
  child: FileProcess,
  content: string,
): Promise<{ tally: string; output: string; leftover: string | undefined }> {
  written += 1
  const path = join(folder, `${written}.test.ts`)
  writeFileSync(path, `import { suite } from '${support}'\n${content}`)
  const { report, output } = await child.run({
    title: `${written}`,
    path,
    coverage: undefined,
    limitMs: 30_000,
  })
  const { passed, failed } = sum([report])
  return { tally: `${passed}/${failed}`, output, leftover: report.leftover }
}

const one = (step: string): string => `suite('a', (test) => { test('one', () => { ${step} }) })`
const start = (alone = false): FileProcess => startFileProcess(process.env, { way: 'usual', alone })

const leftovers: readonly [what: string, step: string, leftover: string][] = [
  ['a timer', 'setTimeout(() => {}, 60_000)', 'Timeout'],
  ['a variable of the environment', `process.env.LEFT = '1'`, 'environment'],
  ['a working directory', `process.chdir('/')`, 'working directory'],
  ['a replaced global', 'Date.now = () => 0', 'global'],
  ['a new global', 'globalThis.left = 1', 'global'],
  ['a listener', `process.on('exit', () => {})`, 'listeners'],
  ['a failure', `throw new Error('reason')`, 'failure'],
]

suite('a process of files', (test) => {
  test.after(() => rmSync(folder, { recursive: true }))

  test('runs one file after the other, and counts and prints each for itself', async () => {
    const child = start()
    const first = await run(child, one(`console.log('first')`))
    const second = await run(
      child,
      `${one(`console.error('second')`)}; ${one('').replace("'a'", "'b'")}`,
    )
    equal([first.tally, second.tally, child.isOpen()], ['1/0', '2/0', true])
    equal([first.output.includes('first'), first.output.includes('second')], [true, false])
    equal([second.output.includes('first'), second.output.includes('second')], [false, true])
    await child.end()
  })

  test('runs on the Node that TEST_NODE names', async () => {
    const node = join(folder, 'node')
    const note = join(folder, 'was-asked')
    writeFileSync(node, `#!/bin/sh\necho yes > '${note}'\nexec '${process.execPath}' "$@"\n`)
    chmodSync(node, 0o755)
    const env = { ...process.env, TEST_NODE: node }
    const child = startFileProcess(env, { way: 'usual', alone: false })
    equal((await run(child, one(''))).tally, '1/0')
    equal(readFileSync(note, 'utf8'), 'yes\n')
    await child.end()
  })

  test('counts a file without tests as failed after one with tests', async () => {
    const child = start()
    await run(child, one(''))
    equal((await run(child, '')).tally, '0/1')
  })

  for (const [what, step, leftover] of leftovers) {
    test(`ends after a file that left ${what}`, async () => {
      const child = start()
      await run(child, one(''))
      const result = await run(child, one(step))
      match(result.leftover ?? 'nothing', leftover)
      equal(child.isOpen(), false)
    })
  }

  test('counts a file that ends its process as failed', async () => {
    const child = start()
    await run(child, one(''))
    const result = await run(child, one('process.exit(0)'))
    equal([result.tally, child.isOpen()], ['0/1', false])
    match(result.output, 'ended before it reported')
  })

  test('counts a file as failed if an earlier one ends their process', async () => {
    const child = start()
    await run(child, one('setTimeout(() => process.exit(0), 20).unref()'))
    const result = await run(child, one('return new Promise((done) => setTimeout(done, 5000))'))
    equal([result.tally, child.isOpen()], ['0/1', false])
  })

  test('ends after a first file that runs alone', async () => {
    const child = start(true)
    equal((await run(child, one(''))).tally, '1/0')
    equal(child.isOpen(), false)
  })
})
