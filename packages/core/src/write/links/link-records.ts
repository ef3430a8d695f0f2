// linkRecords: the LinkStore that stores links as records of the published model of their junction table, with its access rules and hooks:
// `{ person_id: 1, team_id: 2, since: … }`. A soft-deleted link is restored instead of created.

import { forbidden } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { columnTypes } from '../../model/column-types.ts'
import { isRequired } from '../../model/registry/checks/field-rules.ts'
import type { Junction } from '../../model/registry/relations/junction.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { linkNeedsFields } from '../../problems.ts'
import { chunks, keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyText } from '../../query/run/key.ts'
import { newRecord } from '../check/defaults.ts'
import { prepareRecords } from '../check/overlaps.ts'
import { requireAccess, validateFilled } from '../check/write-checks.ts'
import { planLinks } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import { optionsForUnlisted, WriteNode } from '../nodes/write-node.ts'
import type { InsertedLink } from '../refusals/refusal.ts'
import { keyIn, keyMatches, readScopedOrEmpty } from '../resolve/look-up-records.ts'
import { withHooks } from '../segments/with-hooks.ts'
import { compileInserts, storedColumns } from '../statements/statements.ts'
import {
  compileLockByKeys,
  compileUpdateByKeys,
  keyParts,
  matchesOf,
  rowsOfLinks,
} from '../statements/statements-by-keys.ts'
import { columnsToRead, type LinkUse, type RemovalUse } from '../store/columns-to-read.ts'
import { restoration } from '../store/deletion-marks.ts'
import { isNoted } from '../store/note-written.ts'
import { runWrite } from '../store/run-write.ts'
import { insertSingle, splitGeneratedKey, writeSaved } from '../store/save.ts'
import type { WriteContext } from '../store/write-context.ts'
import { addLink, chunksByKey, type FoundLinks, selectedLinks } from './link-keys.ts'
import type {
  LinkedRecord,
  LinkList,
  LinkStore,
  NewLinks,
  OldLinks,
  StoredKey,
} from './link-store.ts'
import type { WriteNested } from './nested-lists.ts'

/** A link to create. */
interface NewLink {
  /** The list that it is in. */
  readonly list: LinkList
  readonly linked: LinkedRecord
  /** The values of its record in the junction table. */
  readonly values: Values
  /** The soft-deleted record of the link, which is restored instead of inserting one. */
  readonly deleted: Values | undefined
}

/** What the functions below share: the write, the relation of the links, and its junction. */
interface LinkContext {
  readonly context: WriteContext
  readonly relation: ResolvedRelation
  readonly junction: Junction
}

/**
 * The LinkStore of a relation whose junction table has a published model; `writeNested` removes links, which are records, by the usual
 * steps.
 */
export function linkRecords(
  context: WriteContext,
  relation: ResolvedRelation,
  junction: Junction,
  writeNested: WriteNested,
): LinkStore {
  const { resource, own: ownColumns, linked: linkedColumns } = junction
  const writing: LinkContext = { context, relation, junction }
  return {
    async existing(lists) {
      const found: FoundLinks = new Map()
      for (const listChunk of chunksByKey(context.target.dialect, ownColumns, lists)) {
        const read = [...ownColumns, ...linkedColumns]
        const plan = planLinks(relation, junction, [ownColumns, listChunk.map(ownKey)], { read })
        const [only, ...others] = listChunk
        for (const row of await readScopedOrEmpty(context, plan)) {
          const own = others.length === 0 && only ? only.own : keyFromRow(ownColumns, row)
          addLink(found, own ?? [], keyFromRow(linkedColumns, row) ?? [])
        }
      }
      return found
    },
    async requireAccess(created, removed) {
      if (created.length > 0) await requireAccess(context, resource, 'POST', commonPath(created))
      if (removed.length > 0) await requireAccess(context, resource, 'DELETE', commonPath(removed))
    },
    async remove(links) {
      await lockLinks(writing, links)
      const soft = resource.settings.softDelete !== null
      const rows = await rowsOf(writing, links, { kind: 'remove', soft })
      const options = optionsForUnlisted(resource)
      const path = commonPath(links)
      await writeNested(
        context,
        rows.map((stored) => new WriteNode(options, { path, stored })),
      )
    },
    create: (links) => createLinks(writing, links),
  }
}

/** The key of the record that has the list. */
const ownKey = ({ own }: LinkList): StoredKey => own

/**
 * Calls the hooks of the links, and stores the links. A hook may read the links before its own, so with hooks each link is stored
 * before the hooks of the next one are called, unless a statement of a hook interrupts the write.
 */
