/** Random records for bodies, from the declarations of models and the stored records, and faults in them. */
import type { AnyModel, Column, Relation } from '@model-api/core'
import { marks } from './hooks.ts'
import { type Any, diceOf, type Next, type Row } from './tools.ts'

export interface User {
  readonly id: number
  readonly roles: readonly string[]
}

/** The stored records. */
export interface Stored {
  readonly models: readonly AnyModel[]
  readonly rows: (model: AnyModel) => readonly Row[]
  /** The largest generated key so far. */
  readonly highest: (model: AnyModel) => number
}

export const primary = ({ columns }: AnyModel): string[] =>
  Object.keys(columns).filter((field) => columns[field]?.primaryKey)
export const keyOf = (model: AnyModel, row: Row): Row =>
  Object.fromEntries(primary(model).map((field) => [field, row[field]]))
/** The fields of this model by which a relation refers to another one. */
export const foreignFields = ({ kind, key }: Any): string[] =>
  kind === 'belongsTo' ? [key].flat() : []
/** The visible columns of each unique key. */
export const uniqueSets = (model: AnyModel): readonly (readonly string[])[] => [
  primary(model),
  ...Object.keys(model.columns).flatMap((field) => (model.columns[field]?.unique ? [[field]] : [])),
  ...(model.unique ?? []).map((set) => set.filter((field) => !model.columns[field]?.hidden)),
]
export const softDelete = ['deleted', 'deleted_at', 'gone']

const isCounted = ({ columns }: AnyModel): boolean => columns.id?.generated === true
const isReference = (_: Column, field: string): boolean =>
  /_id$|Id$/.test(field) && field !== 'owner_id'
const isRequired = ({ nullable, default: value }: Column): boolean =>
  !nullable && value === undefined
const isWritable = (field: string, { hidden, readOnly, managed, generated }: Column): boolean =>
  !hidden && !readOnly && !managed && !generated && !softDelete.includes(field)

interface Form {
  /** How many levels of related records it may have. */
  readonly depth?: number
  /** Whether it changes a stored record. */
  readonly change?: boolean
  /** Fields that something else sets. */
  readonly omit?: readonly string[]
}

/** A field that can be wrong, and its wrong value. */
type Fault = [
  can: (column: Column, field: string, model: AnyModel) => unknown,
  make: (model: AnyModel, field: string) => Any,
]

