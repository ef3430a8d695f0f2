// ReadProgram and PageProgram: a compiled read — the statements to send, how to read their rows, and the program to run instead if the
// rows do not have the expected form. `compileRead` and `compilePage` make them after the policies were asked; `run/read-rows.ts` sends the
// statements. `compileEdges` makes those of embedded relations alone, for a record that a write has stored.

import type { ObjectLocation } from '../../database/cell.ts'
import type { Sendable } from '../../database/statements/sendable.ts'
import type { Fragment } from '../../lib/sql/fragment.ts'
import type { EmbedPlan, ListPlan, ReadPlan, Value } from '../plan/plan.ts'
import { isWholeTable } from '../plan/relations/required-joins.ts'
import {
  embeddedObject,
  noShortcuts,
  type ReadShortcuts,
  shortcutsForm,
  shortcutsOfRows,
} from './json/database-json.ts'
import {
  type CompiledEmbed,
  compileEmbed,
  keysSlot,
  limitSlot,
  mostParentKeys,
} from './json/embed-query.ts'
import { linkBaseSlot } from './json/embedded-json.ts'
import type { JoinedEmbed } from './json/joined-embed.ts'
import { compileList } from './json/list-json.ts'
import type { ObjectColumn } from './json/object-json.ts'
import { combinesRows, compileCombinations } from './rows/combinations.ts'
import { compileCount, countsByWindow } from './rows/row-count.ts'
import { type CompiledRows, compileRows, offsetSlot, type Slice } from './rows/row-query.ts'
import { keysForm, sliceForm } from './statement-forms.ts'
import type { Target } from './target.ts'

/** The statement of a read's rows, and the statements of the rows embedded in them. */
export interface ReadProgram {
  readonly kind: 'rows'
  readonly rows: RowsStatement
  /** Embedded relations that are read by their own statements. */
  readonly edges: readonly EdgeProgram[]
  /** To-one relations whose columns are in the same rows, because the statement joins them. */
  readonly joined: readonly JoinedEdge[]
  /** Maximum rows of to-many relations that one request may embed. */
  readonly maxEmbedded: number
  /**
   * The same read without shortcuts: every value as a column and every relation by its own statement. Run if JSON built by
   * the database does not have the expected form (`form`), or embeds too many rows (`size`). Absent if this program uses no
   * shortcuts.
   */
  readonly fallback?: (because: 'form' | 'size') => ReadProgram
}

/** The statement of the rows, and where each value is in a row. */
export interface RowsStatement extends Omit<CompiledRows, 'rows' | 'object' | 'joined'> {
  readonly statement: Sendable
  readonly object: CheckedObject | undefined
}

/** A statement that returns the JSON of the whole page as one row, with the columns `listColumns`. */
export interface ListStatement {
  readonly kind: 'list'
  readonly statement: Sendable
  /** Whether a value is the JSON of `count` objects in the expected form. */
  readonly fits: (text: unknown, count: number) => boolean
}

/** Where a row holds the JSON of its object, and a test whether a value there has the expected form. */
export interface CheckedObject {
  readonly location: ObjectLocation
  readonly fits: (text: unknown) => boolean
}

/** One relation of the embed tree: an edge from parent rows to their related rows. Its statement is compiled when their keys are known. */
export interface EdgeProgram {
  readonly embed: EmbedPlan
  /** The most keys that one statement can have. */
  readonly mostKeys: number
  /** Makes the statement for the parents with these keys. `maxRows` limits its rows; null for to-one relations. */
  statement(keys: readonly (readonly Value[])[], maxRows: number | null): EmbedStatement
  /** The relations to embed in the related rows. */
  readonly edges: readonly EdgeProgram[]
}

/** The statement of an edge for some parents, and where each value is in its rows. */
export interface EmbedStatement extends Omit<CompiledEmbed, 'rows' | 'object'> {
  readonly statement: Sendable
  readonly object: CheckedObject | undefined
}

/** A joined relation, and the relations to embed in it. */
export interface JoinedEdge extends JoinedEmbed {
  readonly edges: readonly EdgeProgram[]
}

