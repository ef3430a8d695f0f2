// What policyFor knows about a model, and what it refuses; compiled, never run.

import type { Kysely } from 'kysely'
import { modelsFor } from '../../packages/core/src/access/hooks/models-for.ts'
import { policyFor } from '../../packages/core/src/access/policies/policy-for.ts'
import type { DatabaseOf } from '../../packages/core/src/dialect/driver-types.ts'
import { defineBase, defineModel } from '../../packages/core/src/model/define-model.ts'
import { belongsTo } from '../../packages/core/src/model/relation.ts'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'

const Note = defineModel('Note', {
  table: 'notes',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    text: { type: 'text' },
    ownerId: { type: 'integer', column: 'owner_id' },
    salt: { type: 'string', hidden: true },
  },
  meta: {},
})

interface Wider extends DatabaseOf<[typeof Note]> {
  readonly members: { readonly team_id: number; readonly user_id: number }
}

declare const db: Kysely<Wider>
// biome-ignore lint/suspicious/noExplicitAny: an instance that knows no tables
declare const untyped: Kysely<any>

export const whole = policyFor(Note, db, {
  scope_query: (query, { user }) =>
    user !== null &&
    query
      .innerJoin('members', 'members.user_id', 'notes.owner_id')
      .where('notes.owner_id', '=', user.id),
  can_read: (note) => note.salt.length > 0 && note.ownerId > 0,
  can_create: async (data) => data.text !== '',
  can_update: (note, data) => note.ownerId === data.ownerId,
  can_delete: ({ id }) => id > 1,
})

export const some = policyFor(Note, db, { can_delete: () => false })

export const loose = policyFor(Note, untyped, {
  scope_query: (query) => query.where('owner_id', '=', 1),
})

export const column = policyFor(Note, db, {
  // @ts-expect-error: no column of the table; database names are meant
  scope_query: (query) => query.where('ownerId', '=', 1),
})

export const field = policyFor(Note, db, {
  // @ts-expect-error: no field of the model; field names are meant
  can_read: (note) => note.owner_id === 1,
})

export const hook = policyFor(Note, db, {
  // @ts-expect-error: no hook
  can_raed: () => true,
})

export const scoped = policyFor(Note, db, {
  scope: {
    ownerId: { eq: ({ user }) => user.id },
    or: [{ salt: { eq: 'x' } }, { text: { ne: '' } }],
  },
})

export const scopeColumn = policyFor(Note, db, {
  // @ts-expect-error: no column of the model
  scope: { owner_id: { eq: 1 } },
})

export const scopeFunction = policyFor(Note, db, {
  scope: ({ user }) => user !== null && { ownerId: { eq: user.id } },
})

const Stocked = defineModel('Stocked', {
  table: 'notes',
  schema: 'stock',
  columns: { id: { type: 'integer', primaryKey: true }, shelf: { type: 'text' } },
  meta: {},
})
declare const schemas: Kysely<DatabaseOf<[typeof Note, typeof Stocked]>>

// The query selects from the model's table, under its own name.
export const inSchema = policyFor(Stocked, schemas, {
  scope_query: (query) => query.where('notes.shelf', '=', 'A'),
})

export const elsewhere = policyFor(Stocked, schemas, {
  // @ts-expect-error: a column of the table of the same name in the other schema
  scope_query: (query) => query.where('notes.owner_id', '=', 1),
})

// ---------------------------------------------------------------- access_policy: (model) => policy

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  text: { type: 'text' },
  ownerId: { type: 'integer', column: 'owner_id' },
} as const

export const WithFunction = defineModel('Remark', {
  columns,
  meta: {
    access_policy: (model) => ({
      scope_query: (query, { user }) => query.where('owner_id', '=', user.id),
      can_create: (data) => data.text !== model.name,
      can_update: (remark, data) => remark.ownerId === data.ownerId,
    }),
  },
})

export const WithPolicyFor = defineModel('Remark', {
  columns,
  meta: {
    access_policy: (model) =>
      policyFor(model, untyped, { can_read: (remark) => remark.text.length > 0 }),
  },
})

export const WrongField = defineModel('Remark', {
  columns,
  meta: {
    access_policy: () => ({
      // @ts-expect-error: no field of the model
      can_read: (remark) => remark.owner_id === 1,
    }),
  },
})

export const WrongColumn = defineModel('Remark', {
  columns,
  meta: {
    access_policy: () => ({
      // @ts-expect-error: no column of the table
      scope_query: (query) => query.where('ownerId', '=', 1),
    }),
  },
})

