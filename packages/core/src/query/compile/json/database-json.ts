// Decides which JSON the database builds in the statement of a read's rows, and which to-one relations the statement joins (`shortcutsOfRows`),
// and whether it builds the objects of embedded rows (`embeddedObject`). Called by `read-program.ts` while it compiles a cached plan; plans that
// are not cached are compiled with `noShortcuts`.

import type { EmbedPlan, ReadPlan } from '../../plan/plan.ts'
import { replansForValue } from '../replans-for-value.ts'
import {
  canBuildObjects,
  canSkipKeys,
  type EmbeddedJson,
  keysFirstOffset,
  type Slice,
} from '../rows/row-query.ts'
import type { Target } from '../target.ts'
import { compileEmbeddedJson } from './embedded-json.ts'
import { isJoinable } from './joined-embed.ts'
import { compileObject, type ObjectSelection } from './object-json.ts'

/** Which shortcuts a read may use instead of reading each value as a column and each relation by its own statement. */
export interface ReadShortcuts {
  /** To-one relations may be joined. */
  readonly joins: boolean
  /** JSON that the database may build; absent if the service needs the values themselves. */
  readonly json?: DatabaseJson
}

/** The JSON that the database may build: of embedded relations, and of the objects of rows. */
export interface DatabaseJson {
  /** The beginning of URLs in the JSON. */
  readonly base: string
  /**
   * Whether the database may build the objects of rows: `complete` with their relations, or only their `columns`, for a single
   * record, whose ETag is computed from its columns. False: only the JSON of embedded relations, because callbacks receive the objects.
   */
  readonly objects: 'complete' | 'columns' | false
}

/** Every value is read as a column, and every relation by its own statement. */
export const noShortcuts: ReadShortcuts = { joins: false }

/** Returns the part of a statement's cache key that names its shortcuts. */
export const shortcutsForm = ({ joins, json }: ReadShortcuts): string =>
  `${joins ? 'joins' : ''} ${json === undefined ? '' : `json ${json.objects}`}`

/** Decides which JSON and which joined relations the statement of the rows also returns: the members to add to its slice. */
export function shortcutsOfRows(
  target: Target,
  plan: Pick<ReadPlan, 'rows' | 'embeds' | 'links'>,
  slice: Slice,
  shortcuts: ReadShortcuts,
): Pick<Slice, 'embeddedJson' | 'joined' | 'object'> {
  const { json } = shortcuts
  const embeddedJson = json === undefined ? [] : embeddedJsonOf(target, plan, slice, json.base)
  const names = new Set(embeddedJson.map(({ name }) => name))
  const joined =
    shortcuts.joins && slice.offset < keysFirstOffset
      ? withinLimits(plan, joinable(plan, names))
      : []
  if (embeddedJson.length > 0) return { embeddedJson, joined }
  const canBuild =
    canBuildObjects(plan.rows, slice) && !replansForValue(target.dialect, plan.rows, slice.keyset)
  const object = canBuild ? rowObject(target, plan, json, joined) : undefined
  return { joined, ...(object && { object }) }
}

/** Returns the column with the JSON of each embedded row's object; undefined if the database cannot build it. */
export function embeddedObject(
  target: Target,
  embed: EmbedPlan,
  { json }: ReadShortcuts,
): ObjectSelection | undefined {
  // With a limit for each parent, JSON would also be built of rows beyond the limit.
  if (embed.limit !== null || replansForValue(target.dialect, embed.rows)) return undefined
  // An embedded row has no ETag, so that its whole object can be built even if that of the base is built without relations (`columns`).
  return rowObject(target, embed, json && { ...json, objects: json.objects && 'complete' }, [])
}

/** Compiles the JSON of each row's object; undefined if it is not wanted or the database cannot build it. */
function rowObject(
  target: Target,
  { rows, embeds, links }: Pick<ReadPlan, 'rows' | 'embeds' | 'links'>,
  json: DatabaseJson | undefined,
  joined: readonly EmbedPlan[],
): ObjectSelection | undefined {
  if (json === undefined || json.objects === false) return undefined
  const columnsOnly = json.objects === 'columns'
  return compileObject(target, { rows, embeds, links, joined, base: json.base, columnsOnly })
}

/** Returns the embedded relations whose JSON the database can build; none if it would also build the JSON of rows that OFFSET skips. */
function embeddedJsonOf(
  target: Target,
  { rows, embeds }: Pick<ReadPlan, 'rows' | 'embeds'>,
  { offset, limit }: Slice,
  base: string,
): readonly EmbeddedJson[] {
  if (offset > 0 && !canSkipKeys(target, rows)) return []
  const maxRows = rows.from.resource.settings.limits.embeddedRows + 1
  return embeds.flatMap((embed) => {
    const text = compileEmbeddedJson(target, rows.from, embed, { base, maxRows, parents: limit })
    return text === undefined ? [] : [{ name: embed.relation.name, text }]
  })
}

/** Returns the to-one relations that can be joined without changing the rows of the page. */
const joinable = (
  { rows, embeds }: Pick<ReadPlan, 'rows' | 'embeds'>,
  asJson: ReadonlySet<string>,
): readonly EmbedPlan[] =>
  embeds.filter(
    (embed, i) =>
      rows.shape === 'records' &&
      !asJson.has(embed.relation.name) &&
      isJoinable(rows, embed) &&
      // Of two embeds with the same alias, only the first can be joined.
      embeds.findIndex(({ rows: { from } }) => from.alias === embed.rows.from.alias) === i,
  )

/** Below the limits of all databases: MariaDB joins at most 61 tables, PostgreSQL selects at most 1,664 columns. */
const maxJoined = 16
const maxColumns = 1000

/** Returns the first embeds, as many as fit in one statement. */
function withinLimits(
  { rows }: Pick<ReadPlan, 'rows'>,
  embeds: readonly EmbedPlan[],
): readonly EmbedPlan[] {
  let columns = rows.output.length
  return embeds.slice(0, maxJoined).filter((embed) => {
    // One more for the key, which tells whether there is a related row.
    columns += embed.rows.output.length + 1
    return columns <= maxColumns
  })
}
