// Creates and checks bcrypt hashes of passwords.

import type { HookArgs } from '../config/hook-types.ts'
import { passwordTooLong, validationFailed } from '../errors.ts'
import { bcryptCompare, bcryptHash } from './bcrypt.ts'

/** bcrypt runs 2^cost rounds; OWASP recommends at least 10. */
const defaultCost = 10

/** bcrypt ignores everything after 72 bytes, so longer passwords are refused. */
const mostBytes = 72

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The options of `hashPassword`. */
interface HashOptions {
  /** bcrypt runs 2^cost rounds. Default 10. */
  readonly cost?: number
}

/**
 * Hashes a password for storage, with bcrypt. Passwords of more than 72 bytes, and values that are no strings, are refused with 400.
 *
 * ```ts
 * await db.insertInto('users').values({ name: 'ann', password_hash: await hashPassword('correct horse') }).execute()
 * // '$2b$10$…'
 * ```
 */
export function hashPassword(password: string, options?: HashOptions): Promise<string>
/**
 * Hashes a password with the default cost, as the `transform` of a column. The arguments of hooks have no effect.
 *
 * ```ts
 * password: { type: 'string', column: 'password_hash', writeOnly: true, transform: hashPassword }
 * ```
 */
export function hashPassword(password: string, args: HookArgs): Promise<string>
export async function hashPassword(
  password: string,
  given: HashOptions | HookArgs = {},
): Promise<string> {
  if (typeof password !== 'string') {
    throw validationFailed([['password', ['Expected a string.']]])
  }
  const bytes = bytesOf(password)
  if (bytes > mostBytes) throw passwordTooLong(bytes)
  const { cost = defaultCost } = 'action' in given ? {} : given
  return bcryptHash(password, cost)
}

/**
 * Whether a password matches a stored hash. If the stored value is not a hash, as for a user without a password, the result is false after
 * the same time, so that the time does not reveal such users.
 */
async function passwordMatches(password: string, stored: unknown): Promise<boolean> {
  if (typeof password !== 'string' || bytesOf(password) > mostBytes) return false
  const isHash = typeof stored === 'string' && /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(stored)
  if (!isHash) {
    await bcryptCompare(password, unmatchableHash())
    return false
  }
  const matches = await bcryptCompare(password, stored)
  // Only now, because bcrypt rejects a hash that it cannot read, and the cost of such a hash must not be used.
  usualCost = stored.slice(4, 6)
  return matches
}

/** A password check, as a method of the user model, with the name of the field it reads. */
export interface PasswordCheck {
  (
    user: Readonly<Record<string, unknown>>,
    secret: string,
    kind?: 'password' | 'api_key',
  ): Promise<boolean>
  /** The field that the check reads; it is hidden from clients. */
  readonly credentialField: string
}

/**
 * Creates the ready-made credential check: it compares a password with the bcrypt hash in a field, and hides that field from
 * clients. It accepts every API key, because the user was already found by the hash of the key.
 *
 * ```ts
 * const User = defineModel('User', {
 *   columns: { …, password_hash: { type: 'string' } },
 *   methods: { check_password: passwordCheck('password_hash') },
 * })
 * ```
 */
export function passwordCheck(field: string): PasswordCheck {
  const check = async (
    user: Readonly<Record<string, unknown>>,
    secret: string,
    kind: 'password' | 'api_key' = 'password',
  ): Promise<boolean> => kind === 'api_key' || passwordMatches(secret, user[field])
  return Object.assign(check, { credentialField: field })
}

/** The cost of the last stored hash that was checked. */
let usualCost = String(defaultCost)

/** Returns a hash that no password matches. Checking it for an unknown user takes as long as checking the hash of a known one. */
export const unmatchableHash = (): string =>
  `$2b$${usualCost}$NOBODYHASTHISPASSWORDuW4bVlXbTyPIkgJ9YZzmuqxRUO3u4GQy`
