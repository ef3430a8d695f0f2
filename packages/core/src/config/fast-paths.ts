// FastPaths: shorter ways to the same answers, each with a switch that only tests turn off.

/** Which shorter ways are taken where a request allows them; each gives the answers of the plain way. */
export interface FastPaths {
  /** A write that one statement can do runs as that statement alone, without a transaction around it. */
  readonly singleStatementWrites: boolean
  /** Rows are read as arrays where the driver can (`dialect/array-rows.ts`). */
  readonly arrayRows: boolean
  /** The value of an answer that is sent is written as text at once (`serialize/write-objects.ts`). */
  readonly textAnswers: boolean
  /**
   * Queries of one form are planned and printed once (`plan-cache/`), from the second of them on; tests prepare the first.
   * So are statements of lone writes, for each set of columns.
   */
  readonly preparedReads: boolean | 'at once'
  /** Counts that several requests ask for at the same time are counted once (`execute/shared-counts.ts`). */
  readonly sharedCounts: boolean
  /** Embedded relations are written by the database where it can (`compile/embed-text.ts`). */
  readonly embedTexts: boolean
  /** Objects are written by the database where it can, and checked (`compile/object-text.ts`). */
  readonly objectTexts: boolean
  /** To-one relations are joined instead of being read by statements of their own (`compile/joined-embed.ts`). */
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

/** Every request goes the plain way. */
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

/** A symbol, so that no configuration file can name it. */
const switches = Symbol('fast paths')

/** Options of `createApi` with some of the ways turned off, besides those that are already. */
export const withFastPaths = <Options extends object>(
  options: Options,
  fastPaths: Partial<FastPaths>,
): Options =>
  Object.assign({ ...options }, { [switches]: { ...switchedIn(options), ...fastPaths } })

/** What the options of `createApi` say of them: all of them are on where nothing is said. */
export const fastPathsOf = (options: object): FastPaths => ({
  ...allFastPaths,
  ...switchedIn(options),
})

const switchedIn = (options: object): Partial<FastPaths> =>
  (options as { readonly [switches]?: Partial<FastPaths> })[switches] ?? {}
