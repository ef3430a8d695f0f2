/** Breaks of look-ups of writes: a write finds, or tells of, a record that its sender may not see. */
import type { Break } from './break.ts'

const matrix = 'test/security/write-leaks.test.ts'
const secondHalf = 'test/security/link-leaks.test.ts'
const lookUp = 'packages/core/src/write/resolve/look-up-records.ts'

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
    file: 'packages/core/src/write/resolve/look-up-records.ts',
    find: 'planRecords(resource, columns, keys, { read })',
    replace: 'planRecords(resource, columns, keys, { read, includeDeleted: true })',
    fails: secondHalf,
  },
  {
    title: 'A list stores references to records out of scope',
    file: 'packages/core/src/write/check/segment-references.ts',
    find: '? await readReferred(context, plan, { holder, columns: to, keys: some, paths })',
    replace: '? await readUnscoped(context, plan, some.length)',
    fails: 'test/security/non-interference.test.ts',
  },
  {
    title: 'A required If-Match tells 428 of a record that the caller does not see',
    file: 'packages/core/src/write/check/check-segment.ts',
    find: 'if (decision === undefined) return refuseMissing(context, node)',
    replace:
      'if (decision === undefined) return checkPrecondition(level.resource, undefined, {}) ?? refuseMissing(context, node)',
    fails: secondHalf,
  },
  {
    title: 'A restore asks for If-Match before it looks for the record',
    file: 'packages/core/src/write/resolve/resolve-changes.ts',
    find: 'if (stored !== undefined) checkPrecondition(resource, options.precondition, stored)',
    replace: 'checkPrecondition(resource, options.precondition, stored ?? {})',
    fails: secondHalf,
  },
]
