// Password hashes: made and checked with bcrypt, for storage and for sign-ins.

import { passwordTooLong } from '../errors.ts'
import { bcryptCompare, bcryptHash } from './bcrypt.ts'

/** Rounds are 2^cost; OWASP asks for 10 at least. */
const defaultCost = 10

/** bcrypt reads no further; two passwords that differ after it would be the same one. */
const mostBytes = 72

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * Hashes a password for storage, with bcrypt. Passwords of more than 72 bytes are refused with 400.
 *
 * ```ts
 * await db.insertInto('users').values({ name: 'ann', password_hash: await hashPassword('correct horse') }).execute()
 * // '$2b$10$…'
 * ```
 */
export async function hashPassword(
  password: string,
  options: { readonly cost?: number } = {},
): Promise<string> {
  const bytes = bytesOf(password)
  if (bytes > mostBytes) throw passwordTooLong(bytes)
  return bcryptHash(password, options.cost ?? defaultCost)
}

/** Whether a password is that of a stored hash; false for what is no hash at all. */
export async function passwordMatches(password: string, stored: unknown): Promise<boolean> {
  if (typeof password !== 'string' || bytesOf(password) > mostBytes) return false
  if (typeof stored !== 'string' || !/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(stored))
    return false
  usualCost = stored.slice(4, 6)
  return bcryptCompare(password, stored)
}

/** The check of a password, as a method of the user model; it says which field it reads. */
export interface PasswordCheck {
  (
    user: Readonly<Record<string, unknown>>,
    secret: string,
    kind?: 'password' | 'api_key',
  ): Promise<boolean>
  /** The field that is hidden because of it. */
  readonly credentialField: string
}

/**
 * The ready-made credential check: compares with the bcrypt hash in a field, which is hidden from then on. An API key
 * has been found by its own hash before, so there is nothing left to compare.
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

/** The cost of the stored hashes, as far as any was seen. */
let usualCost = String(defaultCost)

/** A hash that no password has, as expensive to check as a stored one: for users that are not there. */
export const nobodysHash = (): string =>
  `$2b$${usualCost}$NOBODYHASTHISPASSWORDuW4bVlXbTyPIkgJ9YZzmuqxRUO3u4GQy`
