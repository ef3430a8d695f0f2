// The statements of writes of one statement: printed once for each set of columns that is written, then filled in.

import {
  type SingleWriteStatement,
  type SingleWriteStatements,
  singleWriteStatements,
} from '../compile/single-write.ts'
import type { Target } from '../compile/target.ts'
import { encoded, keyOrigin, matching, storedColumns } from '../compile/write-query.ts'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { type LruMap, lruMap } from '../lru-map.ts'
import type { Output } from '../plan/plan.ts'
import type { Values } from '../plan/write-node.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { type Fragment, isFragment } from '../sql/fragment.ts'
import { filled, type Refill, type Template, templateOf } from '../sql/template.ts'
import { readyOf } from './ready.ts'

/** A statement as printed, and what reads its rows. */
interface Known extends Pick<SingleWriteStatement, 'readers'> {
  readonly dialect: InternalDialect
  readonly template: Template
}

/** Sets of columns that are remembered for one answer; clients may send any of them. */
const most = 50

/** By what is written, and by what is given back: the output of a kept plan is the same every time. */
const known = new WeakMap<Resource, WeakMap<readonly Output[], LruMap<Known>>>()

/** As `singleWriteStatements`, without compiling again what differs in values only; `finish`: the text as the driver takes it. */
export function cachedSingleWrites(
  target: Target,
  finish: (text: string) => string,
): SingleWriteStatements {
  const { dialect } = target
  const plain = singleWriteStatements(target)

  const kept = (
    { resource, change, columns, output }: Written,
    refill: Refill,
    compile: () => SingleWriteStatement,
  ): SingleWriteStatement => {
    const style = dialect.shortcuts?.textStyle
    if (style === undefined) return compile()
    const forms = formsOf(resource, output)
    const form = `${change} ${columns.map(({ name }) => name).join()}`
    const before = forms.get(form)
    if (before?.dialect === dialect) {
      const parameters = filled(before.template, refill)
      // A value may change the text; then it is compiled for itself.
      return parameters === undefined
        ? compile()
        : { statement: readyOf(before.template.text, parameters), readers: before.readers }
    }
    const { statement, readers } = compile()
    const template = isFragment(statement) ? templateOf(statement as Fragment, style) : undefined
    if (template === undefined) return { statement, readers }
    const text = finish(template.text)
    forms.set(form, { dialect, readers, template: { ...template, text } })
    return { statement: readyOf(text, template.parameters), readers }
  }

  return {
    insert(resource, values, output) {
      const columns = storedColumns(resource, values)
      const written = { resource, change: 'insert', columns, output } as const
      return kept(written, refillOf(target, values), () => plain.insert(resource, values, output))
    },
    update(resource, values, key, output) {
      const columns = storedColumns(resource, values)
      const written = { resource, change: 'update', columns, output } as const
      const refillValue = refillOf(target, values)
      const refill: Refill = (origin) =>
        origin === keyOrigin ? matching(target, key) : refillValue(origin)
      return kept(written, refill, () => plain.update(resource, values, key, output))
    },
    locked(plan, key) {
      const { from, output } = plan
      const change = from.includeDeleted ? 'locked, deleted too' : 'locked'
      const written = { resource: from.resource, change, columns: [], output } as const
      const refill: Refill = (origin) => (origin === keyOrigin ? matching(target, key) : undefined)
      return kept(written, refill, () => plain.locked(plan, key))
    },
  }
}

interface Written {
  readonly resource: Resource
  readonly change: 'insert' | 'update' | 'locked' | 'locked, deleted too'
  readonly columns: readonly NamedColumn[]
  readonly output: readonly Output[]
}

const refillOf =
  (target: Target, values: Values): Refill =>
  (origin) => {
    const column = origin as NamedColumn
    return encoded(target, column, values[column.name])
  }

function formsOf(resource: Resource, output: readonly Output[]): LruMap<Known> {
  const outputs = known.get(resource) ?? new WeakMap<readonly Output[], LruMap<Known>>()
  known.set(resource, outputs)
  const forms = outputs.get(output) ?? lruMap<Known>(most)
  outputs.set(output, forms)
  return forms
}
