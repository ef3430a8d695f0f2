/** No 304 for an outdated copy: two processes on one database, with concurrent writes and conditional reads. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { propertySeed } from '../support/property.ts'
import { eachDatabase, runsAtOnce, runsOn, type Test } from '../support/suite.ts'
import { prepareDatabase } from './prepare.ts'
import { soak } from './soak.ts'

runsOn('one server of each kind')
runsAtOnce(2)

const define = (test: Test, db: TestDatabase): void => {
  test('none is confirmed, whoever writes concurrently and whatever the reader may see', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stale-etags-'))
    try {
      // The first statement creates the database.
      await db.execScript('select 1')
      const url = db.url ?? join(folder, 'data.sqlite')
      await prepareDatabase(url)
      const tally = await soak({ url, operations: 400, seed: propertySeed })
      equal(tally.stale, [])
      ok(tally.writes > 20 && tally.notModified > 10, JSON.stringify(tally))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

for (const only of ['sqlite', 'postgres'] as const) {
  eachDatabase('stale copies', define, { only })
}
