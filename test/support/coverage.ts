/** Where a file runs, as far as it does not say so itself. */
import type { Coverage } from './choose-servers.ts'
import type { Job } from './queue.ts'

/** About SQL, values and catalogues, which differ between versions of a server. */
const versionsMatter = [
  /^(?:dialect|golden|introspect|prepared|schema-check)\//,
  /^property\/(?:differential|links|pages|random)/,
  /^contract\/(?:counting|far-pages|filtering|grouping|joins|json-paths|keyless|search|serialisation|special-values|values)/,
]

/** Compares what the engines answer and are asked. */
const comparesEngines = /^golden\//

/** On every server, whatever the file is about; each way on one server of each engine. */
export type Extent = 'usual' | 'whole'

/**
 * The other ways of a request differ from the usual one before its SQL is made, or, as the plain one, by having less of what
 * could leak. What they read and write on each engine is compared by the files that prove answers equal.
 */
export function coverageOf({ file, way }: Job, extent: Extent): Coverage | undefined {
  if (extent === 'whole') return way === 'usual' ? undefined : 'one server of each engine'
  if (way !== 'usual') {
    const isEnough = way !== 'plain' || file.startsWith('security/')
    return isEnough && !comparesEngines.test(file) ? 'SQLite alone' : 'one server of each engine'
  }
  return versionsMatter.some((files) => files.test(file)) ? undefined : 'one server of each engine'
}
