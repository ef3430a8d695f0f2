// The API: the models, the sessions, and the events after COMMIT.

import { type Api, createApi, type HookRecord } from '@model-api/core'
import type { Kysely } from 'kysely'
import { type Database, models } from './models.ts'
import { audited } from './rules.ts'
import { callerOf } from './sessions.ts'

/** What other parts of the product receive, such as those for mails, search and webhooks. */
export interface Event {
  readonly organisation_id: string
  /** `create Issue`, `update Member` … */
  readonly type: string
  readonly record: HookRecord
}

export const createTracker = (db: Kysely<Database>, publish: (event: Event) => void): Api =>
  createApi({
    db,
    models,
    config: {
      API_TITLE: 'Tracker',
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: (request) => callerOf(db, request),
      API_CUSTOM_AUTH_PER_BATCH: true,
      API_CUSTOM_AUTH_SCHEME: { in: 'cookie', name: 'session', csrf: 'x-csrf-token' },
      API_ALLOW_BATCH: true,
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
      API_ALLOW_NESTED_WRITES: true,
      API_ALLOW_BULK: true,
      API_MAX_BULK: 5000, // an issue of an import counts with its labels
      API_SOFT_DELETE: true,
      API_SOFT_DELETE_ATTRIBUTE: 'deleted_at',
      API_SOFT_DELETE_VALUES: [null, 'now'],
      API_BEFORE_COMMIT_CALLBACK: audited,
      API_AFTER_COMMIT_CALLBACK: (changes, { user }) => {
        for (const { action, model, before, after } of changes) {
          publish({
            organisation_id: user?.organisation_id ?? '',
            type: `${action} ${model.name}`,
            record: after ?? before ?? {},
          })
        }
      },
    },
  })
