// ReadProgram: one read, compiled: what is sent, how its rows are read, and the program to run where they are not as promised.

import { insideQuotes } from '../json/quoted.ts'
import type { EmbedPlan, ListPlan, ReadPlan, Value } from '../plan/plan.ts'
import { isWholeTable } from '../plan/required-joins.ts'
import { type Fragment, sql } from '../sql/fragment.ts'
import type { Refill } from '../sql/template.ts'
import type { ObjectPlace } from './cell.ts'
import { embeddedObject, partsWithRows, valuesOnly, type Ways, waysForm } from './database-json.ts'
import {
  type CompiledEmbed,
  compileEmbed,
  keysOrigin,
  mostOf,
  mostOrigin,
  parentsIn,
} from './embed-query.ts'
import { baseOf, baseOrigin } from './embedded-json.ts'
import type { JoinedEmbed } from './joined-embed.ts'
import { beyondPlace } from './keyset.ts'
import { compileList } from './list-json.ts'
import type { PromisedObject } from './object-json.ts'
import { compileCount, countsBeside } from './row-count.ts'
import { type CompiledRows, compileRows, offsetOf, offsetOrigin, type Slice } from './row-query.ts'
import type { Sendable } from './sendable.ts'
import { keysForm, sliceForm } from './statement-forms.ts'
import type { Target } from './target.ts'

/** The rows of a read, and what is embedded in them. */
export interface ReadProgram {
  readonly kind: 'rows'
  readonly rows: RowsStatement
  /** Relations that are read by statements of their own, one for each level. */
  readonly edges: readonly EdgeProgram[]
  /** Relations whose rows stand beside the rows. */
  readonly joined: readonly JoinedEdge[]
  /** Most rows of to-many relations that one request may embed. */
  readonly mostEmbedded: number
  /**
   * The same read with every value as such and every relation by a statement of its own: for rows that do not have the
   * form that was promised, or that embed more than may be. Absent where this is that program.
   */
  readonly fallback?: (because: 'form' | 'size') => ReadProgram
}

/** The statement of the rows, and where each value stands in one of them. */
export interface RowsStatement extends Omit<CompiledRows, 'rows' | 'object' | 'joined'> {
  readonly statement: Sendable
  readonly object: CheckedObject | undefined
}

/** The statement whose one row is the JSON of a whole page (`listPlaces`). */
export interface ListStatement {
  readonly kind: 'list'
  readonly statement: Sendable
  /** Whether a value is the JSON of so many objects. */
  readonly fits: (text: unknown, count: number) => boolean
}

/** Where a row holds the JSON of its object, and whether a value there has the form that was promised. */
export interface CheckedObject {
  readonly place: ObjectPlace
  readonly fits: (text: unknown) => boolean
}

/** One relation of the embed tree: its statement is made when the keys of the parents are known. */
export interface EdgeProgram {
  readonly embed: EmbedPlan
  /** `most` bounds the rows; null for to-one relations. */
  statement(keys: readonly (readonly Value[])[], most: number | null): EmbedStatement
  readonly edges: readonly EdgeProgram[]
}

export interface EmbedStatement extends Omit<CompiledEmbed, 'rows' | 'object'> {
  readonly statement: Sendable
  readonly object: CheckedObject | undefined
}

/** A relation that came beside the rows, and what is to be embedded in it. */
export interface JoinedEdge extends JoinedEmbed {
  readonly edges: readonly EdgeProgram[]
}

/** One page of a list, and how its total becomes known. */
export interface PageProgram {
  readonly plan: ListPlan
  readonly read: ReadProgram | ListStatement
  /** Counts the whole set, where neither the statement nor the page tells the total. */
  readonly count: () => Sendable
  /** The same page without the total in its statement, for while another request counts the same set. */
  readonly withoutTotal?: () => PageProgram
  readonly fallback?: (because: 'form' | 'size') => PageProgram
}

/** A statement and how its rows are read. */
interface Made<R> {
  readonly statement: Sendable
  readonly reading: R
}

export interface StatementRequest<R> {
  /** Tells the statement from the other statements of its read; what differs in values only has one name. */
  readonly name: string
  /** What the pieces of the statement are made of for this request; conditions of the plan excepted. */
  readonly refill: Refill
  /** Whether its rows may come as arrays. */
  readonly rows: boolean
  readonly compile: () => { readonly statement: Fragment; readonly reading: R } | undefined
}

