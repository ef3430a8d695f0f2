// Credential columns: hidden by default on the user model, with a warning on other models (docs/guide/access.md).

import type { ColumnType } from '../column.ts'
import { isColumnType } from '../column-types.ts'
import { looksLikeCredential } from '../credential-names.ts'
import type { AnyModel } from '../define-model.ts'
import type { ApiConfig } from '../settings/config.ts'
import type { Registry, Resource } from './resource.ts'

/** A credential check that this library makes, such as `passwordCheck('hash')`, with the field that it reads. */
export interface ReadsCredential {
  readonly credentialField?: string
}

/**
 * Returns the fields of the user model that are hidden unless declared `hidden: false`: those named in the settings, and those
 * whose names look like credentials. Empty for every other model. Key columns are never included, since URLs contain them.
 */
export function secretColumns(model: AnyModel, config: ApiConfig): ReadonlySet<string> {
  if (config.API_USER_MODEL !== model) return new Set()
  const method = model.methods?.[config.API_CREDENTIAL_CHECK_METHOD ?? ''] as
    | ReadsCredential
    | undefined
  const named = [config.API_CREDENTIAL_HASH_FIELD, method?.credentialField]
  const alike = Object.entries(model.columns)
    .filter(([, { primaryKey }]) => primaryKey !== true)
    .filter(
      ([name, { column = name, type }]) =>
        // `checkColumn` reports a type that does not exist.
        isColumnType(type) && looksSecret(name, column, type, model.table),
    )
    .map(([name]) => name)
  return new Set([...named.filter((field) => field !== undefined), ...alike])
}

/** Warnings about published columns that look like credentials and do not declare `hidden`. */
export const credentialWarnings = ({ resources }: Registry): readonly string[] =>
  resources.flatMap((resource) => {
    const names = publishedCredentials(resource)
    if (names.length === 0) return []
    const look = names.length === 1 ? 'looks like a credential' : 'look like credentials'
    return [
      `${resource.name} publishes ${names.join(', ')}, which ${look}. Declare hidden: true, or hidden: false if that is intended.`,
    ]
  })

const publishedCredentials = ({ columns, table }: Resource): readonly string[] =>
  [...columns.values()]
    .filter(({ name, dbName, type, definition }) => {
      return definition.hidden === undefined && looksSecret(name, dbName, type, table)
    })
    .map(({ name }) => name)

/** Whether the field name or the name in the database looks like a credential. */
const looksSecret = (name: string, dbName: string, type: ColumnType, table: string): boolean =>
  looksLikeCredential(name, type, table) || looksLikeCredential(dbName, type, table)