/** The program of one page of a list, and of its total. */
export interface PageProgram {
  readonly plan: ListPlan
  readonly read: ReadProgram | ListStatement
  /** Compiles the statement that counts all rows; sent if neither the page's statement nor its number of rows gives the total. */
  readonly count: () => Sendable
  /**
   * Compiles the statement that counts the combinations of joined rows. Present if rows of several to-many relations are combined and
   * the database would block the event loop meanwhile.
   */
  readonly combinations?: () => Sendable
  /** The same page without the total in its statement, used while another request is already counting the same rows. */
  readonly withoutTotal?: () => PageProgram
  /** As in `ReadProgram`. */
  readonly fallback?: (because: 'form' | 'size') => PageProgram
}

/** A statement that can be sent, and how its rows are read. */
interface MadeStatement<R> {
  readonly statement: Sendable
  readonly reading: R
}

/** What a `StatementMaker` needs to make one statement. */
export interface StatementRequest<R> {
  /** Cache key of the statement within its read: statements that differ only in values have the same name. */
  readonly name: string
  /** The values of the statement's own slots, in addition to those of the plan's conditions and scopes. */
  readonly own: readonly SlotValue[]
  /** Whether the driver may return its rows as arrays. */
  readonly asArrays: boolean
  /** Compiles the statement; undefined if the database cannot build the JSON that it is for. */
  readonly compile: (
    target: Target,
  ) => { readonly statement: Fragment; readonly reading: R } | undefined
}

/** A slot of a stored statement, and the value that this request sends for it. */
export type SlotValue = readonly [slot: object, value: unknown]

/**
 * Makes a statement: compiles it, or binds the values of this request to a stored one. Undefined if that is impossible; the
 * caller then compiles the statement without shortcuts.
 */
export type StatementMaker = <R>(request: StatementRequest<R>) => MadeStatement<R> | undefined

/** Compiles each statement, to send it once. */
const compileEach =
  (target: Target): StatementMaker =>
  ({ compile }) =>
    compile(target)

/** How a read is compiled. */
export interface CompileOptions {
  /** The JSON and joins by which the read saves statements. */
  readonly shortcuts: ReadShortcuts
  /** How statements are made; without it, each is compiled to be sent once. */
  readonly make?: StatementMaker | undefined
  /** Called if JSON built by the database does not have the expected form. */
  readonly onUnexpectedJson?: () => void
}

const plainOptions: CompileOptions = { shortcuts: noShortcuts }

/** The parts of a plan that are compiled. */
export type CompilablePlan = Pick<ReadPlan, 'rows' | 'embeds' | 'links'>

/** The slice of a single row, whose limit is a literal. */
const oneRow: Slice = { limit: 1, fixed: true, offset: 0 }

/** Compiles the read of a plan's rows; of one row unless `slice` is given. */
export function compileRead(
  target: Target,
  plan: CompilablePlan,
  options: CompileOptions = plainOptions,
  slice: Slice = oneRow,
): ReadProgram {
  const { shortcuts, make = compileEach(target), onUnexpectedJson } = options
  const made = make<Omit<CompiledRows, 'rows'>>({
    name: `rows ${sliceForm(target, plan.rows, slice)} ${shortcutsForm(shortcuts)}`,
    own: slotsOf(slice, shortcuts),
    asArrays: true,
    compile(target) {
      const used = shortcutsOfRows(target, plan, slice, shortcuts)
      const { rows, ...reading } = compileRows(target, plan.rows, { ...slice, ...used })
      return { statement: rows, reading }
    },
  })
  if (made === undefined) return compileRead(target, plan, plainOptions, slice)
  const { statement, reading } = made
  const { object, joined, ...locations } = reading
  const isComplete = object?.complete === true
  const isInRows = ({ relation }: EmbedPlan): boolean =>
    locations.embeddedJson.has(relation.name) ||
    joined.some(({ embed }) => embed.relation === relation)
  const separateEmbeds = isComplete ? [] : plan.embeds.filter((embed) => !isInRows(embed))
  const edgesOf = (embeds: readonly EmbedPlan[], path: string): readonly EdgeProgram[] =>
    embeds.map((embed) => edgeOf(target, embed, options, path))
  return {
    kind: 'rows',
    rows: { statement, ...locations, object: checkedObject(object, shortcuts) },
    edges: edgesOf(separateEmbeds, ''),
    joined: joined.map((join) => ({
      ...join,
      edges: edgesOf(join.embed.embeds, join.embed.relation.name),
    })),
    maxEmbedded: plan.rows.from.resource.settings.limits.embeddedRows,
    ...(usesNoShortcuts(shortcuts)
      ? {}
      : {
          fallback: (because) => {
            if (because === 'form') onUnexpectedJson?.()
            return compileRead(target, plan, { make: options.make, shortcuts: noShortcuts }, slice)
          },
        }),
  }
}

