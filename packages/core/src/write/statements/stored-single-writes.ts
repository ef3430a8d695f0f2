// storedSingleWrites: stores the statements of writes that are made by one statement (`fusion/`), by resource, output and set of written
// columns, so that each request only binds its values.

import type { Sendable } from '../../database/statements/sendable.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { type StatementStore, statementStore } from '../../query/cache/statement-store.ts'
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
  compileUpdate,
  keySlot,
  type Match,
  matchedBy,
  type SeenReference,
  scopeSlot,
  shownSlot,
  storedColumns,
  valuesOfReference,
} from './statements.ts'

/** A statement that returns rows, and the readers of these rows. */
type SingleWriteStatement = Omit<CompiledWrite, 'statement'> & { readonly statement: Sendable }

/** Makes the statements of single-statement writes, from stored ones if there are any. */
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

/** Always the same list, because the list is the cache key. */
const noOutput: readonly Output[] = []

/** Statements stored per resource and output (LRU); clients may send any combination of columns. */
const maxStatements = 50

/** Keyed by resource and by output list, because cached plans use the same list object for every request. */
const cache = new WeakMap<Resource, WeakMap<readonly Output[], DialectStore>>()

interface DialectStore {
  readonly dialect: InternalDialect
  readonly store: StatementStore
}

/**
 * The conditions of the policy and of the filter callback in the statements of a write. A request with other conditions gets another
 * statement.
 */
export interface WriteScope {
  /** Narrows the stored records that are written. */
  readonly written?: Condition | undefined
  /** Tells which written records the caller may see. RETURNING computes it as a column; a SELECT after the write has it as a condition. */
  readonly shown?: Condition | undefined
  /** The records that the written record refers to, and that the caller must see. */
  readonly references?: readonly ScopedReference[] | undefined
}

/** A reference whose scope has a `form`, which identifies its SQL without the values. */
export interface ScopedReference extends SeenReference {
  readonly scope: Condition | undefined
}

type Condition = Omit<RowScope, 'columns'>

/**
 * Takes a stored statement if only values differ, else compiles and stores one. `finish` rewrites its SQL for the driver, such as for array
 * rows.
 */
export function storedSingleWrites(
  target: Target,
  finish: (text: string) => string,
  { written, shown, references = [] }: WriteScope,
): SingleWriteStatements {
  const { dialect } = target
  const reach = { scope: written, shown, references }
  const checked = formOfReferences(references)

  const stored = (
    { resource, change, columns, output, key, record = noValues }: WriteKey,
    compile: (target: Target) => CompiledWrite,
  ): SingleWriteStatement => {
    // Without a style, Kysely prints the statements, and they are not stored.
    const style = dialect.shortcuts?.textStyle
    if (style === undefined) return compile(target)
    let name = `${change} ${formOf(written)} ${formOf(shown)}${checked}`
    for (const column of columns) name += `,${column.name}`
    const values = new Map<object, unknown>([[keySlot, matchedBy(key)]])
    if (written !== undefined) values.set(scopeSlot, written.values)
    if (shown !== undefined) values.set(shownSlot, shown.values)
    for (const reference of references) values.set(reference.relation, valuesOfReference(reference))
    for (const column of columns) values.set(column, record[column.name])
    const made = storeOf(dialect, resource, output).make({
      name,
      values,
      style,
      finish,
      compile(decisions) {
        const { statement, ...reading } = compile({ ...target, decisions })
        return { statement, reading }
      },
    })
    return made === undefined ? compile(target) : { statement: made.statement, ...made.reading }
  }

  return {
    insert(resource, values, output) {
      const columns = storedColumns(resource, values)
      const write = {
        resource,
        change: 'insert',
        columns,
        output,
        key: [],
        record: values,
      } as const
      return stored(write, (compiled) => compileInsert(compiled, resource, values, output, reach))
    },
    update(resource, values, matches, output) {
      const columns = storedColumns(resource, values)
      const change = { resource, change: 'update', columns, output } as const
      return stored({ ...change, key: matches, record: values }, (compiled) =>
        compileUpdate(compiled, resource, values, matches, { ...reach, alive: true, output }),
      )
    },
    remove(resource, matches, returns) {
      const change = returns ? 'delete, returning' : 'delete'
      const compile = returns ? compileDeleteReturning : compileDelete
      return stored(
        { resource, change, columns: [], output: noOutput, key: matches },
        (compiled) => ({ statement: compile(compiled, resource, matches, reach), readers: [] }),
      )
    },
    locked(plan, matches) {
      const { from, output } = plan
      const change = from.includeDeleted ? 'locked, deleted too' : 'locked'
      return stored(
        { resource: from.resource, change, columns: [], output, key: matches },
        (compiled) => compileLockedRecord(compiled, plan, matches, reach),
      )
    },
  }
}

/** A condition in the name of a stored statement: its form after its length, so that the names of different pairs of conditions differ. */
const formOf = (condition: Condition | undefined): string =>
  condition === undefined ? '*' : `${condition.form.length}:${condition.form}`

/** Names the references and the forms of their scopes, so that a statement is never used for a record that refers to others. */
function formOfReferences(references: readonly ScopedReference[]): string {
  let whole = ''
  for (const { relation, includeDeleted, stored, scope } of references) {
    const how = `${includeDeleted ? '+' : ''}${stored === undefined ? '' : '='}`
    whole += ` ${relation.name}${how} ${formOf(scope)}`
  }
  return whole
}

/** The inputs on which the SQL of a write depends. */
interface WriteKey {
  readonly resource: Resource
  /** What the statement does. */
  readonly change:
    | 'insert'
    | 'update'
    | 'delete'
    | 'delete, returning'
    | 'locked'
    | 'locked, deleted too'
  readonly columns: readonly NamedColumn[]
  readonly output: readonly Output[]
  readonly key: readonly Match[]
  /** The values of the columns. */
  readonly record?: Values
}

const noValues: Values = {}

/** The store of the statements of a resource that return this output. */
function storeOf(
  dialect: InternalDialect,
  resource: Resource,
  output: readonly Output[],
): StatementStore {
  const outputs = cache.get(resource) ?? new WeakMap<readonly Output[], DialectStore>()
  cache.set(resource, outputs)
  const known = outputs.get(output)
  if (known?.dialect === dialect) return known.store
  const store = statementStore(maxStatements)
  outputs.set(output, { dialect, store })
  return store
}
