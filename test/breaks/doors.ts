/** Breaks of look-ups of writes: a write finds, or tells of, a record that its sender may not see. */
import type { Break } from './break.ts'

const matrix = 'test/security/write-leaks.test.ts'
const secondHalf = 'test/security/link-leaks.test.ts'
const lookUp = 'packages/core/src/write/resolve/look-up-records.ts'
const change = 'packages/core/src/write/store/change.ts'

export const doors: readonly Break[] = [
  {
    title: 'A change or restore of one record finds records out of scope',
    file: lookUp,
    find: 'await readScoped(context, plan, action, 1)',
    replace: 'await readUnscoped(context, plan, 1)',
    fails: matrix,
  },
  {
    title: 'A list of changes finds records out of scope',
    file: lookUp,
    find: ': await readScoped(context, plan, action)',
    replace: ': await readUnscoped(context, plan, noLimit)',
    fails: matrix,
  },
  {
    title: 'An upsert of a list finds records out of scope',
    file: lookUp,
    find: 'if (!capabilities.locksRows) return readScoped(context, plan, action)',
    replace: 'if (!capabilities.locksRows) return readUnscoped(context, plan, noLimit)',
    fails: secondHalf,
  },
  {
    title: 'An upsert changes a deleted record',
    file: 'packages/core/src/http/endpoints/writes/upsert.ts',
    find: 'columnValues(columns, wanted), { read',
    replace: 'columnValues(columns, wanted), { includeDeleted: true, read',
    fails: secondHalf,
  },
  {
    title: 'A list stores references to records out of scope',
    file: 'packages/core/src/write/store/lists/look-ahead/look-up-references.ts',
    find: '? await readReferred(context, plan, { holder, columns: to, keys: some, paths })',
    replace: '? await readUnscoped({ ...context, holder, paths }, plan, some.length)',
    fails: 'test/security/non-interference.test.ts',
  },
  {
    title: 'A required If-Match tells 428 of a record that the caller does not see',
    file: change,
    find: '  if (stored === undefined) {',
    replace: '  if (stored === undefined && !resource.settings.requireIfMatch) {',
    fails: secondHalf,
  },
  {
    title: 'A restore asks for If-Match before it looks for the record',
    file: change,
    find: 'if (stored === undefined) throw recordNotFound()',
    replace:
      'if (stored === undefined && !resource.settings.requireIfMatch) throw recordNotFound()',
    fails: secondHalf,
  },
]
