/**
 * A SQLite file that is removed, replaced or restored while it is served: the service notices, and acknowledges no write that
 * the file does not contain.
 */
import { mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyModel, type Api, defineModel } from '@model-api/core'
import { openDatabase } from '@model-api/http-node'
import Sqlite from 'better-sqlite3'
import { watchedFile } from '../../packages/http-node/src/database/watched-file.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { type AnyKysely, eventually, loggingApi } from '../support/faults.ts'
import { suite } from '../support/suite.ts'

/** Runs in the middle of a transaction. */
let during: () => void = () => {}

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  label: { type: 'string', maxLength: 40 },
} as const
const Note: AnyModel = defineModel('Note', { columns, meta: {} })
/** The callback makes a write take a transaction. */
const Tale: AnyModel = defineModel('Tale', {
  table: 'notes',
  columns,
  meta: {
    add_callback: (record: object) => {
      during()
      return record
    },
  },
} as never)

for (const journal of ['wal', 'delete'] as const) define(journal)

function define(journal: 'wal' | 'delete'): void {
  suite(`a file that is moved, journal ${journal}`, (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'model-api-file-'))
    const opened: AnyKysely[] = []
    test.after(async () => {
      for (const db of opened) await db.destroy()
      rmSync(folder, { recursive: true, force: true })
    })
    test.before.each(() => {
      during = () => {}
    })

    const make = (name: string, ...labels: string[]): string => {
      const file = join(folder, name)
      const database = new Sqlite(file)
      database.pragma(`journal_mode = ${journal}`)
      database.exec('create table notes (id integer primary key, label varchar(40) not null)')
      for (const label of labels)
        database.prepare('insert into notes (label) values (?)').run(label)
      database.close()
      return file
    }
    const labelsIn = (file: string): unknown[] => {
      const database = new Sqlite(file)
      const labels = database.prepare('select label from notes order by id').pluck().all()
      database.close()
      return labels
    }
    const withLogs = (file: string) => ['', '-wal', '-shm'].map((end) => file + end)
    const remove = (file: string): void => {
      for (const one of withLogs(file)) rmSync(one, { force: true })
    }
    const move = (from: string, to: string): void => {
      for (const [i, one] of withLogs(from).entries()) {
        try {
          renameSync(one, withLogs(to)[i] ?? '')
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        }
      }
    }
    const serve = async (file: string): Promise<{ api: Api; warnings: string[] }> => {
      const warnings: string[] = []
      const onWarning = (message: string): void => void warnings.push(message)
      const { db } = await openDatabase(file, { onWarning })
      opened.push(db)
      const { api } = loggingApi(db, [Note, Tale], { config: { API_HEALTH_ROUTE: '/health' } })
      await api.ready
      equal(await write(api, 'kept'), 201)
      return { api, warnings }
    }
    const write = async (api: Api, label: string, path = '/api/notes'): Promise<number> =>
      (await api.handle({ method: 'POST', url: path, body: { label } })).status
    const get = async (api: Api, url: string) => {
      const { status, headers, body } = await api.handle({ method: 'GET', url })
      const { value } = body as { value: unknown }
      return { status, headers, value }
    }
    const labels = async (api: Api): Promise<unknown[]> =>
      ((await get(api, '/api/notes')).value as { label: unknown }[]).map(({ label }) => label)

    test('removed: writes are 503 at once, reads and the readiness check within a second', async () => {
      const file = make('removed.sqlite')
      const { api, warnings } = await serve(file)
      remove(file)
      equal(await write(api, 'lost'), 503)
      equal(await write(api, 'lost', '/api/tales'), 503)
      const read = await get(api, '/api/notes')
      equal([read.status, read.headers['retry-after']], [503, '1'])
      ok(await eventually(async () => (await get(api, '/health/ready')).status === 503))
      equal((await get(api, '/health')).status, 200)
      equal(warnings.length, 1)
      match(String(warnings[0]), 'is gone')
    })

    test('removed, with reads alone: noticed within a second', async () => {
      const file = make('only-read.sqlite')
      const { api } = await serve(file)
      remove(file)
      ok(await eventually(async () => (await get(api, '/api/notes')).status === 503, 3))
    })

    test('moved away and back: every acknowledged write is stored', async () => {
      const file = make('back.sqlite')
      const { api, warnings } = await serve(file)
      move(file, `${file}.away`)
      equal(await write(api, 'lost'), 503)
      move(`${file}.away`, file)
      equal(await write(api, 'found'), 201)
      equal(await labels(api), ['kept', 'found'])
      match(warnings.join(), 'is there again')
      equal(labelsIn(file), ['kept', 'found'])
    })

    test('replaced: the new file is opened, at once by a write', async () => {
      const file = make('replaced.sqlite')
      const { api, warnings } = await serve(file)
      const other = make('other.sqlite', 'from a backup')
      remove(file)
      renameSync(other, file)
      equal(await write(api, 'new'), 201)
      equal(await labels(api), ['from a backup', 'new'])
      equal(await write(api, 'newer', '/api/tales'), 201)
      equal(labelsIn(file), ['from a backup', 'new', 'newer'])
      equal(warnings.length, 1)
      match(String(warnings[0]), 'was replaced')
    })

    test('replaced, with reads alone: noticed within a second', async () => {
      const file = make('replaced-read.sqlite')
      const { api } = await serve(file)
      const other = make('other-read.sqlite', 'from a backup')
      remove(file)
      renameSync(other, file)
      ok(await eventually(async () => String(await labels(api)) === 'from a backup', 3))
    })

    test('moved away in a transaction: 503, and not stored in the file that comes back', async () => {
      const file = make('away-inside.sqlite')
      const { api } = await serve(file)
      during = () => move(file, `${file}.away`)
      equal(await write(api, 'lost', '/api/tales'), 503)
      during = () => {}
      move(`${file}.away`, file)
      equal(await write(api, 'found', '/api/tales'), 201)
      equal(await labels(api), ['kept', 'found'])
      equal(labelsIn(file), ['kept', 'found'])
    })

    for (const [what, path] of [
      ['removed', undefined],
      ['replaced', 'other-inside.sqlite'],
    ] as const) {
      test(`${what} in a transaction: 503, and stored nowhere`, async () => {
        const file = make(`${what}-inside.sqlite`)
        const { api } = await serve(file)
        const other = path && make(path, 'from a backup')
        during = () => {
          remove(file)
          if (other !== undefined) renameSync(other, file)
        }
        equal(await write(api, 'lost', '/api/tales'), 503)
        during = () => {}
        if (other === undefined) return
        equal(await write(api, 'new', '/api/tales'), 201)
        equal(labelsIn(file), ['from a backup', 'new'])
      })
    }

    if (journal === 'delete') return

    test('replaced beside the write-ahead log of the former file: 503 until the log is removed, and nothing is mixed', async () => {
      const file = make('log.sqlite')
      const { api, warnings } = await serve(file)
      const other = make('log-other.sqlite', 'from a backup')
      renameSync(other, file)
      equal(await write(api, 'lost'), 503)
      equal(await write(api, 'lost'), 503)
      equal(warnings.length, 1)
      match(String(warnings[0]), 'log.sqlite-wal')
      for (const end of ['-wal', '-shm']) rmSync(file + end)
      equal(await write(api, 'new'), 201)
      equal(labelsIn(file), ['from a backup', 'new'])
    })
  })
}

