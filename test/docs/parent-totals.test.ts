/** Sends concurrent requests to the invoices of docs/recipes/totals-of-a-parent.md, whose totals are stored: none may be lost. */
import { readFileSync } from 'node:fs'
import type { AnyModel, Api, BeforeCommitCallback } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const page = readFileSync(
  new URL('../../docs/recipes/totals-of-a-parent.md', import.meta.url),
  'utf8',
)
const [code = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block)

const writers = Array.from({ length: 20 }, (_, i) => i + 1)

eachDatabase('totals of invoices', (test, db) => {
  let api: Api
  test.before(async () => {
    const page = await compiled(
      `import { type BeforeCommitCallback, belongsTo, defineModel, hasMany } from '@model-api/core'
${code}
export { Invoice, Line, storeTotals }\n`,
    )
    const models = [page.Invoice, page.Line] as readonly AnyModel[]
    await createTables(db, models)
    if (db.name !== 'sqlite') {
      const table = db.name === 'mysql' ? '`lines`' : 'lines'
      await db.execScript(
        `alter table ${table} add foreign key (invoice_id) references invoices (id)`,
      )
    }
    await insertRows(db, models[0] as AnyModel, [
      { id: 1, total: 0 },
      { id: 2, total: 0 },
    ])
    api = testApi(db, models, {
      API_ALLOW_BULK: true,
      API_BEFORE_COMMIT_CALLBACK: page.storeTotals as BeforeCommitCallback,
    })
  })
  const totals = async (): Promise<readonly unknown[]> => {
    const stored = (await get(api, '/api/invoices?fields=total&order_by=id')).value
    const lines = (await get(api, '/api/lines?limit=100')).value
    const added = [1, 2].map((id) => ({
      total: lines
        .filter(({ invoice_id }: { invoice_id: number }) => invoice_id === id)
        .reduce((sum: number, { cents }: { cents: number }) => sum + cents, 0),
    }))
    equal(stored, added)
    return stored.map(({ total }: { total: number }) => total)
  }

  test('are right after twenty writers, who add lines alone and in lists of any order', async () => {
    const sent = await Promise.all(
      writers.map((n) => {
        const one = { invoice_id: 1, cents: n }
        const two = { invoice_id: 2, cents: n }
        const body = n % 2 === 0 ? one : n % 4 === 1 ? [two, one] : [one, two]
        return send(api, 'POST', '/api/lines', { body })
      }),
    )
    equal(new Set(sent.map(({ status }) => status)), new Set([201]))
    equal(await totals(), [210, 100])
  })

  test('are right after twenty writers, who change and remove lines', async () => {
    const lines = (await get(api, '/api/lines?limit=100&invoice_id__eq=1')).value
    const sent = await Promise.all(
      lines.map(({ id, cents }: { id: number; cents: number }) =>
        cents % 2 === 0
          ? send(api, 'DELETE', `/api/lines/${id}`)
          : send(api, 'PATCH', `/api/lines/${id}`, { body: { cents: 1 } }),
      ),
    )
    equal(sent.length, 20)
    equal(new Set(sent.map(({ status }) => status)), new Set([200]))
    equal(await totals(), [10, 100])
  })
})
