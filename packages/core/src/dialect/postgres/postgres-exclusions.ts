// Finds PostgreSQL's exclusion constraints that enforce the rules by which no two rows of a table overlap, when the dialect connects: a
// write need not check such a rule itself.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { DialectExclusion, DialectTable } from '../../model/dialect-column.ts'
import type { ExclusionConstraints } from '../internal-dialect.ts'
import { quotedName } from './postgres-column-facts.ts'
import { classifyPostgres } from './postgres-errors.ts'

interface Constraint {
  readonly name: string
  readonly definition: string
  readonly is_deferred: boolean
}

/** Reads the constraints of the tables that have rules; undefined if none has. */
export async function lookUpExclusions(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<ExclusionConstraints | undefined> {
  const enforced = new Set<object>()
  const names = new Map<object, Set<string>>()
  for (const { schema, table, exclusions = [] } of tables) {
    if (exclusions.length === 0) continue
    const constraints = await constraintsOf(db, quotedName(schema, table))
    for (const rule of exclusions) {
      for (const constraint of constraints) {
        const parts = partsOf(constraint.definition)
        if (parts === undefined || !areElementsOf(rule, parts.elements)) continue
        names.set(rule.rule, (names.get(rule.rule) ?? new Set()).add(constraint.name))
        if (!constraint.is_deferred && coversRowsOf(rule, parts.predicate)) enforced.add(rule.rule)
      }
    }
  }
  return tables.some(({ exclusions = [] }) => exclusions.length > 0)
    ? {
        enforces: (rule) => enforced.has(rule),
        isOf: (rule, constraint) => names.get(rule)?.has(constraint) === true,
      }
    : undefined
}

async function constraintsOf(db: AnyDatabase, table: string): Promise<readonly Constraint[]> {
  const found = rowsOf<Constraint>(db)`
    select o.conname::text as name, pg_get_constraintdef(o.oid) as definition, o.condeferred as is_deferred
    from pg_constraint o where o.conrelid = to_regclass(${table}) and o.contype = 'x'`
  return found.catch((error: unknown) => {
    // The server only speaks PostgreSQL's protocol, and has other catalogues.
    if (classifyPostgres(error).kind === 'other') return []
    throw error
  })
}

interface Parts {
  /** `a WITH =`, `tsrange(b, c) WITH &&` */
  readonly elements: readonly string[]
  /** The condition of WHERE, without parentheses around it; empty without WHERE. */
  readonly predicate: string
}

/** `EXCLUDE USING gist (a WITH =, tsrange(b, c) WITH &&) WHERE ((d IS NULL)) DEFERRABLE` */
const form =
  /^EXCLUDE USING \w+ \((?<elements>.*? WITH &&.*?)\)(?: WHERE \((?<where>.*)\))?(?: DEFERRABLE)?$/

function partsOf(definition: string): Parts | undefined {
  const { elements, where = '' } = form.exec(definition)?.groups ?? {}
  if (elements === undefined) return undefined
  return { elements: divided(elements), predicate: where.replace(/^\((.*)\)$/, '$1') }
}

/** Divides a list at its commas, but for those inside parentheses. */
function divided(list: string): readonly string[] {
  const items: string[] = []
  let depth = 0
  let item = ''
  for (const letter of list) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (letter === ',' && depth === 0) {
      items.push(item.trim())
      item = ''
    } else item += letter
  }
  return [...items, item.trim()]
}

/** Whether a constraint compares the columns of the rule as the rule does: a range of PostgreSQL is half-open unless it says otherwise. */
function areElementsOf(
  { equal, start, end }: DialectExclusion,
  elements: readonly string[],
): boolean {
  const period = [nameIn(start), nameIn(end)].join(', ')
  const ranges = ['int4', 'int8', 'num', 'ts', 'tstz', 'date'].flatMap((type) => [
    `${type}range(${period}) WITH &&`,
    `${type}range(${period}, '[)'::text) WITH &&`,
  ])
  const others = elements.filter((element) => !ranges.includes(element))
  const wanted = equal.map((name) => `${nameIn(name)} WITH =`)
  return (
    others.length === elements.length - 1 &&
    others.length === wanted.length &&
    wanted.every((element) => others.includes(element))
  )
}

/** A name as the server prints it, apart from words of SQL, which it quotes. */
const nameIn = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`

/** Whether the rows of a constraint are at least those of the rule. */
function coversRowsOf({ isConditional, active }: DialectExclusion, predicate: string): boolean {
  if (predicate === '') return true
  if (isConditional || active === undefined) return false
  const column = nameIn(active.column)
  const tests = { null: [`${column} IS NULL`], false: [`NOT ${column}`, `${column} = false`] }
  return tests[active.is].includes(predicate)
}
