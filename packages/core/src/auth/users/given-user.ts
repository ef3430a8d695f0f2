// The user that the host application gives to functions such as `api.apiKeys.list(user)`: a record of the user model, or its primary key.

import { decodedSegment } from '../../lib/decoded-segment.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import type { HookRecord, HookUser } from '../../model/settings/access/hook-types.ts'
import { keyValue } from '../../query/plan/conditions/value.ts'
import type { Users } from './users.ts'

/** Returns the primary key of a given user, in the format of `keyOf`; undefined for a value that is neither a record nor a key. */
export const keyOfGiven = (users: Users, user: HookUser): string | undefined =>
  users.keyOf(keyRecord(users.resource.primaryKey, user))

/** Returns the key columns of a user, each spelt as stored; undefined where the value cannot be one of its column. */
function keyRecord(primaryKey: readonly NamedColumn[], user: HookUser): HookRecord {
  const given = valuesOf(user, primaryKey)
  const record: HookRecord = {}
  for (const [i, column] of primaryKey.entries()) {
    const value = given[i]
    record[column.name] = isScalar(value) ? keyValue(column, String(value)) : undefined
  }
  return record
}

/** The values of the key columns: the members of a record, or those of a key; a key of several columns is written as in paths. */
function valuesOf(user: HookUser, columns: readonly NamedColumn[]): readonly unknown[] {
  if (typeof user === 'object') return columns.map(({ name }) => user?.[name])
  if (columns.length === 1) return [user]
  const parts = String(user).split(',')
  return parts.length === columns.length ? parts.map(decodedSegment) : []
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'bigint'].includes(typeof value)
