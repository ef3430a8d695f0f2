/** The records that two processes write and read in the search for stale 304 responses, and what each caller may see of them. */
import { type AnyModel, type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'

export const groups = 3
/** The number of records in each group. The first process writes records with an even id, the second process the others. */
const size = 8
export const ids: readonly number[] = Array.from({ length: groups * size }, (_, i) => i + 1)
export const groupOf = (id: number): number => (id % groups) + 1

export const tables: readonly string[] = [
  'create table etag_groups (id integer primary key, name varchar(40) not null)',
  `create table etag_items (id integer primary key, group_id integer not null, version integer not null,
    salary integer not null, hidden integer not null)`,
  `insert into etag_groups (id, name) values ${Array.from({ length: groups }, (_, i) => `(${i + 1}, 'g${i + 1}')`).join()}`,
]

const Group = defineModel('Group', {
  table: 'etag_groups',
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string', maxLength: 40 } },
  relations: { items: hasMany('Item', 'group_id') },
  meta: { endpoint: 'groups' },
})
const Item = defineModel('Item', {
  table: 'etag_items',
  columns: {
    id: { type: 'integer', primaryKey: true },
    group_id: { type: 'integer' },
    version: { type: 'integer' },
    salary: { type: 'integer', read: 'payroll' },
    hidden: { type: 'integer' },
  },
  relations: { group: belongsTo('Group', 'group_id') },
  meta: {
    endpoint: 'items',
    access_policy: { scope: ({ user }) => user?.id === 3 || { hidden: { eq: 0 } } },
  },
})
export const models: readonly AnyModel[] = [Group, Item]
export const config: ApiConfig = {
  API_LIST_ETAGS: true,
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
}

/** The readers: one without rights, one who also reads salaries, and one who also sees hidden records and writes. */
export const callers = [
  { id: 1, roles: ['clerk'] },
  { id: 2, roles: ['payroll'] },
  { id: 3, roles: ['payroll'] },
] as const
export type Caller = (typeof callers)[number]
export const writer: Caller = callers[2]

/** A stored record; null if it does not exist. Versions only grow, so no two states of a record are equal. */
export type State = Readonly<Record<'version' | 'salary' | 'hidden', number>> | null

/** A read request, and the part of each record that its response shows. */
export interface Reading {
  readonly url: string
  readonly ids: readonly number[]
  readonly fields: readonly ('version' | 'salary' | 'hidden')[]
  /** The records in a response. */
  readonly records: (value: unknown) => readonly Shown[]
}

type Shown = Readonly<Record<string, number>> & { readonly id: number }

const all = ['version', 'salary', 'hidden'] as const
const list = (value: unknown): readonly Shown[] => (value ?? []) as readonly Shown[]
const one = (value: unknown): readonly Shown[] => (value === null ? [] : [value as Shown])

export const readings: readonly Reading[] = [
  ...ids.flatMap((id): readonly Reading[] => [
    { url: `/api/items/${id}`, ids: [id], fields: all, records: one },
    { url: `/api/items/${id}?fields=id,version`, ids: [id], fields: ['version'], records: one },
  ]),
  ...Array.from({ length: groups }, (_, i) => i + 1).flatMap((group): readonly Reading[] => {
    const inGroup = ids.filter((id) => groupOf(id) === group)
    const whole = { ids: inGroup, fields: all, records: list }
    return [
      { ...whole, url: `/api/items?group_id__eq=${group}&order_by=id` },
      { ...whole, url: `/api/items?group_id__eq=${group}&order_by=-version&count=none&limit=100` },
      { ...whole, url: `/api/groups/${group}/items?limit=100` },
      {
        ...whole,
        url: `/api/items?group_id__eq=${group}&fields=id,version`,
        fields: ['version'],
      },
      {
        ...whole,
        url: `/api/groups/${group}?dump=json`,
        records: (value) => list((value as { readonly items?: unknown }).items),
      },
    ]
  }),
]

/** What a caller sees of a record, as text; `none` if the caller sees no such record. */
export function viewOf(state: State, { id, roles }: Caller, { fields }: Reading): string {
  if (state === null || (state.hidden === 1 && id !== 3)) return none
  const isPayroll = (roles as readonly string[]).includes('payroll')
  return textOf(state, fields, isPayroll)
}

export const none = 'none'

/** The same text of a record in a response. */
export const viewOfShown = (shown: Shown, { fields }: Reading): string =>
  textOf(shown, fields, 'salary' in shown)

const textOf = (
  values: Readonly<Record<string, number>>,
  fields: Reading['fields'],
  withSalary: boolean,
): string =>
  fields
    .filter((field) => field !== 'salary' || withSalary)
    .map((field) => `${field} ${values[field]}`)
    .join()
