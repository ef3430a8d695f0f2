// Links that are records of a published junction: each is made and removed by the rules of its model, and a deleted one comes back.

import { compileLockByKeys, compileUpdateByKeys } from '../compile/link-query.ts'
import { compileInserts, storedColumns } from '../compile/write-query.ts'
import { settingNames } from '../config/setting-names.ts'
import { forbidden, tooManyRecords } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { Value } from '../plan/plan.ts'
import { planLinks } from '../plan/write-look-up.ts'
import type { Values } from '../plan/write-node.ts'
import { isRequired } from '../registry/field-rules.ts'
import type { Junction } from '../registry/junction.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { chunks } from './chunks.ts'
import { keyText } from './key.ts'
import { matchesOf } from './link-table.ts'
import { keyIn, keyMatches, keyParts, readShown, valuesOf } from './look-up.ts'
import { run } from './run.ts'
import { renewed, writeSaved } from './write-change.ts'
import { checkFilled, demand } from './write-checks.ts'
import type { MadeLink, WriteContext } from './write-context.ts'
import { keyToInsert } from './write-create.ts'
import { newRecord } from './write-defaults.ts'
import type { LinkStore, LinksOf, Partner } from './write-links.ts'
import { removeStored } from './write-remove.ts'
import { runWrite } from './write-run.ts'

/** A link that may be made. */
interface NewLink {
  readonly partner: Partner
  /** The record as it is to be stored. */
  readonly values: Values
  /** The deleted record that comes back instead of a new one. */
  readonly deleted: Values | undefined
}

