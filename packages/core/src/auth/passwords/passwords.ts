// Creates and checks bcrypt hashes of passwords: `hashPassword` before a host stores one, `passwordCheck` as the method of the user model by
// which login and the strategy basic compare it. The others help `stored-passwords.ts` and `users.ts`.

import { passwordTooLong, validationFailed } from '../../errors.ts'
import { passwordCostOf } from '../../model/hooks/password-cost-of-args.ts'
import type { HookArgs } from '../../model/settings/access/hook-types.ts'
import {
  leastPasswordCost,
  mostPasswordCost,
  usualPasswordCost,
} from '../../model/settings/auth/password-cost.ts'
import { notAString } from '../../problems.ts'
import { bcryptCompare, bcryptHash } from './bcrypt.ts'

/** bcrypt ignores everything after 72 bytes, so longer passwords are refused. */
const mostBytes = 72

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * Hashes a password for storage, with bcrypt. Passwords of more than 72 bytes, and values that are no strings, are refused with 400.
 * bcrypt runs 2^cost rounds; `cost` is 4 to 16, by default 10.
 *
 * ```ts
 * await db.insertInto('users').values({ name: 'ann', password_hash: await hashPassword('correct horse') }).execute()
 * // '$2b$10$…'
 * ```
 */
export function hashPassword(password: string, cost?: number): Promise<string>
/**
 * Hashes a password with the cost `API_PASSWORD_COST`, as the `transform` of a column.
 *
 * ```ts
 * password: { type: 'string', column: 'password_hash', writeOnly: true, transform: hashPassword }
 * ```
 */
export function hashPassword(password: string, args: HookArgs): Promise<string>
export async function hashPassword(
  password: string,
  given: number | HookArgs = usualPasswordCost,
): Promise<string> {
  const cost = costIn(given)
  if (!isPasswordCost(cost)) {
    throw new RangeError(
      `hashPassword: expected a cost from ${leastPasswordCost} to ${mostPasswordCost}, got ${cost}.`,
    )
  }
  if (typeof password !== 'string') {
    throw validationFailed([{ path: 'password', ...notAString }])
  }
  const bytes = bytesOf(password)
  if (bytes > mostBytes) throw passwordTooLong(bytes)
  return bcryptHash(password, cost)
}

function costIn(given: unknown): number {
  if (typeof given === 'number') return given
  if (isHookArgs(given)) return passwordCostOf(given) ?? usualPasswordCost
  throw new TypeError(
    'hashPassword: expected as second argument a cost (a number) or the arguments of a hook, as in hashPassword(password, 12).',
  )
}

const isHookArgs = (given: unknown): given is HookArgs =>
  typeof given === 'object' &&
  given !== null &&
  ['action', 'request', 'model'].every((name) => name in given)

const isPasswordCost = (cost: number): boolean =>
  Number.isInteger(cost) && cost >= leastPasswordCost && cost <= mostPasswordCost

/**
 * Returns the cost of a stored hash; undefined if the value is no hash, or one with a cost that is not computed, which would occupy a
 * processor for minutes to days.
 */
export function costOfHash(stored: unknown): number | undefined {
  if (typeof stored !== 'string') return undefined
  // `$2b$10$` with 22 characters of salt and 31 of the hash.
  const [, digits] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(stored) ?? []
  const cost = Number(digits)
  return digits !== undefined && isPasswordCost(cost) ? cost : undefined
}

/** The highest cost of the hashes that a check meets; undefined before the first. */
interface Highest {
  cost: number | undefined
}

/**
 * Whether a password matches a stored hash. Always 2^highest rounds of bcrypt: a cheaper hash is followed by comparisons with others, and a
 * value that is no hash, as for a user without a password, is replaced by a hash that no password matches. So the time does not reveal
 * whose hash it is.
 */
async function passwordMatches(
  password: string,
  stored: unknown,
  highest: Highest,
): Promise<boolean> {
  if (typeof password !== 'string' || bytesOf(password) > mostBytes) return false
  const cost = costOfHash(stored)
  if (cost !== undefined) raise(highest, cost)
  const { cost: most = usualPasswordCost } = highest
  const compared = cost === undefined ? unmatchableHash(most) : String(stored)
  const matches = await bcryptCompare(password, compared, paddingHashes(cost ?? most, most))
  return cost !== undefined && matches
}

function raise(highest: Highest, cost: number): void {
  highest.cost = Math.max(highest.cost ?? 0, cost)
}

/** Returns hashes of the costs `from` to `to - 1`. After a hash of cost `from`, they take the time of one of cost `to`. */
const paddingHashes = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => unmatchableHash(from + i))

/** The options of `passwordCheck`. */
export interface PasswordCheckOptions {
  /**
   * Whether a login replaces a hash with a cost below `API_PASSWORD_COST` by one of that cost. Default false.
   */
  readonly rehash?: boolean
}

/** A password check, as a method of the user model, with the name of the field it reads. */
export interface PasswordCheck {
  /** Whether the password is right; always true for `api_key`. */
  (user: object, secret: string, kind?: 'password' | 'api_key'): Promise<boolean>
  /** The field that the check reads; it is hidden from clients. */
  readonly credentialField: string
  /** Whether a login replaces cheaper hashes. */
  readonly rehash: boolean
  /** Tells the check the cost of a stored hash: from then on, every check takes at least as long as that of this hash. */
  readonly raiseCost: (cost: number) => void
}

/**
 * Creates the ready-made credential check: it compares a password with the bcrypt hash in a field, and hides that field from
 * clients. It accepts every API key, because the user was already found by the hash of the key.
 *
 * ```ts
 * const User = defineModel('User', {
 *   columns: { …, password_hash: { type: 'string' } },
 *   methods: { check_password: passwordCheck('password_hash', { rehash: true }) },
 * })
 * ```
 */
export function passwordCheck(
  field: string,
  { rehash = false }: PasswordCheckOptions = {},
): PasswordCheck {
  const highest: Highest = { cost: undefined }
  const check = async (
    user: object,
    secret: string,
    kind: 'password' | 'api_key' = 'password',
  ): Promise<boolean> =>
    kind === 'api_key' || passwordMatches(secret, Reflect.get(user, field), highest)
  const raiseCost = (cost: number): void => raise(highest, cost)
  return Object.assign(check, { credentialField: field, rehash, raiseCost })
}

/** Whether a method of a model was made by `passwordCheck`. */
export const isPasswordCheck = (method: unknown): method is PasswordCheck =>
  typeof method === 'function' && 'credentialField' in method && 'raiseCost' in method

/** Returns a hash that no password matches. Checking it takes as long as checking any hash of this cost. */
export const unmatchableHash = (cost: number): string =>
  `$2b$${String(cost).padStart(2, '0')}$NOBODYHASTHISPASSWORDuW4bVlXbTyPIkgJ9YZzmuqxRUO3u4GQy`
