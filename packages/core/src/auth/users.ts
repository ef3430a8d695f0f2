// Users: found by login name, key or API key hash through the user model's table, and asked whether a credential is theirs.

import type { CallHook } from '../call-hook.ts'
import { readStatements } from '../compile/read-statements.ts'
import { unscoped } from '../compile/scopes.ts'
import type { Target } from '../compile/target.ts'
import type { AuthSettings } from '../config/auth-settings.ts'
import type { HookRecord } from '../config/hook-types.ts'
import { loadEmbeds } from '../execute/embed.ts'
import type { LoadedRow } from '../execute/loaded-row.ts'
import { readOne } from '../execute/read.ts'
import type { Connection } from '../execute/run.ts'
import type { ApiRequest } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import { keyValue } from '../plan/value.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { nobodysHash } from './passwords.ts'
import { createQueue } from './queue.ts'
import { roleRelation, userPlan } from './user-plan.ts'

/** The connection of one request. */
export type OpenDatabase = (
  request: ApiRequest,
) => Promise<{ readonly connection: Connection; readonly target: Target }>

export type CredentialKind = 'password' | 'api_key'

export interface Users {
  readonly resource: Resource
  /** The user of a login name, compared exactly. */
  byName(request: ApiRequest, name: string): Promise<HookRecord | undefined>
  /** The user of a key, as `keyOf` writes it. */
  byKey(request: ApiRequest, key: string): Promise<HookRecord | undefined>
  /** The user whose API key has this hash. */
  byKeyHash(request: ApiRequest, hash: string): Promise<HookRecord | undefined>
  /**
   * Asks the model's own method; without a user a check of equal cost is made, and fails. `before` runs when there is
   * room for the check and may still refuse it.
   */
  check(
    user: HookRecord | undefined,
    secret: string,
    kind: CredentialKind,
    before: () => Promise<void>,
  ): Promise<boolean>
  /** The key as text: values joined by commas, each percent-encoded, as in paths. */
  keyOf(user: HookRecord): string | undefined
  lookupOf(user: HookRecord): string
}

/** As many checks at once as a thread pool has threads. */
const checks = createQueue(4, 200)

/** Makes the look-ups and the check of the user model. */
export function createUsers(
  settings: AuthSettings,
  resource: Resource,
  open: OpenDatabase,
  callHook: CallHook,
): Users {
  const lookup = resource.allColumns.get(settings.lookupField ?? '')
  const hash = resource.allColumns.get(settings.hashField ?? '')
  const find = async (
    request: ApiRequest,
    columns: readonly NamedColumn[],
    texts: readonly string[],
  ): Promise<HookRecord | undefined> => {
    const values = columns.map((column, i) => keyValue(column, texts[i] ?? ''))
    if (columns.length === 0 || columns.length !== texts.length) return undefined
    if (values.some((value) => value === undefined)) return undefined
    const { connection, target } = await open(request)
    const plan = userPlan(resource, columns, values)
    const row = await readOne(connection, readStatements(unscoped(target), plan), plan)
    if (row === undefined) return undefined
    // What the database calls equal may differ in case, accents or trailing blanks.
    const same = columns.every((column, i) => sameValue(row, column, values[i]))
    if (!same) return undefined
    return { ...row.values, ...(await loadRoles(connection, target, resource, row)) }
  }
  return {
    resource,
    byName: (request, name) => find(request, lookup === undefined ? [] : [lookup], [name]),
    byKeyHash: (request, digest) => find(request, hash === undefined ? [] : [hash], [digest]),
    byKey: (request, key) => find(request, resource.primaryKey, keyTexts(key)),
    check: (user, secret, kind, before) =>
      checks(async () => {
        await before()
        const method = settings.checkMethod ?? ''
        return checkCredential(callHook, resource, method, user, secret, kind)
      }),
    keyOf: (user) => keyText(resource, user),
    lookupOf: (user) => (lookup === undefined ? '' : String(user[lookup.name] ?? '')),
  }
}

const sameValue = (row: LoadedRow, column: NamedColumn, value: unknown): boolean =>
  String(row.values[column.name]) === String(value)

/** The method decides; only `true` is a yes. */
async function checkCredential(
  callHook: CallHook,
  resource: Resource,
  name: string,
  user: HookRecord | undefined,
  secret: string,
  kind: CredentialKind,
): Promise<boolean> {
  const method = resource.model.methods[name]
  if (method === undefined) return false
  const ask = (one: HookRecord) =>
    callHook(`method ${name} of ${resource.name}`, () => method(one, secret, kind))
  if (user !== undefined) return (await ask(user)) === true
  // Nobody there: the same work is done, so that time does not tell (its result counts for nothing).
  try {
    await ask(nobody(resource))
  } catch {
    return false
  }
  return false
}

/** A record whose every text is a password hash: whichever field the method reads, it has something to check. */
function nobody(resource: Resource): HookRecord {
  const record: HookRecord = {}
  for (const [name, { type }] of resource.allColumns) {
    record[name] = type === 'string' || type === 'text' ? nobodysHash() : null
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

/** `roles` as a relation: its records with their names, for the rules to read. */
async function loadRoles(
  connection: Connection,
  target: Target,
  resource: Resource,
  row: LoadedRow,
): Promise<{ readonly roles?: readonly JsonValue[] }> {
  const embed = roleRelation(resource)
  if (embed === undefined) return {}
  await loadEmbeds(connection, readStatements(unscoped(target), embed), [embed], [row], {
    limit: 1000,
    left: 1000,
  })
  const related = row.related.roles
  return { roles: Array.isArray(related) ? related.map((role: LoadedRow) => role.values) : [] }
}