/**
 * Makes the statements of a read: compiles each, or fills one in that was compiled for an earlier request; undefined where
 * it cannot, so that the statement is compiled in the plain way.
 */
export type StatementMaker = <R>(request: StatementRequest<R>) => Made<R> | undefined

export const compileEach: StatementMaker = ({ compile }) => compile()

/** How a read is compiled. */
export interface ReadOptions {
  readonly ways: Ways
  readonly make: StatementMaker
  /** Told when what the database wrote had not the form that was promised. */
  readonly onUnexpectedJson?: () => void
}

const plainly: ReadOptions = { ways: valuesOnly, make: compileEach }

/** What is compiled of a plan. */
export type Readable = Pick<ReadPlan, 'rows' | 'embeds' | 'links'>

/** One row, whichever it is. */
const oneRow: Slice = { limit: 1, fixed: true, offset: 0 }

/** The program of the rows of a plan; of one row, unless a slice says otherwise. */
export function compileRead(
  target: Target,
  plan: Readable,
  options: ReadOptions = plainly,
  slice: Slice = oneRow,
): ReadProgram {
  const { ways, make, onUnexpectedJson } = options
  const made = make<Omit<CompiledRows, 'rows'>>({
    name: `rows ${sliceForm(target, plan.rows, slice)} ${waysForm(ways)}`,
    refill: refillOf(target, slice, ways),
    rows: true,
    compile() {
      const parts = partsWithRows(target, plan, slice, ways)
      const { rows, ...reading } = compileRows(target, plan.rows, { ...slice, ...parts })
      return { statement: rows, reading }
    },
  })
  if (made === undefined) return compileRead(target, plan, plainly, slice)
  const { statement, reading } = made
  const { object, joined, ...places } = reading
  const whole = object?.whole === true
  const isBeside = ({ relation }: EmbedPlan): boolean =>
    places.texts.has(relation.name) || joined.some(({ embed }) => embed.relation === relation)
  const own = whole ? [] : plan.embeds.filter((embed) => !isBeside(embed))
  const edgesOf = (embeds: readonly EmbedPlan[], path: string): readonly EdgeProgram[] =>
    embeds.map((embed) => edgeOf(target, embed, options, path))
  return {
    kind: 'rows',
    rows: { statement, ...places, object: checked(object, ways) },
    edges: edgesOf(own, ''),
    joined: joined.map((join) => ({
      ...join,
      edges: edgesOf(join.embed.embeds, join.embed.relation.name),
    })),
    mostEmbedded: plan.rows.from.resource.settings.limits.embeddedRows,
    ...(isPlain(ways)
      ? {}
      : {
          fallback: (because) => {
            if (because === 'form') onUnexpectedJson?.()
            return compileRead(target, plan, { make, ways: valuesOnly }, slice)
          },
        }),
  }
}

/** The program of one page of a list. */
export function compilePage(
  target: Target,
  plan: ListPlan,
  options: ReadOptions = plainly,
  counted = true,
): PageProgram {
  const { ways, make, onUnexpectedJson } = options
  const slice = sliceOf(target, plan, counted)
  const total = {
    name: `count ${mostCounted(plan)}`,
    refill: nothing,
    rows: false,
    compile: () => ({
      statement: compileCount(target, plan.rows, mostCounted(plan)),
      reading: undefined,
    }),
  }
  const count = (): Sendable => (make(total) ?? total.compile()).statement
  const list = listStatement(target, plan, options)
  const isShareable =
    list === undefined && slice.total !== undefined && !countsBeside(target.dialect, plan.rows)
  return {
    plan,
    read: list ?? compileRead(target, plan, options, slice),
    count,
    ...(isShareable ? { withoutTotal: () => compilePage(target, plan, options, false) } : {}),
    ...(isPlain(ways)
      ? {}
      : {
          fallback: (because) => {
            if (because === 'form') onUnexpectedJson?.()
            return compilePage(target, plan, { make, ways: valuesOnly }, counted)
          },
        }),
  }
}

/** The rows that a page needs: one more where that tells whether others follow. */
function sliceOf({ dialect: { shortcuts } }: Target, plan: ListPlan, counted: boolean): Slice {
  const { page, count, rows } = plan
  const within =
    shortcuts?.countsInStatement === true ||
    (shortcuts?.countsTablesInStatement === true && isWholeTable(rows))
  return {
    limit: page.limit + extraRows(plan),
    offset: page.kind === 'numbered' ? page.offset : 0,
    ...(page.kind === 'keyset' ? { keyset: page } : {}),
    ...(counted && count !== 'none' && within ? { total: { most: mostCounted(plan) } } : {}),
  }
}

