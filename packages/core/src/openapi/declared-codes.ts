// The error codes that the host declares (API_ERROR_CODES), by operation of the OpenAPI document: its error responses list them beside those
// of the service.

import type { Registry, Resource } from '../model/registry/resource.ts'
import type { DeclaredCode } from '../model/settings/error-codes.ts'
import type { ApiSettings } from '../model/settings/settings.ts'

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
  /** Returns the prefix of the name of the response for a status: the resource, if other resources have other codes. */
  ownerOf(status: number): string
}

/** The codes of an operation for which none are declared. */
export const noCodes: OperationCodes = { codes: [], kind: '', ownerOf: () => '' }

/** Returns the codes of a method of a resource. */
export function codesOf(
  { errorCodes }: ApiSettings,
  { name, settings }: Resource,
  method: string,
  kind: OperationKind,
): OperationCodes {
  const codes = ofMethod(settings.errorCodes, method)
  if (codes.length === 0) return noCodes
  const common = ofMethod(errorCodes, method)
  return {
    codes,
    // PATCH and PUT have the same kind, and may have different codes.
    kind: method === 'PUT' ? 'Replace' : kind,
    ownerOf: (status) => (isSame(ofStatus(codes, status), ofStatus(common, status)) ? '' : name),
  }
}

/** Returns the codes of all operations of a registry, for an operation that runs others. */
export function codesOfAll({ resources }: Registry, kind: OperationKind): OperationCodes {
  const all = resources
    .filter(({ paths }) => paths.length > 0)
    .flatMap(({ settings }) =>
      settings.errorCodes.filter(({ methods }) =>
        methods.some((method) => settings.methods.has(method)),
      ),
    )
  const codes = new Map(all.map((code) => [JSON.stringify(shownOf(code)), code]))
  return codes.size === 0 ? noCodes : { codes: [...codes.values()], kind, ownerOf: () => '' }
}

const ofMethod = (codes: readonly DeclaredCode[], method: string): readonly DeclaredCode[] =>
  codes.filter(({ methods }) => methods.some((name) => name === method))

const ofStatus = (codes: readonly DeclaredCode[], status: number): readonly DeclaredCode[] =>
  codes.filter((code) => code.status === status)

/** Returns what responses show of a code. */
const shownOf = ({ code, status, description }: DeclaredCode) => [code, status, description]

const isSame = (some: readonly DeclaredCode[], others: readonly DeclaredCode[]): boolean =>
  JSON.stringify(some.map(shownOf)) === JSON.stringify(others.map(shownOf))
