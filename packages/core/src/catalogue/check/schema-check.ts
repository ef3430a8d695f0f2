// The check at start-up: compares the models with the database once, and either warns or refuses requests until they agree.

import { onBoundedConnection } from '../../database/leases/bounded-connection.ts'
import { Lease } from '../../database/leases/lease.ts'
import { totalBounds } from '../../database/statements/bounds.ts'
import { isTemporary } from '../../database/statements/unavailable.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { databaseUnavailable, notReady } from '../../errors.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import type { TableName } from '../../lib/sql/table-name.ts'
import { withoutPlugins } from '../../lib/sql/without-plugins.ts'
import type { Registry, Resource } from '../../model/registry/resource.ts'
import type { SchemaCheckMode } from '../../model/settings/config.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { schemaRulesOf } from '../schema-rules-of.ts'
import { type ComparedModel, compareSchema } from './compare-schema.ts'
import { describeDifference, type SchemaDifference } from './describe-difference.ts'
import type { Difference } from './difference.ts'
import { findLacking } from './find-lacking.ts'
import { readSchema } from './read-schema.ts'

export interface SchemaCheck {
  /** Whether requests need neither start the check nor wait for it. */
  isSettled(): boolean
  /**
   * Called by each request: starts the comparison. Waits for it only if a difference would refuse requests, or if the pool has
   * one connection, which the comparison occupies anyway.
   */
  admit(on: AnyDatabase, known: InternalDialect): MaybePromise<void>
  /** Resolves when the models have been compared; rejects if a difference refuses requests, or if a column is a mistake (`isMistake`). */
  finished(): Promise<void>
  /** Compares now; rejects if the database cannot be compared. */
  differences(): Promise<readonly SchemaDifference[]>
}

