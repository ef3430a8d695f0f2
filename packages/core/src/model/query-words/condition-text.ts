// Writes conditions (`{ price: { gt: 20 } }` → `price__gt=20`) and aggregates of related rows in the query language, without knowledge of models:
// for queries of the typed client, whose bundle contains this file, and for conditions that models declare. Names and values may come from outside
// of the program, so values are encoded, and a text that is not a name is refused.

type LooseObject = Readonly<Record<string, unknown>>

/** The names of all operators, to distinguish `{ gt: 20 }` from conditions on a relation. */
const operators =
  /^([ilg][te]|eq|ne|n?in|n?i?like|i?(start|end)swith|between|isnull|contains|overlaps)$/

/** Whether the value is an object and no list, so that it holds operators or conditions. */
export const isObject = (value: unknown): value is LooseObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether this is the condition on a column: a value, or an object of operators. If not, it has the conditions on a relation. */
const isColumn = (value: unknown): boolean =>
  !isObject(value) ||
  (Object.keys(value).length > 0 &&
    Object.entries(value).every(([name, operand]) => operators.test(name) && !isObject(operand)))

/** Encodes a value; in quotes if it may contain characters that the query language interprets. */
const valueText = (value: unknown): string => {
  const text = String(value)
  // A reference to an operation of a batch, whose text `{a.id}` is syntax (`client/reference.ts`).
  if (typeof value === 'function') return text
  return encodeURIComponent(/^[\w.:-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`)
}

/**
 * Returns a name, a path, or a part of a date, with `-` before it if it is an order. The query language uses dots for paths into json
 * columns, too. Throws a `TypeError` for any other text, which the server could read as several terms; `option` says in it where the name is.
 */
export function nameText(name: unknown, option = 'a condition'): string {
  const text = `${name}`
  if (!/^-?(\w+|(year|month|day)\(\w+\))(\.\w+)*(->[\w.-]+)?$/.test(text)) {
    throw new TypeError(`"${text}" in ${option} is not a name.`)
  }
  return text.replace('->', '.')
}

/** Returns the filters on a column, one for each operator: `price__gt=20`. */
function filters(column: string, value: unknown): string[] {
  if (value === null) return [`${nameText(column)}__isnull=true`]
  return Object.entries(isObject(value) ? value : { eq: value }).map(([operator, operand]) => {
    // Throws instead of omitting the condition, because the response would then contain records that the caller did not ask for.
    if (operand === undefined) throw new TypeError(`The condition on "${column}" is undefined.`)
    const text = Array.isArray(operand) ? `(${operand.map(valueText)})` : valueText(operand)
    return `${nameText(column)}__${operator}=${text}`
  })
}

/** Returns the conditions on one related record: `exists(author.name__ilike=austen)`; of deeper relations, an item for each. */
function related(path: string, where: LooseObject): string[] {
  const own: string[] = []
  const further: string[] = []
  for (const [name, value] of Object.entries(where)) {
    if (isColumn(value)) own.push(...filters(name, value))
    else further.push(...related(`${path}.${name}`, value as LooseObject))
  }
  // A condition on a further relation implies that the related record exists.
  if (!own[0] && further[0]) return further
  return [`exists(${nameText(path)}${own[0] ? `.${own}` : ''})`, ...further]
}

/** Returns the conditions of an object as one item of `or[…]` or `and[…]`. */
const group = (where: LooseObject): string => {
  const items = conditionTexts(where)
  return items.length === 1 ? `${items}` : `and[${items}]`
}

/**
 * Returns the conditions of an object; each is a parameter of a query or an item of a group.
 *
 * ```ts
 * conditionTexts({ or: [{ price: { lt: 5 } }, { author: { name: 'Emma' } }] }) // ['or[price__lt=5,exists(author.name__eq=Emma)]']
 * ```
 */
export function conditionTexts(where: LooseObject): string[] {
  return Object.entries(where).flatMap(([name, value]) => {
    if (name === 'not') return `not[${conditionTexts(value as LooseObject)}]`
    if (/^(or|and)$/.test(name)) {
      return `${name}[${(value as LooseObject[]).map(group)}]`
    }
    return isColumn(value) ? filters(name, value) : related(name, value as LooseObject)
  })
}

/**
 * Writes an aggregate of related rows. `path` leads to them, and for another function than `count` on to their column.
 *
 * ```ts
 * aggregateText('max', 'books.price', { in_stock: true }) // 'max(books[in_stock__eq=true].price)'
 * ```
 */
export function aggregateText(name: string, path: string, where: LooseObject = {}): string {
  const text = nameText(path, 'aggregate')
  // Of `books` in `books.details->size`.
  const { length } = name === 'count' ? text : path.replace(/\.[^.]*(->.*)?$/, '')
  const conditions = conditionTexts(where)
  const inside = conditions[0] ? `[${conditions}]` : ''
  return `${nameText(name, 'aggregate')}(${text.slice(0, length)}${inside}${text.slice(length)})`
}
