// The columns of credentials that the user settings name: hidden unless the model says otherwise (contract §9).

import type { ApiConfig } from '../config/config.ts'
import type { AnyModel } from '../model/define-model.ts'

/** What a ready-made credential check says of itself: the field it reads. */
export interface ReadsCredential {
  readonly credentialField?: string
}

/** The fields of a model that hold a password or key hash; empty for every model but that of the users. */
export function secretColumns(model: AnyModel, config: ApiConfig): ReadonlySet<string> {
  if (config.API_USER_MODEL !== model) return new Set()
  const method = model.methods?.[config.API_CREDENTIAL_CHECK_METHOD ?? ''] as
    | ReadsCredential
    | undefined
  const fields = [config.API_CREDENTIAL_HASH_FIELD, method?.credentialField]
  return new Set(fields.filter((field) => field !== undefined))
}
