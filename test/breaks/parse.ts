/** Breaks of parsing query strings: separators, decoding, limits. */
import type { Break } from './break.ts'

export const parse: readonly Break[] = [
  {
    title: 'The number of conditions of a query is not limited',
    file: 'packages/core/src/query/parse/limits.ts',
    find: 'if (tally.conditions > value) {',
    replace: 'if (tally.conditions > 1e9) {',
    fails: 'test/contract/limits.test.ts',
  },
  {
    title: 'The number of values of a list is not limited',
    file: 'packages/core/src/query/parse/limits.ts',
    find: 'if (length > value) throw limitExceeded',
    replace: 'if (length > 1e9) throw limitExceeded',
    fails: 'test/contract/limits.test.ts',
  },
  {
    title: 'Groups may be nested until the stack overflows',
    file: 'packages/core/src/query/parse/limits.ts',
    find: 'if (depth > maxGroupDepth) {',
    replace: 'if (depth > 1e9) {',
    fails: 'test/contract/limits.test.ts',
  },
  {
    title: 'The second of two equal parameters is silently used',
    file: 'packages/core/src/query/parse/parameter.ts',
    find: 'if (draft.single[name] !== undefined) throw repeatedParameter(name, rawText(pair, 0, 0))',
    replace: '',
    fails: 'test/contract/query-parameters.test.ts',
  },
  {
    title: 'An encoded comma separates values',
    file: 'packages/core/src/query/parse/text-cursor.ts',
    find: "(char === ',' || char === '=') && (reading === 'decoded' || isRaw(pair, index))",
    replace: "char === ',' || char === '='",
    fails: 'test/contract/filtering.test.ts',
  },
  {
    title: 'A NUL character reaches the database',
    file: 'packages/core/src/query/parse/query-string.ts',
    find: "if (code === 0) throw forbiddenCharacter('a NUL character', at)",
    replace: '',
    fails: 'test/contract/filtering.test.ts',
  },
  {
    title: 'A lone surrogate reaches the database',
    file: 'packages/core/src/query/parse/query-string.ts',
    find: "if (!paired) throw forbiddenCharacter('half of a surrogate pair', at)",
    replace: '',
    fails: 'test/unit/parse/query-string.test.ts',
  },
  {
    title: 'An unknown parameter is ignored',
    file: 'packages/core/src/query/parse/parse-query.ts',
    find: 'throw noSuchParameter(pair, key, additional ?? none, filterLike)',
    replace: 'return',
    fails: 'test/contract/query-parameters.test.ts',
  },
  {
    title: 'Text after the closing bracket of a group is ignored',
    file: 'packages/core/src/query/parse/text-cursor.ts',
    find: 'if (atEnd(cursor)) return\n  throw malformedQuery(',
    replace: 'if (!atEnd(cursor) || true) return\n  throw malformedQuery(',
    fails: 'test/unit/parse/group.test.ts',
  },
  {
    title: 'A bracket after the relation of exists is not explained',
    file: 'packages/core/src/query/parse/terms/relation-filter-term.ts',
    find: "if (pair.text[end] === '[') throw",
    replace: "if (pair.text[end] === '{') throw",
    fails: 'test/contract/mistakes.test.ts',
  },
  {
    title: 'An order may have more terms than a query may have conditions',
    file: 'packages/core/src/query/parse/terms/order-term.ts',
    find: "countCondition(tally, rawText(pair, item.start, item.end), 'conditions and order terms')",
    replace: '',
    fails: 'test/regression/cursor-over-many-terms.test.ts',
  },
]
