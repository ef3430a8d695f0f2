/** A sum of floats that no float can hold is never another number: servers refuse the query, and SQLite, whose sum is infinite, has no value. */
import { belongsTo, defineModel, hasMany, max, sum } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read, refuses } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Team = defineModel('Team', {
  columns: { id },
  relations: { runs: hasMany('Run', 'team_id') },
  aggregates: {
    ratios: sum('runs.ratio', undefined, { sent: false }),
    best: max('runs.ratio', undefined, { sent: false }),
  },
  meta: {},
})
const Run = defineModel('Run', {
  columns: { id, team_id: { type: 'integer' }, ratio: { type: 'float' } },
  relations: { team: belongsTo('Team', 'team_id') },
  meta: {},
})

const on = { API_ALLOW_AGGREGATION: true, API_ALLOW_GROUPBY: true, API_ALLOW_JOIN: true }

eachDatabase('sums of floats beyond the range', (test, db) => {
  const api = testApi(db, [Team, Run], on)
  test.before(async () => {
    await createTables(db, [Team, Run])
    await insertRows(db, Team, [{ id: 1 }, { id: 2 }])
    await insertRows(db, Run, [
      { id: 1, team_id: 1, ratio: 1e308 },
      { id: 2, team_id: 1, ratio: 1e308 },
      { id: 3, team_id: 2, ratio: -0.5 },
      { id: 4, team_id: 2, ratio: -1 },
    ])
  })

  const shown = [
    ['/api/runs?groupby=team_id&ratio|value__sum=1', -1.5],
    ['/api/runs?groupby=team_id&ratio|value__avg=1', -0.75],
    ['/api/teams?fields=sum(runs.ratio)|value', -1.5],
    ['/api/teams?fields=avg(runs.ratio)|value', -0.75],
    ['/api/teams?fields=ratios', -1.5],
    ['/api/runs?join=team&fields=team.ratios&id__in=(1,3)', -1.5],
    ['/api/teams?dump=json&runs.limit=1&fields=*,sum(runs.ratio)|value', -1.5],
  ] as const

  test('results show no other number', async () => {
    for (const [url, second] of shown) {
      const member = url.includes('ratios') ? 'ratios' : 'value'
      if (db.name === 'sqlite') equal(await column(api, url, member), [null, second], url)
      else await refuses(api, url, { code: 'value_out_of_range' })
    }
    equal(await read(api, '/api/teams/2?fields=ratios'), { ratios: -1.5 })
    equal(await column(api, '/api/teams?fields=best', 'best'), [1e308, -0.5])
  })

  test('filters and orders compare no other number', async () => {
    for (const [query, ids] of [
      ['sum(runs.ratio)__eq=0', []],
      ['avg(runs.ratio)__between=(-9,9)', [2]],
      ['ratios__isnull=true', [1]],
      ['ratios__gt=-9', [2]],
      ['order_by=sum(runs.ratio)', [2, 1]],
      ['order_by=-ratios', [1, 2]],
    ] as const) {
      const url = `/api/teams?fields=id&${query}`
      if (db.name === 'sqlite') equal(await column(api, url), ids, url)
      else await refuses(api, url, { code: 'value_out_of_range' })
    }
    const having = '/api/runs?groupby=team_id&ratio|value__sum=1&value__gt=-9'
    if (db.name === 'sqlite') equal(await column(api, having, 'value'), [-1.5])
    else await refuses(api, having, { code: 'value_out_of_range' })
  })
})
