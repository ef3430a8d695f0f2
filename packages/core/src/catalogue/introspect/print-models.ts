// printModels: model definitions → the text of the TypeScript module that declares them, which the command `model-api models` writes to a file.

import type { AnyModel } from '../../model/define-model.ts'
import type { Key, Relation } from '../../model/relation.ts'
import type { RelationDeletes } from './relations/relations.ts'

/** The longest line of a written list or object; a longer one is broken at its outermost bracket. */
const lineWidth = 100

/**
 * Writes models as a TypeScript module; importing it gives equal models.
 *
 * ```ts
 * const { models } = await introspect(db)
 * await writeFile('models.ts', printModels(models))
 * // export const Album = defineModel('Album', { table: 'albums', columns: { id: { type: 'integer', … } }, … })
 * ```
 *
 * `deletes`, of the result of `introspect`, become comments beside the relations.
 *
 * Functions (validators, computed columns, methods) cannot be written; a model that has one is refused.
 */
export function printModels(
  models: readonly AnyModel[],
  { deletes = [] }: { readonly deletes?: readonly RelationDeletes[] } = {},
): string {
  const functions = new Set(['defineModel'])
  for (const model of models) {
    for (const relation of Object.values(model.relations)) functions.add(relation.kind)
  }
  const imports = `import { ${[...functions].sort().join(', ')} } from '@model-api/core'\n`
  const names = models.map((model) => model.name)
  const list = bracketed('export const models = [', names, '] as const')
  return [imports, ...models.map((model) => printModel(model, deletes)), `${list}\n`].join('\n')
}

/** Writes `export const Album = defineModel('Album', { … })`. */
function printModel(model: AnyModel, deletes: readonly RelationDeletes[]): string {
  const { computed, aggregates, methods } = model
  if ([computed, aggregates, methods].some((option) => Object.keys(option).length > 0)) {
    throw new Error(
      `printModels: ${model.name} has computed columns, aggregates or methods, which are not written as text.`,
    )
  }
  const columns = members(model.columns, print, model.name)
  const relations = members(model.relations, printRelation, model.name, (name) => {
    const found = deletes.find((rule) => rule.model === model.name && rule.relation === name)
    return found === undefined ? '' : ` // in the database: ON DELETE ${found.rule.toUpperCase()}`
  })
  return [
    `export const ${model.name} = defineModel(${quote(model.name)}, {`,
    `  table: ${quote(model.table)},`,
    ...(model.schema === undefined ? [] : [`  schema: ${quote(model.schema)},`]),
    ...(model.description === undefined ? [] : [`  description: ${quote(model.description)},`]),
    '  columns: {',
    ...columns,
    '  },',
    ...(model.readOnly === true ? ['  readOnly: true,'] : []),
    ...(model.unique === undefined
      ? []
      : // `used` counts the characters of `unique: ` and `meta: `.
        [`  unique: ${print(model.unique, { indent: 1, used: 8 }, `${model.name}.unique`)},`]),
    ...(relations.length === 0 ? [] : ['  relations: {', ...relations, '  },']),
    ...(model.meta === undefined
      ? []
      : [`  meta: ${print(model.meta, { indent: 1, used: 6 }, `${model.name}.meta`)},`]),
    '})\n',
  ].join('\n')
}

/** The position of a text: its level of indentation, and the number of characters before it on its line. */
interface Place {
  readonly indent: number
  readonly used: number
}

/**
 * Writes the entries of `columns` or `relations`, one a line: `    id: { type: 'integer' },`. Errors name an entry by its `owner`, `Book.id`;
 * `comment` returns what follows it on the line.
 */
function members<T>(
  record: Readonly<Record<string, T>>,
  write: (member: T, place: Place, path: string) => string,
  owner: string,
  comment: (name: string) => string = () => '',
): string[] {
  return Object.entries(record).map(([name, member]) => {
    const start = `${property(name)}: `
    return `    ${start}${write(member, { indent: 2, used: start.length }, `${owner}.${name}`)},${comment(name)}`
  })
}

/** Writes `hasMany('Track', 'album_id')`. */
function printRelation(relation: Relation, place: Place): string {
  const target = quote(relation.target)
  if (relation.kind === 'manyToMany') {
    const { through, schema, from, to, repeats } = relation
    const names = { through, ...(schema === undefined ? {} : { schema }), from, to }
    const flags = repeats === undefined ? [] : [`repeats: ${repeats}`]
    return bracketed(`manyToMany(${target}, {`, [...pairs(names), ...flags], '})', place)
  }
  const key = printKey(relation.key)
  const { references } = relation
  const onDelete = 'on_delete' in relation ? relation.on_delete : undefined
  const options = [
    ...(references === undefined ? [] : [`references: ${printKey(references)}`]),
    ...(onDelete === undefined ? [] : [`on_delete: ${quote(onDelete)}`]),
  ].join(', ')
  return `${relation.kind}(${target}, ${key}${options && `, { ${options} }`})`
}

const printKey = (key: Key): string =>
  typeof key === 'string' ? quote(key) : `[${key.map(quote).join(', ')}]`

/** `through: 'book_tags'`, `from: 'book_id'` … */
const pairs = (record: Readonly<Record<string, Key>>): string[] =>
  Object.entries(record).map(([name, key]) => `${name}: ${printKey(key)}`)

/** Writes a value as a literal. `path` names it in an error. */
function print(value: unknown, place: Place, path: string): string {
  if (typeof value === 'string') return quote(value)
  // Inner values are formatted on their own; if a line is too long, the outermost bracket breaks first.
  const inner = { indent: place.indent + 1, used: 0 }
  if (Array.isArray(value)) {
    const items = value.map((item) => print(item, inner, path))
    return bracketed('[', items, ']', place)
  }
  if (typeof value === 'object' && value !== null) {
    const items = Object.entries(value).map(
      ([name, item]) => `${property(name)}: ${print(item, inner, `${path}.${name}`)}`,
    )
    return items.length === 0 ? '{}' : bracketed('{', items, '}', place)
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return String(value)
  }
  throw new Error(`printModels: ${path} is a ${typeof value}, which cannot be written as text.`)
}

/** Writes the items on one line if they fit, otherwise one item per line. */
function bracketed(
  open: string,
  items: readonly string[],
  close: string,
  { indent, used }: Place = { indent: 0, used: 0 },
): string {
  const space = open.endsWith('{') ? ' ' : ''
  const line = `${open}${space}${items.join(', ')}${space}${close}`
  // One character is left for the comma after the bracket.
  if (indent * 2 + used + line.length < lineWidth && !line.includes('\n')) return line
  const margin = '  '.repeat(indent)
  return `${open}\n${items.map((item) => `${margin}  ${item},\n`).join('')}${margin}${close}`
}

/** Writes the name of a member, in quotes only if it is no identifier. */
const property = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name))

/** Writes a string in single quotes, with JSON's escapes. */
function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
