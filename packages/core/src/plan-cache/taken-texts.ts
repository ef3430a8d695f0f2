// Which texts come with the rows of a kept read, written by the database: relations, and whole objects.

import { compileEmbedText } from '../compile/embed-text.ts'
import { isJoinable } from '../compile/joined-embed.ts'
import { compileObject, type ObjectSelection } from '../compile/object-text.ts'
import { isPlannedAnew } from '../compile/planned-anew.ts'
import {
  canSkipKeys,
  canWriteObjects,
  type EmbedText,
  far,
  type Slice,
} from '../compile/row-query.ts'
import type { Target } from '../compile/target.ts'
import type { EmbedPlan, ReadPlan } from '../plan/plan.ts'

/** Which texts a read takes. */
export interface TextsTaken {
  readonly base: string
  /** Embedded relations. */
  readonly embeds: boolean
  /** Objects of rows: with their relations, or of a single record, whose tag is made of its columns, these alone. */
  readonly objects: 'whole' | 'own' | false
}

/** A read, as far as texts depend on it. */
export interface TextReading {
  readonly target: Target
  /** The plan as filled in, whose statements are compiled where a value changes their text. */
  readonly plan: ReadPlan
  /** To-one relations may be joined. */
  readonly joins: boolean
  /** What may come as JSON text; URLs in it start with `base`. */
  readonly texts?: TextsTaken
  readonly templates: {
    /** Objects are read as values: a text had not its form, and others of this read will not have it either. */
    readonly asValues: boolean
  }
}

/** What comes with the rows of a page: the texts that are taken, and joined relations. */
export function textsOf(
  read: TextReading,
  slice: Slice,
): Pick<Slice, 'texts' | 'joined' | 'object'> {
  const { target, plan, texts } = read
  const written = texts?.embeds ? embedTexts(target, plan, slice, texts.base) : []
  const names = new Set(written.map(({ name }) => name))
  const joined = read.joins && slice.offset < far ? fitting(plan, joinable(plan, names)) : []
  if (written.length > 0) return { texts: written, joined }
  const isWritten =
    canWriteObjects(plan.rows, slice) && !isPlannedAnew(target.dialect, plan.rows, slice.keyset)
  const object = isWritten ? objectText(read, plan, joined, texts?.objects === 'own') : undefined
  return { joined, ...(object && { object }) }
}

/** The object of each row, where the database can write it. */
export function objectText(
  { target, texts, templates }: TextReading,
  { rows, embeds, links }: Pick<ReadPlan, 'rows' | 'embeds' | 'links'>,
  joined: readonly EmbedPlan[],
  ownOnly: boolean,
): ObjectSelection | undefined {
  if (texts === undefined || texts.objects === false || templates.asValues) return undefined
  const { base } = texts
  return compileObject(target, { rows, embeds, links, joined, base, ownOnly })
}

/** The relations that the database can write; rows that are skipped must not have them written. */
function embedTexts(
  target: Target,
  { rows, embeds }: ReadPlan,
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
const joinable = ({ rows, embeds }: ReadPlan, written: ReadonlySet<string>): readonly EmbedPlan[] =>
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

function fitting({ rows }: ReadPlan, embeds: readonly EmbedPlan[]): readonly EmbedPlan[] {
  let columns = rows.output.length
  return embeds.slice(0, mostJoined).filter((embed) => {
    columns += embed.rows.output.length + 1
    return columns <= mostColumns
  })
}

/** The texts that are taken, in words that need not be put together for each request. */
export function textForm({ texts, templates }: TextReading): string {
  const objects = (texts !== undefined && !templates.asValues && texts.objects) || 'values'
  return texts?.embeds ? withEmbeds[objects] : objects
}

const withEmbeds = {
  whole: 'whole, embeds',
  own: 'own, embeds',
  values: 'values, embeds',
} as const
