/** Decimal keys: `3.50` in JSON is the value `3.5`, and writes returned null for their record. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const Size = defineModel('Size', {
  table: 'sizes',
  columns: {
    width: { type: 'decimal', precision: 6, scale: 2, primaryKey: true },
    label: { type: 'string', maxLength: 20, nullable: true },
  },
  relations: { boards: hasMany('Board', 'width') },
  meta: {},
})

/** The foreign key has another scale than the key it refers to. */
const Board = defineModel('Board', {
  table: 'boards',
  columns: {
    id: { type: 'integer', primaryKey: true },
    width: { type: 'decimal', precision: 8, scale: 4 },
  },
  relations: { size: belongsTo('Size', 'width') },
  meta: {},
})

eachDatabase('decimal keys', (test, db) => {
  const api = testApi(db, [Size, Board], { API_ALLOW_BULK: true, API_SERIALIZATION_TYPE: 'json' })
  test.before(() =>
    db.execScript(`
      create table sizes (width decimal(6,2) primary key, label varchar(20));
      create table boards (id int primary key, width decimal(8,4) not null);
      insert into sizes values (3.5, 'small'), (10, 'round');
      insert into boards values (1, 3.5), (2, 10);`),
  )

  test('a changed record is returned', async () => {
    const body = { width: '3.50', label: 'less' }
    const changed = await send(api, 'PATCH', '/api/sizes/3.50', { body })
    equal([changed.status, changed.value.width, changed.value.label], [200, '3.50', 'less'])
    const many = await send(api, 'PATCH', '/api/sizes?width__eq=10', { body: { label: 'ten' } })
    equal([many.status, many.value[0].label], [200, 'ten'])
  })

  test('a new record is returned', async () => {
    const { status, value } = await send(api, 'POST', '/api/sizes', { body: { width: '7.00' } })
    equal([status, value.width], [201, '7.00'])
  })

  test('records of both sides are embedded', async () => {
    equal(
      (await read(api, '/api/boards')).map((one: { size: unknown }) => one.size !== null),
      [true, true],
    )
    const [small, , round] = await read(api, '/api/sizes?order_by=width')
    equal([small.boards[0].width, round.boards[0].width], ['3.5000', '10.0000'])
  })
})
