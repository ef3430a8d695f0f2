/** Breaks of the problems that a list reports for all its records. */
import type { Break } from './break.ts'

const fails = 'test/writing/problems-of-lists.test.ts'

export const problemsOfLists: readonly Break[] = [
  {
    title: 'A list of changes reports the read-only fields of its first refused record alone',
    file: 'packages/core/src/write/check/check-segment.ts',
    find: 'if (problems.count > count && found.problems === nowhere) found.problems = i',
    replace: 'if (problems.count > count) { found.problems = i; break }',
    fails,
  },
  {
    title: 'An upsert reports the problems of its first refused new record alone',
    file: 'packages/core/src/write/check/check-segment.ts',
    find: 'if (node.problems !== undefined) context.problems.addAll(node.problems)',
    replace:
      'if (node.problems !== undefined && !context.problems.any) context.problems.addAll(node.problems)',
    fails,
  },
  {
    title: 'After the statement of a callback, later records are compared with outdated ones',
    file: 'packages/core/src/write/resolve/resolve-changes.ts',
    find: 'await findByKey(context, level, waiting, false)',
    replace: '',
    fails,
  },
  {
    title: 'A list written record by record reports the problems of its first refused record alone',
    file: 'packages/core/src/write/writer.ts',
    find: 'await addLaterProblems(context, level)',
    replace: '',
    fails,
  },
  {
    title: 'Links of earlier records keep a list from reporting the problems of later ones',
    file: 'packages/core/src/write/writer.ts',
    find: 'problems.refusal !== error || context.interrupt !== undefined',
    replace: 'problems.refusal !== error || context.interrupt === undefined',
    fails,
  },
  {
    title: 'A refused upsert tells a caller who may only create which records are stored',
    file: 'packages/core/src/write/check/segment-rights.ts',
    find: 'nodes.some(mayBeFound)',
    replace: 'nodes.every(mayBeFound)',
    fails,
  },
  {
    title:
      'A refused upsert requires the fields of new records where a collation finds stored ones',
    file: 'packages/core/src/write/resolve/resolve-changes.ts',
    find: ' && !(mayDiffer && !node.stored)',
    replace: '',
    fails,
  },
]
