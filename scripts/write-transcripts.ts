// Records what random writes do, and compares two recordings: of two versions of the core, for example.
//
//   node --conditions=@model-api/source scripts/write-transcripts.ts --database sqlite --seed 1 --count 5000 --out a.jsonl
//   node --conditions=@model-api/source scripts/write-transcripts.ts --checkout <dir> --seed 1 --count 5000 --out b.jsonl
//   node --conditions=@model-api/source scripts/write-transcripts.ts --compare a.jsonl b.jsonl

import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { compareTranscripts, linesOf } from '../test/support/transcripts/compare.ts'
import { recordChunk } from '../test/support/transcripts/record.ts'
import { loadTools } from '../test/support/transcripts/tools.ts'

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Compares the two files that are named. */
    compare: { type: 'boolean', default: false },
    /** How many examples of each difference are shown. */
    examples: { type: 'string', default: '2' },
    database: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '1000' },
    /** How many requests share a database. */
    chunk: { type: 'string', default: '100' },
    /** Records this chunk alone. */
    only: { type: 'string' },
    /** Adds the rows of all tables to each line. */
    full: { type: 'boolean', default: false },
    /** Gives each step of a write statements of its own. */
    stepwise: { type: 'boolean', default: false },
    /** The checkout whose core is recorded. */
    checkout: { type: 'string', default: resolve(import.meta.dirname, '..') },
    out: { type: 'string', default: 'transcript.jsonl' },
  },
})

if (given.compare) {
  const [a, b] = positionals
  if (a === undefined || b === undefined) throw new Error('--compare takes two files')
  console.log(await compareTranscripts(linesOf(a), linesOf(b), Number(given.examples)))
} else {
  const tools = await loadTools(resolve(given.checkout), given.database)
  const out = createWriteStream(given.out)
  const [seed, count, perChunk] = [Number(given.seed), Number(given.count), Number(given.chunk)]
  const chunks = Array.from({ length: Math.ceil(count / perChunk) }, (_, i) => i)
  const chosen = given.only === undefined ? chunks : [Number(given.only)]
  const started = performance.now()
  let written = 0
  for (const chunk of chosen) {
    const size = given.only === undefined ? Math.min(perChunk, count - written) : perChunk
    const { full, stepwise } = given
    for (const line of await recordChunk(tools, { seed, chunk, size, full, stepwise }))
      out.write(`${line}\n`)
    written += size
  }
  out.end()
  await finished(out)
  await tools.end()
  const seconds = (performance.now() - started) / 1000
  console.log(
    `${written} requests in ${seconds.toFixed(1)} s, ${Math.round(written / seconds)}/s: ${given.out}`,
  )
}