export interface SchemaCheckOptions {
  readonly db: AnyDatabase
  readonly registry: Registry
  /** The connected dialect. */
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
/** The largest number of differences in one message. */
const mostInMessage = 50

export function createSchemaCheck(options: SchemaCheckOptions): SchemaCheck {
  const { db, registry, warn, report, elapsed } = options
  const models = comparedModels(registry)
  const inMode = (mode: SchemaCheckMode): ReadonlySet<string> =>
    new Set(models.flatMap(({ resource }) => (modeOf(resource) === mode ? [resource.name] : [])))
  const refusing = inMode('error')
  const refuses = refusing.size > 0
  const checked = models.filter(({ resource }) => modeOf(resource) !== 'off')

  let settled = checked.length === 0
  let running: Promise<void> | undefined
  let mistake: Error | undefined
  let failed: { readonly at: number; readonly error: unknown } | undefined
  const said = new Set<string>()
  const once = (text: string, say: (text: string) => void): void => {
    if (!said.has(text)) say(text)
    said.add(text)
  }

  const compareOnce = async (on: AnyDatabase): Promise<void> => {
    const found = await compared(checked, on, options).catch((error: unknown) => {
      if (error instanceof NotCompared) return error
      throw error
    })
    if (found instanceof NotCompared) {
      if (refuses || found.isUnexpected) once(found.message, warn)
      return
    }
    const fatal = found.filter(({ model }) => refusing.has(model))
    const others = found.filter(({ model }) => !refusing.has(model))
    if (others.length > 0) once(messageOf(others), warn)
    const mistakes = others.filter(isMistake)
    mistake = mistakes.length === 0 ? undefined : new Error(messageOf(mistakes))
    if (fatal.length === 0) return
    const error = new Error(messageOf(fatal))
    once(error.message, () => report(error))
    throw Object.assign(notReady(), { cause: error })
  }

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
  const isWaiting = (): boolean => failed !== undefined && elapsed() - failed.at < retryAfter

  return {
    isSettled: () => settled,
    admit(on, { capabilities }) {
      if (settled) return
      const place = on.isTransaction ? on : db
      if (refuses) {
        if (isWaiting()) throw failed?.error
        return run(place)
      }
      if (running !== undefined || isWaiting()) return
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
      // Leaves out only models that switch off the check in their own meta. The setting of the whole API does not count here.
      const asked = models.filter(({ resource }) => resource.model.meta?.schema_check !== 'off')
      return (await compared(asked, db, options)).map(describeDifference)
    },
  }
}

/**
 * Whether the difference is a required column that clients can see, but that neither clients nor the service nor the database fill.
 * No POST can then succeed, so `ready` rejects even if other differences are warnings. A hidden column is no mistake, because the
 * host's own code may write it.
 */
const isMistake = (one: Difference): boolean =>
  one.kind === 'never filled' &&
  one.field?.because === 'is read-only' &&
  !one.field.isHidden &&
  one.mayFill === false

const modeOf = ({ settings }: Resource): SchemaCheckMode => settings.schemaCheck

/** Returns the published models, and the models of users and roles even if these are not published. */
function comparedModels({ resources, users }: Registry): readonly ComparedModel[] {
  const internal = [users, users?.roles?.target].flatMap((one) => one ?? [])
  return [...new Set([...resources, ...internal])].map((resource) => {
    const { methods } = resource.settings
    const isPublished = resources.includes(resource)
    const creates = isPublished && methods.has('POST')
    const writes = creates || (isPublished && (methods.has('PATCH') || methods.has('PUT')))
    return { resource, creates, writes, methods: isPublished ? methods : new Set<string>() }
  })
}

const junctionsOf = ({ relations }: Resource): readonly TableName[] =>
  [...relations.values()].flatMap(({ through }) => through ?? [])

/** Thrown if the models cannot be compared with this database. */
class NotCompared extends Error {
  readonly isUnexpected: boolean
  constructor(message: string, isUnexpected: boolean, cause?: unknown) {
    super(message, { cause })
    this.isUnexpected = isUnexpected
  }
}

async function compared(
  models: readonly ComparedModel[],
  on: AnyDatabase,
  { dialect }: SchemaCheckOptions,
): Promise<readonly Difference[]> {
  const known = await dialect(on)
  const rules = schemaRulesOf(known)
  if (rules === undefined) {
    const reason = `the dialect "${known.name}" does not read schemas`
    throw new NotCompared(`The models were not compared with the database: ${reason}.`, false)
  }
  const named = {
    tables: models.flatMap(({ resource }) => [resource, ...junctionsOf(resource)]),
    hasRelations: models.some(({ resource }) => resource.relations.size > 0 || resource.roles),
  }
  const bounds = totalBounds({ deadline: longestRead })
  const read = async (own: AnyDatabase): Promise<readonly Difference[]> => {
    const differences: Difference[] = []
    const schema = await readSchema(own, rules, named)
    for (const one of [
      ...compareSchema(models, schema),
      ...(await findLacking(own, rules, models, schema)),
    ]) {
      if (one.kind !== 'never filled') {
        differences.push(one)
        continue
      }
      const mayFill = await rules.mayFill(own, one)
      // No declaration of a relation can say that the database fills a column of its links.
      if (one.links === undefined || !mayFill) differences.push({ ...one, mayFill })
    }
    return differences
  }
  try {
    return await onBoundedConnection(withoutPlugins(on), known, bounds, read)
  } catch (error) {
    const bounds = { deadline: longestRead }
    const lease = new Lease({ db: withoutPlugins(on), dialect: known, bounds })
    if (isTemporary(known.classify(error).kind) || !(await isReachable(lease))) {
      throw Object.assign(databaseUnavailable(), { cause: error })
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new NotCompared(
      `The models were not compared with the database (${settingNames.schemaCheck}): ${reason}`,
      true,
      error,
    )
  }
}

/** Whether the database responds to a query; also false if the host has closed its pool. */
const isReachable = (lease: Lease): Promise<boolean> =>
  lease.rows(sql`select 1 as ${sql.id('one')}`).then(
    () => true,
    () => false,
  )

function messageOf(differences: readonly Difference[]): string {
  const count = differences.length
  const lines = differences
    .slice(0, mostInMessage)
    .map((one) => `\n- ${describeDifference(one).message}`)
  const more = count > mostInMessage ? `\n… and ${count - mostInMessage} more.` : ''
  const places = count === 1 ? 'one place' : `${count} places`
  return `The models and the database differ in ${places} (${settingNames.schemaCheck}):${lines.join('')}${more}`
}
