/** Computed columns whose subqueries refer to their own row by `self`, also where the subquery's table has a column of the same name. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { sql } from 'kysely'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Clinic = defineModel('Clinic', {
  columns: {
    id,
    name: { type: 'string', maxLength: 20 },
    parent_id: { type: 'integer', nullable: true },
    active: { type: 'boolean', default: true },
  },
  computed: {
    // Both subqueries read a table that has a column `id`; the second reads the model's own table.
    visits: {
      type: 'integer',
      expression: (_, self) =>
        sql`(select count(*) from clinic_visits where clinic_id = ${self('id')})`,
    },
    branches: {
      type: 'integer',
      expression: (_, self) => sql`(select count(*) from clinics where parent_id = ${self('id')})`,
    },
  },
  relations: { visitList: hasMany('ClinicVisit', 'clinic_id') },
  meta: { soft_delete: true, soft_delete_attribute: 'active', soft_delete_values: [true, false] },
})
const ClinicVisit = defineModel('ClinicVisit', {
  columns: { id, clinic_id: { type: 'integer' } },
  relations: { clinic: belongsTo('Clinic', 'clinic_id') },
  meta: {},
})

const policies = {
  'no policy': {},
  'the conditions of a policy': { access_policy: { scope: { id: { lt: 3 } } } },
  'the query of a policy': {
    // biome-ignore lint/suspicious/noExplicitAny: the query of any model
    access_policy: { scope_query: (query: any) => query.where('clinics.id', '<', 3) },
  },
} as const

const settings = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }

eachDatabase('computed subqueries', (test, db) => {
  test.before(async () => {
    await createTables(db, [Clinic, ClinicVisit])
    await insertRows(db, Clinic, [
      { id: 1, name: 'north', parent_id: null, active: true },
      { id: 2, name: 'south', parent_id: 1, active: true },
      { id: 3, name: 'west', parent_id: 1, active: true },
      { id: 4, name: 'closed', parent_id: 1, active: false },
    ])
    await insertRows(db, ClinicVisit, [
      { id: 1, clinic_id: 2 },
      { id: 2, clinic_id: 2 },
      { id: 3, clinic_id: 1 },
    ])
  })

  for (const [name, meta] of Object.entries(policies)) {
    test(`${name}: each record has the value of its own row`, async () => {
      const models = [{ ...Clinic, meta: { ...Clinic.meta, ...meta } }, ClinicVisit]
      const api = testApi(db, models, settings)
      const all = [
        { id: 1, visits: 1, branches: 3 },
        { id: 2, visits: 2, branches: 0 },
        { id: 3, visits: 0, branches: 0 },
      ]
      const seen = name === 'no policy' ? all : all.slice(0, 2)
      equal(await read(api, '/api/clinics?fields=id,visits,branches'), seen)
      equal(
        await column(api, '/api/clinics?order_by=-visits,id'),
        name === 'no policy' ? [2, 1, 3] : [2, 1],
      )
      equal(await column(api, '/api/clinics?branches__eq=3'), [1])
      equal(await read(api, '/api/clinics?groupby=branches&id|n__count=1'), [
        { branches: 0, n: seen.length - 1 },
        { branches: 3, n: 1 },
      ])
      equal(await column(api, '/api/clinic-visits?join=clinic&clinic.visits__eq=2'), [1, 2])
      equal((await read(api, '/api/clinic-visits/3?dump=json')).clinic.branches, 3)
      const patched = await send(api, 'PATCH', '/api/clinics/2', {
        body: { name: 'south', visits: 2 },
      })
      equal([patched.status, patched.value.visits], [200, 2])
      equal((await get(api, '/api/clinics/4')).status, 404)
      const pages: number[] = []
      let next: string | null = '/api/clinics?order_by=-visits&fields=id&limit=1&paging=cursor'
      while (next !== null) {
        const page = await get(api, next)
        pages.push(...page.value.map((row: { id: number }) => row.id))
        next = page.body.next_url
      }
      equal(pages, name === 'no policy' ? [2, 1, 3] : [2, 1])
    })
  }
})
