// The statements of a prepared read: printed once for each form they take, then filled in.

import { compileCondition } from '../compile/condition.ts'
import { compileEmbed, keysOrigin, mostOf, mostOrigin, parentsIn } from '../compile/embed-query.ts'
import { baseOf, baseOrigin, compileEmbedText } from '../compile/embed-text.ts'
import { isJoinable } from '../compile/joined-embed.ts'
import { beyondPlace } from '../compile/keyset.ts'
import { compileList } from '../compile/list-text.ts'
import { compileObject, type ObjectSelection } from '../compile/object-text.ts'
import { isPlannedAnew } from '../compile/planned-anew.ts'
import {
  type CheckedObject,
  type EmbedStatement,
  type ListStatement,
  type ReadStatements,
  type RowStatement,
  type Sendable,
  valuesOf,
} from '../compile/read-statements.ts'
import {
  type CompiledRows,
  canSkipKeys,
  canWriteObjects,
  compileCount,
  compileRows,
  type EmbedText,
  far,
  offsetOf,
  offsetOrigin,
  type Slice,
} from '../compile/row-query.ts'
import type { Target } from '../compile/target.ts'
import { formTest, listTest } from '../dialect/object-text.ts'
import { insideQuotes } from '../json/quoted.ts'
import type { Condition, EmbedPlan, ReadPlan, Value } from '../plan/plan.ts'
import { recent } from '../prepared/recent.ts'
import { type Fragment, sql } from '../sql/fragment.ts'
import { filled, type Pieces, type Refill, type Template, templateOf } from '../sql/template.ts'
import { readyOf } from './ready.ts'

/** What was printed so far. */
export interface StatementTemplates {
  /** Objects are read as values: a text had not its form, and others of this read will not have it either. */
  asValues: boolean
  /** By the texts that are taken. */
  readonly rows: Map<string, Forms<RowReading>>
  /** Pages as one text; taken where objects are whole. */
  readonly lists: Map<string, KnownList | undefined>
  readonly counts: Map<string, Template | undefined>
  readonly embeds: Map<EmbedPlan, Map<string, Forms<EmbedReading>>>
}

type RowReading = Omit<RowStatement, 'rows' | 'object'>
type EmbedReading = Omit<EmbedStatement, 'rows' | 'object'>

/** Statements of one kind by what they differ in besides values. */
type Forms<Reading> = Map<string, Known<Reading> | undefined>

/** A template with what reads its rows. */
interface Known<Reading> {
  readonly template: Template
  readonly reading: Reading
  /** What checks the texts of their objects, for links that begin with `base`. */
  readonly objects: ((base: string) => CheckedObject) | undefined
}

/** A page as one text. */
interface KnownList {
  readonly template: Template
  readonly fits: (base: string) => ListStatement['fits']
}

export const statementTemplates = (): StatementTemplates => ({
  asValues: false,
  rows: new Map(),
  lists: new Map(),
  counts: new Map(),
  embeds: new Map(),
})

/** A read whose plan was filled in. */
export interface FilledRead {
  readonly templates: StatementTemplates
  readonly target: Target
  /** The plan as filled in, whose statements are compiled where a value changes their text. */
  readonly plan: ReadPlan
  /** The conditions with the values of this request, by their slots. */
  readonly conditions: ReadonlyMap<object, Condition>
  /** To-one relations may be joined. */
  readonly joins: boolean
  /** What may come as JSON text; URLs in it start with `base`. */
  readonly texts?: TextsTaken
  /** The text of a statement whose rows are asked for, as the driver takes it. */
  readonly finish: (text: string, rows: boolean) => string
}

/** Which texts a read takes. */
export interface TextsTaken {
  readonly base: string
  /** Embedded relations. */
  readonly embeds: boolean
  /** Objects of rows: with their relations, or of a single record, whose tag is made of its columns, these alone. */
  readonly objects: 'whole' | 'own' | false
}

