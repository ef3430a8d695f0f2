// Caches the SQL of single-statement writes by resource, output and set of written columns, so that each request only encodes its values.

import type { Sendable } from '../../database/statements/sendable.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { type LruMap, lruMap } from '../../lib/lru-map.ts'
import { type Fragment, isPart, sql } from '../../lib/sql/fragment.ts'
import { filled, type Refill, type Template, templateOf } from '../../lib/sql/template.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { printedStatement } from '../../query/cache/printed-statement.ts'
import type { RowScope } from '../../query/compile/scopes.ts'
import type { Target } from '../../query/compile/target.ts'
import type { Output, RowPlan } from '../../query/plan/plan.ts'
import type { Values } from '../nodes/node.ts'
import {
  type CompiledWrite,
  compileDelete,
  compileDeleteReturning,
  compileInsert,
  compileLockedRecord,
  compileReference,
  compileUpdate,
  encoded,
  keyOrigin,
  type Match,
  matchCondition,
  type SeenReference,
  scopeOrigin,
  shownOrigin,
  storedColumns,
} from './statements.ts'

/** A statement that returns rows, and the readers of these rows. */
type SingleWriteStatement = Omit<CompiledWrite, 'statement'> & { readonly statement: Sendable }

/** Makes the statements of single-statement writes, from cached SQL if there is any. */
export interface SingleWriteStatements {
  /**
   * `insert into t (…) values (…) returning …`, or `insert into t (…) select … where exists (…) returning …`; the returned row tells
   * whether it is in the scope of the caller.
   */
  insert(resource: Resource, values: Values, output: readonly Output[]): SingleWriteStatement
  /** `update t set … where key returning …`, only of a record that is not soft-deleted. */
  update(
    resource: Resource,
    values: Values,
    key: readonly Match[],
    output: readonly Output[],
  ): SingleWriteStatement
  /** `delete from t where key`; returns a row for the removed record if `returns` is set. */
  remove(resource: Resource, key: readonly Match[], returns: boolean): SingleWriteStatement
  /** `select … from t where key for update`: reads the written record if the database has no RETURNING. */
  locked(plan: RowPlan, key: readonly Match[]): SingleWriteStatement
}

/** A printed statement and the readers of its rows. */
interface CachedWrite extends Omit<SingleWriteStatement, 'statement'> {
  readonly dialect: InternalDialect
  readonly template: Template
}

/** Always the same list, because the list is the cache key. */
const noOutput: readonly Output[] = []

/** Statements cached per resource and output (LRU); clients may send any combination of columns. */
const maxStatements = 50

/** Keyed by resource and by output list, because cached plans use the same list object for every request. */
const cache = new WeakMap<Resource, WeakMap<readonly Output[], LruMap<CachedWrite>>>()

/** The conditions of the policy and of the filter callback in the statements of a write. */
export interface WriteScope {
  /** Narrows the stored records that are written. */
  readonly written?: Condition | undefined
  /** Tells which written records the caller may see. RETURNING computes it as a column; a SELECT after the write has it as a condition. */
  readonly shown?: Condition | undefined
  /** The records that the written record refers to, and that the caller must see. */
  readonly references?: readonly ScopedReference[] | undefined
}

/** A reference with the form of its scope. */
export interface ScopedReference extends SeenReference {
  /** Identifies the SQL of the scope without its values. */
  readonly form: string
}

type Condition = Pick<RowScope, 'condition' | 'form'>

