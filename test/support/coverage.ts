/** What a run has: which files, in which ways (`path.ts`), and on which servers, if a file does not name them itself (`runsOn`). */
import type { Coverage } from './choose-servers.ts'
import type { Extent } from './extent.ts'
import type { Way } from './path.ts'

/** A file, and the way in which its requests are sent. */
export interface Job {
  readonly file: string
  readonly way: Way
}

/**
 * Checks of a release, which a usual run leaves out: packed packages, runtimes, costs, growth, faults, processes, examples, and the
 * matrices of security again in other ways and with the plain dialect.
 */
const releaseChecks = [
  /^(?:clients|etags|examples|faults|growth|packages)\//,
  /^cli\/worker/,
  /^runtimes\/(?!conformance)/,
  /^security\/(?:verdicts|write-verdicts|first-asker|hidden-references)/,
  /^security\/\w+-growth/,
  /^types\/(?:client-)?budget/,
  /^docs\/site/,
]

/**
 * What else a usual run leaves out so that it takes minutes: second proofs of what other files prove on fewer requests, servers of other
 * frameworks, served databases, and files that wait for processes or time limits.
 */
const longChecks = [
  /^cli\/(?:credentials|schemas|serve)/,
  /^contract\/(?:batch-timeout|many-models|replicas|session\.)/,
  /^dialect\/(?:hostile-sessions|statements-longer-than-a-packet)/,
  /^docs\/(?:issue-numbers|tenant-registration)/,
  /^hooks\/full-pool/,
  /^http\/(?:body-forms-of-one-key|fastify|h3|hono|http2)/,
  /^introspect\/large-schema/,
  /^limits\/store-away/,
  /^parity\/(?:embed-texts|many-embeds|object-texts|public-dialects)/,
  /^drivers\//,
  /^property\/(?:nested-lists|prepared-reads|removal-in-cycles|transcripts)/,
  /^schema-check\/partial-indexes/,
  /^security\/(?:interleavings|link-leaks|non-interference|row-level-security|scope-of-writes|shared-caches|write-leaks)/,
  /^served\//,
  /^writing\/(?:held-values|host-isolation|idempotency-faults|links-from-both-ends|what-is-stored)/,
]

/**
 * Files that prove that every engine gives the same bytes and refuses the same. They run on each engine in a usual run, which asks SQLite
 * alone in the other files. A whole run asks each engine in all files.
 */
const everyEngine = [
  /^golden\//,
  /^parity\/(?:parity|written-urls)/,
  /^property\/(?:differential|links|pages|random)/,
  /^collations\//,
  /^dialect\/(?!aggregates|long-texts-in-order|most-joins)/,
  /^introspect\//,
  /^schema-check\//,
  /^(?:auth\/shared-look-ups|contract\/json-paths|hooks\/(?:failed-statements|transactions-that))/,
  /^writing\/(?:deferred-constraints|galera-conflicts|locked-lists|overlap|read-back|savepoints|sent-back-unchanged|skipped-rows|transactions|trigger-refusals|violations)/,
]

/** Files about SQL, values and catalogues, which differ between versions of a server. A whole run has them on every server. */
const versionsMatter = [
  /^(?:dialect|golden|introspect|drivers|schema-check)\//,
  /^property\/(?:differential|links|pages|random)/,
  /^contract\/(?:counting|far-pages|filtering|grouping|joins|json-paths|keyless|search|serialisation|special-values|values)/,
]

/**
 * Files that also run in the plain way: files that compare whole responses, look for leaks, or write in transactions. Of the other
 * files, some compare the ways themselves (the rest of `parity/`), and some test nothing that the way could change.
 */
const plainToo = [
  /^golden\//,
  /^parity\/parity/,
  /^property\/(?:differential|links|pages|random)/,
  /^security\/(?:\w+-)?leaks/,
  /^security\/non-interference/,
  /^writing\/(?:one-record|removal|violations)/,
]

/** Files about lists, in which a QUERY must give the same response as a GET. */
const queryToo = [
  /^golden\//,
  /^contract\/(?:counting-and-paging|far-pages|filtering|grouping|joins|json-paths|keyless|mistakes|search|serialisation)\./,
]

/**
 * Files about rights and hooks, in which a batch of one must give the same response as the request alone, and call the same hooks. What
 * differs by design, such as the transaction of reads, is said in the files.
 */
const batchToo = [
  /^contract\/(?:bulk-methods|column-rights)/,
  /^docs\/hooks/,
  /^hooks\/(?!failed-statements|full-pool|transactions-that)/,
  /^security\/(?:scope|user-roles)\./,
  /^writing\/(?:on-delete|lists-with-references|policy-refusals|removal-names)/,
  /^writing\/(?:restored-references|rights-first|upserts-without-changes)/,
  /^writing\/(?:immutable-fields|links-by-name|roles-of-upserts)/,
]

const isOneOf = (file: string, patterns: readonly RegExp[]): boolean =>
  patterns.some((pattern) => pattern.test(file))

/** The ways of a file. A usual run has the other ways for golden files alone; a further run has those that a usual one leaves out. */
function waysOf(file: string, extent: Extent): readonly Way[] {
  const others = { plain: plainToo, query: queryToo, batch: batchToo }
  const ways = Object.entries(others).filter(([way, files]) => {
    const isUsual = /^golden\//.test(file)
    if (extent === 'usual' && !isUsual) return false
    return isOneOf(file, files) && (extent !== 'further' || !isUsual || way === 'plain')
  })
  return ['usual', ...ways.map(([way]) => way as Way)]
}

/** Reads the content of a test file. */
type TextOf = (file: string) => string

/** Whether a file needs servers. One without databases should not wait for a server to be found or started. */
export function needsServers(file: string, textOf: TextOf): boolean {
  if (!/^(?:unit|architecture|types)\//.test(file)) return true
  return /eachDatabase|openDatabases|everyDatabase|eachChinook/.test(textOf(file))
}

/** Whether a run without named files has a file. A further run has what a usual one leaves out, and the other files that need servers. */
export function runsIn(file: string, extent: Extent, textOf: TextOf): boolean {
  if (isOneOf(file, releaseChecks) || isOneOf(file, longChecks)) return extent !== 'usual'
  return extent !== 'further' || needsServers(file, textOf)
}

/** The jobs of files, in their order. */
export const jobsOf = (files: readonly string[], extent: Extent): Job[] =>
  files.flatMap((file) => waysOf(file, extent).map((way) => ({ file, way })))

/**
 * Files that send all requests of a matrix again, in other ways or in another order, and find the same decisions, which are made before
 * there is a statement. What each engine makes of the requests is tested by the matrices themselves.
 */
const repeatsMatrices = /^security\/(?:verdicts|write-verdicts|first-asker)/

/**
 * The servers of a job; undefined for every one. The ways `query` and `batch` differ from the usual one only before SQL is compiled, so
 * they have SQLite alone. The way `plain` omits the shortcuts of each dialect: a whole run has it on each engine, but for the matrices of
 * security, which are long.
 */
export function coverageOf({ file, way }: Job, extent: Extent): Coverage | undefined {
  if (way === 'query' || way === 'batch' || repeatsMatrices.test(file)) return 'SQLite alone'
  if (way === 'plain' && file.startsWith('security/')) return 'SQLite alone'
  if (extent !== 'usual') {
    const all = way === 'usual' && isOneOf(file, versionsMatter)
    return all ? undefined : 'one server of each engine'
  }
  return way === 'usual' && isOneOf(file, everyEngine)
    ? 'one server of each engine'
    : 'SQLite alone'
}
