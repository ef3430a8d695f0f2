// Schemas of records: in responses, also with `fields` and groups, and in the bodies of POST, PATCH and PUT.

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
import type { RecordForm, Records } from '../form.ts'
import { type Schema, shapedByCallback } from './schema.ts'
import { orNull, readSchema, writeSchema } from './value-schemas.ts'

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
          columnsOf(resource).map((column) => [column.name, readSchema(column)]),
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
  return records.components.form.records.selected(records, resource, whole)
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
      additionalProperties: open ? {} : (openness(resource).additionalProperties ?? true),
    }),
  )
}

/** Returns one schema for the rows of all resources with `fields`, `groupby` or aggregates. */
const anySelectionRef = ({ components }: Records): ReferenceObject =>
  components.schema('selection', 'Selection', () => ({
    type: 'object',
    description:
      'The members that `fields`, `groupby` and aggregates name, each as in the record, or null.',
  }))

/**
 * Returns the schema of a member that may come from a joined record: `fields=author.name` gives a member `name`, null without an
 * author.
 */
const joinedSchema = ({ alike }: Records, column: NamedColumn): Schema =>
  alike.has(column.name) ? orNull(partSchema(column)) : {}

/** Returns the schema of a column's value without the description, which is in the schema of the whole record. */
const partSchema = (column: NamedColumn): Schema => undescribed(readSchema(column))

const undescribed = ({ description: _, examples: __, ...schema }: Schema): Schema => schema

/** Returns the schema of a relation in a record: a URL, or the related records. All relations to the same target share it. */
function relationSchema(records: Records, relation: ResolvedRelation): Schema | ReferenceObject {
  const { target, cardinality, address } = relation
  if (address === null) return embeddedOnly(records, relation)
  const { components } = records
  const { name } = target
  const { url, described } = components.form.records
  const embedded = embeddedRecord(records, target)
  return cardinality === 'many'
    ? components.schema(`related list of ${name}`, `Related${name}List`, () => ({
        ...described('URL of the records, or the records where they are embedded.'),
        anyOf: [url, { type: 'array', items: embedded }],
      }))
    : components.schema(`related ${name}`, `Related${name}`, () => ({
        ...described('URL of the record, or the record where it is embedded; null without one.'),
        anyOf: [orNull(url), ...alternatives(embedded)],
      }))
}

/** Returns the schema of an embedded record: whole, or the fields that the query selects. */
function embeddedRecord(records: Records, target: Resource): Schema | ReferenceObject {
  const whole = recordRef(records, target)
  return target.settings.allowSelectFields
    ? records.components.form.records.selected(records, target, whole)
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
      ...components.form.records.described(bodyTextOf(columns, mode)),
      ...components.form.records.body(records, resource, mode),
      ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    }
  })
}

const writtenColumns = (resource: Resource, mode: WriteMode): readonly NamedColumn[] =>
  [...resource.bodyColumns.values()].filter(
    (column) => unwritable(resource, column, mode) === undefined,
  )

/** Returns the schema of a request body. If it has all members of the body of PATCH, it refers to that body's schema for them. */
function membersBesidesPatch(records: Records, resource: Resource, mode: WriteMode): Schema {
  const properties = writtenMembers(records, resource, mode)
  if (mode === 'update' || !resource.settings.methods.has('PATCH'))
    return { type: 'object', properties }
  const patched = writtenMembers(records, resource, 'update')
  if (Object.keys(patched).some((name) => !(name in properties)))
    return { type: 'object', properties }
  const own = Object.entries(properties).filter(
    ([name, schema]) => JSON.stringify(schema) !== JSON.stringify(patched[name]),
  )
  return {
    allOf: [writtenRef(records, resource, 'update')],
    ...(own.length === 0 ? {} : { properties: Object.fromEntries(own) }),
  }
}

const writtenMembers = (
  records: Records,
  resource: Resource,
  mode: WriteMode,
): Record<string, Schema | ReferenceObject> =>
  Object.fromEntries([
    ...writtenColumns(resource, mode).map(
      (column) => [column.name, records.components.form.records.written(column, mode)] as const,
    ),
    ...nestedRelations(resource, mode).map(
      (relation) => [relation.name, nestedSchema(records, relation, mode)] as const,
    ),
  ])

