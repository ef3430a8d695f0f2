// FastPaths: optimisations that give the same responses as the general path; tests can switch each off.

/** Which optimisations are used where a request allows them; each gives the responses of the general path. */
export interface FastPaths {
  /** A write that needs a single statement runs without a transaction. */
  readonly singleStatementWrites: boolean
  /** Rows are read as arrays if the driver supports it (`dialect/array-rows.ts`). */
  readonly arrayRows: boolean
  /** Rows are serialised directly to JSON text, without objects in between (`serialize/write-objects.ts`). */
  readonly textAnswers: boolean
  /**
   * Queries that differ in values only share a cached plan and SQL text (`plan-cache/`) from the second on; `at once`: from
   * the first, for tests. The statements of single-statement writes are cached for each set of columns.
   */
  readonly preparedReads: boolean | 'at once'
  /** Concurrent requests for the same count share one statement (`execute/shared-counts.ts`). */
  readonly sharedCounts: boolean
  /** The database builds the JSON of embedded relations if it can (`compile/embedded-json.ts`). */
  readonly embedTexts: boolean
  /** The database builds the JSON of the rows if it can (`compile/object-json.ts`). */
  readonly objectTexts: boolean
  /** To-one relations are read by a join instead of a statement of their own (`compile/joined-embed.ts`). */
  readonly embedJoins: boolean
}

const allFastPaths: FastPaths = {
  singleStatementWrites: true,
  arrayRows: true,
  textAnswers: true,
  preparedReads: true,
  sharedCounts: true,
  embedTexts: true,
  objectTexts: true,
  embedJoins: true,
}

/** All optimisations off. */
export const noFastPaths: FastPaths = {
  singleStatementWrites: false,
  arrayRows: false,
  textAnswers: false,
  preparedReads: false,
  sharedCounts: false,
  embedTexts: false,
  objectTexts: false,
  embedJoins: false,
}

/** A symbol, so that configuration files cannot set it. */
const switches = Symbol('fast paths')

/** Options of `createApi` with some optimisations switched, in addition to those switched before. */
export const withFastPaths = <Options extends object>(
  options: Options,
  fastPaths: Partial<FastPaths>,
): Options =>
  Object.assign({ ...options }, { [switches]: { ...switchedIn(options), ...fastPaths } })

/** The optimisations that the options of `createApi` select; all are on by default. */
export const fastPathsOf = (options: object): FastPaths => ({
  ...allFastPaths,
  ...switchedIn(options),
})

const switchedIn = (options: object): Partial<FastPaths> =>
  (options as { readonly [switches]?: Partial<FastPaths> })[switches] ?? {}
