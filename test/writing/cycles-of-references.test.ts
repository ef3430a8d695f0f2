/** Records that refer to each other in a cycle are removed together if one of the references may be NULL. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const key = { type: 'integer', nullable: true } as const

const hooks: Readonly<Record<string, object>> = {
  'without hooks': {},
  'with a hook that sends a statement': {
    remove_callback: async (
      record: object,
      _: unknown,
      {
        db,
      }: {
        db: { selectFrom: (table: 'steps') => { selectAll: () => { execute: () => unknown } } }
      },
    ) => {
      await db.selectFrom('steps').selectAll().execute()
      return record
    },
  },
}

for (const [how, meta] of Object.entries(hooks)) {
  eachDatabase(`references in cycles, ${how}`, (test, db) => {
    const modelsWith = (isCycle: boolean): AnyModel[] =>
      [
        defineModel('Step', {
          columns: { id, previous_id: key },
          relations: { previous: belongsTo('Step', 'previous_id') },
          meta,
        } as never),
        defineModel('Writer', {
          columns: { id, best_id: key },
          relations: isCycle ? { best: belongsTo('Work', 'best_id') } : {},
          meta,
        } as never),
        defineModel('Work', {
          columns: { id, writer_id: { type: 'integer' } },
          relations: { writer: belongsTo('Writer', 'writer_id') },
          meta,
        } as never),
        // A city names its country, the country a river, if any, and the river its city.
        defineModel('Country', {
          columns: { id, river_id: key },
          relations: isCycle ? { river: belongsTo('River', 'river_id') } : {},
          meta,
        } as never),
        defineModel('City', {
          columns: { id, country_id: { type: 'integer' } },
          relations: { country: belongsTo('Country', 'country_id') },
          meta,
        } as never),
        defineModel('River', {
          columns: { id, city_id: { type: 'integer' } },
          relations: { city: belongsTo('City', 'city_id') },
          meta,
        } as never),
      ] as AnyModel[]
    const models = modelsWith(true)
    const [Step, Writer, Work, Country, City, River] = models as [
      AnyModel,
      AnyModel,
      AnyModel,
      AnyModel,
      AnyModel,
      AnyModel,
    ]
    const api = testApi(db, models, { API_ALLOW_BULK: true, API_ALLOW_CASCADE_DELETE: true })
    test.before(async () => {
      if (db.name === 'sqlite') return createTables(db, models)
      await createTables(db, modelsWith(false))
      await db.execScript(`alter table writers add foreign key (best_id) references works (id);
        alter table countries add foreign key (river_id) references rivers (id)`)
    })
    test.before.each(async () => {
      await db.kysely.updateTable('steps').set({ previous_id: null }).execute()
      await db.kysely.updateTable('writers').set({ best_id: null }).execute()
      await db.kysely.updateTable('countries').set({ river_id: null }).execute()
      for (const table of ['rivers', 'cities', 'countries', 'works', 'writers', 'steps']) {
        await db.kysely.deleteFrom(table).execute()
      }
      const numbers = [1, 2, 3]
      await insertRows(
        db,
        Step,
        numbers.map((one) => ({ id: one, previous_id: null })),
      )
      for (const one of numbers) {
        const previous_id = one === 1 ? 3 : one - 1
        await db.kysely.updateTable('steps').set({ previous_id }).where('id', '=', one).execute()
      }
      await insertRows(db, Step, [
        { id: 4, previous_id: 2 },
        { id: 5, previous_id: null },
      ])
      await insertRows(
        db,
        Writer,
        numbers.map((one) => ({ id: one, best_id: null })),
      )
      await insertRows(
        db,
        Work,
        numbers.map((one) => ({ id: one, writer_id: one })),
      )
      await insertRows(db, Work, [{ id: 4, writer_id: 1 }])
      for (const one of [1, 2]) {
        await db.kysely.updateTable('writers').set({ best_id: one }).where('id', '=', one).execute()
      }
    })
    const ids = async (table: string): Promise<number[]> =>
      (await db.kysely.selectFrom(table).select('id').orderBy('id').execute()).map((row) =>
        Number(row.id),
      )

    for (const first of [1, 2, 3]) {
      test(`of one model, from record ${first}`, async () => {
        const { status, text } = await send(api, 'DELETE', `/api/steps/${first}?cascade_delete=1`)
        equal([status, await ids('steps')], [200, [5]], text)
      })
    }

    test('of one model, by a filter', async () => {
      const { status, text } = await send(api, 'DELETE', '/api/steps?id__ge=2&cascade_delete=1')
      equal([status, await ids('steps')], [200, []], text)
    })

    for (const first of ['countries', 'cities', 'rivers']) {
      test(`of three models, from ${first}`, async () => {
        for (const one of [1, 2]) {
          await insertRows(db, Country, [{ id: one, river_id: null }])
          await insertRows(db, City, [{ id: one, country_id: one }])
          await insertRows(db, River, [{ id: one, city_id: one }])
          await db.kysely
            .updateTable('countries')
            .set({ river_id: one })
            .where('id', '=', one)
            .execute()
        }
        const { status, text } = await send(api, 'DELETE', `/api/${first}/1?cascade_delete=1`)
        const left = [await ids('countries'), await ids('cities'), await ids('rivers')]
        equal([status, left], [200, [[2], [2], [2]]], text)
      })
    }

    test('of two models, from the one whose reference may be NULL', async () => {
      const { status, text } = await send(api, 'DELETE', '/api/writers/1?cascade_delete=1')
      equal([status, await ids('writers'), await ids('works')], [200, [2, 3], [2, 3]], text)
    })

    test('of two models, from the one that holds a reference that may not be NULL', async () => {
      const { status, text } = await send(api, 'DELETE', '/api/works/1?cascade_delete=1')
      equal([status, await ids('writers'), await ids('works')], [200, [2, 3], [2, 3]], text)
    })

    test('of two models, by a filter of the other one', async () => {
      const { status, text } = await send(
        api,
        'DELETE',
        '/api/works?id__in=(1,2,3)&cascade_delete=1',
      )
      equal([status, await ids('writers'), await ids('works')], [200, [3], []], text)
    })

    test('of two models, by a filter', async () => {
      const { status, text } = await send(api, 'DELETE', '/api/writers?id__le=2&cascade_delete=1')
      equal([status, await ids('writers'), await ids('works')], [200, [3], [3]], text)
    })

    test('no record is removed if none of the references may be NULL', async () => {
      const strict = models.map((one) =>
        one.name === 'Writer' ? { ...one, columns: { id, best_id: { type: 'integer' } } } : one,
      ) as AnyModel[]
      const config = { API_ALLOW_CASCADE_DELETE: true }
      const all = [await ids('writers'), await ids('works')]
      for (const path of ['writers', 'works']) {
        const { status } = await send(
          testApi(db, strict, config),
          'DELETE',
          `/api/${path}/1?cascade_delete=1`,
        )
        equal([status, await ids('writers'), await ids('works')], [409, ...all])
      }
    })

    test('without cascade_delete nothing is removed', async () => {
      const { status } = await send(api, 'DELETE', '/api/steps/1')
      equal([status, await ids('steps')], [409, [1, 2, 3, 4, 5]])
    })
  })
}
