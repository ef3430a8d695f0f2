// The rules by which no two records of a model overlap (`exclude`): checks them when the registry is built, and resolves their columns. Writes use
// the result to look for records that overlap.

import { didYouMean } from '../../lib/naming/suggest.ts'
import { columnTypes } from '../column-types.ts'
import type { DeclaredRule } from '../exclusions/exclusion-rule.ts'
import { conditionTexts, isObject } from '../query-words/condition-text.ts'
import { text } from '../settings/setting-checks.ts'
import type { Problems } from '../settings/setting-problems.ts'
import type { StartDialect } from './checks/check-model.ts'
import type { Exclusion, NamedColumn, Registry, ResolvedRelation, Resource } from './resource.ts'

const options = ['name', 'period', 'where']
const form = "{ room_id: 'equal', period: ['starts_at', 'ends_at'] }"

/** Returns the rules of a model, after its relations are resolved, and reports what is wrong with them. */
export function exclusionsOf(
  resource: Resource,
  dialect: StartDialect | undefined,
  problems: Problems,
): readonly Exclusion[] {
  const rules: readonly unknown[] = resource.model.exclude ?? []
  const at = `models.${resource.name}.exclude`
  const found = rules.flatMap((rule, i) => {
    const place = rules.length === 1 ? at : `${at}[${i}]`
    return exclusionOf(resource, rule, dialect, (option, message) =>
      problems.add(option === '' ? place : `${place}.${option}`, message),
    )
  })
  const names = found.map(({ declared }) => declared.name)
  const repeated = names.find((name, i) => name !== undefined && names.indexOf(name) < i)
  if (repeated !== undefined) problems.add(at, `two rules are named "${repeated}".`)
  return found
}

/** Whether any published model has rules, so that a write may be a 409 `overlap`; for the OpenAPI document. */
export const hasExclusions = ({ resources }: Pick<Registry, 'resources'>): boolean =>
  resources.some(({ exclusions }) => exclusions.length > 0)

/** Adds a problem with an option of a rule; an empty option is the rule itself. */
type Report = (option: string, message: string) => void

/** Returns the resolved rule; an empty list if it is wrong. */
function exclusionOf(
  resource: Resource,
  declared: unknown,
  dialect: StartDialect | undefined,
  report: Report,
): readonly Exclusion[] {
  if (!isObject(declared)) {
    report('', `expected a rule, such as ${form}.`)
    return []
  }
  const rule = declared as DeclaredRule
  let isWrong = false
  const wrong: Report = (option, message) => {
    isWrong = true
    report(option, message)
  }
  if (resource.primaryKey.length === 0) wrong('', 'a model without a primary key has no rules.')
  const wrongName = rule.name === undefined ? undefined : text(rule.name)
  if (wrongName !== undefined) wrong('name', wrongName)
  const equal = equalColumns(resource, rule, wrong)
  const [start, end] = periodColumns(resource, rule, wrong)
  const where = whereOf(rule, wrong)
  const parent = parentAmong(resource, equal)
  if (isWrong || start === undefined || end === undefined || where === undefined) return []
  if (parent === undefined && dialect !== undefined && dialect.lockOfName === undefined) {
    report('', withoutParent(equal, dialect))
    return []
  }
  const reads = new Set([...equal, start, end].map(({ name }) => name))
  const { softDelete } = resource.settings
  if (softDelete !== null) reads.add(softDelete.attribute)
  // `resolveExclusions` of `query/plan/plan-exclusion.ts` completes `reads` and `followsOthers`, when it has planned `where`.
  return [{ declared: rule, equal, start, end, where, reads, followsOthers: false, parent }]
}

/** The problem of a rule whose writes have no row to lock, on a database without locks of names. */
function withoutParent(equal: readonly NamedColumn[], { name }: StartDialect): string {
  const columns = equal.map((column) => `"${column.name}"`).join(', ')
  const what =
    equal.length === 0
      ? 'no column is equal'
      : `${columns} ${equal.length === 1 ? 'is' : 'are'} no foreign key of a relation to a published model that is written`
  return `${what}, so that ${name ?? 'this database'} has no row that concurrent writes could wait for. Add a column that is, as belongsTo('Room', 'room_id') and room_id: 'equal'.`
}

