/** Breaks of lists whose hooks send statements, and of the deletion of many records. */
import type { Break } from './break.ts'

const removal = 'packages/core/src/write/execute/removal'
const growth = 'test/growth/statements-of-lists.test.ts'
const removed = 'test/writing/bulk-remove.test.ts'

export const manyRemoved: readonly Break[] = [
  {
    title: 'After a statement of a hook, each later record of a list is read alone',
    file: 'packages/core/src/write/execute/lists/read-again.ts',
    find: 'this.#size *= 2',
    replace: 'this.#size *= 1',
    fails: growth,
  },
  {
    title: 'Only the first statement of a hook makes the later records be read again',
    file: 'packages/core/src/write/execute/lists/read-again.ts',
    find: 'this.#end = index + 1',
    replace: 'this.#end = this.#stored === undefined ? index + 1 : this.#end',
    fails: 'test/writing/bulk-change.test.ts',
  },
  {
    title: 'After a statement of a hook, references are looked up record by record',
    file: 'packages/core/src/write/execute/lists/read-again.ts',
    find: 'for (const [relation, texts] of found.seen) {',
    replace: 'for (const [relation, texts] of found.seen.size < 0 ? found.seen : []) {',
    fails: growth,
  },
  {
    title: 'A remove callback finds the earlier records of a list stored',
    file: `${removal}/removals.ts`,
    find: `    ahead?.outdate()
    await pending.flush()`,
    replace: `    ahead?.outdate()
    await undefined`,
    fails: removed,
  },
  {
    title: 'A remove callback receives a record from before an earlier callback changed it',
    file: `${removal}/removals.ts`,
    find: '    ahead?.outdate()',
    replace: '',
    fails: removed,
  },
  {
    title: 'The error of a later hook hides that the database refuses an earlier record',
    file: `${removal}/removals.ts`,
    find: 'if (isRefused) throw earlier',
    replace: 'if (isRefused) return',
    fails: removed,
  },
  {
    title: 'Remove callbacks are called twice if the database refuses a record',
    file: `${removal}/removals.ts`,
    find: 'hasCallback ? { ...context, setsSavepoints: true } : context',
    replace: 'context',
    fails: removed,
  },
  {
    title: 'DELETE by a filter deletes records that others refer to',
    file: `${removal}/look-ahead.ts`,
    find: 'if (await existsOneUnscoped(this.#context, probed)) return false',
    replace: 'await existsOneUnscoped(this.#context, probed)',
    fails: removed,
  },
  {
    title: 'A cascade of a list deletes dependents that the caller does not see',
    file: `${removal}/look-ahead.ts`,
    find: "if (!seen.has(idOf(resource, row))) return 'oneByOne'",
    replace: 'seen.has(idOf(resource, row))',
    fails: removed,
  },
  {
    title: 'After a statement of a hook, each later record to delete is looked up alone',
    file: `${removal}/look-ahead.ts`,
    find: 'pace.size = Math.min(Math.max(some.length, 1) * 2, pace.most)',
    replace: 'pace.size = 1',
    fails: growth,
  },
  {
    title: 'A list of records that refer to each other is deleted one by one on MariaDB',
    file: `${removal}/remove-tree.ts`,
    find: 'height = Math.max(height, (removal.removed.get(earlier)?.height ?? 0) + 1)',
    replace: 'height = Math.max(height, 0)',
    fails: growth,
    databases: ['mariadb'],
  },
  {
    title: 'A cascade calls the hooks of a record that the list has deleted already',
    file: `${removal}/remove-tree.ts`,
    find: '(row) => !removal.removed.has(idOf(resource, row)) || known === undefined',
    replace: '(row) => row !== undefined || known === undefined',
    fails: removed,
  },
  {
    title: 'The changes name a link twice if a cascade deletes the records at both ends',
    file: `${removal}/removed-links.ts`,
    find: 'if (!gone.has(rowText(links, own as Key, linked)))',
    replace: 'if (gone.size > 0)',
    fails: removed,
  },
  {
    title: 'A cascade of one record takes statements for each of its dependents',
    file: 'packages/core/src/write/endpoints/remove.ts',
    find: '{ isBulk: cascade },',
    replace: '{ isBulk: !cascade },',
    fails: growth,
  },
  {
    title: 'After a deadlock, a cascade goes on in a transaction that has ended',
    file: 'packages/core/src/write/execute/removal/look-ahead.ts',
    find: 'if (!(error instanceof ApiError && error.status < 500)) throw error',
    replace: 'if (!(error instanceof ApiError)) throw error',
    fails: 'test/writing/cascades-beside-writes.test.ts',
    databases: ['postgres'],
  },
]
