// A refused statement → the answer it deserves: which fields it was is found by probing the model's own keys after the rollback (contract §8).

import type { Target } from '../compile/target.ts'
import {
  type ApiError,
  checkViolation,
  missingReference,
  notNullViolation,
  referredTo,
  uniqueViolation,
  valueNotStorable,
} from '../errors.ts'
import { pathTo } from '../plan/write-node.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { existsUnscoped, keyMatches, matchOf, valuesOf } from './look-up.ts'
import { overflowing } from './overflow.ts'
import type { Connection } from './run.ts'
import type { Refusal } from './write-context.ts'

/** Where the probes run: the connection after the rollback, or the host's own transaction. */
export interface Probe {
  readonly connection: Connection
  readonly target: Target
}

/** Explains a refusal; where a probe fails, the answer names no field. */
export async function explainRefusal(probe: Probe, refusal: Refusal): Promise<ApiError> {
  const { failure, resource, path, step } = refusal
  const paths = (columns: readonly NamedColumn[]): readonly string[] =>
    columns.filter(({ hidden }) => !hidden).map(({ name }) => pathTo(path, name))
  switch (failure.kind) {
    case 'unique':
      if (step === 'link') return uniqueViolation(await linkPaths(probe, refusal, 'row', true))
      return uniqueViolation(paths(await quietly(takenColumns(probe, refusal))))
    case 'foreignKey':
      if (step === 'delete') return referredTo([])
      if (step === 'link') {
        return missingReference(await linkPaths(probe, refusal, 'partner', false))
      }
      return missingReference(paths(await quietly(danglingColumns(probe, refusal))))
    case 'notNull':
      return notNullViolation(paths(named(resource, failure.column)))
    case 'check':
      return checkViolation()
    default: {
      const known = named(resource, failure.column)
      const found = known.length > 0 ? known : await quietly(overflowing(probe, refusal))
      return valueNotStorable(paths(found))
    }
  }
}

const quietly = <T>(found: Promise<readonly T[]>): Promise<readonly T[]> => found.catch(() => [])

/** Which links of a refused statement it was: those whose row, or partner, is there, or is not. */
async function linkPaths(
  probe: Probe,
  { path, links = [] }: Refusal,
  end: 'row' | 'partner',
  there: boolean,
): Promise<readonly string[]> {
  const found = async (): Promise<readonly string[]> => {
    const paths: string[] = []
    for (const link of links) {
      const { table, matches } = link[end]
      if ((await existsUnscoped(probe, table, matches)) === there) paths.push(link.path)
    }
    return paths
  }
  const paths = links.length === 1 ? links.map((link) => link.path) : await quietly(found())
  return paths.length > 0 ? paths : [path]
}

/** The column the database speaks of, by its name there. */
function named(resource: Resource, dbName: string | undefined): readonly NamedColumn[] {
  if (dbName === undefined) return []
  return [...resource.allColumns.values()].filter(
    (column) => column.dbName === dbName && column.computed === undefined,
  )
}

/** The columns of every unique key of the model whose values another record has. */
async function takenColumns(
  probe: Probe,
  { resource, values, key }: Refusal,
): Promise<readonly NamedColumn[]> {
  const except = key === null ? [] : keyMatches(resource, key)
  const taken = new Set<NamedColumn>()
  for (const columns of resource.uniqueKeys) {
    const found = valuesOf(columns, values)
    if (found === undefined) continue
    const matches = columns.map((column, i) =>
      matchOf({ column, value: found[i] as (typeof found)[number] }),
    )
    if (!(await existsUnscoped(probe, resource.table, matches, except))) continue
    for (const column of columns) taken.add(column)
  }
  return [...taken]
}

/** The foreign keys of the model that lead nowhere. */
async function danglingColumns(
  probe: Probe,
  { resource, values }: Refusal,
): Promise<readonly NamedColumn[]> {
  const dangling = new Set<NamedColumn>()
  for (const { kind, from, to, target } of resource.relations.values()) {
    const key = kind === 'belongsTo' ? valuesOf(from, values) : undefined
    if (key === undefined) continue
    const matches = to.map((column, i) =>
      matchOf({ column, value: key[i] as (typeof key)[number] }),
    )
    if (await existsUnscoped(probe, target.table, matches)) continue
    for (const column of from) dangling.add(column)
  }
  return [...dangling]
}
