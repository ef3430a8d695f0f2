/** Breaks of the problems that a list reports for all its records. */
import type { Break } from './break.ts'

const later = 'packages/core/src/write/store/lists/later-problems.ts'
const upsert = 'packages/core/src/http/endpoints/writes/upsert.ts'
const fails = 'test/writing/problems-of-lists.test.ts'

export const problemsOfLists: readonly Break[] = [
  {
    title: 'A list of changes reports the read-only fields of its first refused record alone',
    file: later,
    find: 'if (now !== undefined) await compareWithStored(context, step.node, now)',
    replace: '',
    fails,
  },
  {
    title: 'An upsert reports the problems of its first refused new record alone',
    file: later,
    find: 'if (others !== undefined) problems.addAll(others)',
    replace: '',
    fails,
  },
  {
    title: 'After the statement of a callback, later records are compared with outdated ones',
    file: later,
    find: 'const stored = isStale ?',
    replace: 'const stored = isStale && false ?',
    fails,
  },
  {
    title: 'A list written record by record reports the problems of its first refused record alone',
    file: 'packages/core/src/write/store/lists/write-many.ts',
    find: 'return refuseWithLater(context, resource, steps, i, error, true)',
    replace: 'throw error',
    fails,
  },
  {
    title: 'Links of earlier records keep a list from reporting the problems of later ones',
    file: 'packages/core/src/write/store/lists/write-records.ts',
    find: 'if (isRefused) first = earlier',
    replace: 'if (isRefused) throw earlier',
    fails,
  },
  {
    title: 'A refused upsert tells a caller who may only create which records are stored',
    file: upsert,
    find: "if (!(await context.access.mayWrite(resource, 'PATCH'))) throw error",
    replace: '',
    fails,
  },
  {
    title:
      'A refused upsert requires the fields of new records where a collation finds stored ones',
    file: upsert,
    find: '(mayDiffer && known.get(text) === undefined)',
    replace: 'false',
    fails,
  },
]