async function createLinks(writing: LinkContext, links: readonly NewLinks[]): Promise<void> {
  const { context, junction } = writing
  const { access, hooks, interrupt } = context
  const { resource } = junction
  const hasHooks = access.hasHook(resource, 'can_create') || hooks.has(resource, 'add')
  const storesEach = hasHooks && interrupt === undefined
  const allowed: NewLink[] = []
  const deleted = await deletedLinks(writing, links)
  await withHooks(context, interrupt?.work, async () => {
    for (const { list, linked } of links) {
      for (const linkedRecord of linked) {
        const softDeleted = deleted.get(linkText(list.own, linkedRecord.key))
        const link = await newLink(writing, list, linkedRecord, softDeleted)
        interrupt?.refuse()
        if (link === undefined) continue
        if (storesEach) await storeLinks(writing, [link], { hasHooks })
        else allowed.push(link)
      }
    }
  })
  await storeLinks(writing, allowed, { hasHooks })
}

/** Locks the records of links, so that they do not change between the checks and the deletion. */
async function lockLinks(
  { context: { lease, target }, junction }: LinkContext,
  links: readonly OldLinks[],
): Promise<void> {
  if (!target.dialect.capabilities.locksRows) return
  const { resource, own, linked } = junction
  const [ownParts, linkedParts] = [keyParts(own), keyParts(linked)]
  for (const selected of selectedLinks(target.dialect, links, [...own, ...linked])) {
    const rows = { table: resource, ...rowsOfLinks(ownParts, linkedParts, selected) }
    await lease.rows(compileLockByKeys(target, rows, 'anyChange'))
  }
}

/** The records of the links, without those that the caller does not see; the soft-deleted ones, too, if they become new ones. */
async function rowsOf(
  { context, relation, junction }: LinkContext,
  links: readonly OldLinks[],
  use: RemovalUse | LinkUse,
): Promise<readonly Values[]> {
  const { resource, own: ownColumns, linked } = junction
  const read = columnsToRead(context, resource, use)
  const options = { read, includeDeleted: use.kind === 'link' }
  const rows: Values[] = []
  const columns = [...ownColumns, ...linked]
  for (const { own, keys } of selectedLinks(context.target.dialect, links, columns)) {
    const plan =
      own === undefined
        ? planLinks(relation, junction, [columns, keys], options)
        : planLinks(relation, junction, [ownColumns, [own]], { ...options, and: [linked, keys] })
    for (const row of await readScopedOrEmpty(context, plan)) rows.push(row)
  }
  return rows
}

/** The soft-deleted records of links, by `linkText`; the last one if a link has several. */
async function deletedLinks(
  writing: LinkContext,
  links: readonly NewLinks[],
): Promise<ReadonlyMap<string, Values>> {
  const { resource, own, linked } = writing.junction
  const mayBeDeleted = links.filter(({ list }) => list.mayExist)
  // None of these links exists, so all rows that are found are soft-deleted.
  if (resource.settings.softDelete === null || mayBeDeleted.length === 0) return new Map()
  const byKeys = mayBeDeleted.map(({ list, linked }) => ({ list, keys: linked.map(keyOf) }))
  const rows = await rowsOf(writing, byKeys, { kind: 'link' })
  return new Map(rows.map((row) => [linkText(keyFromRow(own, row), keyFromRow(linked, row)), row]))
}

/** The key of a record that a list links. */
const keyOf = ({ key }: LinkedRecord): StoredKey => key

/** Identifies a link by the keys of both ends. */
const linkText = (own: StoredKey = [], linked: StoredKey = []): string =>
  keyText([...own, ...linked])

/**
 * Calls the validators, the policy and the callback for a link; `deleted` is its soft-deleted record. If its record requires other fields
 * than the keys, adds a problem and returns undefined.
 */
async function newLink(
  { context, junction }: LinkContext,
  list: LinkList,
  linked: LinkedRecord,
  deleted: Values | undefined,
): Promise<NewLink | undefined> {
  const { resource, own: ownColumns, linked: linkedColumns } = junction
  const keys = { ...valuesIn(ownColumns, list.own), ...valuesIn(linkedColumns, linked.key) }
  const fresh = deleted ?? (await newRecord(context, { resource, values: {} }))
  const data = { ...fresh, ...keys, ...(deleted && restoration(context, resource)) }
  await validateFilled(context, resource, keys, data, linked.path)
  if (!(await context.access.canCreate(resource, data, linked.path))) throw forbidden(linked.path)
  const values = await context.hooks.add(resource, data, linked.path)
  const missing = [...resource.bodyColumns.values()].filter(
    (column) => isRequired(resource, column, 'create') && (values[column.name] ?? null) === null,
  )
  if (missing.length === 0) return { list, linked, values, deleted }
  const names = missing.map(({ name }) => name)
  context.problems.add(linked.path, linkNeedsFields(names, resource.name))
  return undefined
}

