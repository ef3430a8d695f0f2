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
import type { NamedColumn, ResolvedRelation, Resource } from '../../registry/resource.ts'
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
import { addPartner, chunksByKey, type FoundPartners } from './existing-links.ts'
import type { LevelOrder } from './level-order.ts'
import type { Key, LinkStore, NewLinks, Partner, RecordLinks } from './link-store.ts'
import { keyIn, keyMatches, readScopedOrEmpty, valuesOf } from './look-up.ts'
import { removeStored } from './remove.ts'
import { runWrite } from './run-step.ts'
import { insert, splitGeneratedKey, writeSaved } from './save.ts'
import { restoration } from './soft-delete.ts'

/** A link to create. */
interface NewLink {
  /** Its list in the body. */
  readonly of: RecordLinks
  readonly partner: Partner
  /** The record to store. */
  readonly values: Values
  /** The soft-deleted record to restore instead of inserting one. */
  readonly deleted: Values | undefined
}

/** The junction of a relation, and how its links are written. */
interface LinkContext {
  readonly context: WriteContext
  readonly relation: ResolvedRelation
  readonly junction: Junction
  readonly order: LevelOrder | undefined
}

export function linkRecords(
  context: WriteContext,
  relation: ResolvedRelation,
  junction: Junction,
  order: LevelOrder | undefined,
): LinkStore {
  const { resource, own: ownColumns, partner: partnerColumns } = junction
  const max = resource.settings.limits.bulk
  const writing: LinkContext = { context, relation, junction, order }
  return {
    async existing(records) {
      const found: FoundPartners = new Map()
      for (const some of chunksByKey(ownColumns, records)) {
        const columns = [...ownColumns, ...partnerColumns]
        const plan = planLinks(relation, junction, some.map(ownKey), { columns })
        const [only, ...others] = some
        for (const row of await readScopedOrEmpty(context, plan)) {
          const own = others.length === 0 && only ? only.own : valuesOf(ownColumns, row)
          addPartner(found, own ?? [], valuesOf(partnerColumns, row) ?? [])
        }
      }
      return found
    },
    async requireAccess(makes, removes) {
      if (makes) await requireAccess(context, resource, 'POST')
      if (removes) await requireAccess(context, resource, 'DELETE')
    },
    async remove(links) {
      for (const { of, partners } of links) {
        if (partners.length > max) throw tooManyRecords(settingNames.maxBulk, max)
        await lock(writing, of, partners)
        await removeStored(context, resource, await rowsOf(writing, of, partners, false))
      }
    },
    make: (links) => makeLinks(writing, links),
  }
}

const ownKey = ({ own }: RecordLinks): Key => own

/**
 * Calls the hooks of the links, and stores them. A hook may read the links created earlier, so with hooks each link is stored
 * before the next one, unless `order` keeps hooks from reading.
 */
async function makeLinks(writing: LinkContext, links: readonly NewLinks[]): Promise<void> {
  const { context, junction, order } = writing
  const { access, hooks } = context
  const { resource } = junction
  const hasHooks = access.hasHook(resource, 'can_create') || hooks.has(resource, 'add')
  const oneByOne = hasHooks && order === undefined
  const allowed: NewLink[] = []
  for (const { of, partners } of links) {
    const deleted = await deletedLinks(writing, of, partners)
    order?.beforeHooks(context)
    for (const partner of partners) {
      const link = await newLink(writing, of, partner, deleted.get(keyText(partner.key)))
      if (link === undefined) continue
      if (oneByOne) await store(writing, [link], true)
      else allowed.push(link)
    }
    order?.afterHooks(context)
  }
  await store(writing, allowed, hasHooks)
}

/** Locks the links to these partners, so that they do not change between the checks and the deletion. */
async function lock(
  { context: { connection, target }, junction }: LinkContext,
  { own }: RecordLinks,
  partners: readonly Key[],
): Promise<void> {
  if (!target.dialect.capabilities.locksRows) return
  const { resource, own: ownColumns, partner } = junction
  const matches = matchesOf(keyParts(ownColumns), own)
  for (const keys of chunks(partners, matches.length + partner.length)) {
    const rows = { table: resource, matches, parts: keyParts(partner), keys }
    await run(connection, compileLockByKeys(target, rows))
  }
}

/** The links to these partners that the caller sees. */
async function rowsOf(
  { context, relation, junction }: LinkContext,
  { own }: RecordLinks,
  partners: readonly Key[],
  includeDeleted: boolean,
): Promise<readonly Values[]> {
  const rows: Values[] = []
  for (const some of chunks(partners, own.length + junction.partner.length)) {
    const plan = planLinks(relation, junction, [own], { partners: some, includeDeleted })
    rows.push(...(await readScopedOrEmpty(context, plan)))
  }
  return rows
}

