/** A process is killed (kill -9) during a batch, before each of its statements in turn: all operations are stored, or none. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { equal, ok } from '../support/assert.ts'
import { eachServer } from '../support/faults.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { runsOn, suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'
import type { KilledBatch } from './batch-killed-process.ts'
import { Note, type Place, storedBy } from './batch-statements.ts'

runsOn('one server of each engine')

const path = fileURLToPath(new URL('./batch-killed-process.ts', import.meta.url))

interface Ended {
  readonly signal: NodeJS.Signals | null
  /** The output of a process that was not killed: the status of the batch, and the number of statements. */
  readonly said?: { readonly status: number; readonly count: number }
}

async function run(batch: KilledBatch): Promise<Ended> {
  const child = fork(path, [JSON.stringify(batch)], {
    execArgv: [...sourceArguments],
    stdio: 'inherit',
  })
  let said: Ended['said']
  child.on('message', (message) => {
    said = message as NonNullable<Ended['said']>
  })
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return said === undefined ? { signal } : { signal, said }
}

type Labels = (like: string) => Promise<readonly string[]>

/** Sends a batch without a kill to count its statements, then one batch for each of them. */
async function allOrNothing(where: Place, labelsOf: Labels): Promise<void> {
  const whole = await run({ ...where, killedBefore: 0, label: 'whole' })
  equal([whole.signal, whole.said?.status], [null, 200])
  equal(await labelsOf('whole'), storedBy('whole'))
  const statements = whole.said?.count ?? 0
  ok(statements > 6, `${statements} statements`)
  for (let at = 1; at <= statements; at++) {
    const label = `killed ${String.fromCharCode(96 + at)}`
    equal(await run({ ...where, killedBefore: at, label }), { signal: 'SIGKILL' }, label)
    // Before COMMIT, which is the last statement, nothing is stored.
    equal(await labelsOf(label), [], `before statement ${at} of ${statements}`)
  }
  const after = await run({ ...where, killedBefore: 0, label: 'after' })
  equal([after.said?.status, await labelsOf('after')], [200, storedBy('after')])
}

eachServer('a process that is killed in a batch', (server) => {
  suite(`a process that is killed in a batch (${server.label})`, (test) => {
    test.after(() => server.close())

    test('stores nothing of the batch, whichever statement was next', async () => {
      await createTables(server, [Note])
      const labels: Labels = async (like) =>
        (
          await server.kysely
            .selectFrom('notes')
            .select('label')
            .where('label', 'like', `${like} %`)
            .orderBy('label')
            .execute()
        ).map(({ label }) => label)
      await allOrNothing({ kind: server.name, url: server.url }, labels)
    })
  })
})

for (const journal of ['wal', 'delete']) {
  suite(`a process that is killed in a batch (a SQLite file, journal ${journal})`, (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'model-api-killed-'))
    test.after(() => rmSync(folder, { recursive: true, force: true }))

    test('stores nothing of the batch, whichever statement was next', async () => {
      const file = join(folder, 'notes.db')
      const opened = new Sqlite(file)
      opened.pragma(`journal_mode = ${journal}`)
      opened.exec('create table notes (id integer primary key, label varchar(40) not null unique)')
      opened.close()
      const labels: Labels = async (like) => {
        const database = new Sqlite(file)
        const found = database
          .prepare('select label from notes where label like ? order by label')
          .pluck()
          .all(`${like} %`) as string[]
        equal(database.pragma('integrity_check', { simple: true }), 'ok')
        database.close()
        return found
      }
      await allOrNothing({ kind: 'sqlite', url: file }, labels)
    })
  })
}
