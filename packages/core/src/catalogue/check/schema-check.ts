// The check at start-up: compares the models with the database once, and either warns or refuses requests until they agree, as the setting
// of each model says (`off`, `warn`, `error`). `createApi` makes one; the first request or `api.ready` starts it.

import { onBoundedConnection } from '../../database/leases/bounded-connection.ts'
import { Lease } from '../../database/leases/lease.ts'
import { boundsFromNow } from '../../database/statements/bounds.ts'
import { isTemporary } from '../../database/statements/unavailable.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { databaseUnavailable, notReady } from '../../errors.ts'
import { lazyModule } from '../../lib/lazy-module.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import type { Registry, Resource } from '../../model/registry/resource.ts'
import type { SchemaCheckMode } from '../../model/settings/config.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { ComparedModel } from './compare-schema.ts'
import type { Compared } from './comparison.ts'
import type { SchemaDifference } from './describe-difference.ts'
import type { Difference } from './difference.ts'

/** Reading schemas and comparing models with them is loaded by the first comparison. */
const comparison = lazyModule(() => import('./comparison.ts'))

/** The check of one API. */
export interface SchemaCheck {
  /** Whether requests need neither start the check nor wait for it. */
  isSettled(): boolean
  /**
   * Called by each request: starts the comparison. Waits for it only if a difference would refuse requests, or if the pool has
   * one connection, which the comparison occupies anyway.
   */
  admit(on: AnyDatabase, dialect: InternalDialect): MaybePromise<void>
  /** Resolves when the models have been compared; rejects if a difference refuses requests, or if a difference is a mistake (`isMistake`). */
  finished(): Promise<void>
  /** Compares now; rejects if the database cannot be compared. */
  differences(): Promise<readonly SchemaDifference[]>
  /** Compares now, and returns the warning about tables that agree with their models but lack indexes; undefined if none lacks one. */
  advice(): Promise<string | undefined>
}

export interface SchemaCheckOptions {
  readonly db: AnyDatabase
  readonly registry: Registry
  /** Returns the dialect that knows the version of the server behind `on`. */
  readonly dialect: (on?: AnyDatabase) => MaybePromise<InternalDialect>
  readonly warn: (message: string) => void
  /** Receives the differences that refuse requests. */
  readonly report: (error: unknown) => void
  /** A monotonic clock: milliseconds from any fixed point. */
  readonly elapsed: () => number
}

/** Time limit for reading the schema, in milliseconds; the time limit of requests does not apply. */
const longestRead = 30_000
/** Milliseconds until a failed comparison is repeated. */
const retryAfter = 1_000

/** Creates the check. It reads nothing before one of its functions is called. */
export function createSchemaCheck(options: SchemaCheckOptions): SchemaCheck {
  const { db, registry, warn, report, elapsed } = options
  const models = comparedModels(registry)
  const inMode = (mode: SchemaCheckMode): ReadonlySet<string> =>
    new Set(models.flatMap(({ resource }) => (modeOf(resource) === mode ? [resource.name] : [])))
  const refusing = inMode('error')
  const refuses = refusing.size > 0
  const checked = models.filter(({ resource }) => modeOf(resource) !== 'off')

  // The state of the check: a comparison succeeded, is running, or failed at `failed.at`.
  let settled = checked.length === 0
  let running: Promise<void> | undefined
  let mistake: Error | undefined
  let failed: { readonly at: number; readonly error: unknown } | undefined
  const reported = new Set<string>()
  /** A repeated comparison finds the same differences, which are reported only the first time. */
  const reportOnce = (text: string, to: (text: string) => void): void => {
    if (!reported.has(text)) to(text)
    reported.add(text)
  }

  /** Compares and reports. Throws a 503 if a difference refuses requests. */
  const compareOnce = async (on: AnyDatabase): Promise<void> => {
    const found = await compareOn(checked, on, options).catch((error: unknown) => {
      if (error instanceof NotCompared) return error
      throw error
    })
    if (found instanceof NotCompared) {
      if (refuses || found.isUnexpected) reportOnce(found.message, warn)
      return
    }
    const { differencesMessage: messageOf } = await comparison()
    const { differences, advice } = found
    if (advice !== undefined) reportOnce(advice, warn)
    const fatal = differences.filter(({ model }) => refusing.has(model))
    const others = differences.filter(({ model }) => !refusing.has(model))
    if (others.length > 0) reportOnce(messageOf(others), warn)
    const mistakes = others.filter(isMistake)
    mistake = mistakes.length === 0 ? undefined : new Error(messageOf(mistakes))
    if (fatal.length === 0) return
    const error = new Error(messageOf(fatal))
    reportOnce(error.message, () => report(error))
    throw Object.assign(notReady(), { cause: error })
  }

  /** Starts a comparison, or joins the running one. A failed one can be repeated, a successful one settles the check. */
  const run = (on: AnyDatabase): Promise<void> => {
    running ??= compareOnce(on).then(
      () => {
        settled = true
      },
      (error: unknown) => {
        running = undefined
        failed = { at: elapsed(), error }
        throw error
      },
    )
    return running
  }
  /** Leaves out only models that switch off the check in their own meta. The setting of the whole API does not count here. */
  const comparedNow = (): Promise<Compared> =>
    compareOn(
      models.filter(({ resource }) => resource.model.meta?.schema_check !== 'off'),
      db,
      options,
    )
  const failedRecently = (): boolean => failed !== undefined && elapsed() - failed.at < retryAfter

  return {
    isSettled: () => settled,
    admit(on, { capabilities }) {
      if (settled) return
      const place = on.isTransaction ? on : db
      if (refuses) {
        if (failedRecently()) throw failed?.error
        return run(place)
      }
      if (running !== undefined || failedRecently()) return
      // On Workers, a comparison that outlives its request is cancelled and never returns the one connection of D1.
      if (capabilities.blocksEventLoop) return run(place).catch(() => {})
      // The first requests take their connections before the comparison takes one.
      setTimeout(() => run(db).catch(() => {}), 0)
    },
    async finished() {
      if (!settled) {
        await run(db).catch((error: unknown) => {
          if (refuses) throw error
        })
      }
      if (mistake !== undefined) throw mistake
    },
    differences: async () => {
      const { differences } = await comparedNow()
      const { describeDifferences } = await comparison()
      return describeDifferences(differences)
    },
    advice: async () => (await comparedNow()).advice,
  }
}

