// Users: looks up users by login name, primary key or API key hash in the user model's table, and checks their credentials.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen } from '../../lib/maybe-promise.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { HookRecord } from '../../model/settings/access/hook-types.ts'
import type { AuthSettings } from '../../model/settings/auth/auth-settings.ts'
import { compileEdges } from '../../query/compile/read-program.ts'
import { unscoped } from '../../query/compile/scopes.ts'
import { keyValue } from '../../query/plan/conditions/value.ts'
import type { EmbedPlan, Value } from '../../query/plan/plan.ts'
import { edgesFrom, loadEdges } from '../../query/run/embed.ts'
import type { LoadedRow } from '../../query/run/loaded-row.ts'
import { unmatchableHash } from '../passwords/passwords.ts'
import { createQueue } from '../passwords/queue.ts'
import { createStoredPasswords } from '../passwords/stored-passwords.ts'
import type { Subject } from '../tokens/tokens.ts'
import { activeUsers } from './active-users.ts'
import {
  type LookUp,
  lookUp,
  type OpenedDatabase,
  type OpenForRequest,
  sharedLookUp,
} from './look-up-user.ts'
import { roleRelation } from './user-plan.ts'

/** What `check` compares: a password, or an API key by whose hash the user was found. */
export type CredentialKind = 'password' | 'api_key'

/** The users in the table of the user model. All look-ups find active users alone (API_USER_ACTIVE), and return undefined if there is none. */
export interface Users {
  /** The resource of the user model, which need not be published. */
  readonly resource: Resource
  /** Looks up the user with this login name, compared byte for byte. */
  byName(request: ApiRequest, name: string): Promise<HookRecord | undefined>
  /** Looks up the user with this primary key, in the format of `keyOf`. */
  byKey(request: ApiRequest, key: string): Promise<HookRecord | undefined>
  /**
   * Looks up the user to whom a token or key was given. Undefined with another login name, because databases give the primary key of a
   * deleted user to a new one.
   */
  bySubject(request: ApiRequest, subject: Subject): Promise<HookRecord | undefined>
  /** Looks up the user with this API key hash. */
  byKeyHash(request: ApiRequest, hash: string): Promise<HookRecord | undefined>
  /**
   * Calls the model's credential check; for an unknown user, a check that takes as long and fails. `before` runs when the
   * queue has a free slot, and may still refuse the check. After a correct password, a cheap hash may be replaced.
   */
  check(
    request: ApiRequest,
    user: HookRecord | undefined,
    secret: string,
    kind: CredentialKind,
    before: () => Promise<void>,
  ): Promise<boolean>
  /** Returns, in the format of `keyOf`, those of the primary keys that an active user has, as this connection sees it. */
  activeAmong(
    opened: OpenedDatabase,
    keys: readonly (readonly Value[])[],
  ): Promise<ReadonlySet<string>>
  /**
   * The fields that decide whether a stored user is active, that mark it as deleted, and that are its primary key: a write to one of them may
   * end its tokens and API keys.
   */
  readonly decisive: ReadonlySet<string>
  /** Returns the primary key as a string, as in URLs: values percent-encoded and joined by commas; undefined if a value is missing or null. */
  keyOf(user: HookRecord): string | undefined
  /** Returns the login name: the value of API_USER_LOOKUP_FIELD; empty without that setting. */
  lookupOf(user: HookRecord): string
  /** The column with the login name, if there is one. */
  readonly lookupField: string | undefined
}

/** 4 checks at once, as many as libuv's thread pool has threads by default; 200 may wait. */
const checks = createQueue(4, 200)

/** What `createUsers` takes. */
export interface UsersParts {
  readonly settings: AuthSettings
  readonly resource: Resource
  readonly open: OpenForRequest
  readonly callHook: CallHook
  readonly report: (error: unknown, request: ApiRequest) => void
  /** Returns the error to throw when a function of the host has failed. */
  readonly refusal: (error: unknown, request: ApiRequest) => Promise<unknown>
}

