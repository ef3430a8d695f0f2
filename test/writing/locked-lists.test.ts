/** Which records a list locks: the stored ones that it names, and no others; and what other transactions cannot do meanwhile. */
import { type AccessPolicy, belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { read } from '../support/expect.ts'
import { eachDatabase, type Test } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    number: { type: 'integer', unique: true },
    title: { type: 'string', maxLength: 20 },
  },
  meta: { allow_bulk: true },
})

eachDatabase('locks of a list', (test, db) => {
  // In SQLite, a transaction locks the whole database.
  const locksRows = db.name !== 'sqlite'
  let inTransaction = async () => {}
  const policy: AccessPolicy = {
    can_update: async () => {
      await inTransaction()
      return true
    },
  }
  const api = testApi(db, [item], { API_ACCESS_POLICY: policy })

  test.before(async () => {
    await createTables(db, [item])
    const numbers = Array.from({ length: 40 }, (_, i) => 10 * (i + 1))
    await insertRows(
      db,
      item,
      numbers.map((number) => ({ number, title: 'first' })),
    )
  })

  const patient =
    db.name === 'postgres' ? "set lock_timeout = '2s'" : 'set innodb_lock_wait_timeout = 2'

  test('an upsert locks neither other records nor the gaps between them', async () => {
    if (!locksRows) return
    let calls = 0
    inTransaction = async () => {
      calls += 1
      if (calls > 1) return
      await db.execScript(
        `${patient}; update items set title = 'elsewhere' where number = 70; insert into items (id, number, title) values (1000, 25, 'elsewhere')`,
      )
    }
    // With this many keys, reading the whole index may be cheaper than looking up each key.
    const gaps = Array.from({ length: 100 }, (_, i) => 10 * (i + 3) + 5)
    const body = [20, 30, ...gaps].map((number) => ({ number, title: 'list' }))
    const { status } = await send(api, 'POST', '/api/items?on_conflict=number', { body })
    equal([status, calls], [201, 2])
    const items = await read(api, '/api/items?title__ne=first&number__le=70&order_by=number')
    equal(
      items.map(({ number, title }: { number: number; title: string }) => `${number} ${title}`),
      [
        '20 list',
        '25 elsewhere',
        '30 list',
        '35 list',
        '45 list',
        '55 list',
        '65 list',
        '70 elsewhere',
      ],
    )
  })

  test('a list locks its records in the order of their keys, so that two lists do not block each other', async () => {
    if (db.name !== 'mysql') return
    inTransaction = async () => {}
    const body = [13, 10, 9, 12].map((id) => ({ id, title: 'changed' }))
    const { result, statements } = await db.capture(() =>
      send(api, 'PATCH', '/api/items', { body }),
    )
    equal(result.status, 200)
    const locking = statements.find(({ sql }) => sql.endsWith(' for update'))
    equal(locking?.parameters, ['[9,10,12,13]'])
  })
})

eachDatabase('concurrent upserts', (test, db) => {
  let whileWriting = async () => {}
  const api = testApi(db, [item], {
    API_ADD_CALLBACK: async (object) => {
      await whileWriting()
      return object
    },
  })
  const upsert = (numbers: readonly number[]) => {
    const body = numbers.map((number) => ({ number, title: 'list' }))
    return send(api, 'POST', '/api/items?on_conflict=number', { body })
  }

  test.before(() => createTables(db, [item]))

  test('look all records up again if another transaction has created one of them', async () => {
    if (db.name === 'sqlite') return
    let calls = 0
    whileWriting = async () => {
      calls += 1
      if (calls === 1)
        await db.execScript("insert into items (number, title) values (12, 'elsewhere')")
    }
    const { result, statements } = await db.capture(() => upsert([13, 12, 11]))
    equal(result.status, 201)
    const locking = statements.filter(({ sql }) => / for (no key )?update$/.test(sql))
    // One look-up for each attempt: locked one by one, in the order of the list, they could block another list.
    equal([locking.length, new Set(locking.map(({ sql }) => sql)).size, calls], [2, 1, 5])
    const items = await read(api, '/api/items?number__ge=11&order_by=number')
    equal(
      items.map(({ number, title }: { number: number; title: string }) => `${number} ${title}`),
      ['11 list', '12 list', '13 list'],
    )
  })

  test('lock all records before the first change, even if a list names one of them twice', async () => {
    if (db.name === 'sqlite') return
    await upsert([11, 12])
    const { statements } = await db.capture(() => upsert([12, 12, 11]))
    const locking = statements.find(({ sql }) => / for (no key )?update$/.test(sql))
    const text = JSON.stringify(locking?.parameters)
    ok(text.includes('11') && text.includes('12'), text)
  })

  test('in opposite orders do not block each other, even if a list names a record twice', async () => {
    whileWriting = async () => {}
    for (const numbers of [
      [21, 22, 23, 24],
      [31, 32, 33, 31],
    ]) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          upsert(i % 2 === 0 ? numbers : [...numbers].reverse()),
        ),
      )
      for (const { status } of answers) ok(status < 300, `${status}`)
      equal((await read(api, `/api/items?number__in=(${numbers})`)).length, new Set(numbers).size)
    }
  })
})