/** Returns the columns that the rule declares as `'equal'`. */
function equalColumns(
  resource: Resource,
  rule: DeclaredRule,
  wrong: Report,
): readonly NamedColumn[] {
  const columns: NamedColumn[] = []
  for (const [name, value] of Object.entries(rule)) {
    if (options.includes(name) || value === undefined) continue
    const column = storedColumn(resource, name)
    if (column === undefined) {
      const known = [...options, ...storedNames(resource)]
      wrong(name, `no column, and no option of a rule.${didYouMean(name, known)}`)
    } else if (value !== 'equal') {
      wrong(name, "expected 'equal'.")
    } else if (columnTypes[column.type].comparison === 'none' || column.type === 'list') {
      wrong(name, `values of type ${column.type} are not compared.`)
    } else columns.push(column)
  }
  return columns
}

/** Returns the columns of the start and the end; none if they are wrong. */
function periodColumns(
  resource: Resource,
  { period }: DeclaredRule,
  wrong: Report,
): readonly (NamedColumn | undefined)[] {
  const names: unknown = period
  if (!Array.isArray(names) || names.length !== 2) {
    wrong(
      'period',
      "expected the columns of the start and the end, such as ['starts_at', 'ends_at'].",
    )
    return []
  }
  const columns = names.map((name: unknown, i) => {
    const column = storedColumn(resource, name)
    if (column === undefined) {
      wrong(
        `period[${i}]`,
        `no column named "${name}".${didYouMean(String(name), storedNames(resource))}`,
      )
    } else if (!isOrdered(column)) {
      wrong(
        `period[${i}]`,
        `"${column.name}" is of type ${column.type}; a period has two dates, datetimes, times or numbers.`,
      )
    }
    return column
  })
  const [start, end] = columns
  if (start === undefined || end === undefined || !isOrdered(start) || !isOrdered(end)) return []
  if (start === end) wrong('period', 'expected two columns.')
  else if (start.type !== end.type) {
    wrong(
      'period',
      `"${start.name}" is of type ${start.type}, and "${end.name}" of type ${end.type}; declare one type.`,
    )
  }
  return columns
}

const orderedTypes: ReadonlySet<NamedColumn['type']> = new Set([
  'date',
  'datetime',
  'time',
  'integer',
  'bigint',
  'decimal',
  'float',
])

/** Whether the values have an order that does not depend on a collation, or on the text that they are stored as. */
const isOrdered = ({ type, storage }: NamedColumn): boolean =>
  orderedTypes.has(type) && storage === undefined

/** Returns the conditions in the query language; undefined if they are malformed. Planning them finds unknown columns and wrong values. */
function whereOf({ where }: DeclaredRule, wrong: Report): string | undefined {
  if (where === undefined) return ''
  if (!isObject(where)) {
    wrong('where', "expected conditions, such as { status: { ne: 'cancelled' } }.")
    return undefined
  }
  try {
    return conditionTexts(where).join('&')
  } catch (error) {
    wrong('where', error instanceof Error ? error.message : String(error))
    return undefined
  }
}

const storedColumn = ({ allColumns }: Resource, name: unknown): NamedColumn | undefined => {
  const column = allColumns.get(String(name))
  return column?.computed === undefined ? column : undefined
}

const storedNames = ({ allColumns }: Resource): readonly string[] =>
  [...allColumns.values()].filter(({ computed }) => computed === undefined).map(({ name }) => name)

/**
 * Returns a relation whose whole foreign key is among the columns. One is enough: records that exclude each other have the same one, so
 * writes of both lock the same record.
 */
const parentAmong = (
  { allRelations }: Resource,
  equal: readonly NamedColumn[],
): ResolvedRelation | undefined =>
  [...allRelations.values()].find(
    ({ kind, from, target }) =>
      kind === 'belongsTo' &&
      target.model.readOnly !== true &&
      from.every((column) => equal.includes(column)),
  )
