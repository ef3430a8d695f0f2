/** A `tinyint(1)` is a boolean unless one of its values, among those that introspection reads, is another number than 0 and 1. */
import type { Column } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

/** The value of `f` in row `i` of 2,500, and what introspection declares. */
const cases: Readonly<Record<string, readonly [value: string, f: Column]>> = {
  no_value: ['null', { type: 'boolean', nullable: true }],
  truths: ['i % 2', { type: 'boolean', nullable: true }],
  first: ['if(i = 1, -1, 0)', { type: 'integer', nullable: true }],
  last: ['if(i = 2500, 9, null)', { type: 'integer', nullable: true }],
  // Not among the 1,000 first and last rows.
  middle: ['if(i = 1250, 9, 1)', { type: 'boolean', nullable: true }],
}

eachDatabase(
  'tinyint(1) by its values',
  (test, db) => {
    test('is a boolean or an integer', async () => {
      const digits = '(select 0 d union select 1 union select 2 union select 3 union select 4)'
      const rows = `select 1 + a.d + 5 * b.d + 25 * c.d + 125 * e.d + 625 * f.d as i
        from ${['a', 'b', 'c', 'e', 'f'].map((name) => `${digits} ${name}`).join(' join ')}`
      await db.execScript(
        Object.entries(cases)
          .map(
            ([name, [value]]) => `create table ${name} (id int primary key, f tinyint(1));
              insert into ${name} select i, ${value} from (${rows}) n where i <= 2500;`,
          )
          .join('\n') +
          `create table kinds (id tinyint(1) primary key, sure tinyint(1) not null default 1, rank_no tinyint(1) not null default 1);
          create table uses (id int primary key, kind_id tinyint(1), foreign key (kind_id) references kinds (id));
          create table keyless (f tinyint(1));
          insert into kinds values (0, 0, 3); insert into keyless values (2);
          create view seen as select k.id, k.sure, k.rank_no from kinds k;`,
      )
      const { models } = await introspect(db.kysely)
      const columns = (table: string) =>
        models.find((model) => model.table === table)?.columns as Readonly<Record<string, Column>>
      for (const [name, [, f]] of Object.entries(cases)) equal(columns(name).f, f, name)
      const ready = { hasDefault: true } as const
      equal(columns('kinds').id, { type: 'integer', primaryKey: true })
      equal(columns('kinds').sure, { type: 'boolean', ...ready, databaseDefault: true })
      equal(columns('kinds').rank_no, { type: 'integer', ...ready, databaseDefault: 1 })
      equal(columns('uses').kind_id?.type, 'integer')
      equal(columns('keyless').f?.type, 'integer')
      equal(columns('seen').rank_no?.type, 'integer')
    })
  },
  { only: 'mysql' },
)