/** The statements of a filled read: those of `readStatements(target, plan)`, without compiling them again. */
export function filledStatements(read: FilledRead): ReadStatements {
  const { templates, target, plan, finish, texts } = read
  const refillRows =
    (slice: Slice): Refill =>
    (origin) => {
      if (origin === offsetOrigin) return offsetOf(slice)
      if (origin === baseOrigin) return baseRefill(target, texts)
      const condition = read.conditions.get(origin)
      if (condition !== undefined) return compileCondition(target, condition) as Fragment
      return origin === slice.keyset?.terms ? beyondPlace(target, slice.keyset) : undefined
    }
  // Rows and total are of one page, and have their conditions in common.
  const pieces: Pieces = new Map()
  const ready = (template: Template, refill: Refill, made?: Pieces): Sendable | undefined => {
    const parameters = filled(template, refill, made)
    return parameters && readyOf(template.text, parameters)
  }
  const finished = (fragment: Fragment, rows: boolean): Template | undefined => {
    const style = target.dialect.textStyle
    const template = style && templateOf(fragment, style)
    return template && { ...template, text: finish(template.text, rows) }
  }

  return {
    rows(slice): RowStatement {
      const forms = remembered(templates.rows, textForm(read), (): Forms<RowReading> => new Map())
      const known = remembered(forms, formOf(slice), () => {
        const { rows, ...compiled } = compileRows(target, plan.rows, {
          ...slice,
          ...textsOf(read, slice),
        })
        const template = finished(rows, true)
        return template && { template, reading: valuesOf(compiled), objects: checkOf(compiled) }
      })
      const rows = known && ready(known.template, refillRows(slice), pieces)
      return known && rows
        ? { ...known.reading, rows, object: known.objects?.(texts?.base ?? '') }
        : valuesOf(compileRows(target, plan.rows, slice))
    },
    withValues() {
      templates.asValues = true
      return filledStatements(read)
    },
    list(slice, total) {
      if (templates.asValues || texts?.objects !== 'whole' || slice.keyset !== undefined) {
        return undefined
      }
      const known = remembered(templates.lists, formOf(slice), () => {
        const page = { ...slice, ...textsOf(read, slice) }
        const compiled = compileList(target, plan.rows, page, total)
        const template = compiled && finished(compiled.list, true)
        return template && { template, fits: byBase((base) => listTest(compiled, base)) }
      })
      const list = known && ready(known.template, refillRows(slice), pieces)
      return known && list ? { list, fits: known.fits(texts.base) } : undefined
    },
    count(most): Sendable {
      const template = remembered(templates.counts, String(most), () =>
        finished(compileCount(target, plan.rows, most), false),
      )
      return (
        (template && ready(template, refillRows(noSlice), pieces)) ??
        compileCount(target, plan.rows, most)
      )
    },
    embed(embed, keys, most): EmbedStatement {
      const parents = parentsIn(target, embed, keys)
      const refill: Refill = (origin) => {
        if (origin === keysOrigin) return parents
        if (origin === baseOrigin) return baseRefill(target, texts)
        return origin === mostOrigin && most !== null ? mostOf(target, most) : undefined
      }
      const all = remembered(
        templates.embeds,
        embed,
        (): Map<string, Forms<EmbedReading>> => new Map(),
      )
      const forms = remembered(all, textForm(read), (): Forms<EmbedReading> => new Map())
      const known = remembered(forms, embedForm(keys), () => {
        const isWritten = embed.limit === null && !isPlannedAnew(target.dialect, embed.rows)
        const object = isWritten ? objectText(read, embed, [], false) : undefined
        const { rows, ...compiled } = compileEmbed(target, embed, keys, most, object)
        const template = finished(rows, true)
        return template && { template, reading: valuesOf(compiled), objects: checkOf(compiled) }
      })
      const rows = known && ready(known.template, refill)
      return known && rows
        ? { ...known.reading, rows, object: known.objects?.(texts?.base ?? '') }
        : valuesOf(compileEmbed(target, embed, keys, most))
    },
  }
}

/** What comes with the rows of a page: the texts that are taken, and joined relations. */
function textsOf(read: FilledRead, slice: Slice): Pick<Slice, 'texts' | 'joined' | 'object'> {
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
function objectText(
  { target, texts, templates }: FilledRead,
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

const baseRefill = (
  { dialect: { jsonText } }: Target,
  texts: FilledRead['texts'],
): Fragment | undefined => {
  if (texts === undefined) return undefined
  return jsonText === undefined ? sql`${insideQuotes(texts.base)}` : baseOf(jsonText, texts.base)
}

/** The texts that are taken, in words that need not be put together for each request. */
function textForm({ texts, templates }: FilledRead): string {
  const objects = (texts !== undefined && !templates.asValues && texts.objects) || 'values'
  return texts?.embeds ? withEmbeds[objects] : objects
}

const withEmbeds = {
  whole: 'whole, embeds',
  own: 'own, embeds',
  values: 'values, embeds',
} as const

/** Requests come by few mounts. */
const mostBases = 8

/** What checks the texts of objects, by what their links begin with. */
function checkOf({ object }: Pick<CompiledRows, 'object'>): Known<unknown>['objects'] {
  if (object === undefined) return undefined
  const { form, ...place } = object
  return byBase((base) => ({ place, fits: formTest({ form }, base) }))
}

/** What is made once for each base. */
function byBase<T>(make: (base: string) => T): (base: string) => T {
  const known = recent<T>(mostBases)
  return (base) => {
    const before = known.get(base)
    if (before !== undefined) return before
    const made = make(base)
    known.set(base, made)
    return made
  }
}

const noSlice: Slice = { limit: 1, offset: 0 }

/** Slices of one form differ in values only; a far page is another statement than a near one. */
const formOf = (slice: Slice): string =>
  `${placeForm(slice)}${slice.total === undefined ? '' : ' with total'}`

function placeForm({ offset, keyset, fixed }: Slice): string {
  if (fixed) return 'fixed'
  if (keyset !== undefined) {
    return keyset.values?.map((value) => (value === null ? '0' : '1')).join('') ?? 'start'
  }
  return offset === 0 ? 'first' : offset >= far ? 'far' : 'near'
}

/** Lists of keys are padded or bound as one value, so their forms are as few as the powers of two. */
const embedForm = (keys: readonly (readonly Value[])[]): string =>
  String(keys.length <= 1 ? keys.length : 32 - Math.clz32(keys.length - 1) + 1)

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  if (known.has(key)) return known.get(key) as V
  const made = make()
  known.set(key, made)
  return made
}
