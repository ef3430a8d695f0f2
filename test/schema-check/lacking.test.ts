/** Functions and collations that a SQLite file needs, and that this driver has not registered, are reported at the start. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApi, defineModel } from '@model-api/core'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { send } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const text = { type: 'string', nullable: true } as const

const Word = defineModel('Word', { columns: { id, word: text, note: text }, meta: {} })
const Log = defineModel('Log', {
  columns: { id, note: text, length: { type: 'integer', nullable: true, readOnly: true } },
  meta: { block_methods: ['PUT'] },
})
const Card = defineModel('Card', { columns: { id, front: text, back: text }, meta: {} })
const Loud = defineModel('Loud', { table: 'loud', columns: { id, note: text }, meta: {} })

const schema = `
  create table words (id integer primary key, word text, note text, check (word is null or lower(word) <> ''));
  create table logs (id integer primary key, note text, length integer generated always as (length(note)) stored);
  create trigger told after update of note on logs begin insert into logs (note) values (tell(new.note)); end;
  create trigger kept before delete on logs when old.id > 100 begin select keep(old.id); end;
  create table cards (id integer primary key, front text collate nocase, back text);
  create view loud as select id, note from logs;
  create trigger loudly instead of insert on loud begin insert into logs (note) values (shout(new.note)); end;`

/** A file of another program, whose functions and collation this driver does not know. */
function open(): Database.Database {
  const file = new Database(':memory:')
  file.exec(schema)
  file.unsafeMode(true)
  file.pragma('writable_schema = 1')
  file.exec(`
    update sqlite_master set sql = replace(replace(sql, 'nocase', 'unicase'), 'lower(', 'fold(')`)
  file.pragma('writable_schema = reset')
  file.unsafeMode(false)
  return file
}

const start = async (file: Database.Database) => {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: file }) })
  const warnings: string[] = []
  const api = createApi({
    db,
    models: [Word, Log, Card, Loud],
    onWarning: (message) => warnings.push(message),
    onError() {},
  })
  await api.ready
  const found = (await api.schemaDifferences()).map(({ kind, message }) => [kind, message])
  return { db, api, found, warnings }
}

suite('schema check: what a SQLite file needs', (test) => {
  const writes = (
    model: string,
    method: string,
    missing: string,
    said = `no such function: ${missing}`,
  ): readonly string[] => [
    'lacking',
    `${model}: the model allows ${method}, but this connection cannot write to the table (${said}), which a trigger, an index or a CHECK needs. Register it on each connection of the driver, or remove what needs it.`,
  ]

  test('functions of triggers and CHECKs, and collations, are reported once', async () => {
    const { db, api, found, warnings } = await start(open())
    equal(found, [
      writes('Word (words)', 'POST', 'fold', 'unknown function: fold()'),
      writes('Log (logs)', 'PATCH', 'tell'),
      writes('Log (logs)', 'DELETE', 'keep'),
      [
        'lacking',
        'Card.front (cards): declared for filters and orders, but this connection cannot compare the column (no such collation sequence: unicase). Register it on each connection of the driver, or remove what needs it.',
      ],
      writes('Loud (loud)', 'POST', 'shout'),
    ])
    equal(warnings.filter((message) => message.includes('differ in 5 places')).length, 1)
    equal((await send(api, 'GET', '/api/cards')).status, 200)
    await db.destroy()
  })

  test('those that the driver has are not', async () => {
    const file = open()
    for (const name of ['fold', 'tell', 'keep', 'shout']) file.function(name, (value) => value)
    const { db, api, found } = await start(file)
    equal(
      found.map(([, message]) => message?.split(':')[0]),
      ['Card.front (cards)'],
    )
    equal((await send(api, 'POST', '/api/words', { body: { word: 'a' } })).status, 201)
    await db.destroy()
  })

  test('asking changes nothing, and neither a locked nor a read-only file stops the start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacking-'))
    const path = join(folder, 'words.sqlite')
    const file = new Database(path)
    file.exec(`create table words (id integer primary key, word text, note text);
      create trigger counted after update on words begin update words set note = 'changed'; end;
      insert into words (word) values ('a'), ('b')`)
    const version = () => file.pragma('data_version', { simple: true })
    const before = version()
    const models = [Word]
    const startOn = async (database: Database.Database): Promise<void> => {
      const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) })
      const api = createApi({ db, models, onWarning() {}, onError() {} })
      await api.ready
      equal(await api.schemaDifferences(), [])
      equal((await send(api, 'GET', '/api/words?fields=word,note')).value, [
        { word: 'a', note: null },
        { word: 'b', note: null },
      ])
      await db.destroy()
    }
    await startOn(new Database(path))
    await startOn(new Database(path, { readonly: true }))
    equal(version(), before)
    file.exec('begin immediate')
    await startOn(new Database(path))
    file.close()
    rmSync(folder, { recursive: true })
  })

  test('a table that can need nothing of the program costs one statement', async () => {
    const asked = async (more: string): Promise<readonly string[]> => {
      const file = new Database(':memory:')
      file.exec('create table cards (id integer primary key, front text collate nocase, back text)')
      file.exec(more)
      const statements: string[] = []
      const db = new Kysely<unknown>({
        dialect: new SqliteDialect({ database: file }),
        log: ({ query }) => void statements.push(query.sql),
      })
      await createApi({ db, models: [Card], onWarning() {} }).ready
      await db.destroy()
      // With drivers that do not reset a statement after its last row (libSQL, bun:sqlite), EXPLAIN of a write would leave all later writes
      // of the connection uncommitted.
      equal(
        statements.filter((text) => /^\s*explain/i.test(text)),
        [],
      )
      return statements.flatMap((text) => /^(\w+).* where 0\b/.exec(text)?.[1] ?? [])
    }
    equal(await asked(''), ['insert'])
    equal(await asked('create index folded on cards (back collate rtrim)'), ['insert'])
    equal(await asked('create view other as select 1 as one'), ['insert'])
    equal(await asked('create trigger kept after delete on cards begin select 1; end'), [
      'insert',
      'update',
      'delete',
    ])
    equal(await asked('alter table cards add length integer as (length(back))'), [
      'select',
      'insert',
    ])
    const log = 'create table logs (card_id integer references cards (id) on  delete set null)'
    equal(await asked(log), ['insert', 'delete'])
  })
})
