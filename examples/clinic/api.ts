// The API of the clinic.

import { type Api, createApi } from '@model-api/core'
import type { Kysely } from 'kysely'
import { type Database, models, User } from './models.ts'

export interface Secrets {
  readonly access: string
  readonly refresh: string
}

export type Clinic = Api<{ models: typeof models }>

export const createClinic = (db: Kysely<Database>, secrets: Secrets): Clinic =>
  createApi({
    db,
    models,
    config: {
      API_TITLE: 'Clinic',
      API_AUTHENTICATE_METHOD: ['jwt'],
      API_USER_MODEL: User,
      API_USER_LOOKUP_FIELD: 'username',
      API_CREDENTIAL_CHECK_METHOD: 'check_password',
      ACCESS_SECRET_KEY: secrets.access,
      REFRESH_SECRET_KEY: secrets.refresh,
      API_LIST_ETAGS: true, // the board asks for a list by its ETag
      API_ALLOW_JOIN: true,
      API_ALLOW_NESTED_WRITES: true,
      API_ALLOW_BULK: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
    },
  })