const board = defineModel('Board', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    code: { type: 'string', maxLength: 20, unique: true },
    title: { type: 'string', maxLength: 20 },
    deleted: { type: 'boolean' },
  },
  relations: {
    cards: hasMany('Card', 'board_id'),
    labels: manyToMany('Label', { through: 'board_labels', from: 'board_id', to: 'label_id' }),
  },
  meta: {
    allow_bulk: true,
    allow_nested_writes: true,
    allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  },
})
const card = defineModel('Card', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    board_id: { type: 'integer' },
  },
  relations: { board: belongsTo('Board', 'board_id') },
  meta: {},
})
const label = defineModel('Label', {
  columns: { id: { type: 'integer', primaryKey: true, generated: true } },
  meta: {},
})

function lockTests(test: Test, db: TestDatabase): void {
  let inTransaction = async () => {}
  const policy: AccessPolicy = {
    can_update: async () => {
      await inTransaction()
      return true
    },
  }
  const models = [board, card, label]
  const softDelete = { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'deleted' }
  const api = testApi(db, models, { API_ACCESS_POLICY: policy, ...softDelete })
  const calledBack = testApi(db, models, {
    API_ACCESS_POLICY: policy,
    API_UPDATE_CALLBACK: (object) => object,
  })

  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, board, [
      { code: 'a', title: 'first', deleted: false },
      { code: 'b', title: 'first', deleted: false },
    ])
    await insertRows(db, label, [{ id: 1 }])
  })

  /** Sends a change of board 1; returns its status, and whether a card of this board could be inserted while it was locked. */
  async function cardInserted(method: string, url: string, body: object, by = api) {
    let inserted: boolean | undefined
    inTransaction = async () => {
      inserted ??= await db
        .execScript(
          "begin; set local lock_timeout = '300ms'; insert into cards (board_id) values (1); commit",
        )
        .then(() => true)
        .catch(() => db.execScript('rollback').then(() => false))
    }
    const { status } = await send(by, method, url, { body })
    return [status, inserted]
  }

  test('rows that refer to a locked record can be inserted unless its keys or links change', async () => {
    const free = [
      ['PATCH', '/api/boards/1', { title: 'one' }],
      ['PATCH', '/api/boards', [{ id: 1, title: 'two' }]],
      ['PATCH', '/api/boards?id__eq=1', { title: 'three' }],
      ['POST', '/api/boards?on_conflict=code', [{ code: 'a', title: 'four' }]],
    ] as const
    for (const [method, url, body] of free) {
      const [status, inserted] = await cardInserted(method, url, body)
      equal([url, Number(status) < 300, inserted], [url, true, true])
    }
    const kept = [
      ['PATCH', '/api/boards/1', { code: 'c' }],
      ['PATCH', '/api/boards/1', { labels: [{ id: 1 }] }],
      ['PUT', '/api/boards/1', { code: 'a', title: 'five' }],
    ] as const
    for (const [method, url, body] of kept) {
      equal([url, ...(await cardInserted(method, url, body))], [url, 200, false])
    }
    equal(await cardInserted('PATCH', '/api/boards/1', { title: 'six' }, calledBack), [200, false])
  })

  test('a second change of a locked record waits for the first', async () => {
    let second: Promise<{ readonly status: number }> | undefined
    let first: unknown
    inTransaction = async () => {
      if (second !== undefined) return
      second = send(api, 'PATCH', '/api/boards/2', { body: { title: 'second' } })
      const waits = new Promise((resolve) => setTimeout(resolve, 200, 'waits'))
      first = await Promise.race([second, waits])
    }
    equal((await send(api, 'PATCH', '/api/boards/2', { body: { title: 'first' } })).status, 200)
    equal([first, (await second)?.status], ['waits', 200])
    equal((await read(api, '/api/boards/2?fields=title')).title, 'second')
  })
}

eachDatabase('what a change locks', lockTests, { only: 'postgres' })
