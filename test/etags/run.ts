/**
 * A long search for stale 304 responses: `pnpm run soak:etags --operations 1000000 [--database URL] [--seed N]`; without a
 * database, on a new SQLite file. The database must be empty.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareDatabase } from './prepare.ts'
import { soak } from './soak.ts'

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    database: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'stale-etags-'))
try {
  const url = values.database ?? join(folder, 'data.sqlite')
  await prepareDatabase(url)
  const began = performance.now()
  const tally = await soak({
    url,
    operations: Number(values.operations),
    seed: Number(values.seed),
  })
  const seconds = (performance.now() - began) / 1000
  const { stale, ...counts } = tally
  console.log({ ...counts, seconds: Math.round(seconds), stale: stale.length })
  for (const one of stale) console.log(one)
  process.exitCode = stale.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
