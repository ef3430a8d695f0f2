// linkRecords: stores links as records of a junction that has a model, with its access rules and hooks. A soft-deleted link is restored.

import { settingNames } from '../../config/setting-names.ts'
import { forbidden, tooManyRecords } from '../../errors.ts'
import { chunks } from '../../execute/chunks.ts'
import { keyText } from '../../execute/key.ts'
import { run } from '../../execute/run.ts'
import type { JsonValue } from '../../json/json-value.ts'
import type { Value } from '../../plan/plan.ts'
import { isRequired } from '../../registry/field-rules.ts'
import type { Junction } from '../../registry/junction.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { compileInserts, storedColumns } from '../compile/statements.ts'
import {
  compileLockByKeys,
  compileUpdateByKeys,
  keyParts,
  matchesOf,
} from '../compile/statements-by-keys.ts'
import { planLinks } from '../plan/look-up.ts'
import type { Values } from '../plan/node.ts'
import { requireAccess, validateFilled } from './checks.ts'
import type { InsertedLink, WriteContext } from './context.ts'
import { newRecord } from './defaults.ts'
import type { LinkStore, Partner, RecordLinks } from './link-store.ts'
import { keyIn, keyMatches, readScopedOrEmpty, valuesOf } from './look-up.ts'
import { removeStored } from './remove.ts'
import { runWrite } from './run-step.ts'
import { insert, splitGeneratedKey, writeSaved } from './save.ts'
import { restoration } from './soft-delete.ts'

/** A link to create. */
interface NewLink {
  readonly partner: Partner
  /** The record to store. */
  readonly values: Values
  /** The soft-deleted record to restore instead of inserting one. */
  readonly deleted: Values | undefined
}

export function linkRecords(
  context: WriteContext,
  links: RecordLinks,
  junction: Junction,
): LinkStore {
  const { resource, partner } = junction
  const { relation, own } = links
  const max = resource.settings.limits.bulk
  return {
    async existing() {
      const rows = await readScopedOrEmpty(
        context,
        planLinks(relation, junction, own, { columns: partner }),
      )
      const keys = rows.flatMap((row) => [valuesOf(partner, row) ?? []])
      return new Map(keys.map((key) => [keyText(key), key]))
    },
    async requireAccess(makes, removes) {
      if (makes) await requireAccess(context, resource, 'POST')
      if (removes) await requireAccess(context, resource, 'DELETE')
    },
    async remove(partners) {
      if (partners.length > max) throw tooManyRecords(settingNames.maxBulk, max)
      await lock(context, links, junction, partners)
      await removeStored(context, resource, await rowsOf(context, links, junction, partners, false))
    },
    async make(partners) {
      const deleted = await deletedLinks(context, links, junction, partners)
      const { access, hooks } = context
      // A hook may read the links created earlier, so with hooks each link is stored before the next one.
      const oneByOne = access.hasHook(resource, 'can_create') || hooks.has(resource, 'add')
      const allowed: NewLink[] = []
      for (const one of partners) {
        const link = await newLink(context, links, junction, one, deleted.get(keyText(one.key)))
        if (link === undefined) continue
        if (oneByOne) await store(context, links, junction, [link], true)
        else allowed.push(link)
      }
      await store(context, links, junction, allowed, false)
    },
  }
}

/** Locks the links to these partners, so that they do not change between the checks and the deletion. */
async function lock(
  { connection, target }: WriteContext,
  { own }: RecordLinks,
  { resource, own: ownColumns, partner }: Junction,
  partners: readonly (readonly Value[])[],
): Promise<void> {
  if (!target.dialect.capabilities.locksRows) return
  const ownKey = matchesOf(keyParts(ownColumns), own)
  for (const keys of chunks(partners, ownKey.length + partner.length)) {
    const rows = { table: resource, matches: ownKey, parts: keyParts(partner), keys }
    await run(connection, compileLockByKeys(target, rows))
  }
}

/** The links to these partners that the caller sees. */
async function rowsOf(
  context: WriteContext,
  { relation, own }: RecordLinks,
  junction: Junction,
  partners: readonly (readonly Value[])[],
  includeDeleted: boolean,
): Promise<readonly Values[]> {
  const rows: Values[] = []
  for (const some of chunks(partners, own.length + junction.partner.length)) {
    const plan = planLinks(relation, junction, own, { partners: some, includeDeleted })
    rows.push(...(await readScopedOrEmpty(context, plan)))
  }
  return rows
}

/** Soft-deleted links by their partner's key; the last one if a partner has several. */
async function deletedLinks(
  context: WriteContext,
  links: RecordLinks,
  junction: Junction,
  partners: readonly Partner[],
): Promise<ReadonlyMap<string, Values>> {
  const { resource, partner } = junction
  // `partners` have no active link, so all rows found are deleted ones.
  if (resource.settings.softDelete === null || !links.mayExist) return new Map()
  const keys = partners.map(({ key }) => key)
  const rows = await rowsOf(context, links, junction, keys, true)
  return new Map(rows.map((row) => [keyText(valuesOf(partner, row) ?? []), row]))
}

