// JSON Schemas of records in the OpenAPI document: in responses (`Book`), also with `fields` and groups (`BookSelection`), and in the bodies of
// POST, PATCH and PUT (`NewBook`, `PatchBook`, `PutBook`).

import type { ReferenceObject } from 'openapi3-ts/oas31'
import { toCase } from '../../lib/naming/case.ts'
import {
  isRequired,
  isWriteOnly,
  unwritable,
  unwritableRelation,
  type WriteMode,
} from '../../model/registry/checks/field-rules.ts'
import { queryColumns } from '../../model/registry/json-paths.ts'
import type {
  NamedColumn,
  Registry,
  ResolvedRelation,
  Resource,
} from '../../model/registry/resource.ts'
import type { Components } from './components.ts'
import { type Schema, shapedByCallback } from './schema.ts'
import { orNull, responseSchema, writeSchema } from './value-schemas.ts'

/** The document for which record schemas are built. */
export interface Records {
  readonly components: Components
  /** Column names that have the same type in every resource. */
  readonly alike: ReadonlySet<string>
}

/**
 * Returns the column names that have the same type in every resource. Computed once, because comparing all models with each other
 * is quadratic.
 */
export function namesAlike({ resources }: Registry): ReadonlySet<string> {
  const first = new Map<string, NamedColumn>()
  const different = new Set<string>()
  for (const column of resources.flatMap(queryColumns)) {
    const other = first.get(column.name) ?? column
    first.set(column.name, other)
    const { type, scale, enum: values } = column
    if (type !== other.type || scale !== other.scale || values !== other.enum) {
      different.add(column.name)
    }
  }
  return new Set([...first.keys()].filter((name) => !different.has(name)))
}

/** Returns the schema of a whole record: every visible column, relations as URLs or embedded. */
function recordRef(records: Records, resource: Resource): ReferenceObject {
  const { components } = records
  return components.schema(resource.name, resource.name, () => {
    const relations = resource.settings.addRelations ? [...resource.relations.values()] : []
    return {
      type: 'object',
      ...describedBy(resource),
      ...openness(resource),
      properties: {
        ...Object.fromEntries(
          [...columnsOf(resource), ...resource.aggregates.values()].map((column) => [
            column.name,
            responseSchema(column),
          ]),
        ),
        ...Object.fromEntries(
          relations.map((relation) => [relation.name, relationSchema(records, relation)]),
        ),
      },
      required: columnsOf(resource)
        .filter(({ definition }) => definition.read === undefined)
        .map(({ name }) => name),
    }
  })
}

/** Returns the schema of a record as a read returns it: whole, or the fields that the query selects. */
export function answeredRecord(records: Records, resource: Resource): Schema | ReferenceObject {
  const whole = recordRef(records, resource)
  const { allowSelectFields } = resource.settings
  if (!allowSelectFields && !makesRows(resource)) return whole
  return { anyOf: [whole, selectionRef(records, resource)] }
}

/** Whether rows of a list can have members that are not columns of the resource. */
const makesRows = ({ settings }: Resource): boolean =>
  settings.allowGroupby || settings.allowAggregation

/** Returns the schema of a row with `fields`, `groupby` or aggregates. */
function selectionRef(records: Records, resource: Resource): ReferenceObject {
  const { allowJoin, allowSelectFields } = resource.settings
  const joined = allowJoin && allowSelectFields && resource.relations.size > 0
  const open = joined || makesRows(resource)
  const asked = [
    ...(allowSelectFields ? ['`fields`'] : []),
    ...(makesRows(resource) ? ['`groupby`', 'aggregates'] : []),
  ]
  return records.components.schema(
    `selection ${resource.name}`,
    `${resource.name}Selection`,
    () => ({
      type: 'object',
      description: `What ${asked.join(', ')} leave of a record${open ? ', and members that the query names' : ''}.`,
      properties: Object.fromEntries(
        queryColumns(resource).map((column) => [
          column.name,
          joined ? joinedSchema(records, column) : partSchema(column),
        ]),
      ),
      // `{}` allows the members that a query names; without them, members are allowed as in the whole record.
      additionalProperties: open ? {} : (openness(resource).additionalProperties ?? true),
    }),
  )
}

/**
 * Returns the schema of a member that may come from a joined record: `fields=author.name` gives a member `name`, null without an
 * author.
 */
