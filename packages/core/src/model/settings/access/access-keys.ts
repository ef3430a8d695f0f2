// The checks of role maps (`API_ROLE_MAP: { POST: 'editor' }`) and of authentication requirements at start-up: their keys, and what each key
// may hold. `requirements.ts` and `role-maps.ts` look up the key that decides a request.

import { type Check, mapping, shownValue, together } from '../setting-checks.ts'
import type { AccessKey, AuthRequirements } from './access-types.ts'
import { isSwitchedOn } from './requirements.ts'
import { roleRule } from './role-rule.ts'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

const accessKeys: readonly string[] = [
  ...methods.flatMap((method) => [method, `RELATION_${method}`]),
  ...['GET_ONE', 'GET_MANY', 'RESTORE', 'RELATION_GET_ONE', 'RELATION_GET_MANY', 'ALL', '*'],
]

const roleKeys: readonly string[] = [...accessKeys, 'UPSERT']

/** Methods that are not keys, each with a sentence about the key that decides for it. */
const otherMethods: Readonly<Record<string, string>> = {
  HEAD: 'HEAD is answered like GET without a body, and GET decides about it',
  QUERY: 'QUERY is answered like GET of a list, and GET_MANY or GET decides about it',
  OPTIONS: 'OPTIONS needs neither authentication nor a role: browsers send it without credentials',
}

/** Accepts a map from the keys of roles to their rules. */
export const roleMap: Check = (value) =>
  together([...otherMethodsIn(value), mapping([...roleKeys, ...names], roleRule)(value)])

const otherMethodsIn = (value: unknown): readonly string[] =>
  Object.entries(otherMethods)
    .filter(([name]) => Object.hasOwn(Object(value), name))
    .map(([name, reason]) => `${name} cannot be a key: ${reason}. Leave it out.`)

const names = Object.keys(otherMethods)

const requirement: Check = (value) =>
  /^(true|false|1|0|yes|no|on|off)$/.test(String(value))
    ? undefined
    : 'expected true or false, or one of the strings true, 1, yes, on, false, 0, no, off.'

/**
 * Accepts a map from access keys to requirements. The keys HEAD, QUERY and OPTIONS may only say what holds without them: HEAD and
 * QUERY the same as GET, OPTIONS false.
 */
export const authRequirements: Check = (value) => {
  const problem = mapping([...accessKeys, ...names], requirement)(value)
  if (problem !== undefined) return problem
  const requirements = value as AuthRequirements
  const { HEAD, QUERY, OPTIONS } = requirements
  const lists = requiresRead(requirements, 'GET_MANY')
  const records = requiresRead(requirements, 'GET_ONE')
  if (differs(HEAD, lists) || differs(HEAD, records)) return contradiction('HEAD', HEAD)
  if (differs(QUERY, lists)) return contradiction('QUERY', QUERY)
  return differs(OPTIONS, false) ? contradiction('OPTIONS', OPTIONS) : undefined
}

/** Whether a setting says something else than what holds without it. */
const differs = (setting: boolean | string | undefined, required: boolean): boolean =>
  setting !== undefined && isSwitchedOn(setting) !== required

const contradiction = (name: string, value: unknown): string =>
  `${name}: ${shownValue(value)} has no effect. ${otherMethods[name]}. Leave it out.`

/** Whether reads of a kind need authentication. */
function requiresRead(requirements: AuthRequirements, key: AccessKey): boolean {
  const deciding = [key, 'GET', 'ALL', '*'] as const
  const found = deciding.map((name) => requirements[name]).find((value) => value !== undefined)
  return found === undefined || isSwitchedOn(found)
}
