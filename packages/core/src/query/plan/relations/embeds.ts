// The embed pass: plans a tree of embedded relations from the `dump` mode, the depth and the joins; all other relations become
// URLs (docs/reference/query-language.md).

import { featureDisabled, invalidParameter, notHere } from '../../../errors.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { NamedColumn, ResolvedRelation } from '../../../model/registry/resource.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { SerializationType } from '../../../model/settings/settings.ts'
import { parseBoolean } from '../../../model/types/boolean-type.ts'
import { sentAggregates } from '../aggregates/declared-aggregate-plan.ts'
import { planSelectedAggregates } from '../aggregates/selected-aggregates.ts'
import { createAliases } from '../aliases.ts'
import { type Labels, planWhere } from '../conditions/where.ts'
import { createSource, type PlanContext } from '../context.ts'
import type { Names } from '../names.ts'
import { planOrder } from '../order/order.ts'
import {
  allowFields,
  changedRecordOutput,
  hiddenKeys,
  planRecordChange,
  projectionOutput,
  recordOutput,
  selectsRecord,
} from '../output.ts'
import type { EmbedPlan, Output, RowPlan, Source } from '../plan.ts'
import { linksOnly, noRelations, type PlannedRelations } from '../shared-parts.ts'
import {
  type OptionsOfRelation,
  planRelationOptions,
  type RelationOptions,
} from './relation-options.ts'

/**
 * The values of `dump=`. `url` embeds nothing; `json` all relations, and `hybrid` the to-one ones, to the depth of the setting; `dynamic`
 * the relations that `join` names.
 */
const modes: readonly SerializationType[] = ['url', 'json', 'dynamic', 'hybrid']

/**
 * One level of the embed tree: the base, or the rows of an embedded relation, with the values that decide which relations of the level are
 * embedded.
 */
interface EmbedLevel {
  readonly context: PlanContext
  readonly mode: SerializationType
  /** How many more levels the modes json and hybrid may embed. */
  readonly remainingDepth: number
  /** The relation that embeds this level; its inverse becomes a URL, so that cycles end. */
  readonly parentRelation: ResolvedRelation | null
  /** Names of the relations from the base to here, separated by dots. */
  readonly path: string
  /** Paths of the relations named in `join`. */
  readonly joined: ReadonlySet<string>
  /** The options of all relations of the query. */
  readonly options: RelationOptions
}

/**
 * Validates `dump` and `dump_relationships` for projections and groups, which have no relations: a mode that embeds some is refused,
 * unless it is the default of the resource.
 */
export function checkRelationParameters(context: PlanContext): void {
  const mode = dumpMode(context)
  // Only for its 400.
  showsRelations(context)
  const { serializationType } = context.resource.settings
  if (mode === 'url' || mode === serializationType) return
  const at = `dump=${mode}`
  throw notHere(at, 'together with fields, groupby or aggregates, which have no relations', at)
}

/** Plans the relations of the base, apart from those that `fields` leaves out: embedded to the depth of the mode, as URLs beyond it. */
export function planRelations(
  context: PlanContext,
  names: Names,
  without: ReadonlySet<string> = nothing,
): PlannedRelations {
  const options = planRelationOptions(context)
  const mode = dumpMode(context)
  const relations = showsRelations(context)
    ? planLevel({
        context,
        mode,
        remainingDepth: context.resource.settings.serializationDepth ?? 1,
        parentRelation: null,
        path: '',
        joined: joinedPaths(names),
        options,
      })
    : noRelations
  options.refuseUnused()
  return leftOut(relations, without)
}

const nothing: ReadonlySet<string> = new Set()

/** Returns the relations whose names are not in `without`. */
function leftOut(all: PlannedRelations, without: ReadonlySet<string>): PlannedRelations {
  if (
    ![...all.embeds.map(({ relation }) => relation), ...all.links].some(({ name }) =>
      without.has(name),
    )
  )
    return all
  return {
    embeds: all.embeds.filter(({ relation }) => !without.has(relation.name)),
    links: all.links.filter(({ name }) => !without.has(name)),
  }
}

/** The mode that `dump=` asks for; the default of the resource if the query has no `dump`. */
function dumpMode(context: PlanContext): SerializationType {
  const text = context.ast.single.dump?.text
  if (text === undefined) return context.resource.settings.serializationType
  const mode = modes.find((known) => known === text)
  if (mode !== undefined) return mode
  throw invalidParameter('dump', text, `one of ${modes.join(', ')}`, didYouMean(text, modes))
}

/** Whether responses contain relations at all: `dump_relationships=false` and a setting leave them out. */
function showsRelations(context: PlanContext): boolean {
  const text = context.ast.single.dump_relationships?.text
  const shown = text === undefined ? true : parseBoolean(text)
  if (shown === undefined) throw invalidParameter('dump_relationships', text ?? '', 'true or false')
  return shown && context.resource.settings.addRelations
}

/** The paths of the joined relations, such as `author.publisher`. */
function joinedPaths(names: Names): ReadonlySet<string> {
  const paths = new Map<Source, string>([[names.base, '']])
  for (const join of names.joins) {
    paths.set(join.source, extend(paths.get(join.from) ?? '', join.relation.name))
  }
  return new Set(paths.values())
}

