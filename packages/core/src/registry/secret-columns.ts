// The columns of credentials: hidden on the users unless the model says otherwise, and warned of elsewhere (contract §9).

import type { ApiConfig } from '../config/config.ts'
import { looksLikeCredential } from '../model/credential-names.ts'
import type { AnyModel } from '../model/define-model.ts'
import type { Registry, Resource } from './resource.ts'

/** What a ready-made credential check says of itself: the field it reads. */
export interface ReadsCredential {
  readonly credentialField?: string
}

/**
 * The fields of the users that are hidden unless the model says `hidden: false`: those that the settings name, and those
 * whose names look like credentials. Empty for every other model, and without keys: those stand in URLs.
 */
export function secretColumns(model: AnyModel, config: ApiConfig): ReadonlySet<string> {
  if (config.API_USER_MODEL !== model) return new Set()
  const method = model.methods?.[config.API_CREDENTIAL_CHECK_METHOD ?? ''] as
    | ReadsCredential
    | undefined
  const named = [config.API_CREDENTIAL_HASH_FIELD, method?.credentialField]
  const alike = Object.entries(model.columns)
    .filter(([, { primaryKey }]) => primaryKey !== true)
    .filter(([name, { column = name, type }]) => isAlike(name, column, type))
    .map(([name]) => name)
  return new Set([...named.filter((field) => field !== undefined), ...alike])
}

/** Sentences about what looks like a credential and is published, without a word of the model about it. */
export const credentialWarnings = ({ resources }: Registry): readonly string[] =>
  resources.flatMap((resource) => {
    const names = publishedCredentials(resource)
    if (names.length === 0) return []
    const look = names.length === 1 ? 'looks like a credential' : 'look like credentials'
    return [
      `${resource.name} publishes ${names.join(', ')}, which ${look}. Say hidden: true, or hidden: false where that is meant.`,
    ]
  })

const publishedCredentials = ({ columns }: Resource): readonly string[] =>
  [...columns.values()]
    .filter(({ name, dbName, type, definition }) => {
      return definition.hidden === undefined && isAlike(name, dbName, type)
    })
    .map(({ name }) => name)

/** A field may have another name than its column. */
const isAlike = (name: string, dbName: string, type: Parameters<typeof looksLikeCredential>[1]) =>
  looksLikeCredential(name, type) || looksLikeCredential(dbName, type)