/**
 * Whether no data can make the declaration work, so that `ready` rejects even if other differences are warnings. Either the column
 * is required and clients can see it, but neither clients nor the service nor the database fill it, so that no POST can succeed; a
 * hidden column is no mistake, because the host's own code may write it. Or it is a key whose digits responses cut, so that embeds
 * and paths would miss its rows or find others.
 */
const isMistake = (difference: Difference): boolean =>
  difference.kind === 'finer key' ||
  (difference.kind === 'never filled' &&
    difference.field?.because === 'is read-only' &&
    !difference.field.isHidden &&
    difference.mayFill === false)

const modeOf = ({ settings }: Resource): SchemaCheckMode => settings.schemaCheck

/** Returns the published models, and the models of users and roles even if these are not published. */
function comparedModels({ resources, users }: Registry): readonly ComparedModel[] {
  const internal = [users, users?.roles?.target].flatMap((resource) => resource ?? [])
  return [...new Set([...resources, ...internal])].map((resource) => {
    const { methods } = resource.settings
    const isPublished = resources.includes(resource)
    const creates = isPublished && methods.has('POST')
    const writes = creates || (isPublished && (methods.has('PATCH') || methods.has('PUT')))
    return { resource, creates, writes, methods: isPublished ? methods : new Set<string>() }
  })
}

/** Thrown if the models cannot be compared with this database. */
class NotCompared extends Error {
  /** False if the dialect does not read schemas at all, which deserves no warning by itself. */
  readonly isUnexpected: boolean
  constructor(
    message: string,
    { isUnexpected, cause }: { readonly isUnexpected: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause })
    this.isUnexpected = isUnexpected
  }
}

/** Compares on one connection; throws a 503 if the database is unavailable, or `NotCompared`. */
async function compareOn(
  models: readonly ComparedModel[],
  on: AnyDatabase,
  { dialect }: SchemaCheckOptions,
): Promise<Compared> {
  const known = await dialect(on)
  const bounds = boundsFromNow({ deadline: longestRead })
  try {
    const { differencesFrom } = await comparison()
    const read = differencesFrom(known, models)
    if (read !== undefined)
      return await onBoundedConnection(withoutPlugins(on), known, bounds, read)
  } catch (error) {
    const limit = { deadline: longestRead }
    const lease = new Lease({ db: withoutPlugins(on), dialect: known, bounds: limit })
    if (isTemporary(known.classify(error).kind) || !(await isReachable(lease))) {
      throw Object.assign(databaseUnavailable(), { cause: error })
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new NotCompared(
      `The models were not compared with the database (${settingNames.schemaCheck}): ${reason}`,
      { isUnexpected: true, cause: error },
    )
  }
  const reason = `the dialect "${known.name}" does not read schemas`
  throw new NotCompared(`The models were not compared with the database: ${reason}.`, {
    isUnexpected: false,
  })
}

/** Whether the database responds to a query; also false if the host has closed its pool. */
const isReachable = (lease: Lease): Promise<boolean> =>
  lease.rows(sql`select 1 as ${sql.id('one')}`).then(
    () => true,
    () => false,
  )
