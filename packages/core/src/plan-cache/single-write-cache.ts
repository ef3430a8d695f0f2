// Caches the SQL of single-statement writes by resource, output and set of written columns, so that each request only encodes its values.

import type { Sendable } from '../compile/sendable.ts'
import type { Target } from '../compile/target.ts'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { type LruMap, lruMap } from '../lru-map.ts'
import type { Output, RowPlan } from '../plan/plan.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { filled, type Refill, type Template, templateOf } from '../sql/template.ts'
import {
  type CompiledWrite,
  compileInsert,
  compileLockedRecord,
  compileUpdate,
  encodedValue,
  keyOrigin,
  type Match,
  matchCondition,
  storedColumns,
} from '../write/compile/statements.ts'
import type { Values } from '../write/plan/node.ts'
import { printedStatement } from './printed-statement.ts'

/** A statement that returns rows, and the readers of these rows. */
type SingleWriteStatement = Pick<CompiledWrite, 'readers'> & { readonly statement: Sendable }

/** Makes the statements of single-statement writes. */
export interface SingleWriteStatements {
  /** `insert into t (…) values (…) returning …` */
  insert(resource: Resource, values: Values, output: readonly Output[]): SingleWriteStatement
  /** `update t set … where key returning …`, only of a record that is not soft-deleted. */
  update(
    resource: Resource,
    values: Values,
    key: readonly Match[],
    output: readonly Output[],
  ): SingleWriteStatement
  /** `select … from t where key for update`: reads the written record if the database has no RETURNING. */
  locked(plan: RowPlan, key: readonly Match[]): SingleWriteStatement
}

/** A printed statement and the readers of its rows. */
interface CachedWrite extends Pick<SingleWriteStatement, 'readers'> {
  readonly dialect: InternalDialect
  readonly template: Template
}

/** Statements cached per resource and output (LRU); clients may send any combination of columns. */
const maxStatements = 50

/** By resource and by output list: cached plans return the same list object for every request. */
const cache = new WeakMap<Resource, WeakMap<readonly Output[], LruMap<CachedWrite>>>()

/** Reuses SQL if only values differ. `finish` rewrites the SQL for the driver, such as for array rows. */
export function cachedSingleWrites(
  target: Target,
  finish: (text: string) => string,
): SingleWriteStatements {
  const { dialect } = target

  const cached = (
    { resource, change, columns, output }: WriteKey,
    refill: Refill,
    compile: () => CompiledWrite,
  ): SingleWriteStatement => {
    const style = dialect.shortcuts?.textStyle
    if (style === undefined) return compile()
    const statements = statementsOf(resource, output)
    const key = `${change} ${columns.map(({ name }) => name).join()}`
    const known = statements.get(key)
    if (known?.dialect === dialect) {
      const parameters = filled(known.template, refill)
      // Undefined if the values need other SQL.
      return parameters === undefined
        ? compile()
        : { statement: printedStatement(known.template.text, parameters), readers: known.readers }
    }
    const { statement, readers } = compile()
    const template = templateOf(statement, style)
    if (template === undefined) return { statement, readers }
    const text = finish(template.text)
    statements.set(key, { dialect, readers, template: { ...template, text } })
    return { statement: printedStatement(text, template.parameters), readers }
  }

  return {
    insert(resource, values, output) {
      const columns = storedColumns(resource, values)
      const written = { resource, change: 'insert', columns, output } as const
      return cached(written, refillOf(target, values), () =>
        compileInsert(target, resource, values, output),
      )
    },
    update(resource, values, key, output) {
      const columns = storedColumns(resource, values)
      const written = { resource, change: 'update', columns, output } as const
      const refillValue = refillOf(target, values)
      const refill: Refill = (origin) =>
        origin === keyOrigin ? matchCondition(target, key) : refillValue(origin)
      return cached(written, refill, () =>
        compileUpdate(target, resource, values, key, { alive: true, output }),
      )
    },
    locked(plan, key) {
      const { from, output } = plan
      const change = from.includeDeleted ? 'locked, deleted too' : 'locked'
      const written = { resource: from.resource, change, columns: [], output } as const
      const refill: Refill = (origin) =>
        origin === keyOrigin ? matchCondition(target, key) : undefined
      return cached(written, refill, () => compileLockedRecord(target, plan, key))
    },
  }
}

/** What the SQL of a write depends on. */
interface WriteKey {
  readonly resource: Resource
  readonly change: 'insert' | 'update' | 'locked' | 'locked, deleted too'
  readonly columns: readonly NamedColumn[]
  readonly output: readonly Output[]
}

const refillOf =
  (target: Target, values: Values): Refill =>
  (origin) => {
    const column = origin as NamedColumn
    return encodedValue(target, column, values[column.name])
  }

function statementsOf(resource: Resource, output: readonly Output[]): LruMap<CachedWrite> {
  const outputs = cache.get(resource) ?? new WeakMap<readonly Output[], LruMap<CachedWrite>>()
  cache.set(resource, outputs)
  const statements = outputs.get(output) ?? lruMap<CachedWrite>(maxStatements)
  outputs.set(output, statements)
  return statements
}