const joinedSchema = ({ alike }: Records, column: NamedColumn): Schema =>
  alike.has(column.name) ? orNull(partSchema(column)) : {}

/** Returns the schema of a column's value without the description, which is in the schema of the whole record. */
function partSchema(column: NamedColumn): Schema {
  const { description: _, examples: __, ...schema } = responseSchema(column)
  return schema
}

const url: Schema = { type: 'string', format: 'uri-reference' }

/** Returns the schema of a relation in a record: a URL, or the related records. All relations to the same target share it. */
function relationSchema(records: Records, relation: ResolvedRelation): Schema | ReferenceObject {
  const { target, cardinality, address } = relation
  if (address === null) return embeddedOnly(records, relation)
  const { components } = records
  const { name } = target
  const embedded = embeddedRecord(records, target)
  return cardinality === 'many'
    ? components.schema(`related list of ${name}`, `Related${name}List`, () => ({
        description: 'URL of the records, or the records where they are embedded.',
        anyOf: [url, { type: 'array', items: embedded }],
      }))
    : components.schema(`related ${name}`, `Related${name}`, () => ({
        description: 'URL of the record, or the record where it is embedded; null without one.',
        anyOf: [orNull(url), ...alternatives(embedded)],
      }))
}

/** Returns the schema of an embedded record: whole, or the fields that the query selects. */
function embeddedRecord(records: Records, target: Resource): Schema | ReferenceObject {
  const whole = recordRef(records, target)
  return target.settings.allowSelectFields
    ? { anyOf: [whole, selectionRef(records, target)] }
    : whole
}

/** Returns the alternatives of a schema (`anyOf`), or the schema itself as the only one. */
export const alternatives = (
  schema: Schema | ReferenceObject,
): readonly (Schema | ReferenceObject)[] => ('anyOf' in schema && schema.anyOf) || [schema]

/** Returns the schema of a relation without a URL, which is absent unless it is embedded. */
function embeddedOnly(records: Records, { target, cardinality }: ResolvedRelation): Schema {
  const embedded = alternatives(embeddedRecord(records, target))
  return cardinality === 'many'
    ? {
        description: `The related ${target.endpoint}, where they are embedded.`,
        type: 'array',
        items: { anyOf: [...embedded] },
      }
    : {
        description: `The related ${target.name}, where it is embedded; null where there is none.`,
        anyOf: [{ type: 'null' }, ...embedded],
      }
}

const names: Readonly<Record<WriteMode, string>> = {
  create: 'New',
  update: 'Patch',
  replace: 'Put',
}

/** Returns the schema of a request body. */
export function writtenRef(records: Records, resource: Resource, mode: WriteMode): ReferenceObject {
  const { components } = records
  return components.schema(`${mode} ${resource.name}`, `${names[mode]}${resource.name}`, () => {
    const columns = writtenColumns(resource, mode)
    const nested = nestedRelations(resource, mode)
    const filled = new Set(nested.flatMap(({ kind, from }) => (kind === 'belongsTo' ? from : [])))
    const required = columns.filter(
      (column) => isRequired(resource, column, mode) && !filled.has(column) && !hasRight(column),
    )
    return {
      description: bodyTextOf(columns, mode),
      type: 'object',
      properties: writtenMembers(records, resource, mode),
      ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    }
  })
}

const writtenColumns = (resource: Resource, mode: WriteMode): readonly NamedColumn[] =>
  [...resource.bodyColumns.values()].filter(
    (column) => unwritable(resource, column, mode) === undefined,
  )

const writtenMembers = (
  records: Records,
  resource: Resource,
  mode: WriteMode,
): Record<string, Schema | ReferenceObject> =>
  Object.fromEntries([
    ...writtenColumns(resource, mode).map(
      (column) => [column.name, writeSchema(column, mode)] as const,
    ),
    ...nestedRelations(resource, mode).map(
      (relation) => [relation.name, nestedSchema(records, relation, mode)] as const,
    ),
  ])

/**
 * Returns the schema of an item of a list in PATCH: the key of a stored record, or the part of it that the parent does not set
 * (`ListedPatchLineCode`), and the fields to change. It repeats the members of `PatchBook`, since an `allOf` with a reference to that
 * schema would contain itself where books have books as children, which Swagger UI cannot resolve.
 */
