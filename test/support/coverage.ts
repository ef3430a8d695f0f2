/** The servers that a file runs on, if the file does not name them itself (`runsOn`). */
import type { Coverage } from './choose-servers.ts'
import type { Job } from './queue.ts'

/** Files about SQL, values and catalogues, which differ between versions of a server. */
const versionsMatter = [
  /^(?:dialect|golden|introspect|prepared|schema-check)\//,
  /^property\/(?:differential|links|pages|random)/,
  /^contract\/(?:counting|far-pages|filtering|grouping|joins|json-paths|keyless|search|serialisation|special-values|values)/,
]

/** Files that compare the responses and the statements of all engines. */
const comparesEngines = /^golden\//

/** `whole`: every file on every server, and in each way on one server of each engine. */
export type Extent = 'usual' | 'whole'

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
  return versionsMatter.some((files) => files.test(file)) ? undefined : 'one server of each engine'
}
