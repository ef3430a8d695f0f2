/** Breaks of links: the ETag of the record that has them. */
import type { Break } from './break.ts'

const changed = 'test/writing/changed-links.test.ts'

export const links: readonly Break[] = [
  {
    title:
      'Two clients change the labels of an issue with one ETag, and the labels of the first are lost',
    file: 'packages/core/src/write/execute/lists/write-many.ts',
    find: 'await setUpdatedTimes(context, resource, [...relinked])',
    replace: 'void [setUpdatedTimes, relinked]',
    fails: changed,
  },
  {
    title: 'A list of the links that exist already changes the ETag',
    file: 'packages/core/src/write/execute/nested/nested-records.ts',
    find: 'parent.before !== undefined && changed.has(linkLists[i] as LinkList)',
    replace: 'parent.before !== undefined',
    fails: changed,
  },
  {
    title: 'A new record with links gets the time that an add callback left out',
    file: 'packages/core/src/write/execute/nested/nested-records.ts',
    find: 'parent.before !== undefined && changed.has(linkLists[i] as LinkList)',
    replace: 'changed.has(linkLists[i] as LinkList)',
    fails: changed,
  },
  {
    title: 'Changed links overwrite the time that an update callback has set',
    file: 'packages/core/src/write/execute/nested/updated-times.ts',
    find: 'return isSame(saved, before) && !isSame(times, before)',
    replace: 'return !isSame(times, before)',
    fails: changed,
  },
  {
    title: 'Changed links write the time that the record has already',
    file: 'packages/core/src/write/execute/nested/updated-times.ts',
    find: 'return isSame(saved, before) && !isSame(times, before)',
    replace: 'return isSame(saved, before)',
    fails: changed,
  },
  {
    title: 'The record whose links of a published junction change is not among the changes',
    file: 'packages/core/src/write/execute/nested/updated-times.ts',
    find: 'for (const { known } of due) context.changes?.note(resource, known, known)',
    replace: '',
    fails: changed,
  },
]
