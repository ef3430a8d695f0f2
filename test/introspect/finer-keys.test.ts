/** Keys with more digits of a second than responses show: no path can name their rows, so that tables are lists and get no relations. */
import { type AnyModel, belongsTo, createApi, defineModel, hasMany } from '@model-api/core'
import { type Introspection, introspect } from '@model-api/core/introspect'
import { get, testApi } from '../support/api.ts'
import { equal, match, rejects } from '../support/assert.ts'
import type { DatabaseName } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'

/** The type of a column, and two values that responses show alike if it is finer than these. */
interface Stored {
  readonly type: string
  readonly values: readonly [string, string]
}

const moments = ['2024-05-14 10:30:00.123456', '2024-05-14 10:30:00.123457'] as const
const milliseconds = ['2024-05-14 10:30:00.123', '2024-05-14 10:30:00.124'] as const
const times = ['10:30:00.1', '10:30:00.2'] as const
const seconds = ['10:30:00', '10:30:01'] as const

const finer: Readonly<Record<DatabaseName, readonly Stored[]>> = {
  sqlite: [
    { type: 'datetime', values: moments },
    { type: 'timestamp', values: ['2024-05-14T10:30:00.1234Z', '2024-05-14T10:30:00.1235Z'] },
    { type: 'time', values: times },
    { type: 'date', values: milliseconds },
  ],
  postgres: [
    { type: 'timestamptz', values: moments },
    { type: 'timestamp', values: moments },
    { type: 'timestamptz(4)', values: ['2024-05-14 10:30:00.1234', '2024-05-14 10:30:00.1235'] },
    { type: 'moment', values: moments },
    { type: 'time', values: times },
    { type: 'time(1)', values: times },
  ],
  mysql: [
    { type: 'datetime(6)', values: moments },
    { type: 'timestamp(6)', values: moments },
    { type: 'datetime(4)', values: ['2024-05-14 10:30:00.1234', '2024-05-14 10:30:00.1235'] },
    { type: 'time(1)', values: times },
    { type: 'time(6)', values: times },
  ],
}

const shown: Readonly<Record<DatabaseName, readonly Stored[]>> = {
  sqlite: [
    { type: 'datetime', values: ['2024-05-14 10:30:00.123000', '2024-05-14 10:30:00.124000'] },
    { type: 'datetime', values: milliseconds },
    { type: 'time', values: ['10:30:00.000', '10:30:01.000'] },
    { type: 'date', values: ['2024-05-14', '2024-05-15'] },
  ],
  postgres: [
    { type: 'timestamptz(3)', values: milliseconds },
    { type: 'timestamp(0)', values: ['2024-05-14 10:30:00', '2024-05-14 10:30:01'] },
    { type: 'time(0)', values: seconds },
  ],
  mysql: [
    { type: 'datetime(3)', values: milliseconds },
    { type: 'datetime', values: ['2024-05-14 10:30:00', '2024-05-14 10:30:01'] },
    { type: 'time', values: seconds },
  ],
}

const keyOf = (model: AnyModel | undefined): string[] =>
  Object.entries(model?.columns ?? {}).flatMap(([name, { primaryKey }]) =>
    primaryKey === true ? [name] : [],
  )

eachDatabase('keys with more digits of a second than responses show', (test, db) => {
  const all = [...finer[db.name], ...shown[db.name]]
  let found: Introspection
  const byRowId = db.name === 'sqlite' ? ['rowid'] : []
  const modelOf = (i: number, what: string): AnyModel | undefined =>
    found.models.find(({ table }) => table === `${what}_${i}`)
  test.before(async () => {
    if (db.name === 'postgres') await db.execScript('create domain moment as timestamptz')
    for (const [i, { type, values }] of all.entries()) {
      await db.execScript(`create table events_${i} (at ${type} not null primary key, n integer not null);
        create table notes_${i} (id integer not null primary key, at ${type}, foreign key (at) references events_${i} (at));
        create table codes_${i} (code varchar(8) not null unique, at ${type} not null primary key);
        insert into events_${i} values ('${values[0]}', 1), ('${values[1]}', 2);
        insert into codes_${i} values ('a', '${values[0]}');
        insert into notes_${i} values (1, '${values[0]}'), (2, '${values[1]}')`)
    }
    found = await introspect(db.kysely)
  })

  for (const [i, { type, values }] of all.entries()) {
    const responsesLoseDigits = i < finer[db.name].length
    const title = `${type} of ${values[0]}`
    test(`${title}: ${responsesLoseDigits ? 'no key, nor that of a relation' : 'a key'}`, async () => {
      equal(keyOf(modelOf(i, 'events')), responsesLoseDigits ? byRowId : ['at'])
      equal(keyOf(modelOf(i, 'codes')), [responsesLoseDigits ? 'code' : 'at'])
      equal(
        Object.keys(modelOf(i, 'notes')?.relations ?? {}),
        responsesLoseDigits ? [] : [`events${i}`],
      )
      equal(modelOf(i, 'events')?.readOnly, responsesLoseDigits ? true : undefined)
      const isOf = ({ table }: { readonly table: string }): boolean => table === `events_${i}`
      const reason = found.listOnly.find(isOf)?.reason ?? found.notes.find(isOf)?.note
      const wanted = `its key column at holds more digits than responses show`
      equal(reason?.split(':')[0], responsesLoseDigits ? wanted : undefined)
    })
  }

  test('a declared key is a difference, and so is a column of a relation', async () => {
    const column = { type: 'datetime' } as const
    const Event = defineModel('Event', {
      table: 'events_0',
      columns: { at: { ...column, primaryKey: true }, n: { type: 'integer' } },
      relations: { notes: hasMany('Note', 'at') },
      meta: {},
    })
    const Note = defineModel('Note', {
      table: 'notes_0',
      columns: { id: { type: 'integer', primaryKey: true }, at: { ...column, nullable: true } },
      relations: { event: belongsTo('Event', 'at') },
      meta: {},
    })
    const start = (API_SCHEMA_CHECK: 'off' | 'warn') =>
      createApi({
        db: db.kysely,
        models: [Event, Note],
        config: { API_SCHEMA_CHECK },
        onWarning: () => {},
      })
    await rejects(start('warn').ready, 'Note.at (notes_0): declared as a key or in a relation')
    const api = start('off')
    await api.ready
    const differences = await api.schemaDifferences()
    equal(
      differences.map(({ kind, model, column }) => [kind, model, column]),
      [
        ['finer key', 'Event', 'at'],
        ['finer key', 'Note', 'at'],
      ],
    )
    match(differences[0]?.remedy ?? '', /milliseconds/)
  })

  test('a list shows, orders and pages its rows', async () => {
    const model = modelOf(0, 'events')
    if (model === undefined) throw new Error('introspection has no model')
    const api = testApi(db, [{ ...model, meta: {} }])
    const path = `/api/${api.registry.resources[0]?.paths[0]}`
    const page = await get(api, `${path}?order_by=-at&paging=cursor&limit=1`)
    equal([page.status, page.value.map(({ n }: { n: number }) => n)], [200, [2]], page.text)
    equal(
      (await get(api, page.body.next_url)).value.map(({ n }: { n: number }) => n),
      [1],
    )
  })
})