/** Reuses SQL if only values differ. `finish` rewrites the SQL for the driver, such as for array rows. */
export function cachedSingleWrites(
  target: Target,
  finish: (text: string) => string,
  { written, shown, references = [] }: WriteScope,
): SingleWriteStatements {
  const { dialect } = target
  const reach = { scope: written?.condition, shown: shown?.condition, references }
  const checked = formOfReferences(references)

  const cached = (
    { resource, change, columns, output }: WriteKey,
    refill: Refill,
    compile: () => CompiledWrite,
  ): SingleWriteStatement => {
    const style = dialect.shortcuts?.textStyle
    if (style === undefined) return compile()
    const statements = statementsOf(resource, output)
    let key = `${change} ${formOf(written)} ${formOf(shown)}${checked}`
    for (const { name } of columns) key += `,${name}`
    const known = statements.get(key)
    if (known?.dialect === dialect) {
      const parameters = filled(known.template, refill)
      // Undefined if the values need other SQL.
      return parameters === undefined
        ? compile()
        : withReading(printedStatement(known.template.text, parameters), known)
    }
    const compiled = compile()
    const template = templateOf(compiled.statement, style)
    if (template === undefined) return compiled
    const text = finish(template.text)
    const { readers, inScope } = compiled
    statements.set(key, { dialect, readers, inScope, template: { ...template, text } })
    return withReading(printedStatement(text, template.parameters), compiled)
  }

  const refillReach = (origin: object, key: readonly Match[]): Fragment | undefined => {
    if (origin === keyOrigin) return matchCondition(target, key)
    if (origin === scopeOrigin) return written?.condition
    return origin === shownOrigin ? shown?.condition : undefined
  }

  const refillReference = (origin: object): Fragment | undefined => {
    const reference = references.find(({ relation }) => relation === origin)
    return reference && compileReference(target, reference)
  }

  /** Refills the statement of a record with these values. */
  const refillRecord = (values: Values, key: readonly Match[]): Refill => {
    const refillValue = refillOf(target, values)
    return (origin) => refillReach(origin, key) ?? refillReference(origin) ?? refillValue(origin)
  }

  return {
    insert(resource, values, output) {
      const columns = storedColumns(resource, values)
      const key = { resource, change: 'insert', columns, output } as const
      return cached(key, refillRecord(values, []), () =>
        compileInsert(target, resource, values, output, reach),
      )
    },
    update(resource, values, matches, output) {
      const columns = storedColumns(resource, values)
      const key = { resource, change: 'update', columns, output } as const
      return cached(key, refillRecord(values, matches), () =>
        compileUpdate(target, resource, values, matches, { ...reach, alive: true, output }),
      )
    },
    remove(resource, matches, returns) {
      const change = returns ? 'delete, returning' : 'delete'
      const key = { resource, change, columns: [], output: noOutput } as const
      const compile = returns ? compileDeleteReturning : compileDelete
      const refill: Refill = (origin) => refillReach(origin, matches)
      return cached(key, refill, () => ({
        statement: compile(target, resource, matches, reach),
        readers: [],
      }))
    },
    locked(plan, matches) {
      const { from, output } = plan
      const change = from.includeDeleted ? 'locked, deleted too' : 'locked'
      const key = { resource: from.resource, change, columns: [], output } as const
      const refill: Refill = (origin) => refillReach(origin, matches)
      return cached(key, refill, () => compileLockedRecord(target, plan, matches, reach))
    },
  }
}

/** Prefixes a condition's form with its length, so that the keys of different pairs of conditions differ. */
const formOf = (condition: Condition | undefined): string =>
  condition === undefined ? '*' : `${condition.form.length}:${condition.form}`

/** Names the references and the forms of their scopes, so that a statement is never used for a record that refers to others. */
function formOfReferences(references: readonly ScopedReference[]): string {
  let whole = ''
  for (const { relation, includeDeleted, stored, form } of references) {
    const how = `${includeDeleted ? '+' : ''}${stored === undefined ? '' : '='}`
    whole += ` ${relation.name}${how} ${form.length}:${form}`
  }
  return whole
}

const withReading = (
  statement: Sendable,
  { readers, inScope }: Omit<SingleWriteStatement, 'statement'>,
): SingleWriteStatement => ({ statement, readers, inScope })

/** The inputs on which the SQL of a write depends. */
interface WriteKey {
  readonly resource: Resource
  readonly change:
    | 'insert'
    | 'update'
    | 'delete'
    | 'delete, returning'
    | 'locked'
    | 'locked, deleted too'
  readonly columns: readonly NamedColumn[]
  readonly output: readonly Output[]
}

const refillOf =
  (target: Target, values: Values): Refill =>
  (origin) => {
    const column = origin as NamedColumn
    const bound = encoded(target, column, values[column.name])
    return isPart(bound) ? sql`${bound}` : { bound }
  }

function statementsOf(resource: Resource, output: readonly Output[]): LruMap<CachedWrite> {
  const outputs = cache.get(resource) ?? new WeakMap<readonly Output[], LruMap<CachedWrite>>()
  cache.set(resource, outputs)
  const statements = outputs.get(output) ?? lruMap<CachedWrite>(maxStatements)
  outputs.set(output, statements)
  return statements
}
