/** Breaks of write-only columns: what clients may send but never read, and its stored form. */
import type { Break } from './break.ts'

const written = 'test/writing/write-only-columns.test.ts'
const transform = 'packages/core/src/input/transform.ts'

export const writeOnly: readonly Break[] = [
  {
    title: 'A write-only column is visible',
    file: 'packages/core/src/registry/named-columns.ts',
    find: 'hidden: column.writeOnly === true || (column.hidden ?? secret),',
    replace: 'hidden: column.hidden ?? secret,',
    fails: written,
  },
  {
    title: 'A body cannot contain a write-only column',
    file: 'packages/core/src/registry/field-rules.ts',
    find: '!column.hidden || isWriteOnly(column)',
    replace: '!column.hidden',
    fails: written,
  },
  {
    title: 'A body can contain a hidden column',
    file: 'packages/core/src/registry/field-rules.ts',
    find: '!column.hidden || isWriteOnly(column)',
    replace: 'column.computed === undefined',
    fails: 'test/security/write-leaks.test.ts',
  },
  {
    title: 'PUT requires a write-only column, which the client cannot read',
    file: 'packages/core/src/registry/field-rules.ts',
    find: "(mode === 'replace' && isWriteOnly(column))",
    replace: 'mode === undefined',
    fails: written,
  },
  {
    title: 'The values of a body are stored as they were sent',
    file: transform,
    find: 'if (!nodes.some(isTransformed)) return nodes',
    replace: 'if (nodes.length > 0) return nodes',
    fails: written,
  },
  {
    title: 'The values of nested records are stored as they were sent',
    file: transform,
    find: 'children.push({ relation, nodes: await transformEach(nodes, refused, transforming) })',
    replace: 'children.push({ relation, nodes })',
    fails: written,
  },
  {
    title: 'The values of nested to-one objects are stored as they were sent',
    file: transform,
    find: 'parents.push({ relation, node: made })',
    replace: 'parents.push({ relation, node: made === parent ? made : parent })',
    fails: written,
  },
  {
    title: 'An upsert transforms each value twice',
    file: transform,
    find: 'const known = storedForms.get(place)',
    replace: 'const known = storedForms.get(`${place} of another body`)',
    fails: written,
  },
  {
    title: 'The values of an object that names a record are transformed before they are validated',
    file: transform,
    find: 'column.definition.transform !== undefined',
    replace: 'column.definition.transform === null',
    fails: written,
  },
  {
    title: 'The values of a body with problems are transformed',
    file: transform,
    find: 'transformEach(nodes, problems.any, {',
    replace: 'transformEach(nodes, false, {',
    fails: written,
  },
  {
    title: 'A validator of the whole record gets the stored form of the value',
    file: 'packages/core/src/write/execute/requested-changes.ts',
    find: 'const sent = { ...node.values, ...node.sent }',
    replace: 'const sent = node.values',
    fails: written,
  },
  {
    title: 'What transform returns is not checked',
    file: transform,
    find: "if ('value' in converted) return converted.value",
    replace: "return 'value' in converted ? converted.value : (made as JsonValue)",
    fails: written,
  },
  {
    title: 'The error of a limit quotes the value of a write-only column',
    file: 'packages/core/src/input/value-limits.ts',
    find: 'if (column.writeOnly === true) return',
    replace: "if (column.description === '') return",
    fails: written,
  },
  {
    title: 'The time of the last change tells whether a guess of a write-only value is stored',
    file: 'packages/core/src/write/execute/save.ts',
    find: 'before === undefined || isWriteOnly(column)) return true',
    replace: 'before === undefined) return true',
    fails: written,
  },
  {
    title: 'A write-only value that equals the stored one is not written',
    file: 'packages/core/src/write/execute/save.ts',
    find: 'const isSecret = isRequested && isWriteOnly(column)',
    replace: 'const isSecret = isRequested && column.computed !== undefined && isWriteOnly(column)',
    fails: written,
  },
  {
    title: 'An object that links to a stored record tells whether a write-only value is stored',
    file: 'packages/core/src/write/execute/checks.ts',
    find: 'const column = isReadable ? resource.columns.get(name) : undefined',
    replace: 'const column = isReadable ? resource.bodyColumns.get(name) : undefined',
    fails: written,
  },
  {
    title: 'A value that its write-only column cannot hold is accepted if it is stored',
    file: 'packages/core/src/input/read-record.ts',
    find: 'column.otherForms !== true || isWriteOnly(column)',
    replace: 'column.otherForms !== true',
    fails: written,
  },
  {
    title: 'The document has write-only columns in responses',
    file: 'packages/core/src/openapi/record-schemas.ts',
    find: 'const columnsOf = ({ columns }: Resource): readonly NamedColumn[] => [...columns.values()]',
    replace:
      'const columnsOf = (one: Resource): readonly NamedColumn[] => [...one.bodyColumns.values()]',
    fails: 'test/openapi/document.test.ts',
  },
  {
    title: 'Readers of the idempotency keys can test guesses of what a body contains',
    file: 'packages/core/src/write/endpoints/idempotent.ts',
    find: 'stringify([key, query, textOf(request.body)])',
    replace: 'stringify([query, textOf(request.body)])',
    fails: written,
  },
  {
    title: 'A relation tells the values of a write-only foreign key',
    file: 'packages/core/src/registry/check-write-only.ts',
    find: 'keysOf(relation).filter(isWriteOnly)',
    replace: 'keysOf(relation).filter((one) => isWriteOnly(one) && one.computed !== undefined)',
    fails: 'test/unit/registry/mistakes.test.ts',
  },
]
