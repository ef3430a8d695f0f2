// Which parts of an answer come with the rows of a read: JSON that the database builds, and to-one relations that are joined.

import type { EmbedPlan, ReadPlan } from '../plan/plan.ts'
import { compileEmbedText } from './embedded-json.ts'
import { isJoinable } from './joined-embed.ts'
import { compileObject, type ObjectSelection } from './object-json.ts'
import { replansForValue } from './replans-for-value.ts'
import {
  canSkipKeys,
  canWriteObjects,
  type EmbedText,
  keysFirstOffset,
  type Slice,
} from './row-query.ts'
import type { Target } from './target.ts'

/** What a read may take from the database otherwise than as values. */
export interface Ways {
  /** To-one relations may be joined. */
  readonly joins: boolean
  /** JSON that the database may build; absent where somebody besides the client looks at the values. */
  readonly json?: DatabaseJson
}

export interface DatabaseJson {
  /** What URLs in it start with. */
  readonly base: string
  /** Embedded relations. */
  readonly embeds: boolean
  /**
   * The objects of rows: `whole`, with their relations, or of a single record, whose ETag is made of its columns, the
   * columns alone.
   */
  readonly objects: 'whole' | 'own' | false
}

/** Every value is read as such, every relation by a statement of its own. */
export const valuesOnly: Ways = { joins: false }

/** The ways in words, as part of the name of a statement. */
export const waysForm = ({ joins, json }: Ways): string =>
  `${joins ? 'joins' : ''} ${json?.objects || ''}${json?.embeds ? ' embeds' : ''}`

/** What comes with the rows of a page. */
export function partsWithRows(
  target: Target,
  plan: Pick<ReadPlan, 'rows' | 'embeds' | 'links'>,
  slice: Slice,
  ways: Ways,
): Pick<Slice, 'texts' | 'joined' | 'object'> {
  const { json } = ways
  const texts = json?.embeds ? embedTexts(target, plan, slice, json.base) : []
  const names = new Set(texts.map(({ name }) => name))
  const joined =
    ways.joins && slice.offset < keysFirstOffset ? fitting(plan, joinable(plan, names)) : []
  if (texts.length > 0) return { texts, joined }
  const isWritten =
    canWriteObjects(plan.rows, slice) && !replansForValue(target.dialect, plan.rows, slice.keyset)
  const object = isWritten ? rowObject(target, plan, json, joined) : undefined
  return { joined, ...(object && { object }) }
}

/** The object of each embedded row, where the database can write it. */
export function embeddedObject(
  target: Target,
  embed: EmbedPlan,
  { json }: Ways,
): ObjectSelection | undefined {
  if (embed.limit !== null || replansForValue(target.dialect, embed.rows)) return undefined
  return rowObject(target, embed, json && { ...json, objects: json.objects && 'whole' }, [])
}

function rowObject(
  target: Target,
  { rows, embeds, links }: Pick<ReadPlan, 'rows' | 'embeds' | 'links'>,
  json: DatabaseJson | undefined,
  joined: readonly EmbedPlan[],
): ObjectSelection | undefined {
  if (json === undefined || json.objects === false) return undefined
  const ownOnly = json.objects === 'own'
  return compileObject(target, { rows, embeds, links, joined, base: json.base, ownOnly })
}

/** The relations that the database can write; rows that are skipped must not have them written. */
function embedTexts(
  target: Target,
  { rows, embeds }: Pick<ReadPlan, 'rows' | 'embeds'>,
  { offset, limit }: Slice,
  base: string,
): readonly EmbedText[] {
  if (offset > 0 && !canSkipKeys(target, rows)) return []
  const most = rows.from.resource.settings.limits.embeddedRows + 1
  return embeds.flatMap((embed) => {
    const text = compileEmbedText(target, rows.from, embed, { base, most, parents: limit })
    return text === undefined ? [] : [{ name: embed.relation.name, text }]
  })
}

/** The to-one relations of a page of records that can be joined: none of them changes which rows there are. */
const joinable = (
  { rows, embeds }: Pick<ReadPlan, 'rows' | 'embeds'>,
  written: ReadonlySet<string>,
): readonly EmbedPlan[] =>
  embeds.filter(
    (embed, i) =>
      rows.shape === 'entity' &&
      !written.has(embed.relation.name) &&
      isJoinable(rows, embed) &&
      // Two of one alias cannot both be joined.
      embeds.findIndex(({ rows: { from } }) => from.alias === embed.rows.from.alias) === i,
  )

/** Databases take some 60 tables and 1,600 columns in one statement. */
const mostJoined = 16
const mostColumns = 1000

function fitting(
  { rows }: Pick<ReadPlan, 'rows'>,
  embeds: readonly EmbedPlan[],
): readonly EmbedPlan[] {
  let columns = rows.output.length
  return embeds.slice(0, mostJoined).filter((embed) => {
    columns += embed.rows.output.length + 1
    return columns <= mostColumns
  })
}
