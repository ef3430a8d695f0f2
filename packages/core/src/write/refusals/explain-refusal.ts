// explainRefusal: turns the refusal of a statement into an API error, such as 409 with the path of the field whose value is taken. Looks up
// the values of the model's keys to find the fields that caused it (docs/guide/writing.md). `counterBehind` and `hiddenValueMissing` make
// the warnings for the host, and `breaksConstraint` tells `refused-commit.ts` whether a record is the refused one.

import {
  type ApiError,
  checkViolation,
  forbidden,
  missingReference,
  notNullViolation,
  overlapping,
  referredTo,
  refusedByDatabase,
  uniqueViolation,
  valueNotStorable,
} from '../../errors.ts'
import { isInBodies } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyText } from '../../query/run/key.ts'
import { overlapAt, ruleOfConstraint } from '../check/overlaps.ts'
import { pathTo, type Values } from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'
import { existsUnscoped, keyMatches } from '../resolve/look-up-records.ts'
import { keyParts, matchesOf } from '../statements/statements-by-keys.ts'
import { overflowingColumns } from './overflowing-columns.ts'
import type { RefusalConnection, WriteRefusal } from './refusal.ts'

/**
 * The API error for a refusal. It names no field if the queries that look for the fields fail.
 *
 * A record may break several rules, of which each database reports another one. The error is the same on all of them, in the order of
 * PostgreSQL: values that do not fit, NULL, CHECK, unique keys, foreign keys.
 */
export async function explainRefusal(
  probe: RefusalConnection,
  refusal: WriteRefusal,
): Promise<ApiError> {
  const { failure, resource, path, step } = refusal
  // In a list, the error names at least the record.
  const record = path.startsWith('[') ? [path] : []
  const paths = (columns: readonly NamedColumn[]): readonly string[] => {
    const named = columns.filter(isInBodies).map(({ name }) => pathTo(path, name))
    return named.length > 0 ? named : record
  }
  // Each path is a taken key of its own.
  const each = (found: readonly string[]): readonly (readonly string[])[] =>
    found.map((path) => [path])
  switch (failure.kind) {
    case 'unique': {
      const rule = ruleOfConstraint(probe, resource, failure.constraint)
      if (rule !== undefined) return overlapping([overlapAt(resource, rule, path)])
      if (step === 'link') {
        return uniqueViolation(each(await linkPaths(probe, refusal, 'existing row')))
      }
      return uniqueViolation(
        takenPaths(
          (await orNone(takenKeys(probe, refusal))).map((columns) =>
            notFromDatabase(refusal, columns),
          ),
          paths,
        ),
      )
    }
    case 'foreignKey':
      if (step === 'delete') return referredTo([])
      if (step === 'link') {
        return missingReference(await linkPaths(probe, refusal, 'missing record'))
      }
      return (
        (await errorOfTaken(probe, refusal, paths)) ??
        missingReference(paths(await orNone(danglingColumns(probe, refusal))))
      )
    case 'notNull':
      return (
        errorOfUnfitting(resource, await orNone(overflowingColumns(probe, refusal)), paths) ??
        notNullViolation(paths(await missingColumns(probe, refusal)))
      )
    case 'check':
      return await errorOfCheck(probe, refusal, paths)
    case 'policy':
      return forbidden(path)
    case 'trigger':
      return refusedByDatabase(record)
    // `value`: a value does not fit its column.
    default: {
      const named = columnNamed(resource, failure.column)
      const overflowing = await orNone(overflowingColumns(probe, refusal))
      const found = [...resource.allColumns.values()].filter(
        (column) => named.includes(column) || overflowing.includes(column),
      )
      return errorOfUnfitting(resource, found, paths) ?? valueNotStorable(record)
    }
  }
}

/** The columns without those that the database has filled, whose values are no mistake of the client. */
const notFromDatabase = (
  refusal: WriteRefusal,
  columns: readonly NamedColumn[],
): readonly NamedColumn[] => columns.filter((column) => !isFromDatabase(refusal, column))

/** Whether the value of a column of a new record comes from the database. */
const isFromDatabase = (
  { step, values }: WriteRefusal,
  { name, definition }: NamedColumn,
): boolean =>
  step === 'insert' &&
  (definition.generated === true || definition.hasDefault === true) &&
  (values[name] ?? null) === null

/** The paths in the body of these columns, of which clients see some; if they see none, that of the record in a list. */
type PathsOf = (columns: readonly NamedColumn[]) => readonly string[]

/** The error for values that do not fit their columns; undefined if there are none. */
function errorOfUnfitting(
  resource: Resource,
  columns: readonly NamedColumn[],
  paths: PathsOf,
): ApiError | undefined {
  if (columns.length === 0) return undefined
  // A value that does not fit the foreign key column cannot be the key of any record.
  return columns.every((column) => isReference(resource, column))
    ? missingReference(paths(columns))
    : valueNotStorable(paths(columns))
}