/** Soft-deleted links by their partner's key; the last one if a partner has several. */
async function deletedLinks(
  writing: LinkContext,
  links: RecordLinks,
  partners: readonly Partner[],
): Promise<ReadonlyMap<string, Values>> {
  const { resource, partner } = writing.junction
  // `partners` have no active link, so all rows found are deleted ones.
  if (resource.settings.softDelete === null || !links.mayExist) return new Map()
  const keys = partners.map(({ key }) => key)
  const rows = await rowsOf(writing, links, keys, true)
  return new Map(rows.map((row) => [keyText(valuesOf(partner, row) ?? []), row]))
}

/** Runs the validation, policy and callback of a link; undefined, with a problem, if its record requires other fields. */
async function newLink(
  { context, junction }: LinkContext,
  of: RecordLinks,
  partner: Partner,
  deleted: Values | undefined,
): Promise<NewLink | undefined> {
  const { resource, own: ownColumns, partner: partnerColumns } = junction
  const keys = { ...valuesIn(ownColumns, of.own), ...valuesIn(partnerColumns, partner.key) }
  const fresh = deleted ?? (await newRecord(context, { resource, values: {} }))
  const data = { ...fresh, ...keys, ...(deleted && restoration(context, resource)) }
  await validateFilled(context, resource, keys, data, partner.path)
  if (!(await context.access.canCreate(resource, data))) throw forbidden()
  const values = await context.hooks.add(resource, data)
  const missing = [...resource.columns.values()].filter(
    (column) => isRequired(resource, column, 'create') && (values[column.name] ?? null) === null,
  )
  if (missing.length === 0) return { of, partner, values, deleted }
  const names = missing.map(({ name }) => `"${name}"`).join(', ')
  const message = `This link cannot be made here, because its record needs ${names}. Create the ${resource.name} itself.`
  context.problems.add(partner.path, message)
  return undefined
}

/** Stores links in as few statements as possible; `hasHooks` if callbacks may have changed each of them. */
async function store(
  { context, relation, junction }: LinkContext,
  made: readonly NewLink[],
  hasHooks: boolean,
): Promise<void> {
  const { resource } = junction
  const changes = restoration(context, resource)
  const restored: (readonly Value[])[] = []
  const inserted: NewLink[] = []
  for (const link of made) {
    const { deleted, values, partner } = link
    if (deleted === undefined) inserted.push(link)
    else if (hasHooks) await writeSaved(context, resource, deleted, values, changes, partner.path)
    else {
      restored.push(keyIn(resource, deleted) ?? [])
      context.changes?.note(resource, deleted, deleted)
    }
  }
  const path = commonPath(made)
  for (const keys of chunks(restored, resource.primaryKey.length)) {
    const statement = compileUpdateByKeys(context.target, resource, changes, keys)
    const step = { step: 'update', resource, path, values: changes, key: null } as const
    await runWrite(context, statement, step)
  }
  await insertAll(context, relation, junction, inserted)
}

/** The path of the list with these links; empty if they belong to several lists. */
function commonPath(links: readonly NewLink[]): string {
  const [first] = links
  return first !== undefined && links.every(({ of }) => of === first.of) ? first.of.path : ''
}

/** Inserts the links, with one statement for all that have the same columns. */
async function insertAll(
  context: WriteContext,
  { target }: ResolvedRelation,
  junction: Junction,
  inserted: readonly NewLink[],
): Promise<void> {
  const { resource } = junction
  const byColumns = new Map<string, NewLink[]>()
  for (const link of inserted) {
    const { given: values } = splitGeneratedKey(resource, link.values)
    const columns = JSON.stringify(storedColumns(resource, values).map(({ name }) => name))
    const group = byColumns.get(columns)
    if (group === undefined) byColumns.set(columns, [{ ...link, values }])
    else group.push({ ...link, values })
  }
  for (const group of byColumns.values()) {
    const columns = storedColumns(resource, group[0]?.values ?? {})
    for (const some of chunks(group, columns.length)) {
      const path = commonPath(some)
      const rows = some.map(({ values }) => values)
      const links = () => some.map((link) => insertedLink(target, junction, link))
      if (context.changes !== undefined) {
        await insertOneByOne(context, resource, path, rows, links)
        continue
      }
      const { statement } = compileInserts(context.target, resource, columns, rows)
      const step = { step: 'link', resource, path, values: {}, key: null } as const
      await runWrite(context, statement, { ...step, links })
    }
  }
}

/** Inserts each link with its own statement, which returns the generated key. */
async function insertOneByOne(
  context: WriteContext,
  resource: Resource,
  path: string,
  rows: readonly Values[],
  links: () => readonly InsertedLink[],
): Promise<void> {
  for (const [i, row] of rows.entries())
    await insert(context, resource, row, path, () => links().slice(i, i + 1))
}

function insertedLink(
  target: Resource,
  { resource, own, partner: partnerColumns }: Junction,
  { of, partner: { key, path } }: NewLink,
): InsertedLink {
  const matches = [...matchesOf(keyParts(own), of.own), ...matchesOf(keyParts(partnerColumns), key)]
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
