/** Plans and query trees as short texts for golden files: names instead of objects, so that cycles end. */
import type {
  Condition,
  EmbedPlan,
  ListPlan,
  Operand,
  ReadPlan,
  RelatedRef,
  RowPlan,
} from '@model-api/core/internals'
import { printValue } from './print-value.ts'

/** Prints a query tree without spans and empty lists, and with fields and texts as the client wrote them. */
export function printAst(ast: Readonly<Record<string, unknown>>): string {
  const { raw: _, ...rest } = ast
  return printValue(rest, (key, value) => {
    if (key === 'span' || (Array.isArray(value) && value.length === 0 && key !== 'items')) {
      return undefined
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if (key === 'single' && Object.keys(value).length === 0) return undefined
    return shortened(value as Readonly<Record<string, unknown>>)
  })
}

function shortened(node: Readonly<Record<string, unknown>>): unknown {
  if ('column' in node && 'text' in node) return node.text
  if (node.kind === 'scalar') return node.quoted === true ? { quoted: node.text } : node.text
  if (node.kind === 'list' && Array.isArray(node.items)) return node.items
  const members = Object.keys(node).filter((key) => key !== 'span')
  return members.length === 1 && members[0] === 'text' ? node.text : node
}

/** Prints a plan with one line per decision, in the order of the planning passes. */
export function printPlan(plan: ReadPlan | ListPlan): string {
  const lines = [`${plan.action} ${plan.rows.shape}`, ...rowLines(plan.rows)]
  if ('page' in plan) lines.push(pageLine(plan.page))
  lines.push(`count ${plan.count}`, ...relationLines(plan))
  return lines.join('\n')
}

function rowLines(rows: RowPlan): string[] {
  const lines = [`from ${rows.from.resource.table}${as(rows.from)}`]
  for (const { type, from, relation, source } of rows.joins) {
    const many = relation.cardinality === 'many' ? ', many' : ''
    lines.push(`${type} join ${from.alias}.${relation.name}${as(source, relation.name)}${many}`)
  }
  if (rows.distinctBase) lines.push('distinct base: the joins only choose keys')
  for (const condition of rows.where) lines.push(`where ${conditionText(condition)}`)
  if (rows.groupBy.length > 0) lines.push(`group by ${rows.groupBy.map(operandText).join(', ')}`)
  for (const condition of rows.having) lines.push(`having ${conditionText(condition)}`)
  const members = rows.output.map(({ key, value, visible }) => {
    const text =
      value.kind === 'column' && value.column.name === key ? '' : ` = ${operandText(value)}`
    return visible ? `${key}${text}` : `(${key}${text})`
  })
  lines.push(`output ${members.join(', ')}`)
  const order = rows.order.map(({ operand, descending, nulls }) => {
    const usual = nulls === (descending ? 'first' : 'last')
    const direction = descending ? 'desc' : 'asc'
    return `${operandText(operand)} ${direction}${usual ? '' : ` nulls ${nulls}`}`
  })
  if (order.length > 0) lines.push(`order ${order.join(', ')}`)
  if (rows.distinctOn) {
    lines.push(`distinct on ${rows.distinctOn.map(({ column }) => column.name).join(', ')}`)
  }
  return lines
}

const as = (source: { alias: string; resource: { table: string } }, known?: string): string =>
  source.alias === (known ?? source.resource.table) ? '' : ` as ${source.alias}`

function pageLine(page: ListPlan['page']): string {
  if (page.kind === 'numbered') return `page ${page.number}: ${page.limit} rows from ${page.offset}`
  const place = page.values === null ? 'the start' : printValue(page.values)
  return `keyset: ${page.limit} rows ${page.direction} ${place}`
}

function relationLines(level: Pick<EmbedPlan, 'embeds' | 'links'>): string[] {
  const embeds = level.embeds.flatMap((embed) => {
    const limit = embed.limit === null ? '' : `, ${embed.limit} per parent`
    const inside = [...rowLines(embed.rows), ...relationLines(embed)]
    return [
      `embed ${embed.relation.name} (${embed.relation.cardinality}${limit})`,
      ...inside.map((line) => `  ${line}`),
    ]
  })
  const links = level.links.map(({ name }) => name)
  return links.length === 0 ? embeds : [...embeds, `links ${links.join(', ')}`]
}

function operandText(operand: Operand): string {
  if (operand.kind === 'column') return `${operand.source.alias}.${operand.column.name}`
  if (operand.kind === 'related') return relatedText(operand)
  const of = operandText(operand.of)
  return operand.kind === 'bucket' ? `${operand.unit}(${of})` : `${operand.function}(${of})`
}

function relatedText({ function: fn, from, path, where, of }: RelatedRef): string {
  const sources = path.map(({ source }) => source.alias)
  const conditions = where.length === 0 ? '' : `[${where.map(conditionText).join(' and ')}]`
  const column = of === undefined ? '' : `.${of.column.name}`
  return `${fn}(${[from.alias, ...sources].join(' -> ')}${conditions}${column})`
}

function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `(${condition.all.map(conditionText).join(` ${condition.kind} `)})`
    case 'not':
      return `not ${conditionText(condition.one)}`
    case 'exists': {
      const where = condition.where.map(conditionText).join(' and ')
      const negated = condition.negated ? 'not ' : ''
      const path = `${condition.from.alias}.${condition.relation.name}`
      return `${negated}exists ${path}${where === '' ? '' : ` where ${where}`}`
    }
    case 'linked': {
      const { source, name } = condition.relation
      return `linked by ${source.name}.${name}`
    }
    case 'keys': {
      const names = condition.columns.map(({ name }) => `${condition.source.alias}.${name}`)
      return `(${names.join(', ')}) in ${condition.keys.map((key) => printValue(key)).join(', ')}`
    }
    default:
      return leafText(condition)
  }
}

function leafText(condition: Extract<Condition, { operand: Operand }>): string {
  const operand = operandText(condition.operand)
  switch (condition.kind) {
    case 'compare':
      return `${operand} ${condition.operator} ${printValue(condition.value)}`
    case 'between':
      return `${operand} between ${printValue(condition.low)} and ${printValue(condition.high)}`
    case 'oneOf':
      return `${operand} ${condition.negated ? 'not in' : 'in'} ${printValue(condition.values)}`
    case 'text': {
      const how = `${condition.negated ? 'not ' : ''}${condition.match}`
      return `${operand} ${how} ${printValue(condition.text)}${condition.ignoreCase ? ', any case' : ''}`
    }
    case 'items':
      return `${operand} ${condition.match} ${printValue(condition.values)}`
    case 'found':
      return `the index ${condition.index.index} finds ${printValue(condition.words)}`
    case 'isNull':
      return `${operand} is ${condition.negated ? 'not ' : ''}null`
  }
}
