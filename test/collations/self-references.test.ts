/** Records of one table that refer to each other by keys which only the collation finds equal. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createCollations, type Kind, otherSpelling, textType } from './collated.ts'

const text = { type: 'string', maxLength: 20, collation: 'database' } as const

const Part = defineModel('Part', {
  columns: {
    code: { ...text, primaryKey: true },
    part_of: { ...text, nullable: true },
    label: { ...text, nullable: true, unique: true },
  },
  relations: { whole: belongsTo('Part', 'part_of'), parts: hasMany('Part', 'part_of') },
  meta: {},
})

for (const kind of ['case', 'blanks'] satisfies Kind[]) {
  eachDatabase(`self-references under a collation that ignores ${kind}`, (test, db) => {
    const type = textType(db, kind)
    const other = (code: string) => otherSpelling(kind, code)
    test.before(async () => {
      await createCollations(db)
      await db.execScript(
        `create table parts (code ${type} not null primary key, part_of ${type}, label ${type} unique, foreign key (part_of) references parts (code))`,
      )
    })
    const api = testApi(db, [Part], { API_ALLOW_BULK: true, API_ALLOW_CASCADE_DELETE: true })
    const list = [
      { code: 'A', part_of: null, label: 'a1' },
      { code: 'B', part_of: other('A'), label: 'b1' },
      { code: 'C', part_of: other('B'), label: 'c1' },
    ]

    test('are stored by a list in its order', async () => {
      const { status, text } = await send(api, 'POST', '/api/parts', { body: list })
      equal(status, 201, text)
    })

    test('take over unique values in the order of a list', async () => {
      const body = [
        { code: 'A', label: 'x' },
        { code: 'B', label: other('A1') },
      ]
      const { status, text } = await send(api, 'PATCH', '/api/parts', { body })
      equal(status, 200, text)
    })

    test('prevent a deletion, and are deleted with their records', async () => {
      equal((await send(api, 'DELETE', '/api/parts/B')).status, 409)
      const { status, text } = await send(api, 'DELETE', '/api/parts?code__in=(A,B,C)')
      equal(status, 200, text)
    })

    test('are followed by a cascade', async () => {
      equal((await send(api, 'POST', '/api/parts', { body: list })).status, 201)
      const { status, text } = await send(api, 'DELETE', '/api/parts/A?cascade_delete=1')
      equal(status, 200, text)
      // SQLite itself compares the row that it inserts with itself by bytes.
      const own = { code: 'Z', part_of: db.name === 'sqlite' ? 'Z' : other('Z') }
      const made = await send(api, 'POST', '/api/parts', { body: own })
      equal(made.status, 201, made.text)
      equal((await send(api, 'DELETE', '/api/parts/Z')).status, 200)
    })
  })
}
