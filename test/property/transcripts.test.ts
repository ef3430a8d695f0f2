/** Transcripts of random writes are the same each time, and a comparison finds what differs. */
import * as core from '@model-api/core'
import { detectDialect } from '@model-api/core/internals'
import { equal, ok } from '../support/assert.ts'
import { databaseBeside } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { compareTranscripts } from '../support/transcripts/compare.ts'
import { variants } from '../support/transcripts/hooks.ts'
import { type Line, recordChunk } from '../support/transcripts/record.ts'

eachDatabase('a transcript of writes', (test, db) => {
  const tools = {
    core,
    detectDialect,
    open: () => databaseBeside(db),
    createTables,
    insertRows,
    end: async () => {},
  }
  const recorded = (chunk: number, size: number): Promise<string[]> =>
    recordChunk(tools, { seed: 20260102, chunk, size, full: false })

  for (const [chunk, { name }] of variants.entries()) {
    test(`is the same each time: ${name}`, async () => {
      const [first, second] = [await recorded(chunk, 30), await recorded(chunk, 30)]
      equal(second, first)
      equal(first.length, 30)
    })
  }

  /** What a client, the tables and the hooks see of a write. */
  const outcome = (text: string): object => {
    const { statements: _, ...seen }: Line = JSON.parse(text)
    return seen
  }
  const sent = { fused: 0, stepwise: 0 }
  const statementsOf = (lines: readonly string[]): number =>
    lines
      .flatMap((text) => Object.values((JSON.parse(text) as Line).statements))
      .reduce((sum, one) => sum + one, 0)
  for (const [chunk, { name }] of variants.entries()) {
    test(`tells the same if each step has statements of its own: ${name}`, async () => {
      for (const seed of [1, 2]) {
        const options = { seed, chunk, size: 60, full: false }
        const fused = await recordChunk(tools, options)
        const stepwise = await recordChunk(tools, { ...options, stepwise: true })
        equal(stepwise.map(outcome), fused.map(outcome))
        sent.fused += statementsOf(fused)
        sent.stepwise += statementsOf(stepwise)
      }
    })
  }

  test('has fewer statements where one makes several steps', () => ok(sent.fused < sent.stepwise))

  const compared = async (change: (line: Line) => object): Promise<readonly string[]> => {
    const a = (await recorded(4, 40)).map((text): Line => JSON.parse(text))
    const place = a.findIndex(({ response }) => response.status === 200)
    const b = a.map((line, i): Line => (i === place ? { ...line, ...change(line) } : line))
    const lines = async function* (list: readonly Line[]) {
      yield* list
    }
    const text = await compareTranscripts(lines(a), lines(b), 0)
    return [...text.matchAll(/^\d\. .*: (\d+)$/gm)].map(([, count = '']) => count)
  }

  test('differs by class', async () => {
    equal(await compared(() => ({})), ['0', '0', '0', '0'])
    equal(await compared(() => ({ calls: { Task: ['0 add'] } })), ['1', '0', '0', '0'])
    equal(await compared(() => ({ changes: { tasks: ['-row'] } })), ['1', '0', '0', '0'])
    equal(await compared(() => ({ statements: { select: 99 } })), ['0', '0', '0', '1'])
    const refused = { response: { status: 422, headers: {}, body: {} } }
    equal(await compared(() => refused), ['0', '1', '0', '0'])
  })
  test('has accepted and refused writes', async () => {
    const statuses = (await recorded(0, 60)).map((text) => JSON.parse(text).response.status)
    ok(statuses.some((status) => status < 300))
    ok(statuses.some((status) => status >= 400))
  })
})
