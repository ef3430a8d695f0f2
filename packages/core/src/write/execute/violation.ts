// explainRefusal: turns a statement that the database refused into the API error. Finds the fields by probing the model's keys after the rollback (contract §8).

import {
  type ApiError,
  checkViolation,
  missingReference,
  notNullViolation,
  referredTo,
  refusedByDatabase,
  uniqueViolation,
  valueNotStorable,
} from '../../errors.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { keyParts, matchesOf } from '../compile/statements-by-keys.ts'
import { pathTo } from '../plan/node.ts'
import type { Probe, Refusal } from './context.ts'
import { existsUnscoped, keyMatches, valuesOf } from './look-up.ts'
import { overflowingColumns } from './overflow.ts'

/** The API error for a refusal; if a probe fails, it names no field. */
export async function explainRefusal(probe: Probe, refusal: Refusal): Promise<ApiError> {
  const { failure, resource, path, step } = refusal
  const paths = (columns: readonly NamedColumn[]): readonly string[] =>
    columns.filter(({ hidden }) => !hidden).map(({ name }) => pathTo(path, name))
  switch (failure.kind) {
    case 'unique':
      if (step === 'link') return uniqueViolation(await linkPaths(probe, refusal, 'row', true))
      return uniqueViolation(paths(await orNone(takenColumns(probe, refusal))))
    case 'foreignKey':
      if (step === 'delete') return referredTo([])
      if (step === 'link') {
        return missingReference(await linkPaths(probe, refusal, 'partner', false))
      }
      return missingReference(paths(await orNone(danglingColumns(probe, refusal))))
    case 'notNull':
      return notNullViolation(paths(columnNamed(resource, failure.column)))
    case 'check':
      return checkViolation()
    case 'trigger':
      return refusedByDatabase(resource.settings.showTriggerMessages ? (failure.message ?? '') : '')
    default: {
      const known = columnNamed(resource, failure.column)
      const found = known.length > 0 ? known : await orNone(overflowingColumns(probe, refusal))
      // No record has a key that a reference to it cannot hold.
      const references = found.filter((column) => isReference(resource, column))
      return references.length > 0 && references.length === found.length
        ? missingReference(paths(references))
        : valueNotStorable(paths(found))
    }
  }
}

const isReference = ({ relations }: Resource, column: NamedColumn): boolean =>
  [...relations.values()].some(({ kind, from }) => kind === 'belongsTo' && from.includes(column))

const orNone = <T>(found: Promise<readonly T[]>): Promise<readonly T[]> => found.catch(() => [])

/** The paths of the refused links: those whose row (or partner) exists, or does not exist. */
async function linkPaths(
  probe: Probe,
  { path, links = [] }: Refusal,
  end: 'row' | 'partner',
  exists: boolean,
): Promise<readonly string[]> {
  const found = async (): Promise<readonly string[]> => {
    const paths: string[] = []
    for (const link of links) {
      const { table, matches } = link[end]
      if ((await existsUnscoped(probe, table, matches)) === exists) paths.push(link.path)
    }
    return paths
  }
  const paths = links.length === 1 ? links.map((link) => link.path) : await orNone(found())
  return paths.length > 0 ? paths : [path]
}

/** The column that the database named in its error. */
function columnNamed(resource: Resource, dbName: string | undefined): readonly NamedColumn[] {
  if (dbName === undefined) return []
  return [...resource.allColumns.values()].filter(
    (column) => column.dbName === dbName && column.computed === undefined,
  )
}

/** The columns of each unique key whose values another record already has. */
async function takenColumns(
  probe: Probe,
  { resource, values, key }: Refusal,
): Promise<readonly NamedColumn[]> {
  const except = key === null ? [] : keyMatches(resource, key)
  const taken = new Set<NamedColumn>()
  for (const columns of resource.uniqueKeys) {
    const found = valuesOf(columns, values)
    if (found === undefined) continue
    const matches = matchesOf(keyParts(columns), found)
    if (!(await existsUnscoped(probe, resource.table, matches, except))) continue
    for (const column of columns) taken.add(column)
  }
  return [...taken]
}

/** The columns of the foreign keys that refer to no row. */
async function danglingColumns(
  probe: Probe,
  { resource, values }: Refusal,
): Promise<readonly NamedColumn[]> {
  const dangling = new Set<NamedColumn>()
  for (const { kind, from, to, target } of resource.relations.values()) {
    const key = kind === 'belongsTo' ? valuesOf(from, values) : undefined
    if (key === undefined) continue
    if (await existsUnscoped(probe, target.table, matchesOf(keyParts(to), key))) continue
    for (const column of from) dangling.add(column)
  }
  return [...dangling]
}
