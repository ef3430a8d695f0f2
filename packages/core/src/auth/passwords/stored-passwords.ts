// Stored passwords: looks up how expensive the stored bcrypt hashes are, so that a login with an unknown name takes as long as one with a
// wrong password; and replaces a hash of a lower cost than API_PASSWORD_COST after a login, when the password is known.

import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { HookRecord } from '../../model/settings/access/hook-types.ts'
import type { AuthSettings } from '../../model/settings/auth/auth-settings.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { compileByKey, prepareByKey } from '../../query/cache/read-by-key.ts'
import { unscoped } from '../../query/compile/scopes.ts'
import { valueOfJson } from '../../query/plan/conditions/value.ts'
import type { Value } from '../../query/plan/plan.ts'
import { readAll } from '../../query/run/read-rows.ts'
import { compileUpdate } from '../../write/statements/statements.ts'
import { keyParts, matchesOf } from '../../write/statements/statements-by-keys.ts'
import type { OpenedDatabase, OpenForRequest } from '../users/look-up-user.ts'
import { newestPlan } from '../users/user-plan.ts'
import { costOfHash, hashPassword, isPasswordCheck, type PasswordCheck } from './passwords.ts'

/** Most hashes whose cost is looked up: those of the users with the highest keys. A check learns higher costs from the hashes it meets. */
const mostHashes = 1_000

/** The bcrypt hashes in the table of the user model. */
export interface StoredPasswords {
  /**
   * Resolves when the check knows the highest cost of the stored hashes, which is looked up once. In a transaction of the host it resolves
   * without a look-up. Never rejects.
   */
  costsKnown(request: ApiRequest): Promise<void>
  /** Returns the hash to replace after a correct password; undefined if it stays. Called before the check, which may change the record. */
  hashOf(user: HookRecord): StoredHash | undefined
  /** Replaces a hash that a correct password has been compared with, unless another request has done so. Never rejects. */
  replace(request: ApiRequest, stored: StoredHash, password: string): Promise<void>
}

/** A hash to replace: the values of the primary key, and the hash. */
export type StoredHash = readonly Value[]

/** What `createStoredPasswords` takes. */
export interface StoredPasswordsParts {
  readonly settings: AuthSettings
  readonly resource: Resource
  readonly open: OpenForRequest
  readonly report: (error: unknown, request: ApiRequest) => void
}

/** For a user model without `passwordCheck`. */
const nothing: StoredPasswords = {
  costsKnown: async () => {},
  hashOf: () => undefined,
  replace: async () => {},
}

/** Creates the look-up and the replacement for a user model whose passwords are checked by `passwordCheck`. */
export function createStoredPasswords(parts: StoredPasswordsParts): StoredPasswords {
  const { settings, resource } = parts
  const check = resource.model.methods[settings.checkMethod ?? '']
  if (!isPasswordCheck(check)) return nothing
  // New hashes have this cost.
  check.raiseCost(settings.passwordCost)
  const column = resource.allColumns.get(check.credentialField)
  if (column === undefined || column.computed !== undefined) return nothing
  return ofColumn(parts, check, column)
}

/** `createStoredPasswords` for the column that holds the hashes. */
function ofColumn(
  { settings, resource, open, report }: StoredPasswordsParts,
  check: PasswordCheck,
  column: NamedColumn,
): StoredPasswords {
  const prepared = prepareByKey(newestPlan(resource, column))
  const failed = (what: string, cause: unknown, request: ApiRequest): void =>
    report(new Error(`${what} of ${resource.name}.${column.name} failed.`, { cause }), request)

  const lookUpCosts = async ({ lease, target }: Detached): Promise<void> => {
    // `fixed`: the limit stands in the SQL, because it is always the same.
    const slice = { limit: mostHashes, fixed: true, offset: 0 } as const
    // The plan has no conditions, so it takes no values (`[]`).
    const program = compileByKey(unscoped(target), prepared, [], lease, slice)
    for (const { values } of await readAll(lease, program)) {
      const cost = costOfHash(values[column.name])
      if (cost !== undefined) check.raiseCost(cost)
    }
  }
  let looked: Promise<void> | undefined
  const lookUpOnce = async (request: ApiRequest): Promise<void> => {
    const fail = (error: unknown): void =>
      failed(`The look-up of the costs (${settingNames.passwordCost})`, error, request)
    try {
      const opened = detached(await open(request))
      // In a transaction of the host, a failed statement could undo everything else, and row security may hide users.
      if (opened.lease.db.isTransaction) return
      looked ??= lookUpCosts(opened).catch((error: unknown) => {
        looked = undefined
        fail(error)
      })
      await looked
    } catch (error) {
      fail(error)
    }
  }

  const identifying = [...resource.primaryKey, column]

  return {
    costsKnown: (request) => looked ?? lookUpOnce(request),
    hashOf(user) {
      const cost = costOfHash(user[column.name])
      if (!check.rehash || cost === undefined || cost >= settings.passwordCost) return undefined
      return identifying.map((keyColumn) => valueOfJson(keyColumn, user[keyColumn.name]) as Value)
    },
    async replace(request, stored, password) {
      try {
        const { lease, target } = detached(await open(request))
        // In a transaction of the host, a refused statement could undo everything else.
        if (lease.db.isTransaction) return
        const hash = await hashPassword(password, settings.passwordCost)
        // Another login, or a new password, may have replaced the hash meanwhile: the condition then matches no row.
        const unchanged = matchesOf(keyParts(identifying), stored)
        const { statement } = compileUpdate(target, resource, { [column.name]: hash }, unchanged)
        await lease.rows(statement)
      } catch (error) {
        failed('The replacement of a hash', error, request)
      }
    },
  }
}

type Detached = Pick<OpenedDatabase, 'lease' | 'target'>

/** The database of a request, whose client cannot cancel statements by disconnecting: their result serves other requests too. */
const detached = ({ lease, target }: OpenedDatabase): Detached => ({
  lease: lease.withoutClient(),
  target,
})