suite('a file that is removed while a statement runs', (test) => {
  test('does not store the write: the statement fails', () => {
    const folder = mkdtempSync(join(tmpdir(), 'model-api-file-'))
    const file = join(folder, 'vanishing.sqlite')
    const raw = new Sqlite(file)
    raw.pragma('journal_mode = wal')
    raw.exec('create table notes (label text)')
    raw.function('vanishing', () => {
      for (const end of ['', '-wal', '-shm']) rmSync(file + end)
      return 'gone'
    })
    const warnings: string[] = []
    const watched = watchedFile(file, {
      open: () => ({ served: raw, isInTransaction: () => raw.inTransaction }),
      onWarning: (message) => void warnings.push(message),
    })
    throws(
      () => watched.prepare('insert into notes values (vanishing())').run([]),
      /removed or replaced during a write/,
    )
    throws(() => watched.prepare('insert into notes values (1)'), /is gone/)
    throws(() => watched.prepare('begin immediate'), /is gone/)
    equal(warnings.length, 1)
    watched.close()
    rmSync(folder, { recursive: true, force: true })
  })
})

suite('a file that is overwritten in place', (test) => {
  test('counts as the same file: the errors of SQLite are 503', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'model-api-file-'))
    const file = join(folder, 'emptied.sqlite')
    const made = new Sqlite(file)
    made.exec('create table notes (id integer primary key, label text not null)')
    made.close()
    const { db, close } = await openDatabase(file)
    const { api } = loggingApi(db, [Note])
    await api.ready
    truncateSync(file, 100)
    equal((await api.handle({ method: 'GET', url: '/api/notes' })).status, 503)
    await close()
    rmSync(folder, { recursive: true, force: true })
  })
})