/** Compiles the read of one page of a list; `counted`: whether its statement may include the total. */
export function compilePage(
  target: Target,
  plan: ListPlan,
  options: CompileOptions = plainOptions,
  { counted }: { readonly counted: boolean } = { counted: true },
): PageProgram {
  const { shortcuts, make = compileEach(target), onUnexpectedJson } = options
  const slice = sliceOf(target, plan, counted)
  const total = {
    name: `count ${maxCounted(plan)}`,
    own: noSlots,
    asArrays: false,
    compile: (target: Target) => ({
      statement: compileCount(target, plan.rows, maxCounted(plan)),
      reading: undefined,
    }),
  }
  const count = (): Sendable => (make(total) ?? total.compile(target)).statement
  const combinations = combinationsOf(target, plan, options)
  const list = listStatement(target, plan, options)
  const isShareable =
    list === undefined && slice.total !== undefined && !countsByWindow(target.dialect, plan.rows)
  return {
    plan,
    read: list ?? compileRead(target, plan, options, slice),
    count,
    ...(combinations && { combinations }),
    ...(isShareable
      ? { withoutTotal: () => compilePage(target, plan, options, { counted: false }) }
      : {}),
    ...(usesNoShortcuts(shortcuts)
      ? {}
      : {
          fallback: (because) => {
            if (because === 'form') onUnexpectedJson?.()
            return compilePage(
              target,
              plan,
              { make: options.make, shortcuts: noShortcuts },
              { counted },
            )
          },
        }),
  }
}

/** Returns what `PageProgram.combinations` is; undefined if the page may be read without counting combinations. */
function combinationsOf(
  target: Target,
  { rows }: ListPlan,
  { make = compileEach(target) }: CompileOptions,
): PageProgram['combinations'] {
  if (!target.dialect.capabilities.blocksEventLoop || !combinesRows(rows)) return undefined
  const request = {
    name: 'combinations',
    own: noSlots,
    asArrays: false,
    compile: (target: Target) => ({
      statement: compileCombinations(target, rows),
      reading: undefined,
    }),
  }
  return () => (make(request) ?? request.compile(target)).statement
}

/** Returns the rows that a page reads, and whether their statement includes the total. */
function sliceOf({ dialect: { shortcuts } }: Target, plan: ListPlan, counted: boolean): Slice {
  const { page, count, rows } = plan
  const within =
    shortcuts?.countsInStatement === true ||
    (shortcuts?.countsTablesInStatement === true && isWholeTable(rows))
  return {
    limit: page.limit + extraRows(plan),
    offset: page.kind === 'numbered' ? page.offset : 0,
    ...(page.kind === 'keyset' ? { keyset: page } : {}),
    ...(counted && count !== 'none' && within ? { total: { maxRows: maxCounted(plan) } } : {}),
  }
}

/** Returns how many rows to read beyond the page: without an exact count, one more row shows whether there is a next page. */
const extraRows = ({ page, count }: ListPlan): number =>
  page.kind === 'keyset' || count !== 'exact' ? 1 : 0

/** Where `count=capped` stops counting; the response then says that there are more. */
export const countCap = 10_000

