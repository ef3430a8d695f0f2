/** Unique indexes that cover only some rows are no unique sets of a model; notes name them, with the declaration for soft delete. */
import { introspect, printModels } from '@model-api/core/introspect'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('partial unique indexes', (test, db) => {
  const moment = { sqlite: 'datetime', postgres: 'timestamptz', mysql: 'datetime(3)' }[db.name]
  /** A table `name`, with a unique index over the rows that fulfil the condition. */
  const table = (name: string, columns: readonly string[], condition: string): string => {
    const key = columns.join(', ')
    const [extra, index] =
      db.name === 'mysql'
        ? [`, live integer as (if(${condition}, 1, null))`, `(${key}, live)`]
        : ['', `(${key}) where ${condition}`]
    return `
      create table ${name} (id integer not null primary key, organisation_id integer not null,
        name varchar(40) not null, parent_id integer, deleted_at ${moment}, archived boolean not null,
        removed boolean${extra});
      create unique index ${name}_name on ${name} ${index};`
  }
  test.before(() =>
    db.execScript(
      [
        table('labels', ['organisation_id', 'name'], 'deleted_at is null'),
        table('boards', ['name'], 'archived = false'),
        table('teams', ['name'], 'parent_id is null'),
        table('users', ['name'], 'removed = false'),
      ].join('\n'),
    ),
  )

  test('are named by notes, with the declaration if the condition looks like soft delete', async () => {
    const { notes } = await introspect(db.kysely)
    equal(
      // MariaDB prints `archived = false` as `archived = 0`.
      notes.map((one) => `${one.table}: ${one.note.replace('= 0,', '= false,')}`),
      [
        "boards: its index boards_name makes (name) unique only in rows where archived = false, so that is not declared. With soft delete, declare unique: true of name, and in meta soft_delete: true, soft_delete_attribute: 'archived', soft_delete_values: [false, true]",
        "labels: its index labels_name makes (organisation_id, name) unique only in rows where deleted_at is null, so that is not declared. With soft delete, declare unique: [['organisation_id', 'name']], and in meta soft_delete: true, soft_delete_attribute: 'deleted_at', soft_delete_values: [null, 'now']",
        'teams: its index teams_name makes (name) unique only in rows where parent_id is null, so that is not declared',
        'users: its index users_name makes (name) unique only in rows where removed = false, so that is not declared',
      ],
    )
  })

  test('are no unique columns or sets of the models', async () => {
    const { models } = await introspect(db.kysely)
    const printed = printModels(models)
    equal(/unique: true|'name'\]/.test(printed), false)
  })
})