/** Runs the validation, policy and callback of a link; undefined, with a problem, if its record requires other fields. */
async function newLink(
  context: WriteContext,
  { own }: RecordLinks,
  { resource, own: ownColumns, partner: partnerColumns }: Junction,
  partner: Partner,
  deleted: Values | undefined,
): Promise<NewLink | undefined> {
  const keys = { ...valuesIn(ownColumns, own), ...valuesIn(partnerColumns, partner.key) }
  const fresh = deleted ?? (await newRecord(context, { resource, values: {} }))
  const data = { ...fresh, ...keys, ...(deleted && restoration(context, resource)) }
  await validateFilled(context, resource, keys, data, partner.path)
  if (!(await context.access.canCreate(resource, data))) throw forbidden()
  const values = await context.hooks.add(resource, data)
  const missing = [...resource.columns.values()].filter(
    (column) => isRequired(resource, column, 'create') && (values[column.name] ?? null) === null,
  )
  if (missing.length === 0) return { partner, values, deleted }
  const names = missing.map(({ name }) => `"${name}"`).join(', ')
  const message = `This link cannot be made here, because its record needs ${names}. Create the ${resource.name} itself.`
  context.problems.add(partner.path, message)
  return undefined
}

/** Stores links in as few statements as possible, or `oneByOne` if callbacks may have changed each of them. */
async function store(
  context: WriteContext,
  links: RecordLinks,
  junction: Junction,
  made: readonly NewLink[],
  oneByOne: boolean,
): Promise<void> {
  const { resource } = junction
  const changes = restoration(context, resource)
  const restored: (readonly Value[])[] = []
  const inserted: NewLink[] = []
  for (const link of made) {
    const { deleted, values, partner } = link
    if (deleted === undefined) inserted.push(link)
    else if (oneByOne) await writeSaved(context, resource, deleted, values, changes, partner.path)
    else {
      restored.push(keyIn(resource, deleted) ?? [])
      context.changes?.note(resource, deleted, deleted)
    }
  }
  const { path } = links
  for (const keys of chunks(restored, resource.primaryKey.length)) {
    const statement = compileUpdateByKeys(context.target, resource, changes, keys)
    const step = { step: 'update', resource, path, values: changes, key: null } as const
    await runWrite(context, statement, step)
  }
  await insertAll(context, links, junction, inserted)
}

/** Inserts the links, with one statement for all that have the same columns. */
async function insertAll(
  context: WriteContext,
  links: RecordLinks,
  junction: Junction,
  inserted: readonly NewLink[],
): Promise<void> {
  const { resource } = junction
  const byColumns = new Map<string, NewLink[]>()
  for (const link of inserted) {
    const { given: values } = splitGeneratedKey(resource, link.values)
    const columns = JSON.stringify(storedColumns(resource, values).map(({ name }) => name))
    byColumns.set(columns, [...(byColumns.get(columns) ?? []), { ...link, values }])
  }
  for (const group of byColumns.values()) {
    const columns = storedColumns(resource, group[0]?.values ?? {})
    for (const some of chunks(group, columns.length)) {
      const rows = some.map(({ values }) => values)
      const made = some.map(({ partner }) => insertedLink(links, junction, partner))
      if (context.changes !== undefined) {
        await insertOneByOne(context, resource, links.path, rows, made)
        continue
      }
      const { statement } = compileInserts(context.target, resource, columns, rows)
      const step = { step: 'link', resource, path: links.path, values: {}, key: null } as const
      await runWrite(context, statement, { ...step, links: made })
    }
  }
}

/** Inserts each link with its own statement, which returns the generated key. */
async function insertOneByOne(
  context: WriteContext,
  resource: Resource,
  path: string,
  rows: readonly Values[],
  made: readonly InsertedLink[],
): Promise<void> {
  for (const [i, row] of rows.entries())
    await insert(context, resource, row, path, made.slice(i, i + 1))
}

function insertedLink(
  { relation, own }: RecordLinks,
  { resource, own: ownColumns, partner: partnerColumns }: Junction,
  { key, path }: Partner,
): InsertedLink {
  const matches = [
    ...matchesOf(keyParts(ownColumns), own),
    ...matchesOf(keyParts(partnerColumns), key),
  ]
  const { target } = relation
  return {
    path,
    row: { table: resource, matches },
    partner: { table: target, matches: keyMatches(target, key) },
  }
}

/** A key's values as JSON fields of the columns that hold it. */
const valuesIn = (columns: readonly NamedColumn[], key: readonly Value[]): Values =>
  Object.fromEntries(columns.map((column, i) => [column.name, jsonOf(column, key[i] as Value)]))

/** A key's value as JSON for the column that holds it; only one of the two columns may be a bigint. */
function jsonOf({ type }: NamedColumn, value: Value): JsonValue {
  if (type === 'bigint') return String(value)
  return typeof value === 'bigint' ? Number(value) : value
}
