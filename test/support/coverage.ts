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
 * Files about decisions before there is a statement, or after its rows were read. The database only supplies rows, and no file
 * depends on which database it is. In a usual run they have SQLite alone.
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

/** Files that compare the responses of all engines. They also show how a dialect works without its shortcuts. */
const comparesEngines = /^(?:golden|parity)\//

/**
 * In other ways than the usual one, files run on SQLite alone: the ways `query` and `batch` differ from it only before SQL is
 * compiled. The way `plain` omits the shortcuts of each dialect, so in that way the files that compare engines run on each engine.
 */
export function coverageOf({ file, way }: Job, extent: Extent): Coverage | undefined {
  if (extent === 'whole') return way === 'usual' ? undefined : 'one server of each engine'
  if (way !== 'usual') {
    const needsEngines = way === 'plain' && comparesEngines.test(file)
    return needsEngines ? 'one server of each engine' : 'SQLite alone'
  }
  if (databaseOnlySuppliesRows.some((files) => files.test(file))) return 'SQLite alone'
  return versionsMatter.some((files) => files.test(file)) ? undefined : 'one server of each engine'
}
