/** The servers that a file runs on, if the file does not name them itself (`runsOn`). */
import type { Coverage } from './choose-servers.ts'
import type { Extent } from './extent.ts'
import type { Job } from './queue.ts'

/** Files about SQL, values and catalogues, which differ between versions of a server. */
const versionsMatter = [
  /^(?:dialect|golden|introspect|prepared|schema-check)\//,
  /^property\/(?:differential|links|pages|random)/,
  /^contract\/(?:counting|far-pages|filtering|grouping|joins|json-paths|keyless|search|serialisation|special-values|values)/,
]

/**
 * Files about what is decided before there is a statement, or after its rows are read: the database only supplies rows. None of them
 * asks which database it has. In a usual run they have SQLite alone.
 */
const databaseOnlySuppliesRows = [
  /^auth\/(?:credential-columns|endpoints|passwords|strategies|tokens|user-cache)/,
  /^client\/(?:reads|restore|writes)/,
  /^contract\/(?:batch-rights|column-rights|disabled-endpoints|endpoints|envelope|list-etags|many-models)/,
  /^contract\/(?:prefer|problem-details|query-method|query-parameters|server-timing|service-index|similar-paths)/,
  /^hooks\/(?:callback-results|every-hook-args|host-code|reach|read-hooks)/,
  /^http\/guards/,
  /^(?:limits|openapi)\//,
  /^security\/(?:batch-verdicts|first-asker|pages|paths|refusals|strategies)/,
]

/** Files that compare the responses and the statements of all engines. */
const comparesEngines = /^golden\//

/**
 * In other ways than the usual one, most files run on SQLite alone: `query` and `batch` differ only before SQL is compiled, and
 * `plain` leaves out shortcuts, so it cannot leak more. The golden files run in each way on all engines.
 */
export function coverageOf({ file, way }: Job, extent: Extent): Coverage | undefined {
  if (extent === 'whole') return way === 'usual' ? undefined : 'one server of each engine'
  if (way !== 'usual') {
    const isEnough = way !== 'plain' || file.startsWith('security/')
    return isEnough && !comparesEngines.test(file) ? 'SQLite alone' : 'one server of each engine'
  }
  if (databaseOnlySuppliesRows.some((files) => files.test(file))) return 'SQLite alone'
  return versionsMatter.some((files) => files.test(file)) ? undefined : 'one server of each engine'
}