/** Returns where the count stops: one row above the cap, so that the count shows whether there are more; null to count all. */
const maxCounted = ({ count }: ListPlan): number | null =>
  count === 'capped' ? countCap + 1 : null

/** Compiles the statement that returns the page's JSON; undefined if the database cannot build it. */
function listStatement(
  target: Target,
  plan: ListPlan,
  { shortcuts, make = compileEach(target) }: CompileOptions,
): ListStatement | undefined {
  const { page, count } = plan
  const { json } = shortcuts
  if (target.dialect.shortcuts?.objectText === undefined || json?.objects !== 'complete')
    return undefined
  if (page.kind === 'keyset') return undefined
  const slice: Slice = { limit: page.limit + extraRows(plan), offset: page.offset }
  const total = count === 'none' ? undefined : { maxRows: maxCounted(plan), pageSize: page.limit }
  const made = make<(base: string) => ListStatement['fits']>({
    name: `list ${sliceForm(target, plan.rows, slice)} ${shortcutsForm(shortcuts)}`,
    own: slotsOf(slice, shortcuts),
    asArrays: true,
    compile(target) {
      const used = shortcutsOfRows(target, plan, slice, shortcuts)
      const compiled = compileList(target, plan.rows, { ...slice, ...used }, total)
      return compiled && { statement: compiled.list, reading: compiled.test }
    },
  })
  return made && { kind: 'list', statement: made.statement, fits: made.reading(json.base) }
}

/** Compiles one relation of the embed tree; `parentPath` names the relations above it, `.books`, in the cache keys of its statements. */
function edgeOf(
  target: Target,
  embed: EmbedPlan,
  options: CompileOptions,
  parentPath: string,
): EdgeProgram {
  const { shortcuts, make = compileEach(target) } = options
  const path = `${parentPath}.${embed.relation.name}`
  return {
    embed,
    mostKeys: mostParentKeys(target, embed),
    statement(keys, maxRows) {
      const made = make<Omit<CompiledEmbed, 'rows'>>({
        name: `embed ${path} ${keysForm(keys)} ${shortcutsForm(shortcuts)}`,
        // To-one relations have no limit in their SQL, so their 0 is not used.
        own: [[keysSlot, keys], [limitSlot, maxRows ?? 0], ...linkBaseIn(shortcuts)],
        asArrays: true,
        compile(target) {
          const object = embeddedObject(target, embed, shortcuts)
          const { rows, ...reading } = compileEmbed(target, embed, keys, maxRows, object)
          return { statement: rows, reading }
        },
      })
      if (made === undefined)
        return edgeOf(target, embed, plainOptions, parentPath).statement(keys, maxRows)
      const { statement, reading } = made
      const { object, ...locations } = reading
      return { statement, ...locations, object: checkedObject(object, shortcuts) }
    },
    edges: embed.embeds.map((inner) => edgeOf(target, inner, options, path)),
  }
}

/** Compiles a tree of embeds for rows that were read in another way, such as a written record. */
export const compileEdges = (
  target: Target,
  embeds: readonly EmbedPlan[],
): readonly EdgeProgram[] => embeds.map((embed) => edgeOf(target, embed, plainOptions, ''))

const usesNoShortcuts = ({ joins, json }: ReadShortcuts): boolean => !joins && json === undefined

/** How to find and test the JSON of a row's object. */
const checkedObject = (
  object: ObjectColumn | undefined,
  { json }: ReadShortcuts,
): CheckedObject | undefined => object && { location: object, fits: object.test(json?.base ?? '') }

const noSlots: readonly SlotValue[] = []

/** The values of the slots of a rows statement. */
const slotsOf = ({ offset }: Slice, shortcuts: ReadShortcuts): readonly SlotValue[] => [
  [offsetSlot, offset],
  ...linkBaseIn(shortcuts),
]

/** The value of the slot of links, if the statement may write JSON. */
const linkBaseIn = ({ json }: ReadShortcuts): readonly SlotValue[] =>
  json === undefined ? noSlots : [[linkBaseSlot, json.base]]
