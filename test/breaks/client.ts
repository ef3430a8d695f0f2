// Breaks of the typed client: values that would become syntax, conditions that would be lost.

import type { Break } from './break.ts'

const file = 'packages/core/src/client/query/query-text.ts'
const reads = 'test/client/reads.test.ts'

export const client: readonly Break[] = [
  {
    title: 'a merge patch of the client replaces the document of a json column',
    file: 'packages/core/src/client/request-headers.ts',
    find: "merge && { 'content-type': 'application/merge-patch+json' }",
    replace: 'merge && {}',
    fails: 'test/client/writes.test.ts',
  },
  {
    title: 'a quote in a value of the client ends the value',
    file,
    find: String.raw`text.replace(/["\\]/g, '\\$&')`,
    replace: 'text',
    fails: reads,
  },
  {
    title: 'a condition of the client whose value is undefined is left out',
    file,
    find: 'if (value === undefined) throw',
    replace: 'if (value === null) throw',
    fails: reads,
  },
  {
    title: 'a path into a json column is treated as a path along a relation',
    file,
    find: '(->.*|',
    replace: '(=>.*|',
    fails: reads,
  },
  {
    title: 'fields with a path into a json column return a value of any type',
    file,
    find: "fields.some((path) => path.includes('->'))",
    replace: "fields?.some((path) => path.includes('=>'))",
    fails: reads,
  },
  {
    title: 'columns of relations with equal names overwrite each other',
    file,
    find: 'other === path || last(other) !== last(path)',
    replace: 'true',
    fails: reads,
  },
  {
    title: 'a relation that the API did not embed is returned as a record',
    file,
    find: 'if (typeof value === \'string\') {\n      throw notEmbedded(`"${name}" is',
    replace: 'if (typeof value === \'number\') {\n      throw notEmbedded(`"${name}" is',
    fails: reads,
  },
  {
    title: 'a batch of the client does not apply the fields of a call with related records',
    file: 'packages/core/src/client/batch.ts',
    find: 'calls[i]?.request.read?.(value) ?? value',
    replace: 'calls[i] && value',
    fails: 'test/client/writes.test.ts',
  },
  {
    title: 'a reference of a batch is encoded like a string',
    file: 'packages/core/src/client/query/query-text.ts',
    find: "if (typeof value === 'function') return text",
    replace: "if (typeof value === 'symbol') return text",
    fails: 'test/client/writes.test.ts',
  },
  {
    title:
      'equal batches of the client have different bodies, because operations have the numbers of calls',
    file: 'packages/core/src/client/batch.ts',
    find: 'id: `c${i}`,',
    replace: 'id: `c${calls[i]?.request.id}`,',
    fails: 'test/client/writes.test.ts',
  },
  {
    title: 'text in braces in a body of a batch is treated as a reference',
    file: 'packages/core/src/client/batch.ts',
    find: '/({"\\$ref":")(\\d+)/g',
    replace: '/({|{"\\$ref":")(\\d+)/g',
    fails: 'test/client/writes.test.ts',
  },
  {
    title: 'the reference to an item of a list names its list alone',
    file: 'packages/core/src/client/reference.ts',
    find: '[request.id, ...members]',
    replace: '[request.id, members.at(-1)]',
    fails: 'test/client/writes.test.ts',
  },
]
