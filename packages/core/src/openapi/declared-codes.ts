// The error codes that the host declares (API_ERROR_CODES), by operation of the OpenAPI document: its error responses list them beside those
// of the service.

import type { Registry, Resource } from '../model/registry/resource.ts'
import type { DeclaredCode } from '../model/settings/error-codes.ts'
import type { ApiSettings } from '../model/settings/settings.ts'
import { nestedRelations } from './schemas/record-schemas.ts'

/** The kind of operation in the names of error responses, such as `BadRequestOnList`. */
export type OperationKind =
  | 'List'
  | 'Get'
  | 'Create'
  | 'Update'
  | 'Delete'
  | 'Restore'
  | 'BulkUpdate'
  | 'BulkDelete'
  | 'Login'
  | 'Refresh'
  | 'Logout'
  | 'CurrentUser'
  | 'Keys'
  | 'Health'
  | 'Index'
  | 'Batch'

/** The codes that the host declares for an operation. */
export interface OperationCodes {
  readonly codes: readonly DeclaredCode[]
  /** The kind of operation in the names of responses that have such codes. */
  readonly kind: string
  /** Returns the prefix of the name of the response for a status: the resource, if it has other codes than the API; else empty. */
  ownerOf(status: number): string
}

/** The codes of an operation for which none are declared: no response has them, so neither `kind` nor `ownerOf` matters. */
export const noCodes: OperationCodes = { codes: [], kind: '', ownerOf: () => '' }

/** Returns the codes of a method of a resource, and those of the records that its body may contain. */
export function codesOf(
  { errorCodes }: ApiSettings,
  resource: Resource,
  method: string,
  kind: OperationKind,
): OperationCodes {
  const { name, settings } = resource
  const own = ofMethod(settings.errorCodes, method)
  const codes = distinct([...own, ...codesBelow(resource, method)])
  if (codes.length === 0) return noCodes
  const common = ofMethod(errorCodes, method)
  return {
    codes,
    // PATCH and PUT have the same kind, and may have different codes.
    kind: method === 'PUT' ? 'Replace' : kind,
    ownerOf: (status) => (isSame(ofStatus(codes, status), ofStatus(common, status)) ? '' : name),
  }
}

/** Returns the codes of all operations of a registry, for the batch, which runs them. */
export function codesOfAll({ resources }: Registry, kind: OperationKind): OperationCodes {
  const all = resources
    .filter(({ paths }) => paths.length > 0)
    .flatMap(({ settings }) =>
      settings.errorCodes.filter(({ methods }) =>
        methods.some((method) => settings.methods.has(method)),
      ),
    )
  const codes = distinct(all)
  return codes.length === 0 ? noCodes : { codes, kind, ownerOf: () => '' }
}

/** Returns the codes of records that are nested in a body, since the write creates, changes and removes them; none for a method without a body. */
function codesBelow(resource: Resource, method: string): readonly DeclaredCode[] {
  if (!['POST', 'PATCH', 'PUT'].includes(method)) return []
  const methods = method === 'POST' ? ['POST', 'PATCH'] : ['POST', 'PATCH', 'DELETE']
  const below = new Set(
    nestedRelations(resource, method === 'POST' ? 'create' : 'update').map(({ target }) => target),
  )
  // Iterating over a Set also visits entries that are added meanwhile: the models of records that are nested more deeply.
  for (const nested of below)
    for (const { target } of nestedRelations(nested, 'create')) below.add(target)
  return [...below].flatMap(({ settings }) =>
    methods.flatMap((one) => ofMethod(settings.errorCodes, one)),
  )
}

/** Returns each code once, as responses show it. */
const distinct = (codes: readonly DeclaredCode[]): readonly DeclaredCode[] => [
  ...new Map(codes.map((code) => [JSON.stringify(shownOf(code)), code])).values(),
]

const ofMethod = (codes: readonly DeclaredCode[], method: string): readonly DeclaredCode[] =>
  codes.filter(({ methods }) => methods.some((name) => name === method))

const ofStatus = (codes: readonly DeclaredCode[], status: number): readonly DeclaredCode[] =>
  codes.filter((code) => code.status === status)

/** Returns what responses show of a code. */
const shownOf = ({ code, status, description }: DeclaredCode) => [code, status, description]

const isSame = (some: readonly DeclaredCode[], others: readonly DeclaredCode[]): boolean =>
  JSON.stringify(some.map(shownOf)) === JSON.stringify(others.map(shownOf))
