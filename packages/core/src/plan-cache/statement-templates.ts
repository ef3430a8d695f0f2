// The statements of a prepared read: printed once for each form they take, then filled in.

import { compileCondition } from '../compile/condition.ts'
import { compileEmbed, keysOrigin, mostOf, mostOrigin, parentsIn } from '../compile/embed-query.ts'
import { baseOf, baseOrigin } from '../compile/embed-text.ts'
import { beyondPlace } from '../compile/keyset.ts'
import { compileList } from '../compile/list-text.ts'
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
import { compileCount } from '../compile/row-count.ts'
import {
  type CompiledRows,
  compileRows,
  offsetOf,
  offsetOrigin,
  type Slice,
} from '../compile/row-query.ts'
import type { Target } from '../compile/target.ts'
import { formTest, listTest } from '../dialect/shared/object-text.ts'
import { insideQuotes } from '../json/quoted.ts'
import { lruMap } from '../lru-map.ts'
import type { Condition, EmbedPlan } from '../plan/plan.ts'
import { type Fragment, sql } from '../sql/fragment.ts'
import { filled, type Pieces, type Refill, type Template, templateOf } from '../sql/template.ts'
import { readyOf } from './ready.ts'
import { embedForm, formOf, noSlice, remembered } from './statement-forms.ts'
import { objectText, type TextReading, type TextsTaken, textForm, textsOf } from './taken-texts.ts'

/** What was printed so far. */
export interface StatementTemplates {
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
export interface FilledRead extends TextReading {
  readonly templates: StatementTemplates
  /** The conditions with the values of this request, by their slots. */
  readonly conditions: ReadonlyMap<object, Condition>
  /** The text of a statement whose rows are asked for, as the driver takes it. */
  readonly finish: (text: string, rows: boolean) => string
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
    const style = target.dialect.shortcuts?.textStyle
    const template = style && templateOf(fragment, style)
    return template && { ...template, text: finish(template.text, rows) }
  }

  return {
    rows(slice): RowStatement {
      const forms = remembered(templates.rows, textForm(read), (): Forms<RowReading> => new Map())
      const known = remembered(forms, formOf(target, plan.rows, slice), () => {
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
      const known = remembered(templates.lists, formOf(target, plan.rows, slice), () => {
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

const baseRefill = (
  { dialect: { shortcuts } }: Target,
  texts: TextsTaken | undefined,
): Fragment | undefined => {
  if (texts === undefined) return undefined
  const jsonText = shortcuts?.jsonText
  return jsonText === undefined ? sql`${insideQuotes(texts.base)}` : baseOf(jsonText, texts.base)
}

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
  const known = lruMap<T>(mostBases)
  return (base) => {
    const before = known.get(base)
    if (before !== undefined) return before
    const made = make(base)
    known.set(base, made)
    return made
  }
}