/** Returns the schema of an item of a list in PATCH: the key of a record, and the fields to change. */
export function listedChangeRef(records: Records, resource: Resource): ReferenceObject {
  const { components } = records
  return components.schema(
    `listed ${resource.name}`,
    `Listed${names.update}${resource.name}`,
    () => ({
      allOf: [
        writtenRef(records, resource, 'update'),
        {
          type: 'object',
          properties: Object.fromEntries(
            resource.primaryKey.map((column) => [column.name, writeSchema(column, 'update')]),
          ),
          required: resource.primaryKey.map(({ name }) => name),
        },
      ],
    }),
  )
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

function nestedSchema(
  records: Records,
  relation: ResolvedRelation,
  mode: WriteMode,
): Schema | ReferenceObject {
  const { target, cardinality, kind } = relation
  const { described, nested, child } = records.components.form.records
  const isChild = mode !== 'create' && kind === 'hasMany'
  const one = isChild ? child(records, relation) : nested(records, target)
  const description = described(
    isChild
      ? 'New children, and the fields to change of existing ones, by their key.'
      : 'New records, or existing ones by their key.',
  )
  return cardinality === 'many'
    ? { ...description, type: 'array', items: one }
    : { ...description, ...one }
}

/**
 * Returns the schema of an object in a list of children of a stored record: a new child, or the key of one, as far as the parent does not
 * set it, and the fields to change. The name of the component of the key begins with `owner`.
 */
function childSchema(
  records: Records,
  { target, to }: ResolvedRelation,
  keyOf: (key: readonly NamedColumn[]) => ReferenceObject,
): Schema | ReferenceObject {
  const key = target.primaryKey.filter((column) => !to.includes(column))
  if (key.length === 0 || !target.settings.methods.has('PATCH')) {
    return records.components.form.records.nested(records, target)
  }
  const change = { allOf: [writtenRef(records, target, 'update'), keyOf(key)] }
  return { anyOf: [writtenRef(records, target, 'create'), change] }
}

/** Describes each record, body and relation completely. */
export const ownRecords: RecordForm = {
  described: (description) => ({ description }),
  url: { type: 'string', format: 'uri-reference' },
  selected: (records, resource, whole) => ({ anyOf: [whole, selectionRef(records, resource)] }),
  body: (records, resource, mode) => ({
    type: 'object',
    properties: writtenMembers(records, resource, mode),
  }),
  nested: (records, target) => ({
    anyOf: [
      writtenRef(records, target, 'create'),
      linkRef(records, target.primaryKey, target.name, readSchema),
    ],
  }),
  child: (records, relation) =>
    childSchema(records, relation, (key) =>
      linkRef(records, key, childName(relation, key), readSchema),
    ),
  written: writeSchema,
}

/** Describes what records, bodies and relations have in common once, in shared components. */
export const sharedRecords: RecordForm = {
  described: () => ({}),
  url: { type: 'string' },
  selected: (records, { name }, whole) =>
    records.components.schema(`row ${name}`, `${name}Row`, () => ({
      anyOf: [whole, anySelectionRef(records)],
    })),
  body: membersBesidesPatch,
  nested: (records, target) =>
    records.components.schema(`nested ${target.name}`, `Nested${target.name}`, () => ({
      anyOf: [
        writtenRef(records, target, 'create'),
        linkRef(records, target.primaryKey, keyName(target.primaryKey), partSchema),
      ],
    })),
  child(records, relation) {
    let name = ''
    const schema = childSchema(records, relation, (key) => {
      name = `Child${childName(relation, key)}`
      return linkRef(records, key, keyName(key), partSchema)
    })
    return '$ref' in schema ? schema : records.components.schema(name, name, () => schema)
  },
  written: (column, mode) => undescribed(writeSchema(column, mode)),
}

/** Returns a name for the children of a relation, with their key if the parent sets a part of it: `LineCode`. */
const childName = ({ target }: ResolvedRelation, key: readonly NamedColumn[]): string => {
  const own = key.length < target.primaryKey.length ? key : []
  return target.name + own.map(({ name }) => toCase(name, 'pascal')).join('')
}

/** Returns a name made of the columns of the key and their types: `Id_integer`. */
const keyName = (key: readonly NamedColumn[]): string =>
  key.map(({ name, type }) => `${toCase(name, 'pascal')}_${type}`).join('_')

/** Returns the schema of a link to an existing record, by its key. The name of the component begins with `owner`. */
function linkRef(
  { components }: Records,
  key: readonly NamedColumn[],
  owner: string,
  schemaOf: (column: NamedColumn) => Schema,
): ReferenceObject {
  const properties = Object.fromEntries(
    key.map((column) => [column.name, schemaOf(column)] as const),
  )
  return components.schema(`link ${owner} ${JSON.stringify(properties)}`, `${owner}Link`, () => ({
    type: 'object',
    ...components.form.records.described('An existing record, by its key.'),
    properties,
    required: Object.keys(properties),
  }))
}

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