/** Returns functions that make the records of one request. */
export function bodyMaker(next: Next, user: User, { models, rows, highest }: Stored) {
  const { chance, one, times } = diceOf(next)
  const byName = new Map(models.map((model) => [model.name, model]))
  const named = (name: string): AnyModel => byName.get(name) as AnyModel
  const targetOf = ({ target }: Relation): AnyModel => named(target)
  /** The records of the body, wherever they are in it. */
  const nodes: { readonly model: AnyModel; readonly body: Row }[] = []

  const isSeen = ({ deleted, deleted_at, gone, owner_id, state }: Row): boolean =>
    !(deleted || deleted_at || gone || state === 'shut') &&
    (owner_id === undefined || owner_id === user.id || user.roles.includes('admin'))
  /** A stored record, seldom one that the caller may not see; undefined if there is none. */
  const some = (model: AnyModel): Row | undefined => {
    const all = rows(model)
    return one(chance(98) ? all.filter(isSeen) : all)
  }
  const several = (model: AnyModel, most: number): Row[] =>
    [...new Set(times(1 + next(most), () => some(model)))].filter((row) => row !== undefined)

  const value = (field: string, column: Column): Any => {
    const isUnique = column.unique || column.primaryKey || /^(name|number)$/.test(field)
    if (column.nullable && chance(15)) return null
    if (field === 'email') return `e${next(9000)}@x.org`
    if (column.type === 'enum') return one(column.enum ?? [])
    if (column.type === 'integer') return isUnique ? 100 + next(9000) : 1 + next(50)
    if (column.type === 'decimal') return one(['1.50', 2, '12.5', '3.00'])
    if (column.type === 'boolean') return chance(50)
    if (column.type === 'date') return `2024-0${field === 'ends' ? 6 : 5}-1${next(10)}`
    if (column.type === 'bigint') return one(['9007199254740993', 5])
    if (column.type === 'float') return one([0.5, -2, 1e20])
    if (column.type === 'binary') return 'SGVsbG8='
    if (column.type === 'datetime')
      return one(['2024-05-14T10:30:00Z', '2024-05-14T12:30:00+02:00'])
    if (column.type === 'time') return '10:30:00'
    if (column.type === 'json')
      return one<Any>([{ a: 1 }, { a: null, b: { c: [1] } }, [1, null], 'x'])
    return isUnique ? `${field[0]}${next(9000)}` : one(['one', "it's €", 'a "b" \\n', 'NULL', ''])
  }

  const record = (model: AnyModel, form: Form = {}): Row => {
    const { depth = 0, change = false, omit = [] } = form
    const body: Row = {}
    nodes.push({ model, body })
    const relations = Object.entries(model.relations)
    const set = [...relations.flatMap(([, relation]) => foreignFields(relation)), ...omit]
    // Short bodies repeat the statements of others.
    const isShort = depth === 0 && chance(40)
    for (const [field, column] of Object.entries(model.columns)) {
      if (!isWritable(field, column) || set.includes(field)) continue
      const isLeft = change
        ? column.primaryKey || column.immutable || chance(isShort ? 90 : 60)
        : !isRequired(column) && (isShort || chance(50))
      if (!isLeft) body[field] = value(field, column)
    }
    if (change && Object.keys(body).length === 0)
      body.note = value('note', model.columns.note as Column)
    for (const [name, relation] of relations) {
      if (relation.kind === 'belongsTo') setParent(model, body, name, form, isShort)
      else if (depth > 0 && chance(30)) setChildren(model, body, name, { depth, change })
    }
    return body
  }

  /** Sets a to-one relation by an object, or by the foreign key. */
  const setParent = (
    model: AnyModel,
    body: Row,
    name: string,
    form: Form,
    isShort: boolean,
  ): void => {
    const { depth = 0, change = false, omit = [] } = form
    const fields = foreignFields(model.relations[name])
    const columns = fields.map((field) => model.columns[field] as Column)
    const required = columns.some(isRequired)
    if (fields.some((field) => omit.includes(field))) return
    if (change && columns.some(({ primaryKey }) => primaryKey)) return
    if (!required && (isShort || chance(change ? 80 : 45))) return
    const target = targetOf(model.relations[name] as Relation)
    const row = some(target)
    if ((depth > 0 && chance(25)) || (required && row === undefined)) {
      body[name] = record(target, { depth: depth - 1 })
    } else if (row !== undefined && depth > 0 && chance(50)) {
      body[name] = keyOf(target, row)
    } else {
      const key =
        row === undefined || (!required && chance(10)) ? [] : Object.values(keyOf(target, row))
      for (const [i, field] of fields.entries()) body[field] = key[i] ?? null
    }
  }

  /** Sets a relation whose records refer to this one, or are linked to it. */
  const setChildren = (
    model: AnyModel,
    body: Row,
    name: string,
    form: Required<Omit<Form, 'omit'>>,
  ): void => {
    const relation = model.relations[name] as Any
    const target = targetOf(relation)
    const isLinks = relation.kind === 'manyToMany'
    // A change has other lists only where they are refused.
    if (form.change && !isLinks && chance(97)) return
    const omit = isLinks ? [] : [relation.key].flat()
    const made = (): Row => record(target, { depth: form.depth - 1, omit })
    const stored = several(target, 3).map((row) => keyOf(target, row))
    if (relation.kind === 'hasOne') body[name] = chance(80) ? made() : (stored[0] ?? null)
    else if (chance(10)) body[name] = []
    else if (isLinks) body[name] = [...stored, ...times(chance(30) ? 1 + next(2) : 0, made)]
    else body[name] = [...times(1 + next(3), made), ...(chance(20) ? stored : [])]
  }

  const targetOfKey = (model: AnyModel, field: string): AnyModel => {
    const found = Object.values(model.relations).find((one) => foreignFields(one)[0] === field)
    return found === undefined ? model : targetOf(found)
  }
  const faults: Readonly<Record<string, Fault>> = {
    reference: [isReference, () => 999_999],
    hidden: [
      isReference,
      (model, field) =>
        one(rows(targetOfKey(model, field)).filter((row) => !isSeen(row)))?.id ?? 999_998,
    ],
    guessed: [
      (column, field, model) => isReference(column, field) || (field === 'id' && isCounted(model)),
      (model, field) => highest(targetOfKey(model, field)) + 1 + next(2),
    ],
    check: [
      (_, field) => /^(age|width|points)$/.test(field),
      (_, field) => (field === 'points' ? 5000 : -1),
    ],
    trigger: [(_, field, { name }) => field === 'title' && name === 'Task', () => 'forbidden'],
    hook: [(_, field) => field === 'note', () => `!${one(marks)}`],
    'read-only': [
      ({ readOnly, managed }) => readOnly || managed,
      (_, field) => (field === 'badge' ? 'wrong' : '2001-01-01T00:00:00Z'),
    ],
    immutable: [({ immutable }) => immutable, () => 2],
    null: [(column, field) => isRequired(column) && isWritable(field, column), () => null],
    long: [({ maxLength }) => maxLength, () => 'x'.repeat(41)],
    type: [({ type }) => type === 'integer', () => 'text'],
    order: [(_, field) => field === 'ends', () => '2023-01-01'],
    'other field': [
      (_, field, model) => field === 'id' && isCounted(model),
      (model) => some(model)?.id ?? 1,
    ],
  }

  /** Makes a record of the body wrong, and returns how; empty if it has none. */
  const spoil = (): string => {
    for (let i = 0; i < 8 && nodes.length > 0; i += 1) {
      const { model, body } = one(nodes)
      const name = one([...Object.keys(faults), 'taken', 'taken', 'unknown'])
      if (name === 'unknown') {
        body.nope = 1
        return name
      }
      if (name === 'taken') {
        const set = one(uniqueSets(model).filter((fields) => !fields.includes('id')))
        const row = one(rows(model))
        if (set === undefined || row === undefined) continue
        for (const field of set) body[field] = row[field]
        return name
      }
      const [can, make] = faults[name] as Fault
      const field = one(
        Object.keys(model.columns).filter((field) =>
          can(model.columns[field] as Column, field, model),
        ),
      )
      if (field === undefined) continue
      body[field] = make(model, field)
      return name
    }
    return ''
  }

  return { named, targetOf, nodes, isSeen, some, several, record, spoil }
}