/** Stores links with few statements. `hasHooks`: callbacks may have changed each restored record, so each takes its own UPDATE. */
async function storeLinks(
  { context, relation, junction }: LinkContext,
  links: readonly NewLink[],
  { hasHooks }: { readonly hasHooks: boolean },
): Promise<void> {
  const { resource } = junction
  const changes = restoration(context, resource)
  const restored: (readonly Value[])[] = []
  const inserted: NewLink[] = []
  await prepareRecords(
    context,
    resource,
    links.map(({ deleted = null, values, linked: { path } }) => ({
      stored: deleted,
      values,
      path,
    })),
  )
  for (const link of links) {
    const { deleted, values, linked } = link
    if (deleted === undefined) inserted.push(link)
    else if (hasHooks || resource.exclusions.length > 0)
      await writeSaved(context, resource, deleted, values, changes, linked.path)
    else {
      restored.push(keyIn(resource, deleted) ?? [])
      context.changes?.note(resource, deleted, deleted, linked.path)
    }
  }
  const path = commonPath(links)
  for (const keys of keyChunks(context.target.dialect, restored, resource.primaryKey)) {
    const statement = compileUpdateByKeys(context.target, resource, changes, keys)
    const step = { step: 'update', resource, path, values: changes, key: null } as const
    await runWrite(context, statement, step)
  }
  await insertAll(context, relation, junction, inserted)
}

/** The path of the list with these links; empty if they belong to several lists. */
function commonPath(links: readonly { readonly list: LinkList }[]): string {
  const [first] = links
  return first !== undefined && links.every(({ list }) => list === first.list)
    ? first.list.path
    : ''
}

/** Inserts the links: those with the same columns with one statement. */
async function insertAll(
  context: WriteContext,
  { target }: ResolvedRelation,
  junction: Junction,
  inserted: readonly NewLink[],
): Promise<void> {
  const { resource } = junction
  const byColumns = new Map<string, NewLink[]>()
  for (const link of inserted) {
    const { insertValues: values } = splitGeneratedKey(resource, link.values)
    const columns = JSON.stringify(storedColumns(resource, values).map(({ name }) => name))
    const group = byColumns.get(columns)
    if (group === undefined) byColumns.set(columns, [{ ...link, values }])
    else group.push({ ...link, values })
  }
  for (const group of byColumns.values()) {
    const columns = storedColumns(resource, group[0]?.values ?? {})
    for (const linkChunk of chunks(group, columns.length)) {
      const links = () => linkChunk.map((link) => insertedLink(target, junction, link))
      if (isNoted(context, resource)) {
        await insertOneByOne(context, resource, linkChunk, links)
        continue
      }
      const rows = linkChunk.map(({ values }) => values)
      const { statement } = compileInserts(context.target, resource, columns, rows)
      const path = commonPath(linkChunk)
      const step = { step: 'link', resource, path, values: {}, key: null } as const
      await runWrite(context, statement, { ...step, links })
    }
  }
}

/** Inserts each link with its own statement, which returns the generated key. */
async function insertOneByOne(
  context: WriteContext,
  resource: Resource,
  inserted: readonly NewLink[],
  links: () => readonly InsertedLink[],
): Promise<void> {
  for (const [i, { values, linked }] of inserted.entries())
    await insertSingle(context, resource, values, linked.path, {
      links: () => links().slice(i, i + 1),
    })
}

/** The link for the error of a refusal: the conditions that find its row and the linked record. */
function insertedLink(
  target: Resource,
  { resource, own, linked: linkedColumns }: Junction,
  { list, linked: { key, path } }: NewLink,
): InsertedLink {
  const matches = [
    ...matchesOf(keyParts(own), list.own),
    ...matchesOf(keyParts(linkedColumns), key),
  ]
  return {
    path,
    row: { table: resource, matches },
    linked: { table: target, matches: keyMatches(target, key) },
  }
}

/** A key as fields of the junction's record: `columns` are the foreign key, and `key` has its values. */
const valuesIn = (columns: readonly NamedColumn[], key: readonly Value[]): Values =>
  Object.fromEntries(columns.map((column, i) => [column.name, jsonOf(column, key[i] as Value)]))

/** A value of a key as JSON for its foreign key column: one of the two columns may be a bigint, and the other an integer. */
function jsonOf({ type }: NamedColumn, value: Value): JsonValue {
  const { json, number } = columnTypes[type]
  if (number === 'whole' && json === 'string') return String(value)
  return typeof value === 'bigint' ? Number(value) : value
}
