// modelsFor types the user in everything that a model declares; compiled, never run.

import {
  type DatabaseOf,
  defineModel,
  type HookArgs,
  modelsFor,
  type RowOf,
  type WriteCallback,
} from '@model-api/core'
import type { Kysely } from 'kysely'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

interface Member {
  readonly id: number
  readonly team_id: number
}
const { defineBase, defineModel: define, policyFor } = modelsFor<Member>()

interface Tables {
  readonly tasks: { readonly id: number; readonly title: string }
}
const withTables = modelsFor<Member, Tables>()
export const shared: WriteCallback<Member, Tables> = async (record, _model, { db }) => {
  // @ts-expect-error no such table
  await db.selectFrom('takss').execute()
  return record
}
/** The callback can be used in meta. */
export const Shared = define('Task', {
  columns: { title: { type: 'string' } },
  meta: { add_callback: shared },
})

/** Callbacks in meta know the tables. */
withTables.defineBase({ columns: { id: { type: 'integer', primaryKey: true } } }).define('Task', {
  columns: { title: { type: 'string' } },
  meta: {
    async add_callback(task, _model, { db, user }) {
      holds<Equal<typeof user, Member>>()
      const { title } = await db.selectFrom('tasks').select('title').executeTakeFirstOrThrow()
      holds<Equal<typeof title, string>>()
      // @ts-expect-error no such column
      await db.selectFrom('tasks').select('titel').execute()
      return { ...task, title }
    },
  },
})
withTables.defineModel('Task', {
  columns: { id: { type: 'integer', primaryKey: true }, title: { type: 'string' } },
  meta: {
    async before_commit_callback(_changes, { db }) {
      // @ts-expect-error no such table
      await db.selectFrom('takss').execute()
    },
    post_after_commit_callback: async (_changes, { db }) => {
      // @ts-expect-error no such table
      await db.selectFrom('takss').execute()
    },
    async dump_callback(data, { db }) {
      // @ts-expect-error no such table
      await db.selectFrom('takss').execute()
      return data
    },
    get_return_callback: async (result, { db }) => {
      // @ts-expect-error no such table
      await db.selectFrom('takss').execute()
      return result
    },
    async filter_callback(query, _model, _params, { db }) {
      // @ts-expect-error no such table
      await db.selectFrom('takss').execute()
      return query
    },
  },
})

/** The tables are those of the models themselves. */
const numbered: WriteCallback<Member, OwnTables> = async (step, _model, { db }) => {
  const row = await db.selectFrom('steps').select('position').executeTakeFirstOrThrow()
  holds<Equal<typeof row, { position: number }>>()
  return { ...step, position: row.position + 1 }
}
const Step = define('Step', {
  table: 'steps',
  columns: { id: { type: 'integer', primaryKey: true }, position: { type: 'integer' } },
  meta: { add_callback: numbered },
})
const ownModels = [Step] as const
export interface OwnTables extends DatabaseOf<typeof ownModels> {}

// biome-ignore lint/suspicious/noExplicitAny: any database
declare const db: Kysely<any>

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Task = define('Task', {
  table: 'tasks',
  columns: {
    id,
    title: { type: 'string', validator: (_value, _task, { user }) => user.team_id === 1 },
    team_id: {
      type: 'integer',
      default: ({ user }) => {
        holds<Equal<typeof user, Member>>()
        return user.team_id
      },
    },
    // @ts-expect-error a member has no such field
    cost: { type: 'integer', read: ({ user }) => user.accountant === true },
    hours: { type: 'integer', nullable: true, write: ({ user }) => user.id === 1 },
  },
  computed: {
    // @ts-expect-error a member has no such field
    loud: { type: 'string', read: ({ user }) => user.loud, expression: (eb) => eb.ref('title') },
  },
  meta: {
    add_callback: (task, _model, { user }) => {
      holds<Equal<typeof user, Member>>()
      return { ...task, team_id: user.team_id }
    },
    post_dump_callback: (data, { user }) => ({ ...data, by: user.id }),
    // @ts-expect-error a member has no such field
    return_callback: (result, { user }) => user.name ?? result,
    after_commit_callback: (_changes, { user, committed }) => {
      holds<Equal<typeof user, Member>>()
      holds<Equal<typeof committed, boolean>>()
    },
    soft_delete_values: [null, ({ user }) => user.id],
    access_policy: (model) => {
      holds<Equal<typeof model.table, 'tasks'>>()
      return {
        scope_query: (query, { user }) => query.where('team_id', '=', user.team_id),
        can_update: (task, _changes, { user }) => task.team_id === user.team_id,
        // @ts-expect-error a member has no such field
        can_delete: (_task, { user }) => user.admin,
      }
    },
  },
})
// The model itself has the same types as without modelsFor.
holds<Equal<RowOf<typeof Task>['hours'], number | null>>()

define('Note', {
  columns: { id },
  meta: {
    access_policy: {
      // @ts-expect-error a member has no such field
      can_read: (_note, { user }) => user.admin,
    },
  },
})

const Base = defineBase({
  columns: { id, team_id: { type: 'integer', default: ({ user }) => user.team_id } },
  meta: {
    // @ts-expect-error a member has no such field
    add_callback: (object, _model, { user }) => ({ ...object, team: user.team }),
  },
})
Base.define('Plan', {
  columns: { name: { type: 'string', write: ({ user }) => user.id === 1 } },
  meta: {
    // @ts-expect-error a member has no such field
    update_callback: (object, _model, { user }) => ({ ...object, by: user.name }),
  },
})

policyFor(Task, db, { can_delete: (_task, { user }) => user.team_id === 1 })
// @ts-expect-error a member has no such field
policyFor(Task, db, { can_delete: (_task, { user }) => user.admin })

// @ts-expect-error a column has no option "maxlength"
define('Misspelt', { columns: { id, name: { type: 'string', maxlength: 5 } } })

// Without a login, the user is null.
const { defineModel: open } = modelsFor<Member | null>()
open('Page', {
  columns: { id },
  meta: {
    // @ts-expect-error nobody may be signed in
    dump_callback: (data, { user }) => ({ ...data, by: user.id }),
  },
})

// Without modelsFor, the author declares the type of the user in each place.
defineModel('Draft', {
  columns: { id },
  meta: { dump_callback: (data, { user }: HookArgs<Member>) => ({ ...data, by: user.id }) },
})
