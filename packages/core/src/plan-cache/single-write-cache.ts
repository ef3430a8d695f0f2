// Caches the SQL of single-statement writes by resource, output and set of written columns, so that each request only encodes its values.

import type { Target } from '../compile/target.ts'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { type LruMap, lruMap } from '../lru-map.ts'
import type { Output } from '../plan/plan.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { type Fragment, isFragment } from '../sql/fragment.ts'
import { filled, type Refill, type Template, templateOf } from '../sql/template.ts'
import {
  type SingleWriteStatement,
  type SingleWriteStatements,
  singleWriteStatements,
} from '../write/compile/single-statements.ts'
import {
  encodedValue,
  keyOrigin,
  matchCondition,
  storedColumns,
} from '../write/compile/statements.ts'
import type { Values } from '../write/plan/node.ts'
import { printedStatement } from './printed-statement.ts'

/** A printed statement and the readers of its rows. */
interface CachedWrite extends Pick<SingleWriteStatement, 'readers'> {
  readonly dialect: InternalDialect
  readonly template: Template
}

/** Statements cached per resource and output (LRU); clients may send any combination of columns. */
const maxStatements = 50

/** By resource and by output list: cached plans return the same list object for every request. */
const cache = new WeakMap<Resource, WeakMap<readonly Output[], LruMap<CachedWrite>>>()

/** Like `singleWriteStatements`, but reuses SQL if only values differ. `finish` rewrites the SQL for the driver, such as for array rows. */
export function cachedSingleWrites(
  target: Target,
  finish: (text: string) => string,
): SingleWriteStatements {
  const { dialect } = target
  const uncached = singleWriteStatements(target)

  const cached = (
    { resource, change, columns, output }: WriteKey,
    refill: Refill,
    compile: () => SingleWriteStatement,
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
    const template = isFragment(statement) ? templateOf(statement as Fragment, style) : undefined
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
        uncached.insert(resource, values, output),
      )
    },
    update(resource, values, key, output) {
      const columns = storedColumns(resource, values)
      const written = { resource, change: 'update', columns, output } as const
      const refillValue = refillOf(target, values)
      const refill: Refill = (origin) =>
        origin === keyOrigin ? matchCondition(target, key) : refillValue(origin)
      return cached(written, refill, () => uncached.update(resource, values, key, output))
    },
    locked(plan, key) {
      const { from, output } = plan
      const change = from.includeDeleted ? 'locked, deleted too' : 'locked'
      const written = { resource: from.resource, change, columns: [], output } as const
      const refill: Refill = (origin) =>
        origin === keyOrigin ? matchCondition(target, key) : undefined
      return cached(written, refill, () => uncached.locked(plan, key))
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
