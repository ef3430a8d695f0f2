/** The models of random queries, with every column type and every shape of relation. */
import {
  type AnyModel,
  belongsTo,
  type Column,
  defineModel,
  hasMany,
  hasOne,
  manyToMany,
} from '@model-api/core'
import type { Filter, RelatedAggregate } from './query.ts'

/** An aggregate that a model declares, as the reference computes it. */
export interface Declared extends RelatedAggregate {
  readonly declared: string
  readonly where: readonly Filter[]
  /** Whether whole records contain it. */
  readonly sent: boolean
}

const test = (column: string, operator: Filter['operator'], operand: unknown): Filter => ({
  ...{ kind: 'filter', path: [], column, operator, operand },
})

/** The declared aggregates by model, along every kind of to-many path. */
const declaredByModel: Readonly<Record<string, readonly Declared[]>> = {
  Author: [
    {
      ...{ declared: 'd_poems', function: 'count', path: ['works'], sent: true },
      where: [test('kind', 'in', ['Poem', 'play'])],
    },
    {
      ...{ declared: 'd_income', function: 'sum', path: ['works', 'order_lines'], sent: false },
      ...{ column: 'amount', where: [test('quantity', 'ge', 0)] },
    },
    {
      ...{ declared: 'd_touched', function: 'max', path: ['friends', 'edited'], sent: true },
      ...{ column: 'touched', where: [] },
    },
    {
      ...{ declared: 'd_pages', function: 'avg', path: ['works'], sent: false },
      ...{ column: 'pages', where: [test('title', 'ne', 'a,b'), test('price', 'isnull', false)] },
    },
  ],
  Work: [
    {
      ...{ declared: 'd_notes', function: 'min', path: ['labels'], sent: false },
      ...{ column: 'note', where: [test('note', 'nin', ['', '"q"'])] },
    },
    {
      ...{ declared: 'd_stars', function: 'avg', path: ['order_lines', 'remarks'], sent: true },
      ...{ column: 'stars', where: [] },
    },
  ],
  Label: [
    {
      ...{ declared: 'd_sold', function: 'sum', path: ['works'], sent: true },
      ...{ column: 'sold', where: [] },
    },
    {
      ...{ declared: 'd_number', function: 'max', path: ['works'], sent: false },
      ...{ column: 'extra.n', where: [] },
    },
  ],
  OrderLine: [
    {
      ...{ declared: 'd_remarks', function: 'count', path: ['remarks'], sent: true },
      where: [test('stars', 'lt', 2.5)],
    },
  ],
}

export const declaredOf = ({ name }: AnyModel): readonly Declared[] => declaredByModel[name] ?? []

const declaring = (model: AnyModel): AnyModel => {
  const aggregates = declaredOf(model).map(({ declared, function: name, path, ...one }) => {
    const of = [...path, ...[one.column?.replace('.', '->') ?? []].flat()].join('.')
    const where = one.where.map(({ column, operator, operand }) => [
      column,
      { [operator]: operand },
    ])
    return [
      declared,
      { function: name, of, where: Object.fromEntries(where), sent: one.sent },
    ] as const
  })
  return { ...model, aggregates: Object.fromEntries(aggregates) }
}

/** A self-reference, two inverses from one table, a one-to-one, and a many-to-many with itself. */
const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 60, nullable: true },
    born: { type: 'date', nullable: true, column: 'born_on' },
    grade: { type: 'integer', nullable: true },
    mentor_id: { type: 'integer', nullable: true },
  },
  relations: {
    works: hasMany('Work', 'author_id'),
    edited: hasMany('Work', 'editor_id'),
    mentor: belongsTo('Author', 'mentor_id'),
    pupils: hasMany('Author', 'mentor_id'),
    badge: hasOne('Badge', 'author_id'),
    friends: manyToMany('Author', { through: 'friendships', from: 'author_id', to: 'friend_id' }),
    admirers: manyToMany('Author', { through: 'friendships', from: 'friend_id', to: 'author_id' }),
  },
  meta: {},
})

/** The paths into the documents of `extra`. */
export const documentPaths = {
  n: 'integer',
  r: 'float',
  'a.t': 'text',
  'a.b-1': 'boolean',
} as const

/** Every column type; two foreign keys to one table. */
const Work = defineModel('Work', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 60, nullable: true },
    body: { type: 'text', nullable: true },
    pages: { type: 'integer', nullable: true },
    sold: { type: 'bigint', nullable: true },
    rating: { type: 'float', nullable: true },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    printed: { type: 'boolean', nullable: true },
    kind: { type: 'enum', enum: ['novel', 'Poem', 'play'], nullable: true },
    released: { type: 'date', nullable: true },
    opens: { type: 'time', nullable: true },
    touched: { type: 'datetime', nullable: true },
    ref: { type: 'uuid', nullable: true },
    extra: { type: 'json', nullable: true, json: documentPaths },
    cover: { type: 'binary', nullable: true },
    author_id: { type: 'integer', nullable: true },
    editor_id: { type: 'integer', nullable: true },
  },
  relations: {
    author: belongsTo('Author', 'author_id'),
    editor: belongsTo('Author', 'editor_id'),
    labels: manyToMany('Label', { through: 'work_labels', from: 'work_id', to: 'label_id' }),
    order_lines: hasMany('OrderLine', 'work_id'),
  },
  meta: {},
})

