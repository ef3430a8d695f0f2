/** Junctions whose columns have other collations than the keys that they hold. */
import { defineModel, manyToMany } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase, type Test } from '../support/suite.ts'
import { createCollations, textType } from './collated.ts'

const text = { type: 'string', maxLength: 20, collation: 'database' } as const

const Shelf = defineModel('Shelf', {
  columns: { code: { ...text, primaryKey: true } },
  relations: {
    keepers: manyToMany('Keeper', { through: 'links', from: 'shelf_code', to: 'keeper_name' }),
  },
  meta: {},
})
const Keeper = defineModel('Keeper', {
  columns: { name: { ...text, primaryKey: true } },
  relations: {
    shelves: manyToMany('Shelf', { through: 'links', from: 'keeper_name', to: 'shelf_code' }),
  },
  meta: {},
})

const others = {
  postgres: ['varchar(20)', 'varchar(20) collate "en-x-icu"'],
  mysql: ['varchar(20) collate utf8mb4_unicode_ci', 'varchar(20) collate utf8mb4_bin'],
} as const

for (const only of ['postgres', 'mysql'] as const) {
  for (const other of others[only]) {
    eachDatabase(`a junction with the type ${other}`, (test, db) => define(test, db, other), {
      only,
    })
  }
}

function define(test: Test, db: TestDatabase, other: string): void {
  test.before(async () => {
    await createCollations(db)
    const type = textType(db, 'case')
    await db.execScript(`create table shelves (code ${type} not null primary key);
        create table keepers (name ${type} not null primary key);
        create table links (shelf_code ${other} not null, keeper_name ${other} not null);
        insert into shelves values ('ABC'), ('DEF');
        insert into keepers values ('ANN'), ('BEN');
        insert into links values ('ABC', 'ANN'), ('abc', 'BEN'), ('DEF', 'ben')`)
  })
  const api = testApi(db, [Shelf, Keeper], { API_ALLOW_JOIN: true })

  test('are read in the same way by embeds, routes, joins and conditions', async () => {
    const ok = async (url: string) => {
      const { status, text, value } = await get(api, url)
      equal(status, 200, `${url} ${text}`)
      return value
    }
    const names = (keepers: { name: string }[]) => keepers.map(({ name }) => name).join()
    const embedded = await ok('/api/shelves?dump=json')
    const byEmbed = embedded.map(({ keepers }: { keepers: [] }) => names(keepers))
    const byRoute = [
      names(await ok('/api/shelves/ABC/keepers')),
      names(await ok('/api/shelves/DEF/keepers')),
    ]
    const byJoin = await Promise.all(
      ['ABC', 'DEF'].map(async (code) =>
        names(await ok(`/api/keepers?join=shelves&shelves.code__eq=${code}`)),
      ),
    )
    const byCondition = await Promise.all(
      ['ABC', 'DEF'].map(async (code) =>
        names(await ok(`/api/keepers?exists(shelves.code__eq=${code})`)),
      ),
    )
    // By code point, because SQL refuses to compare some of these collations.
    const expected = ['ANN', '']
    equal([byEmbed, byRoute, byJoin, byCondition], [expected, expected, expected, expected])
  })
}
