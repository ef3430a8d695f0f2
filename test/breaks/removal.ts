/** Breaks of lists whose hooks send statements, and of the deletion of many records. */
import type { Break } from './break.ts'

const removal = 'packages/core/src/write/removal'
const growth = 'test/growth/statements-of-lists.test.ts'
const removed = 'test/writing/bulk-remove.test.ts'

export const manyRemoved: readonly Break[] = [
  {
    title: 'After a statement of a hook, each later record of a list is read alone',
    file: 'packages/core/src/write/store/lists/look-ahead/group-size.ts',
    find: 'this.#next = size * 2',
    replace: 'this.#next = size',
    fails: growth,
  },
  {
    title: 'Only the first statement of a hook makes the later records be read again',
    file: 'packages/core/src/write/store/lists/look-ahead/read-again.ts',
    find: 'this.#end = index + 1',
    replace: 'this.#end = this.#stored === undefined ? index + 1 : this.#end',
    fails: 'test/writing/bulk-change.test.ts',
  },
  {
    title: 'After a statement of a hook, references are looked up record by record',
    file: 'packages/core/src/write/store/lists/look-ahead/read-again.ts',
    find: 'for (const [relation, texts] of found.seen) {',
    replace: 'for (const [relation, texts] of found.seen.size < 0 ? found.seen : []) {',
    fails: growth,
  },
  {
    title: 'A remove callback finds the earlier records of a list stored',
    file: `${removal}/removals.ts`,
    find: `    ahead.outdate()
    return pending.flush()`,
    replace: `    ahead.outdate()
    return Promise.resolve()`,
    fails: removed,
  },
  {
    title: 'A remove callback receives a record from before an earlier callback changed it',
    file: `${removal}/removals.ts`,
    find: '    ahead.outdate()',
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
    file: `${removal}/find-referrers.ts`,
    find: 'if (await existsOneUnscoped(context, probed)) return true',
    replace: 'await existsOneUnscoped(context, probed)',
    fails: removed,
  },
  {
    title:
      'The error of a list is what prevents the deletion of a later record, not of an earlier one',
    file: `${removal}/look-ahead.ts`,
    find: "if (error instanceof ApiError && error.status < 500) return 'oneByOne'",
    replace: 'if (!(error instanceof Error)) throw error',
    fails: removed,
  },
  {
    title: 'After a statement of a hook, each later record to delete is read at its own turn',
    file: `${removal}/look-ahead.ts`,
    find: 'if (size === 1) return',
    replace: 'if (size === 1 || before > 0) return',
    fails: growth,
  },
  {
    title: 'A list of records that refer to each other is deleted one by one on MariaDB',
    file: `${removal}/removed-records.ts`,
    find: 'height = Math.max(height, below.height + 1)',
    replace: 'height = Math.max(height, 0)',
    fails: growth,
    databases: ['mariadb'],
  },
  {
    title: 'A cascade calls the hooks of a record that the list has deleted already',
    file: `${removal}/remove-tree.ts`,
    find: '(stored) => !removed.has({ resource, stored, soft })',
    replace: '(stored) => !(removed.has({ resource, stored, soft }) && false)',
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
    file: 'packages/core/src/http/endpoints/writes/delete-record.ts',
    find: '{ isBulk: cascade },',
    replace: '{ isBulk: !cascade },',
    fails: growth,
  },
  {
    title:
      'The error of a cascade that the client has not asked for names the parameter cascade_delete',
    file: `${removal}/removals.ts`,
    find: 'if (!tree.top.settings.alwaysCascades) {',
    replace: 'if (tree.path === tree.path) {',
    fails: 'test/writing/always-cascades.test.ts',
  },
  {
    title: 'A cascade that has marked a record does not delete its row when it must',
    file: `${removal}/remove-tree.ts`,
    find: 'if (begun.has(id) && !isMarked) return',
    replace: 'if (begun.has(id) && !(isMarked && false)) return',
    fails: 'test/writing/marked-before-deleted.test.ts',
  },
  {
    title: 'A cascade of a cycle deletes the row of the record that it is marking',
    file: `${removal}/remove-tree.ts`,
    find: 'begun.get(id)?.soft === true && tree.removed.isOnlyMarked(record)',
    replace: 'begun.get(id)?.soft === true && !soft',
    fails: 'test/writing/marked-before-deleted.test.ts',
  },
  {
    title: 'After a deadlock, a cascade goes on in a transaction that has ended',
    file: `${removal}/look-ahead.ts`,
    find: "if (error instanceof ApiError && error.status < 500) return 'oneByOne'",
    replace: "if (error instanceof ApiError) return 'oneByOne'",
    fails: 'test/writing/cascades-beside-writes.test.ts',
    databases: ['postgres'],
  },
]
