// Functions that are declared elsewhere, such as `passwordCheck` and shared policies, leave the types of a model as they are; compiled,
// never run.

import { modelsFor } from '../../packages/core/src/access/hooks/models-for.ts'
import { passwordCheck } from '../../packages/core/src/auth/passwords/passwords.ts'
import {
  type AnyModel,
  defineBase,
  defineModel,
} from '../../packages/core/src/model/define-model.ts'
import type { RecordOf, RowOf } from '../../packages/core/src/model/infer.ts'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  org_id: { type: 'integer' },
  role: { type: 'enum', enum: ['admin', 'user'] },
  password: { type: 'string', hidden: true },
} as const
const methods = { check_password: passwordCheck('password') }
interface Row {
  id: number
  org_id: number
  role: 'admin' | 'user'
}

const Account = defineModel('Account', {
  table: 'accounts',
  columns,
  methods: { check_password: passwordCheck('password') },
  meta: {
    access_policy: () => ({
      can_update: (account, changes) => account.role === changes.role,
      scope: { org_id: { eq: ({ user }) => user.org_id } },
    }),
  },
})
holds<Equal<{ [K in keyof RowOf<typeof Account>]: RowOf<typeof Account>[K] }, Row>>()
holds<Equal<keyof RecordOf<typeof Account>, keyof typeof columns>>()

export const wrong = [
  defineModel('Account', {
    columns,
    methods: { check_password: passwordCheck('password') },
    meta: {
      access_policy: () => ({
        // @ts-expect-error neither record has such a column
        can_update: (account, changes) => account.roel === changes.nonsense,
      }),
    },
  }),
  defineModel('Account', {
    columns,
    methods,
    // @ts-expect-error the model has no column "orgid"
    meta: { access_policy: () => ({ scope: { orgid: { eq: 1 } } }) },
  }),
  modelsFor<{ readonly id: number }>().defineModel('Account', {
    columns,
    methods: { check_password: passwordCheck('password') },
    // @ts-expect-error the model has no column "orgid"
    meta: { access_policy: () => ({ scope: { orgid: { eq: ({ user }) => user.id } } }) },
  }),
  defineModel('Account', {
    columns,
    methods: {
      // @ts-expect-error there is no such column
      is_admin: (account) => account.roel === 'admin',
    },
  }),
]

// A policy that is an object is typed by policyFor, not by the model.
const InObject = defineModel('Account', {
  columns,
  methods: { check_password: passwordCheck('password') },
  meta: { access_policy: { can_read: (account) => account.role === 'user' } },
})
holds<Equal<keyof RowOf<typeof InObject>, keyof Row>>()

const Based = defineBase({ columns: { id: columns.id, org_id: columns.org_id } }).define(
  'Account',
  {
    columns: { role: columns.role, password: columns.password },
    methods: { check_password: passwordCheck('password') },
    meta: {
      access_policy: () => ({
        // @ts-expect-error there is no such column
        can_delete: (account) => account.roel === 'admin',
      }),
    },
  },
)
holds<Equal<keyof RowOf<typeof Based>, keyof Row>>()

// Methods see computed columns.
const Computed = defineModel('Account', {
  columns,
  computed: { label: { type: 'string', expression: (eb) => eb.ref('role') } },
  methods: {
    check_password: passwordCheck('password'),
    shout: (account) => account.label.toUpperCase(),
  },
  search: ['label'],
})
holds<Equal<keyof RowOf<typeof Computed>, keyof Row | 'label'>>()

// A policy function, or a hook of a policy, that takes any model or any record.
const ofAnyModel = (model: AnyModel): AccessPolicy => ({ can_read: () => model.readOnly !== true })
const ofAnyRecord = (record: Readonly<Record<string, unknown>>): boolean => record.id === 1
const Shared = defineModel('Account', { columns, meta: { access_policy: ofAnyModel } })
const SharedHook = defineModel('Account', {
  columns,
  meta: { access_policy: () => ({ can_read: ofAnyRecord, can_update: ofAnyRecord }) },
})
const SharedByUser = modelsFor<{ readonly id: number }>().defineModel('Account', {
  columns,
  meta: { access_policy: ofAnyModel },
})
const SharedByBase = defineBase({ columns: { id: columns.id } }).define('Account', {
  columns: { org_id: columns.org_id, role: columns.role, password: columns.password },
  meta: { access_policy: ofAnyModel },
})
holds<Equal<keyof RowOf<typeof Shared>, keyof Row>>()
holds<Equal<keyof RowOf<typeof SharedHook>, keyof Row>>()
holds<Equal<keyof RowOf<typeof SharedByUser>, keyof Row>>()
holds<Equal<keyof RowOf<typeof SharedByBase>, keyof Row>>()
// Nor does it give the model relations or a schema that it does not declare.
holds<Equal<keyof (typeof Shared)['relations'], never>>()
holds<Equal<(typeof Shared)['schema'], undefined>>()
