// ExclusionRule: the option `exclude` of a model, by which no two of its records overlap. `registry/resolve-exclusions.ts` checks and resolves it.
// Types only.

/** The options of a rule that are no columns. */
type RuleOption = 'name' | 'period' | 'where'

/**
 * A rule by which no two records overlap: those with equal values in the columns that are `'equal'`, and periods that have a moment in common.
 *
 * ```ts
 * exclude: { technician_id: 'equal', period: ['starts_at', 'ends_at'], where: { status: { ne: 'cancelled' } } }
 * // POST /api/appointments → 409, code "overlap"
 * ```
 */
export type ExclusionRule<Field extends string = string> = string extends Field
  ? DeclaredRule
  : RuleOn<Field>

/** A rule whose columns TypeScript does not know. */
export interface DeclaredRule {
  readonly name?: string
  readonly period: readonly [start: string, end: string]
  readonly where?: Readonly<Record<string, unknown>>
  /** `'equal'` for each other column. */
  readonly [column: string]: unknown
}

/** A rule of a model with these fields. */
type RuleOn<Field extends string> = {
  /** The name of the rule, which a 409 tells the client. Default: its columns. */
  readonly name?: string
  /**
   * The columns with the start and the end of a record's period: two dates, datetimes, times or numbers of one type. The start belongs to
   * the period, and the end does not. NULL is no limit.
   */
  readonly period: readonly [start: Field, end: Field]
  /**
   * Which records the rule is about: conditions on columns of the model, as in the `where` of the typed client. Default: all. Records that
   * are marked as deleted never count.
   */
  readonly where?: { readonly [name in Field | 'and' | 'or' | 'not']?: unknown }
} & {
  /** Only records with equal values exclude each other; those with NULL exclude none. */
  readonly [name in Exclude<Field, RuleOption>]?: 'equal'
}