/** The error for the unique keys of a record with a dangling foreign key that other records have; undefined if there are none. */
async function errorOfTaken(
  probe: RefusalConnection,
  refusal: WriteRefusal,
  paths: PathsOf,
): Promise<ApiError | undefined> {
  const { taken } = await foundKeys(probe, refusal).catch(() => ({ taken: [] }))
  return taken.length > 0 ? uniqueViolation(takenPaths(taken, paths)) : undefined
}

/** Whether the column is part of a foreign key. */
const isReference = ({ allRelations }: Resource, column: NamedColumn): boolean =>
  [...allRelations.values()].some(({ kind, from }) => kind === 'belongsTo' && from.includes(column))

/** The result of a look-up, or nothing if it fails: the error then names no field. */
const orNone = <T>(found: Promise<readonly T[]>): Promise<readonly T[]> => found.catch(() => [])

/**
 * The paths of the refused links: those whose row in the junction table exists already, or those whose linked record does not exist.
 */
async function linkPaths(
  probe: RefusalConnection,
  { path, links: inserted = () => [] }: WriteRefusal,
  because: 'existing row' | 'missing record',
): Promise<readonly string[]> {
  const links = inserted()
  const found = async (): Promise<readonly string[]> => {
    const paths: string[] = []
    for (const link of links) {
      const { table, matches } = because === 'existing row' ? link.row : link.linked
      const exists = await existsUnscoped(probe, table, matches)
      if (exists === (because === 'existing row')) paths.push(link.path)
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

/**
 * The column that may not be NULL, as the database names it. If the database names a NOT NULL domain instead, the columns of this
 * domain that would be NULL.
 */
async function missingColumns(
  probe: RefusalConnection,
  refusal: WriteRefusal,
): Promise<readonly NamedColumn[]> {
  const { failure, resource, values, step } = refusal
  if (failure.column !== undefined) return columnNamed(resource, failure.column)
  const ofDomain = await orNone(constraintColumns(probe, refusal))
  // Of a stored record, some columns may not have been read. They keep their values, so they are not NULL.
  const known =
    step === 'update' || step === 'delete'
      ? ofDomain.filter(({ name }) => name in values)
      : ofDomain
  return known.filter(({ name }) => (values[name] ?? null) === null)
}

/** The unique keys, by their columns, whose values another record has. */
interface FoundKeys {
  readonly taken: (readonly NamedColumn[])[]
  /** Those whose values only records have that are marked as deleted. */
  readonly byDeleted: readonly (readonly NamedColumn[])[]
}

/**
 * Whether the stored record of a refusal has a unique key that another record has, or a foreign key that refers to no record: to find the
 * record for which the database has refused COMMIT.
 */
export async function breaksConstraint(
  probe: RefusalConnection,
  refusal: WriteRefusal,
): Promise<boolean> {
  switch (refusal.failure.kind) {
    case 'unique': {
      const named = await orNone(constraintColumns(probe, refusal))
      return (await foundKeys(probe, refusal, named)).taken.length > 0
    }
    case 'foreignKey':
      return (await danglingColumns(probe, refusal)).length > 0
    default:
      return false
  }
}

/** The visible fields of each key that is taken; if all keys are hidden, the path of the record in the list. */
function takenPaths(
  keys: readonly (readonly NamedColumn[])[],
  paths: PathsOf,
): readonly (readonly string[])[] {
  const open = keys.filter((columns) => columns.some(({ hidden }) => !hidden))
  const found = open.length === 0 ? [paths([])] : open.map(paths)
  return found.filter((keyPaths) => keyPaths.length > 0)
}

/** The error for a CHECK constraint; it names the constraint only if clients can see all of its columns. */
async function errorOfCheck(
  probe: RefusalConnection,
  refusal: WriteRefusal,
  paths: PathsOf,
): Promise<ApiError> {
  const { constraint } = refusal.failure
  const columns = await orNone(constraintColumns(probe, refusal))
  const isName = constraint !== undefined && /^[\p{L}_][\p{L}\p{N}_.$-]*$/u.test(constraint)
  const isOpen = columns.length > 0 && columns.every(({ hidden }) => !hidden)
  return checkViolation(paths(columns), isName && isOpen ? constraint : undefined)
}

/** The columns of the constraint that the database named in its error. */
async function constraintColumns(
  { lease }: RefusalConnection,
  { failure: { constraint }, resource }: WriteRefusal,
): Promise<readonly NamedColumn[]> {
  const look = lease.dialect.constraintColumns
  if (constraint === undefined || look === undefined) return []
  const found = await lease.onOneConnection(({ db }) => look(db, resource, constraint))
  const names = new Set(found.map(folded))
  return [...resource.allColumns.values()].filter(
    ({ dbName, computed }) => computed === undefined && names.has(folded(dbName)),
  )
}

const folded = (name: string): string => name.toLowerCase()

/**
 * A message for the log if the database filled a column with a value that another record already has: its counter is behind, for
 * example after an import of rows with keys. Undefined if that is not the reason.
 */
export async function counterBehind(
  probe: RefusalConnection,
  refusal: WriteRefusal,
): Promise<string | undefined> {
  const { failure, resource } = refusal
  const advice = probe.lease.dialect.counterAdvice
  if (failure.kind !== 'unique' || advice === undefined) return undefined
  const column = (await orNone(constraintColumns(probe, refusal))).find((candidate) =>
    isFromDatabase(refusal, candidate),
  )
  return column === undefined
    ? undefined
    : `The database gave a new ${resource.name} a value of "${column.name}" that another record has. ${advice(resource, column, column.definition.generated === true)}`
}

/**
 * A message for the log if a NOT NULL constraint refused a record because of hidden columns alone, which the error for the client does
 * not name. Undefined if that is not the reason.
 */
export async function hiddenValueMissing(
  probe: RefusalConnection,
  refusal: WriteRefusal,
): Promise<string | undefined> {
  if (refusal.failure.kind !== 'notNull') return undefined
  const columns = await missingColumns(probe, refusal)
  if (columns.length === 0 || columns.some(isInBodies)) return undefined
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const remedy =
    refusal.step === 'insert' ? ' Give it a default, or set it in an add callback.' : ''
  return `The database refused a ${refusal.resource.name} without a value of ${names}, which is hidden from clients.${remedy}`
}

/**
 * Each unique key whose values another record already has. The index of a key may leave out deleted records, so a key whose values only
 * a deleted one has counts if the database names it, or if there is no other.
 */
async function takenKeys(
  probe: RefusalConnection,
  refusal: WriteRefusal,
): Promise<readonly (readonly NamedColumn[])[]> {
  const { taken, byDeleted } = await foundKeys(probe, refusal)
  if (taken.length > 0 && byDeleted.length === 0) return taken
  const named = await orNone(constraintColumns(probe, refusal))
  taken.push(...byDeleted.filter((columns) => columns.every((column) => named.includes(column))))
  if (taken.length > 0) return taken
  if (byDeleted.length > 0) return byDeleted
  // The refusal may lack values of the key: an UPDATE has set a part of it, or the database has generated it.
  return named.length > 0 ? [named] : []
}

/**
 * The unique keys whose values another record has, and those whose values only deleted ones have, of those that the record has not had
 * before. `named` are the columns of the refused constraint, which the model need not declare.
 */
async function foundKeys(
  probe: RefusalConnection,
  { resource, values, key, before }: WriteRefusal,
  named: readonly NamedColumn[] = [],
): Promise<FoundKeys> {
  const except = key === null ? [] : keyMatches(resource, key)
  const mayBePartial = (columns: readonly NamedColumn[]): boolean =>
    resource.settings.softDelete !== null &&
    !columns.every((column) => resource.primaryKey.includes(column))
  const taken: (readonly NamedColumn[])[] = []
  const byDeleted: (readonly NamedColumn[])[] = []
  const isKept = (column: NamedColumn): boolean =>
    before?.[column.name] !== undefined &&
    sameValue(column, values[column.name] ?? null, before[column.name] ?? null)
  for (const columns of named.length > 0 ? [...resource.uniqueKeys, named] : resource.uniqueKeys) {
    const found = keyFromRow(columns, values)
    if (found === undefined || columns.every(isKept)) continue
    const matches = matchesOf(keyParts(columns), found)
    if (!(await existsUnscoped(probe, resource, matches, except))) continue
    const isTaken =
      !mayBePartial(columns) || (await existsUnscoped(probe, resource, matches, except, resource))
    if (isTaken) taken.push(columns)
    else byDeleted.push(columns)
  }
  return { taken, byDeleted }
}

/**
 * The columns of the foreign keys that refer to no row. Leaves out keys of records that the same request has written (`filled`): their rows
 * may be rolled back by now. A key that a callback has set in place of such a key is looked up, too.
 */
async function danglingColumns(
  probe: RefusalConnection,
  { resource, values, filled = {} }: WriteRefusal,
): Promise<readonly NamedColumn[]> {
  const dangling = new Set<NamedColumn>()
  for (const { kind, from, to, target } of resource.allRelations.values()) {
    const key = kind === 'belongsTo' ? keyFromRow(from, values) : undefined
    if (key === undefined || from.every(({ name }) => filled[name] === values[name])) continue
    if (target === resource && isKey(to, key, values)) continue
    if (await existsUnscoped(probe, target, matchesOf(keyParts(to), key))) continue
    for (const column of from) dangling.add(column)
  }
  return [...dangling]
}

/** Whether a record has this key in these columns. */
function isKey(columns: readonly NamedColumn[], key: readonly Value[], values: Values): boolean {
  const own = keyFromRow(columns, values)
  return own !== undefined && keyText(own) === keyText(key)
}
