/** Breaks of SQL text: identifiers, templates, skeletons, prepared statements, JSON. */
import type { Break } from './break.ts'

export const statements: readonly Break[] = [
  {
    title: 'Values are filled into a cached statement although its text depends on them',
    file: 'packages/core/src/sql/template.ts',
    find: 'if (!sameTexts(before.strings, now.strings)) return undefined',
    replace: '',
    fails: 'test/unit/sql/template.test.ts',
  },
  {
    title: 'An encoded value is filled in without decoding',
    file: 'packages/core/src/plan-cache/skeleton.ts',
    find: 'if (plain.test(written)) return written',
    replace: 'if (written.length < 500) return written',
    fails: 'test/unit/plan-cache/skeleton.test.ts',
  },
  {
    title: 'A query with a repeated parameter has a skeleton',
    file: 'packages/core/src/plan-cache/skeleton.ts',
    find: 'if (pageOrCursor !== undefined) return undefined',
    replace: '',
    fails: 'test/unit/plan-cache/skeleton.test.ts',
  },
  {
    title: 'Stored documents lose the digits of their numbers',
    file: 'packages/core/src/json/canonical.ts',
    find: 'return String(value) === token ? value : verbatimNumber(token)',
    replace: 'return value',
    fails: 'test/unit/json/canonical.test.ts',
  },
  {
    title: 'Wildcards in a search value of the client are not escaped',
    file: 'packages/core/src/dialect/shared/patterns.ts',
    find: "text.replace(/[!%_]/g, '!$&')",
    replace: "text.replace(/[!%]/g, '!$&')",
    fails: 'test/dialect/text.test.ts',
    databases: ['postgres', 'mariadb'],
  },
  {
    title: 'A quote in the name of a column ends the identifier',
    file: 'packages/core/src/sql/print.ts',
    find: 'part.includes(quote) ? part.replaceAll(quote, quote + quote) : part',
    replace: 'part',
    fails: 'test/unit/sql/template.test.ts',
  },
  {
    title: 'A key called __proto__ sets the prototype of a stored document',
    file: 'packages/core/src/json/canonical.ts',
    find: "if (key === '__proto__') {",
    replace: "if (key === '') {",
    fails: 'test/unit/json/canonical.test.ts',
  },
]