/** Creates the look-ups and the credential check of the user model. */
export function createUsers(parts: UsersParts): Users {
  const { settings, resource, open, callHook, report, refusal } = parts
  const { isActive, isMethod, columns } = activeUsers(settings.userActive, resource, callHook)
  const passwords = createStoredPasswords({ settings, resource, open, report })
  const lookup = resource.allColumns.get(settings.lookupField ?? '')
  const hash = resource.allColumns.get(settings.hashField ?? '')
  // A look-up without columns, if the setting of its column is missing, finds nobody.
  const looks = {
    // Requests do not share this look-up: a login name can be any text, and a text that the database refuses must not delay other
    // requests.
    name: lookUp(resource, lookup === undefined ? [] : [lookup]),
    key: sharedLookUp(resource, resource.primaryKey),
    hash: sharedLookUp(resource, hash === undefined ? [] : [hash]),
  }
  const roles = roleRelation(resource)
  const userOf = async (opened: OpenedDatabase, row: LoadedRow): Promise<HookRecord> =>
    roles === undefined
      ? withRoles(row.values as HookRecord)
      : { ...row.values, roles: await loadRoles(opened, roles, row) }
  const find = async (
    request: ApiRequest,
    look: LookUp,
    texts: readonly string[],
  ): Promise<HookRecord | undefined> => {
    const values = look.columns.flatMap((column, i) => keyValue(column, texts[i] ?? '') ?? [])
    if (values.length === 0 || look.columns.length !== texts.length) return undefined
    if (values.length !== look.columns.length) return undefined
    return andThen(open(request), async (opened) => {
      const row = await look.read(opened, values)
      return row && userOf(opened, row)
    })
  }
  const ifActive = async (
    request: ApiRequest,
    user: HookRecord,
  ): Promise<HookRecord | undefined> => {
    try {
      return (await isActive(user)) ? user : undefined
    } catch (error) {
      throw await refusal(error, request)
    }
  }
  const findActive: typeof find = async (request, look, texts) => {
    const user = await find(request, look, texts)
    return user === undefined ? undefined : ifActive(request, user)
  }
  const nobody = () => placeholderUser(resource, settings.passwordCost)
  const byKey: Users['byKey'] = (request, key) => findActive(request, looks.key, keyTexts(key))
  const lookupOf: Users['lookupOf'] = (user) =>
    lookup === undefined ? '' : String(user?.[lookup.name] ?? '')
  return {
    resource,
    async byName(request, name) {
      const user = await find(request, looks.name, [name])
      if (user !== undefined) return ifActive(request, user)
      // Unknown name: do the same work, so that the response time does not reveal it. Its result and its errors are ignored.
      if (isMethod) await Promise.resolve(isActive(nobody())).catch(() => {})
      return undefined
    },
    byKeyHash: (request, digest) => findActive(request, looks.hash, [digest]),
    byKey,
    async bySubject(request, { key, lookup: given }) {
      const user = await byKey(request, key)
      return user !== undefined && lookupOf(user) === given ? user : undefined
    },
    async check(request, user, secret, kind, before) {
      if (kind === 'password') await passwords.costsKnown(request)
      const stored = user !== undefined && kind === 'password' ? passwords.hashOf(user) : undefined
      const right = await checks(async () => {
        await before()
        return checkCredential(callHook, resource, settings, user, secret, kind)
      })
      if (right && stored !== undefined) await passwords.replace(request, stored, secret)
      return right
    },
    async activeAmong(opened, keys) {
      const found = new Set<string>()
      for (const row of await looks.key.readAll(opened, keys)) {
        const user = isMethod ? await userOf(opened, row) : (row.values as HookRecord)
        if (await isActive(user)) found.add(keyText(resource, user) ?? '')
      }
      return found
    },
    decisive: new Set([
      ...columns,
      ...(resource.settings.softDelete === null ? [] : [resource.settings.softDelete.attribute]),
      ...resource.primaryKey.map(({ name }) => name),
    ]),
    keyOf: (user) => keyText(resource, user),
    lookupField: lookup?.name,
    lookupOf,
  }
}

/** Calls the credential check of the user model. Only the result `true` accepts the credential. */
async function checkCredential(
  callHook: CallHook,
  resource: Resource,
  { checkMethod: name = '', passwordCost }: AuthSettings,
  user: HookRecord | undefined,
  secret: string,
  kind: CredentialKind,
): Promise<boolean> {
  const method = resource.model.methods[name]
  if (method === undefined) return false
  const ask = async (record: HookRecord): Promise<unknown> =>
    callHook(`method ${name} of ${resource.name}`, () => method(record, secret, kind))
  if (user !== undefined) return (await ask(user)) === true
  // Unknown user: do the same work, so that the response time does not reveal it. Its result and its errors are ignored.
  await ask(placeholderUser(resource, passwordCost)).catch(() => {})
  return false
}

/** Returns a record with a password hash in every string field, so that the check finds one in whichever field it reads. */
function placeholderUser(resource: Resource, cost: number): HookRecord {
  const record: HookRecord = {}
  for (const [name, { type }] of resource.allColumns) {
    record[name] = columnTypes[type].text === 'any' ? unmatchableHash(cost) : null
  }
  return record
}

function keyText(resource: Resource, user: HookRecord): string | undefined {
  const values = resource.primaryKey.map(({ name }) => user?.[name] as JsonValue | undefined)
  if (values.length === 0 || values.some((value) => value === undefined || value === null)) {
    return undefined
  }
  return values.map((value) => encodeURIComponent(String(value))).join(',')
}

function keyTexts(key: string): readonly string[] {
  try {
    return key.split(',').map(decodeURIComponent)
  } catch {
    return []
  }
}

/** Returns a user whose `roles`, if it has any, are a list in hooks: NULL means none. */
const withRoles = (user: HookRecord): HookRecord =>
  user.roles === null ? { ...user, roles: [] } : user

/** Loads the records of the relation `roles`, with their names, for the role rules. */
async function loadRoles(
  { lease, target }: OpenedDatabase,
  embed: EmbedPlan,
  row: LoadedRow,
): Promise<readonly JsonValue[]> {
  const edges = edgesFrom(compileEdges(unscoped(target), [embed]), [row])
  // More than 1,000 roles of one user are an error.
  await loadEdges(lease, edges, { limit: 1000, left: 1000 })
  const related = row.related.roles
  return Array.isArray(related) ? related.map((role: LoadedRow) => role.values) : []
}
