// The statements of a prepared read: printed once for each form they take, then filled in.

import { compileCondition } from '../compile/condition.ts'
import {
  type CompiledEmbed,
  compileEmbed,
  keysOrigin,
  mostOf,
  mostOrigin,
  parentsIn,
} from '../compile/embed-query.ts'
import { baseOf, baseOrigin, compileEmbedText } from '../compile/embed-text.ts'
import { isJoinable } from '../compile/joined-embed.ts'
import { beyondPlace } from '../compile/keyset.ts'
import type {
  EmbedStatement,
  ReadStatements,
  RowStatement,
  Sendable,
} from '../compile/read-statements.ts'
import {
  type CompiledRows,
  canSkipKeys,
  compileCount,
  compileRows,
  type EmbedText,
  far,
  offsetOf,
  offsetOrigin,
  type Slice,
} from '../compile/row-query.ts'
import type { Target } from '../compile/target.ts'
import type { Condition, EmbedPlan, ReadPlan, Value } from '../plan/plan.ts'
import type { Fragment } from '../sql/fragment.ts'
import { filled, type Refill, type Template, templateOf } from '../sql/template.ts'
import { readyOf } from './ready.ts'

/** What was printed so far. */
export interface StatementTemplates {
  readonly rows: Map<string, Known<Omit<CompiledRows, 'rows'>> | undefined>
  readonly counts: Map<string, Template | undefined>
  readonly embeds: Map<EmbedPlan, Map<string, Known<Omit<CompiledEmbed, 'rows'>> | undefined>>
}

/** A template with what reads its rows. */
interface Known<Reading> {
  readonly template: Template
  readonly reading: Reading
}

export const statementTemplates = (): StatementTemplates => ({
  rows: new Map(),
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
  /** The relations may come as JSON text; URLs in it start with `base`. */
  readonly texts?: { readonly base: string }
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
  const ready = (template: Template, refill: Refill): Sendable | undefined => {
    const parameters = filled(template, refill)
    return parameters && readyOf(template.text, parameters)
  }
  const finished = (fragment: Fragment, rows: boolean): Template | undefined => {
    const style = target.dialect.textStyle
    const template = style && templateOf(fragment, style)
    return template && { ...template, text: finish(template.text, rows) }
  }

  return {
    rows(slice): RowStatement {
      const form = `${formOf(slice)}${texts === undefined ? '' : ' with texts'}`
      const known = remembered(templates.rows, form, () => {
        const written = texts === undefined ? [] : embedTexts(target, plan, slice, texts.base)
        const names = new Set(written.map(({ name }) => name))
        const joined = read.joins && slice.offset < far ? fitting(plan, joinable(plan, names)) : []
        const { rows, ...reading } = compileRows(target, plan.rows, {
          ...slice,
          ...(written.length > 0 ? { texts: written } : {}),
          joined,
        })
        const template = finished(rows, true)
        return template && { template, reading }
      })
      const rows = known && ready(known.template, refillRows(slice))
      return known && rows ? { ...known.reading, rows } : compileRows(target, plan.rows, slice)
    },
    count(most): Sendable {
      const template = remembered(templates.counts, String(most), () =>
        finished(compileCount(target, plan.rows, most), false),
      )
      return (
        (template && ready(template, refillRows(noSlice))) ?? compileCount(target, plan.rows, most)
      )
    },
    embed(embed, keys, most): EmbedStatement {
      const parents = parentsIn(target, embed, keys)
      const refill: Refill = (origin) => {
        if (origin === keysOrigin) return parents
        return origin === mostOrigin && most !== null ? mostOf(target, most) : undefined
      }
      const forms = remembered(templates.embeds, embed, () => new Map())
      const known = remembered(forms, embedForm(keys), () => {
        const { rows, ...reading } = compileEmbed(target, embed, keys, most)
        const template = finished(rows, true)
        return template && { template, reading }
      })
      const rows = known && ready(known.template, refill)
      return known && rows ? { ...known.reading, rows } : compileEmbed(target, embed, keys, most)
    },
  }
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
): Fragment | undefined => jsonText && texts && baseOf(jsonText, texts.base)

const noSlice: Slice = { limit: 1, offset: 0 }

/** Slices of one form differ in values only; a far page is another statement than a near one. */
const formOf = (slice: Slice): string =>
  `${placeForm(slice)}${slice.total === undefined ? '' : ' with total'}`

const placeForm = ({ offset, keyset }: Slice): string =>
  keyset !== undefined
    ? (keyset.values?.map((value) => (value === null ? '0' : '1')).join('') ?? 'start')
    : offset === 0
      ? 'first'
      : offset >= far
        ? 'far'
        : 'near'

/** Lists of keys are padded or bound as one value, so their forms are as few as the powers of two. */
const embedForm = (keys: readonly (readonly Value[])[]): string =>
  String(keys.length <= 1 ? keys.length : 32 - Math.clz32(keys.length - 1) + 1)

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  if (known.has(key)) return known.get(key) as V
  const made = make()
  known.set(key, made)
  return made
}