const extend = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** Plans all relations of a level: each is embedded or a URL. */
function planLevel(level: EmbedLevel): PlannedRelations {
  const embeds: EmbedPlan[] = []
  const links: ResolvedRelation[] = []
  for (const relation of level.context.resource.relations.values()) {
    const path = extend(level.path, relation.name)
    if (isEmbedded(level, relation, path)) embeds.push(planEmbed(level, relation, path))
    else if (relation.address !== null) links.push(relation)
  }
  return embeds.length === 0 ? linksOnly(level.context.resource) : { embeds, links }
}

/** Whether a relation is embedded: the mode wants it, and the caller may list its records. */
function isEmbedded(level: EmbedLevel, relation: ResolvedRelation, path: string): boolean {
  return isWanted(level, relation, path) && level.context.reach(relation.target)
}

/** Whether the mode embeds a relation of the level. */
function isWanted(level: EmbedLevel, relation: ResolvedRelation, path: string): boolean {
  if (level.mode === 'dynamic') return level.joined.has(path)
  if (level.mode === 'url' || level.remainingDepth < 1) return false
  if (relation === level.parentRelation?.inverse) return false
  return level.mode === 'json' || relation.cardinality === 'one'
}

/** Plans an embedded relation with its options, and the levels below it. */
function planEmbed(level: EmbedLevel, relation: ResolvedRelation, path: string): EmbedPlan {
  const options = level.options.of(path)
  // An embed is read by its own statement, so its aliases are independent.
  const context: PlanContext = {
    ...level.context,
    resource: relation.target,
    aliases: createAliases(),
  }
  const many = relation.cardinality === 'many'
  const source = createSource(context, relation.target, relation, relation.target.table, { many })
  const names: Names = {
    base: source,
    joins: [],
    takesJoins: false,
    lookUpStart: { repeated: false, nested: false },
  }
  const { fields } = options
  allowFields(context, fields)
  const aggregates = planSelectedAggregates(context, source, fields)
  const change =
    fields !== undefined && selectsRecord(fields)
      ? planRecordChange(context, names, fields, aggregates)
      : undefined
  const isRecord = fields === undefined || change !== undefined
  const all: PlannedRelations =
    isRecord && relation.target.settings.addRelations
      ? planLevel({
          ...level,
          context,
          remainingDepth: level.remainingDepth - 1,
          parentRelation: relation,
          path,
        })
      : noRelations
  const below = leftOut(all, change?.without ?? nothing)
  const keys = [...neededKeys(below), ...(relation.through === undefined ? relation.to : [])]
  const outputOf = (): readonly Output[] => {
    if (isRecord) {
      const sent = sentAggregates(context, source, planWhere)
      return change === undefined
        ? recordOutput(source, keys, sent)
        : changedRecordOutput(source, change, keys, sent)
    }
    const chosen = projectionOutput(context, names, fields, aggregates)
    return [...chosen, ...hiddenKeys(source, chosen, [...keys, ...relation.target.primaryKey])]
  }
  return {
    relation,
    rows: embeddedRows(context, names, options, { output: outputOf(), labels: aggregates.labels }),
    limit: limitPerParent(relation, options),
    ...below,
  }
}

/** Plans the related rows with the filters and the order of the relation's options. */
function embeddedRows(
  context: PlanContext,
  names: Names,
  options: OptionsOfRelation,
  { output, labels }: { readonly output: readonly Output[]; readonly labels: Labels },
): RowPlan {
  const { settings } = context.resource
  if (options.where.length > 0 && !settings.allowFilters) {
    throw featureDisabled('Filtering', settingNames.allowFilters, options.at)
  }
  if (options.order.length > 0 && !settings.allowOrderBy) {
    throw featureDisabled('Ordering', settingNames.allowOrderBy, options.at)
  }
  return {
    shape: 'records',
    from: names.base,
    joins: [],
    where: planWhere(context, names, options.where, labels),
    groupBy: [],
    having: [],
    output,
    order: planOrder(context, names, 'records', options.order, labels),
    distinctBase: false,
  }
}

/** Returns the limit given as `books.limit=3`, or null; refuses limit and order on a to-one relation. */
function limitPerParent(relation: ResolvedRelation, options: OptionsOfRelation): number | null {
  if (relation.cardinality === 'one' && (options.limit !== undefined || options.order.length > 0)) {
    throw notHere(options.at, `on "${relation.name}", which is a single object`, options.at)
  }
  if (options.limit === undefined) return null
  const { text } = options.limit
  const largest = relation.target.settings.limits.embeddedRows
  const limit = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= largest) return limit
  throw invalidParameter(`${relation.name}.limit`, text, `a whole number from 1 to ${largest}`)
}

/** Returns the columns of a source whose values find its embedded records and make its links. */
export function neededKeys({ embeds, links }: PlannedRelations): readonly NamedColumn[] {
  return [...embeds.map(({ relation }) => relation), ...links].flatMap(({ from }) => from)
}
