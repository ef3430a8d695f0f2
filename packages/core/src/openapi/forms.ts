// The two forms of the document, for OpenAPI 3.1 and 3.2: how each describes operations, responses, records and queries.

import { failuresByStatus, oneFailure } from './error-responses.ts'
import type { Form } from './form.ts'
import { filtersByName, filtersByPattern } from './parameters/filter-parameters.ts'
import { anyConflict, anyName, ownConflicts, ownNames } from './parameters/query-parameters.ts'
import { ownRecords, sharedRecords } from './schemas/record-schemas.ts'
import { successByContent, successByMethod } from './schemas/success-responses.ts'
import { requirements, requirementsWithRoles } from './security.ts'

/** The form of OpenAPI 3.1: each operation is described completely. */
export const wholeForm: Form = {
  listsHeaders: true,
  hasExamples: true,
  hasExactEnvelopes: true,
  texts: ({ summary, ownSummary = summary, description, access, samples }) => ({
    summary: ownSummary,
    description: [description, access].filter(Boolean).join('\n\n'),
    'x-codeSamples': samples(),
  }),
  security: requirements,
  success: successByMethod,
  failures: failuresByStatus,
  filters: filtersByName,
  names: ownNames,
  conflicts: ownConflicts,
  records: ownRecords,
}

/** The form of OpenAPI 3.2: what operations and resources have in common is described once. */
export const sharedForm: Form = {
  listsHeaders: false,
  hasExamples: false,
  hasExactEnvelopes: false,
  texts: ({ summary, ownSummary }) => ({
    summary: ownSummary ?? summary.slice(0, summary.indexOf(' ')),
  }),
  security: requirementsWithRoles,
  success: successByContent,
  failures: oneFailure,
  filters: filtersByPattern,
  names: anyName,
  conflicts: anyConflict,
  records: sharedRecords,
}
