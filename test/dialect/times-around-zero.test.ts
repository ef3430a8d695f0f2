/** A long list with `00:00:00` before `-00:00:00` lost the times between them. */
import { defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Lap = defineModel('Lap', {
  columns: { id: { type: 'integer', primaryKey: true }, took: { type: 'time' } },
  meta: {},
})

eachDatabase(
  'times around zero',
  (test, db) => {
    test.before(() =>
      db.execScript(`create table laps (id int primary key, took time(6) not null);
        insert into laps values (1, '00:00:00.5'), (2, '-00:00:00.5'), (3, '00:00:00'), (4, '00:01:00')`),
    )
    const api = testApi(db, [Lap])

    test('are found by lists in any order', async () => {
      const others = Array.from({ length: 20 }, (_, i) => `01:00:${10 + i}`)
      for (const zeros of [
        ['00:00:00', '-00:00:00'],
        ['-00:00:00', '00:00:00'],
      ]) {
        const list = [...zeros, ...others].join(',')
        const { value } = await get(api, `/api/laps?took__in=(${list})&fields=id`)
        equal(
          value.map(({ id }: { id: number }) => id),
          [1, 2, 3],
          list,
        )
      }
    })
  },
  { only: 'mysql' },
)
