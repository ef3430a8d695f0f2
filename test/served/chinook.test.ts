/** Chinook on every database, served as it is; all of its rows, and every fiftieth of its records one by one. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chinookFolder, eachChinook } from '../support/chinook.ts'
import { closeAtEnd } from '../support/registry.ts'
import { runsOn } from '../support/suite.ts'
import { proof } from './proof.ts'

runsOn('one server of each engine')

const junction = 'pairs of two others: a many-to-many relation of both shows and writes its rows'

eachChinook('Chinook as it is', (test, db) => {
  const table = db.name === 'postgres' ? 'playlist_track' : 'PlaylistTrack'
  const variant = { script: '', leftOut: { [table]: junction } }
  const extent = { pageSize: 100, everyRecord: 50 }
  proof(test, db, variant, async () => db.url ?? copyOfFile(), extent)
})

function copyOfFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chinook-'))
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }))
  const copy = join(folder, 'chinook.sqlite')
  copyFileSync(join(chinookFolder() ?? '', 'chinook.sqlite'), copy)
  return copy
}