export function linkRecords(context: WriteContext, links: LinksOf, junction: Junction): LinkStore {
  const { resource, partner } = junction
  const { relation, own } = links
  const most = resource.settings.limits.bulk
  return {
    async existing() {
      const rows = await readShown(
        context,
        planLinks(relation, junction, own, { columns: partner }),
      )
      const keys = rows.flatMap((row) => [valuesOf(partner, row) ?? []])
      return new Map(keys.map((key) => [keyText(key), key]))
    },
    async demand(makes, removes) {
      if (makes) await demand(context, resource, 'POST')
      if (removes) await demand(context, resource, 'DELETE')
    },
    async remove(partners) {
      if (partners.length > most) throw tooManyRecords(settingNames.maxBulk, most)
      await lock(context, links, junction, partners)
      await removeStored(context, resource, await rowsOf(context, links, junction, partners, false))
    },
    async make(partners) {
      const deleted = await deletedLinks(context, links, junction, partners)
      const { access, hooks } = context
      // Who is asked about a link may look at those before it in the database.
      const oneByOne = access.asks(resource, 'can_create') || hooks.has(resource, 'add')
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

/** Holds the links to these partners, so that what is asked about them is still so when they go. */
async function lock(
  { connection, target }: WriteContext,
  { own }: LinksOf,
  { resource, own: holding, partner }: Junction,
  partners: readonly (readonly Value[])[],
): Promise<void> {
  if (!target.dialect.capabilities.locksRows) return
  const mine = matchesOf(keyParts(holding), own)
  for (const keys of chunks(partners, mine.length + partner.length)) {
    await run(connection, compileLockByKeys(target, resource.table, mine, keyParts(partner), keys))
  }
}

/** The links to these partners that the caller sees. */
async function rowsOf(
  context: WriteContext,
  { relation, own }: LinksOf,
  junction: Junction,
  partners: readonly (readonly Value[])[],
  includeDeleted: boolean,
): Promise<readonly Values[]> {
  const rows: Values[] = []
  for (const some of chunks(partners, own.length + junction.partner.length)) {
    const plan = planLinks(relation, junction, own, { partners: some, includeDeleted })
    rows.push(...(await readShown(context, plan)))
  }
  return rows
}

/** Links that are marked as deleted, by the text of their partner's key; of several to one partner the last. */
async function deletedLinks(
  context: WriteContext,
  links: LinksOf,
  junction: Junction,
  partners: readonly Partner[],
): Promise<ReadonlyMap<string, Values>> {
  const { resource, partner } = junction
  // What is not deleted is linked, and not to be made.
  if (resource.settings.softDelete === null || !links.mayExist) return new Map()
  const keys = partners.map(({ key }) => key)
  const rows = await rowsOf(context, links, junction, keys, true)
  return new Map(rows.map((row) => [keyText(valuesOf(partner, row) ?? []), row]))
}

/** Validation, policy and callback of a link; undefined where its record would lack a field that lists cannot give. */
async function newLink(
  context: WriteContext,
  { own }: LinksOf,
  { resource, own: holding, partner: ends }: Junction,
  partner: Partner,
  deleted: Values | undefined,
): Promise<NewLink | undefined> {
  const keys = { ...valuesIn(holding, own), ...valuesIn(ends, partner.key) }
  const fresh = deleted ?? (await newRecord(context, { resource, values: {} }))
  const data = { ...fresh, ...keys, ...(deleted && back(context, resource)) }
  await checkFilled(context, resource, keys, data, partner.path)
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

/** What makes a deleted record one that is there. */
function back(context: WriteContext, resource: Resource): Values {
  const { softDelete } = resource.settings
  if (softDelete === null) return {}
  return { ...renewed(context, resource), [softDelete.attribute]: softDelete.active as JsonValue }
}

/** Stores links: in as few statements as there can be, or `oneByOne` where a callback may have changed each. */
async function store(
  context: WriteContext,
  links: LinksOf,
  junction: Junction,
  made: readonly NewLink[],
  oneByOne: boolean,
): Promise<void> {
  const { resource } = junction
  const changes = back(context, resource)
  const restored: (readonly Value[])[] = []
  const inserted: NewLink[] = []
  for (const link of made) {
    const { deleted, values, partner } = link
    if (deleted === undefined) inserted.push(link)
    else if (oneByOne) await writeSaved(context, resource, deleted, values, changes, partner.path)
    else restored.push(keyIn(resource, deleted) ?? [])
  }
  const { path } = links
  const parts = keyParts(resource.primaryKey)
  for (const keys of chunks(restored, parts.length)) {
    const statement = compileUpdateByKeys(context.target, resource, changes, parts, keys)
    const step = { step: 'update', resource, path, values: changes, key: null } as const
    await runWrite(context, statement, step)
  }
  await insertAll(context, links, junction, inserted)
}

/** One statement for all that have the same columns. */
async function insertAll(
  context: WriteContext,
  links: LinksOf,
  junction: Junction,
  inserted: readonly NewLink[],
): Promise<void> {
  const { resource } = junction
  const alike = new Map<string, NewLink[]>()
  for (const link of inserted) {
    const { given: values } = keyToInsert(resource, link.values)
    const columns = JSON.stringify(storedColumns(resource, values).map(({ name }) => name))
    alike.set(columns, [...(alike.get(columns) ?? []), { ...link, values }])
  }
  for (const group of alike.values()) {
    const columns = storedColumns(resource, group[0]?.values ?? {})
    for (const some of chunks(group, columns.length)) {
      const rows = some.map(({ values }) => values)
      const statement = compileInserts(context.target, resource, rows)
      const step = { step: 'link', resource, path: links.path, values: {}, key: null } as const
      const made = some.map(({ partner }) => madeLink(links, junction, partner))
      await runWrite(context, statement, { ...step, links: made })
    }
  }
}

function madeLink(
  { relation, own }: LinksOf,
  { resource, own: holding, partner: ends }: Junction,
  { key, path }: Partner,
): MadeLink {
  const matches = [...matchesOf(keyParts(holding), own), ...matchesOf(keyParts(ends), key)]
  const { target } = relation
  return {
    path,
    row: { table: resource.table, matches },
    partner: { table: target.table, matches: keyMatches(target, key) },
  }
}

/** The values of a key as fields of the columns that hold it. */
const valuesIn = (columns: readonly NamedColumn[], key: readonly Value[]): Values =>
  Object.fromEntries(columns.map((column, i) => [column.name, jsonOf(column, key[i] as Value)]))

/** A key's value in the JSON form of a column that holds it, which may count in other digits than the key's own. */
function jsonOf({ type }: NamedColumn, value: Value): JsonValue {
  if (type === 'bigint') return String(value)
  return typeof value === 'bigint' ? Number(value) : value
}