/** A second unique key that others refer to. */
const Label = defineModel('Label', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    code: { type: 'string', maxLength: 20, unique: true },
    note: { type: 'string', maxLength: 60, nullable: true },
  },
  relations: {
    works: manyToMany('Work', { through: 'work_labels', from: 'label_id', to: 'work_id' }),
    badges: hasMany('Badge', 'label_code', { references: 'code' }),
  },
  meta: {},
})

/** A composite key, of text and number; a name of two words. */
const OrderLine = defineModel('OrderLine', {
  columns: {
    order_code: { type: 'string', maxLength: 20, primaryKey: true },
    line: { type: 'integer', primaryKey: true },
    work_id: { type: 'integer', nullable: true },
    quantity: { type: 'integer', nullable: true },
    amount: { type: 'decimal', precision: 10, scale: 3, nullable: true },
  },
  relations: {
    work: belongsTo('Work', 'work_id'),
    remarks: hasMany('Remark', ['line_code', 'line_no']),
  },
  meta: {},
})

/** A key that JavaScript's numbers do not hold; a reference to a unique key. */
const Badge = defineModel('Badge', {
  columns: {
    id: { type: 'bigint', primaryKey: true },
    author_id: { type: 'integer', nullable: true, unique: true },
    label_code: { type: 'string', maxLength: 20, nullable: true },
    motto: { type: 'text', nullable: true },
  },
  relations: {
    author: belongsTo('Author', 'author_id'),
    label: belongsTo('Label', 'label_code', { references: 'code' }),
  },
  meta: {},
})

/** A key that is a UUID; a reference to a composite key, of which either part may be null. */
const Remark = defineModel('Remark', {
  columns: {
    id: { type: 'uuid', primaryKey: true },
    line_code: { type: 'string', maxLength: 20, nullable: true },
    line_no: { type: 'integer', nullable: true },
    stars: { type: 'float', nullable: true },
    made: { type: 'datetime', nullable: true },
  },
  relations: { line: belongsTo('OrderLine', ['line_code', 'line_no']) },
  meta: {},
})

export const models: readonly AnyModel[] = [Author, Work, Label, OrderLine, Badge, Remark].map(
  declaring,
)

/** The endpoint of each model. */
export const endpoints: Readonly<Record<string, string>> = {
  Author: 'authors',
  Work: 'works',
  Label: 'labels',
  OrderLine: 'order-lines',
  Badge: 'badges',
  Remark: 'remarks',
}

export const junctions = ['friendships', 'work_labels'] as const

export type Relation = AnyModel['relations'][string]

export function modelNamed(name: string): AnyModel {
  const model = models.find((candidate) => candidate.name === name)
  if (model === undefined) throw new Error(`no model ${name}`)
  return model
}

export function relationOf(model: AnyModel, key: string): Relation {
  const relation = model.relations[key]
  if (relation === undefined) throw new Error(`${model.name} has no relation ${key}`)
  return relation
}

/** Returns the names that queries can use: the columns, and after each json column its paths, such as `extra.a.t`. */
export function queryColumns(model: AnyModel): Readonly<Record<string, Column>> {
  const columns: Record<string, Column> = {}
  for (const [field, column] of Object.entries(model.columns)) {
    columns[field] = column
    for (const [path, type] of Object.entries(column.json ?? {})) {
      columns[`${field}.${path}`] = { type, nullable: true }
    }
  }
  return columns
}

export const isToOne = ({ kind }: Relation): boolean => kind === 'belongsTo' || kind === 'hasOne'

export const primaryKey = (model: AnyModel): string[] =>
  Object.keys(model.columns).filter((field) => model.columns[field]?.primaryKey === true)

/** The model that a path leads to; the base itself if the path is empty. */
export function modelAt(base: AnyModel, path: readonly string[]): AnyModel {
  return path.reduce((model, key) => modelNamed(relationOf(model, key).target), base)
}

/** Whether every step of a path leads to at most one record. */
export function pathIsToOne(base: AnyModel, path: readonly string[]): boolean {
  return path.every((key, i) => isToOne(relationOf(modelAt(base, path.slice(0, i)), key)))
}

/** Returns every relation path of at most `steps` steps. */
export function pathsOf(base: AnyModel, steps: number): string[][] {
  if (steps === 0) return []
  return Object.entries(base.relations).flatMap(([key, relation]) => [
    [key],
    ...pathsOf(modelNamed(relation.target), steps - 1).map((rest) => [key, ...rest]),
  ])
}

/** Whether `next` leads back to the model from which `previous` came, by the same keys. */
export function isInverse(previous: Relation, source: AnyModel, next: Relation): boolean {
  const keys = (relation: Relation): string =>
    relation.kind === 'manyToMany' ? '' : [relation.key].flat().join()
  if (next.target !== source.name) return false
  if (previous.kind === 'manyToMany' || next.kind === 'manyToMany') {
    return (
      previous.kind === next.kind &&
      previous.kind === 'manyToMany' &&
      next.kind === 'manyToMany' &&
      previous.through === next.through &&
      previous.from === next.to &&
      previous.to === next.from
    )
  }
  // The foreign key is on exactly one side.
  const oneHolds = (previous.kind === 'belongsTo') !== (next.kind === 'belongsTo')
  return oneHolds && keys(previous) === keys(next)
}