// ---------------------------------------------------------------- access_policy: () => ({ scope })

declare const inDevelopment: boolean
const inTeam: AccessPolicy = { scope: { anything: { eq: 1 } } }
const relations = { team: belongsTo('Team', 'ownerId') }

export const scopes = [
  defineModel('Remark', {
    columns,
    relations,
    computed: { loud: { type: 'string', expression: (eb) => eb.ref('text') } },
    meta: {
      access_policy: () => ({
        scope: {
          ownerId: { eq: ({ user }) => user.id },
          loud: { ne: '' },
          team: { members: { id: { eq: ({ user }) => user.id } } },
          'text.path': { eq: 'x' },
          or: [{ text: { eq: 'x' } }, { id: { gt: 1 } }],
          not: { id: { eq: 1 } },
        },
        can_read: (remark) => remark.ownerId === 1,
      }),
    },
  }),
  defineModel('Remark', { columns, meta: { access_policy: () => inTeam } }),
  defineModel('Remark', {
    columns,
    meta: { access_policy: () => ({ ...inTeam, can_read: () => true }) },
  }),
  defineModel('Remark', {
    columns,
    meta: {
      access_policy: () => ({ scope: ({ user }) => user.admin || { ownerId: { eq: user.id } } }),
    },
  }),
  // Conditions that depend on something, whose type has optional members.
  defineModel('Remark', {
    columns,
    meta: {
      access_policy: () => ({
        scope: { ownerId: { eq: 1 }, ...(inDevelopment ? {} : { text: { ne: '' } }) },
      }),
    },
  }),
  defineModel('Remark', {
    columns,
    meta: {
      access_policy: () => ({ scope: inDevelopment ? { id: { gt: 1 } } : { ownerId: { eq: 1 } } }),
    },
  }),
  defineModel('Remark', {
    columns,
    meta: {
      access_policy: () =>
        inDevelopment ? { scope: { id: { gt: 1 } } } : { scope: { ownerId: { eq: 1 } } },
    },
  }),
  defineModel('Remark', {
    columns,
    meta: {
      // @ts-expect-error: no column, in one of two scopes
      access_policy: () => ({ scope: inDevelopment ? { id: { gt: 1 } } : { owner_id: { eq: 1 } } }),
    },
  }),
  defineModel('Remark', {
    columns,
    // @ts-expect-error: the model has no column "owner_id"
    meta: { access_policy: () => ({ scope: { owner_id: { eq: ({ user }) => user.id } } }) },
  }),
  defineModel('Remark', {
    columns,
    // @ts-expect-error: beside a column of the model
    meta: { access_policy: () => ({ scope: { text: { eq: 'x' }, txt: { eq: 'x' } } }) },
  }),
  defineModel('Remark', {
    columns,
    meta: {
      // @ts-expect-error: also if the function uses the model, or is no expression
      access_policy: (model) => {
        return { scope: { owner_id: { eq: 1 } }, can_read: () => model.name === 'Remark' }
      },
    },
  }),
  defineModel('Remark', {
    columns,
    // @ts-expect-error: no operator
    meta: { access_policy: () => ({ scope: { text: { equals: 'x' } } }) },
  }),
  defineBase({ columns: { id: columns.id, ownerId: columns.ownerId } }).define('Remark', {
    columns: { text: columns.text },
    meta: { access_policy: () => ({ scope: { ownerId: { eq: 1 }, text: { eq: 'x' } } }) },
  }),
  defineBase({ columns: { id: columns.id } }).define('Remark', {
    columns: { text: columns.text },
    // @ts-expect-error: no column of the base or of the model
    meta: { access_policy: () => ({ scope: { ownerId: { eq: 1 } } }) },
  }),
  modelsFor<{ readonly id: number }>().defineModel('Remark', {
    columns,
    // @ts-expect-error: no column of the model
    meta: { access_policy: () => ({ scope: { owner_id: { eq: ({ user }) => user.id } } }) },
  }),
  modelsFor<{ readonly id: number }>().defineModel('Remark', {
    columns,
    // @ts-expect-error: no field of the user
    meta: { access_policy: () => ({ scope: { ownerId: { eq: ({ user }) => user.team } } }) },
  }),
]

export const InObject = defineModel('Remark', {
  columns,
  meta: { access_policy: { can_read: (remark) => remark.anything }, allow_join: true },
})
