/** Helpers of the parse tests: parsing with high limits, nodes without spans, and the form of a refusal. */
import { ApiError } from '../../../packages/core/src/errors.ts'
import type { QueryAst } from '../../../packages/core/src/query/parse/ast.ts'
import {
  type ParseOptions,
  parseQuery,
} from '../../../packages/core/src/query/parse/parse-query.ts'
import { equal, fail } from '../../support/assert.ts'

export const limits: ParseOptions['limits'] = {
  conditions: { setting: 'MAX_CONDITIONS', value: 100 },
  relationFilters: { setting: 'MAX_RELATION_FILTERS', value: 100 },
  aggregates: { setting: 'MAX_AGGREGATES', value: 100 },
  list: { setting: 'MAX_LIST', value: 1000 },
}

export function parse(raw: string, additional: readonly string[] = []): QueryAst {
  return parseQuery(raw, { additional, limits })
}

/** A copy of an AST, or of a part of it, without spans. */
export function withoutSpans(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSpans)
  if (typeof node !== 'object' || node === null) return node
  // An aggregate of related rows has its text as written, blanks included.
  const isAggregate = 'kind' in node && node.kind === 'related'
  const kept = Object.entries(node).filter(
    ([key]) => key !== 'span' && key !== 'raw' && !(isAggregate && key === 'text'),
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutSpans(value)]))
}

/** One part of the parsed query, without spans. */
export function part<K extends keyof QueryAst>(raw: string, key: K): unknown {
  return withoutSpans(parse(raw)[key])
}

/** Requires that two spellings of a query are parsed alike. */
export function same(raw: string, other: string): void {
  equal(withoutSpans(parse(raw)), withoutSpans(parse(other)))
}

export function field(text: string): unknown {
  const names = text.split('.')
  return { path: names.slice(0, -1), column: names.at(-1), text }
}

export function scalar(text: string): unknown {
  return { kind: 'scalar', text, quoted: false }
}

export function quoted(text: string): unknown {
  return { kind: 'scalar', text, quoted: true }
}

export function list(...items: unknown[]): unknown {
  return {
    kind: 'list',
    items: items.map((item) => (typeof item === 'string' ? scalar(item) : item)),
  }
}

/** `filter('price', 'ge', '30')`; a string stands for unquoted text. */
export function filter(name: string, operator: string, value: unknown): unknown {
  return {
    kind: 'filter',
    field: field(name),
    operator,
    value: typeof value === 'string' ? scalar(value) : value,
  }
}

/** Returns the error of a query; fails unless it is a 400 of the service. */
export function refusal(raw: string, additional: readonly string[] = []): ApiError {
  try {
    parse(raw, additional)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  }
  return fail(`"${raw}" was accepted`)
}

/** `at` defaults to the whole query. */
export function refuses(raw: string, reason: string, at: string = raw): void {
  refusesAs('malformed_query', raw, reason, at)
}

export function refusesAs(code: string, raw: string, reason: string, at: string = raw): void {
  equal(refusal(raw).body, { error: 'Bad Request', reason, code, at })
}
