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
  rowsOfLinks,
} from '../compile/statements-by-keys.ts'
import { planLinks } from '../plan/look-up.ts'
import type { Values } from '../plan/node.ts'
import { requireAccess, validateFilled } from './checks.ts'
import type { InsertedLink, WriteContext } from './context.ts'
import { newRecord } from './defaults.ts'
import type { LevelOrder } from './level-order.ts'
import { addPartner, chunksByKey, type FoundPartners, selectedLinks } from './link-keys.ts'
import type { Key, LinkStore, NewLinks, OldLinks, Partner, RecordLinks } from './link-store.ts'
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
        const plan = planLinks(relation, junction, [ownColumns, some.map(ownKey)], { columns })
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
      const isTooLong = links.some(({ partners }) => partners.length > max)
      if (isTooLong) throw tooManyRecords(settingNames.maxBulk, max)
      await lock(writing, links)
      const rows = await rowsOf(writing, links, false)
      order?.beforeHooks(context)
      await removeStored(context, resource, rows)
      order?.afterHooks(context)
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
  const deleted = await deletedLinks(writing, links)
  order?.beforeHooks(context)
  for (const { of, partners } of links) {
    for (const partner of partners) {
      const known = deleted.get(linkText(of.own, partner.key))
      const link = await newLink(writing, of, partner, known)
      if (link === undefined) continue
      if (oneByOne) await store(writing, [link], true)
      else allowed.push(link)
    }
  }
  order?.afterHooks(context)
  await store(writing, allowed, hasHooks)
}

/** Locks links, so that they do not change between the checks and the deletion. */
async function lock(
  { context: { connection, target }, junction }: LinkContext,
  links: readonly OldLinks[],
): Promise<void> {
  if (!target.dialect.capabilities.locksRows) return
  const { resource, own, partner } = junction
  const [ownParts, partnerParts] = [keyParts(own), keyParts(partner)]
  for (const selected of selectedLinks(links, own.length + partner.length)) {
    const rows = { table: resource, ...rowsOfLinks(ownParts, partnerParts, selected) }
    await run(connection, compileLockByKeys(target, rows))
  }
}

/** The records of those links that the caller sees. */
async function rowsOf(
  { context, relation, junction }: LinkContext,
  links: readonly OldLinks[],
  includeDeleted: boolean,
): Promise<readonly Values[]> {
  const { own: ownColumns, partner } = junction
  const rows: Values[] = []
  for (const { own, keys } of selectedLinks(links, ownColumns.length + partner.length)) {
    const plan =
      own === undefined
        ? planLinks(relation, junction, [[...ownColumns, ...partner], keys], { includeDeleted })
        : planLinks(relation, junction, [ownColumns, [own]], {
            and: [partner, keys],
            includeDeleted,
          })
    for (const row of await readScopedOrEmpty(context, plan)) rows.push(row)
  }
  return rows
}

/** The soft-deleted records of links, by `keyText` of the keys of both ends; the last one if a link has several. */
async function deletedLinks(
  writing: LinkContext,
  links: readonly NewLinks[],
): Promise<ReadonlyMap<string, Values>> {
  const { resource, own, partner } = writing.junction
  const mayBeDeleted = links.filter(({ of }) => of.mayExist)
  // The links to create are not active, so all rows found are deleted ones.
  if (resource.settings.softDelete === null || mayBeDeleted.length === 0) return new Map()
  const keys = mayBeDeleted.map(({ of, partners }) => ({ of, partners: partners.map(keyOf) }))
  const rows = await rowsOf(writing, keys, true)
  return new Map(rows.map((row) => [linkText(valuesOf(own, row), valuesOf(partner, row)), row]))
}

const keyOf = ({ key }: Partner): Key => key

const linkText = (own: Key = [], partner: Key = []): string => keyText([...own, ...partner])

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