export function listedChangeRef(
  records: Records,
  resource: Resource,
  key: readonly NamedColumn[] = resource.primaryKey,
): ReferenceObject {
  const required = key.map(({ name }) => name)
  const part = key.length < resource.primaryKey.length ? required : []
  const wanted = `Listed${names.update}${resource.name}${part.map((name) => toCase(name, 'pascal')).join('')}`
  return records.components.schema(`listed ${resource.name} ${required}`, wanted, () => ({
    description: 'An existing record, by its key, and the fields to change.',
    type: 'object',
    properties: {
      ...Object.fromEntries(key.map((column) => [column.name, writeSchema(column, 'update')])),
      ...writtenMembers(records, resource, 'update'),
    },
    required,
  }))
}

const bodyText: Readonly<Record<WriteMode, string>> = {
  create: 'The fields of a new record.',
  update: 'The fields to change; the result of a GET of the record may be sent back.',
  replace: 'All fields of the record; those that are missing get their default or null.',
}

/** Returns what a body contains. PUT keeps write-only columns, which the client has not read. */
const bodyTextOf = (columns: readonly NamedColumn[], mode: WriteMode): string =>
  mode === 'replace' && columns.some(isWriteOnly)
    ? `${bodyText.replace} Write-only fields that are missing keep their values.`
    : bodyText[mode]

/** Returns the relations whose records a body may contain: all of them on create, otherwise all but one-to-one children. */
export function nestedRelations(resource: Resource, mode: WriteMode): readonly ResolvedRelation[] {
  if (!resource.settings.allowNestedWrites) return []
  return [...resource.relations.values()].filter(
    (relation) =>
      (mode === 'create' || relation.kind !== 'hasOne') &&
      unwritableRelation(relation, mode) === undefined,
  )
}

/** Returns the schema of a relation in a body: new records, or existing ones by their key. */
function nestedSchema(
  records: Records,
  relation: ResolvedRelation,
  mode: WriteMode,
): Schema | ReferenceObject {
  const { target, cardinality, kind } = relation
  const isChild = mode !== 'create' && kind === 'hasMany'
  const one = isChild ? childSchema(records, relation) : newOrLinked(records, target)
  const description = isChild
    ? 'New children, and the fields to change of existing ones, by their key.'
    : 'New records, or existing ones by their key.'
  return cardinality === 'many'
    ? { description, type: 'array', items: one }
    : { description, ...one }
}

/** Returns the schema of a record inside the body of another one: a new record, or the key of an existing one. */
const newOrLinked = (records: Records, target: Resource): Schema => ({
  anyOf: [writtenRef(records, target, 'create'), linkRef(records, target)],
})

/**
 * Returns the schema of an object in a list of children of a stored record: a new child, or the key of one, as far as the parent does not
 * set it, and the fields to change.
 */
function childSchema(records: Records, relation: ResolvedRelation): Schema {
  const { target, to } = relation
  const key = target.primaryKey.filter((column) => !to.includes(column))
  if (key.length === 0 || !target.settings.methods.has('PATCH')) {
    return newOrLinked(records, target)
  }
  return {
    anyOf: [writtenRef(records, target, 'create'), listedChangeRef(records, target, key)],
  }
}

/** Returns the schema of a link to an existing record, by its key. */
const linkRef = ({ components }: Records, { name: owner, primaryKey }: Resource): ReferenceObject =>
  components.schema(`link ${owner}`, `${owner}Link`, () => ({
    type: 'object',
    description: 'An existing record, by its key.',
    properties: Object.fromEntries(
      primaryKey.map((column) => [column.name, responseSchema(column)]),
    ),
    required: primaryKey.map(({ name }) => name),
  }))

/** Whether some callers may not write the column and must omit it. */
const hasRight = ({ definition: { read, write } }: NamedColumn): boolean =>
  read !== undefined || write !== undefined

const columnsOf = ({ columns }: Resource): readonly NamedColumn[] => [...columns.values()]

const describedBy = ({ settings }: Resource): Schema =>
  settings.description === undefined ? {} : { description: settings.description }

/** Forbids further members, unless a dump callback may add some. */
function openness({ settings }: Resource): Schema {
  const shaped = Object.values(settings.hooks).some(({ dump }) => dump !== undefined)
  return shaped ? { [shapedByCallback]: true } : { additionalProperties: false }
}
