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

/** Methods without a key of their own, each with the beginning of a message that says which key decides about them. */
const otherMethods: Readonly<Record<string, string>> = {
  HEAD: 'HEAD is answered like GET without a body, and GET decides about it',
  QUERY: 'QUERY is answered like GET of a list, and GET_MANY or GET decides about it',
  OPTIONS: 'OPTIONS needs neither authentication nor a role: browsers send it without credentials',
}

const otherMethodNames = Object.keys(otherMethods)

/** Accepts a map from the keys of roles to their rules. `mapping` accepts the other methods, which `otherMethodsIn` reports with a reason. */
export const roleMap: Check = (value) =>
  together([...otherMethodsIn(value), mapping([...roleKeys, ...otherMethodNames], roleRule)(value)])

/** Returns a message for each other method that a role map has as a key. */
const otherMethodsIn = (value: unknown): readonly string[] =>
  Object.entries(otherMethods)
    .filter(([name]) => Object.hasOwn(Object(value), name))
    .map(([name, reason]) => `${name} cannot be a key: ${reason}. Leave it out.`)

const requirement: Check = (value) =>
  /^(true|false|1|0|yes|no|on|off)$/.test(String(value))
    ? undefined
    : 'expected true or false, or one of the strings true, 1, yes, on, false, 0, no, off.'

/**
 * Accepts a map from access keys to requirements. The keys HEAD, QUERY and OPTIONS change nothing, so that each must have the requirement that
 * applies to its method anyway: HEAD and QUERY that of GET, OPTIONS false.
 */
export const authRequirements: Check = (value) => {
  const problem = mapping([...accessKeys, ...otherMethodNames], requirement)(value)
  if (problem !== undefined) return problem
  const requirements = value as AuthRequirements
  const { HEAD, QUERY, OPTIONS } = requirements
  const lists = requiresRead(requirements, 'GET_MANY')
  const records = requiresRead(requirements, 'GET_ONE')
  if (differs(HEAD, lists) || differs(HEAD, records)) return contradiction('HEAD', HEAD)
  if (differs(QUERY, lists)) return contradiction('QUERY', QUERY)
  return differs(OPTIONS, false) ? contradiction('OPTIONS', OPTIONS) : undefined
}

/** Whether the value of HEAD, QUERY or OPTIONS differs from the requirement that applies to the method anyway (`required`). */
const differs = (setting: boolean | string | undefined, required: boolean): boolean =>
  setting !== undefined && isSwitchedOn(setting) !== required

const contradiction = (name: string, value: unknown): string =>
  `${name}: ${shownValue(value)} has no effect. ${otherMethods[name]}. Leave it out.`

/** Whether reads of a kind need authentication: as the first key says that is present, else true. */
function requiresRead(requirements: AuthRequirements, key: AccessKey): boolean {
  const deciding = [key, 'GET', 'ALL', '*'] as const
  const found = deciding.map((name) => requirements[name]).find((value) => value !== undefined)
  return found === undefined || isSwitchedOn(found)
}
