/** Chinook, served unchanged on every database: all of its rows, and some of its records individually. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chinookFolder, eachChinook } from '../support/chinook.ts'
import { extent } from '../support/extent.ts'
import { closeAtEnd } from '../support/registry.ts'
import { notRun, runsOn } from '../support/suite.ts'
import { proof } from './proof.ts'

runsOn('one server of each engine')

/** Every nth record is also requested individually. */
const everyRecord = extent === 'whole' ? 50 : 200
if (extent === 'usual')
  notRun('records of Chinook one by one', 'one of 200; a whole run has one of 50')

const junction = 'pairs of two others: a many-to-many relation of both shows and writes its rows'

eachChinook('Chinook as it is', (test, db) => {
  const table = db.name === 'postgres' ? 'playlist_track' : 'PlaylistTrack'
  const variant = { script: '', leftOut: { [table]: junction } }
  proof(test, db, variant, async () => db.url ?? copyOfFile(), { pageSize: 100, everyRecord })
})

function copyOfFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chinook-'))
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }))
  const copy = join(folder, 'chinook.sqlite')
  copyFileSync(join(chinookFolder() ?? '', 'chinook.sqlite'), copy)
  return copy
}
