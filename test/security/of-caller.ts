/** Which requests of a matrix each caller sends in a batch. */
import { extent } from '../support/extent.ts'
import { notRun } from '../support/suite.ts'

/** All requests; in a usual run every other one, and the remaining ones for the next caller. */
export function ofCaller<Request>(
  requests: readonly Request[],
  caller: number,
): readonly Request[] {
  if (extent === 'whole') return requests
  notRun('every request in a batch of every caller', 'a usual run has half of them for each caller')
  return requests.filter((_, i) => (i + caller) % 2 === 0)
}
