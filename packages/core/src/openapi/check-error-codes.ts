// checkErrorCodes: checks at start-up that no error code which the host declares (API_ERROR_CODES) is also a code of the service.

import type { DeclaredCode } from '../model/settings/error-codes.ts'
import type { Problems } from '../model/settings/setting-problems.ts'
import { serviceCodes } from './error-catalogue.ts'

/** Adds a problem for each declared code that the service uses too, because clients could not tell the two errors from each other. */
export function checkErrorCodes(codes: Iterable<DeclaredCode>, problems: Problems): void {
  for (const { at, code } of codes) {
    if (!serviceCodes.has(code)) continue
    problems.add(
      at,
      `the service has errors with this code, which the document already lists by itself. Choose another code, such as "my_${code}".`,
    )
  }
}