/** One row more tells whether others follow, where no exact count does. */
const extraRows = ({ page, count }: ListPlan): number =>
  page.kind === 'keyset' || count !== 'exact' ? 1 : 0

/** A capped count stops here, and says that there are more. */
export const countCap = 10_000

/** One more than what is counted, so that "more than that" can be told. */
const mostCounted = ({ count }: ListPlan): number | null =>
  count === 'capped' ? countCap + 1 : null

/** The page as the text of its list; undefined where the database cannot give that. */
function listStatement(
  target: Target,
  plan: ListPlan,
  { ways, make }: ReadOptions,
): ListStatement | undefined {
  const { page, count } = plan
  const { json } = ways
  if (target.dialect.shortcuts?.objectText === undefined || json?.objects !== 'whole')
    return undefined
  if (page.kind === 'keyset') return undefined
  const slice: Slice = { limit: page.limit + extraRows(plan), offset: page.offset }
  const total = count === 'none' ? undefined : { most: mostCounted(plan), full: page.limit }
  const made = make<(base: string) => ListStatement['fits']>({
    name: `list ${sliceForm(target, plan.rows, slice)} ${waysForm(ways)}`,
    refill: refillOf(target, slice, ways),
    rows: true,
    compile() {
      const parts = partsWithRows(target, plan, slice, ways)
      const compiled = compileList(target, plan.rows, { ...slice, ...parts }, total)
      return compiled && { statement: compiled.list, reading: compiled.test }
    },
  })
  return made && { kind: 'list', statement: made.statement, fits: made.reading(json.base) }
}

function edgeOf(
  target: Target,
  embed: EmbedPlan,
  options: ReadOptions,
  around: string,
): EdgeProgram {
  const { ways, make } = options
  const path = `${around}.${embed.relation.name}`
  return {
    embed,
    statement(keys, most) {
      const made = make<Omit<CompiledEmbed, 'rows'>>({
        name: `embed ${path} ${keysForm(keys)} ${waysForm(ways)}`,
        refill: (origin) => {
          if (origin === keysOrigin) return parentsIn(target, embed, keys)
          if (origin === mostOrigin) return most === null ? undefined : mostOf(target, most)
          return origin === baseOrigin ? baseRefill(target, ways) : undefined
        },
        rows: true,
        compile() {
          const object = embeddedObject(target, embed, ways)
          const { rows, ...reading } = compileEmbed(target, embed, keys, most, object)
          return { statement: rows, reading }
        },
      })
      if (made === undefined) return edgeOf(target, embed, plainly, around).statement(keys, most)
      const { statement, reading } = made
      const { object, ...places } = reading
      return { statement, ...places, object: checked(object, ways) }
    },
    edges: embed.embeds.map((inner) => edgeOf(target, inner, options, path)),
  }
}

/** The edges of a tree of relations, for rows that were read in another way. */
export const compileEdges = (
  target: Target,
  embeds: readonly EmbedPlan[],
): readonly EdgeProgram[] => embeds.map((embed) => edgeOf(target, embed, plainly, ''))

const isPlain = ({ joins, json }: Ways): boolean => !joins && json === undefined

const checked = (object: PromisedObject | undefined, { json }: Ways): CheckedObject | undefined =>
  object && { place: object, fits: object.test(json?.base ?? '') }

const nothing: Refill = () => undefined

/** What a statement of rows takes from the slice and the request. */
const refillOf =
  (target: Target, slice: Slice, ways: Ways): Refill =>
  (origin) => {
    if (origin === offsetOrigin) return offsetOf(slice)
    if (origin === baseOrigin) return baseRefill(target, ways)
    return slice.keyset !== undefined && origin === slice.keyset.terms
      ? beyondPlace(target, slice.keyset)
      : undefined
  }

const baseRefill = ({ dialect }: Target, { json }: Ways): Fragment | undefined => {
  if (json === undefined) return undefined
  const jsonText = dialect.shortcuts?.jsonText
  return jsonText === undefined ? sql`${insideQuotes(json.base)}` : baseOf(jsonText, json.base)
}
