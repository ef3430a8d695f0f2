/** Breaks of links: the ETag of the record that has them, and those that are removed with a record. */
import type { Break } from './break.ts'

const changed = 'test/writing/changed-links.test.ts'
const removed = 'test/hooks/links-of-deleted-records.test.ts'

export const links: readonly Break[] = [
  {
    title:
      'Links to records whose keys only the collation considers equal are taken for hidden ones',
    file: 'packages/core/src/write/links/write-links.ts',
    find: 'seen.has(textOf(key))',
    replace: 'seen.has(keyText(key))',
    fails: 'test/collations/writes.test.ts',
    databases: ['postgres'],
  },
  {
    title:
      'MariaDB keeps a record whose key in its own reference only the collation considers equal',
    file: 'packages/core/src/write/store/rows/remove-rows.ts',
    find: 'return key !== undefined && (isLoose || key === keyTextIn(to, stored))',
    replace: 'return key !== undefined && key === keyTextIn(to, stored)',
    fails: 'test/collations/self-references.test.ts',
    databases: ['mariadb'],
  },
  {
    title: 'A list of links does not know the links whose keys only the collation considers equal',
    file: 'packages/core/src/write/links/write-links.ts',
    find: 'const known = new Map([...stored.values()].map((key) => [textOf(key), key]))',
    replace: 'const known = stored',
    fails: 'test/collations/writes.test.ts',
    databases: ['postgres'],
  },
  {
    title:
      'Two clients change the labels of an issue with one ETag, and the labels of the first are lost',
    file: 'packages/core/src/write/links/nested-records.ts',
    find: 'await setUpdatedTimes(context, resource, [...relinked])',
    replace: 'void [setUpdatedTimes, relinked]',
    fails: changed,
  },
  {
    title: 'A list of the links that exist already changes the ETag',
    file: 'packages/core/src/write/links/nested-records.ts',
    find: "parent.decision === 'change' && changed.has(linkLists[i] as LinkList)",
    replace: "parent.decision === 'change'",
    fails: changed,
  },
  {
    title: 'A new record with links gets the time that an add callback left out',
    file: 'packages/core/src/write/links/nested-records.ts',
    find: "parent.decision === 'change' && changed.has(linkLists[i] as LinkList)",
    replace: 'changed.has(linkLists[i] as LinkList)',
    fails: changed,
  },
  {
    title: 'Changed links overwrite the time that an update callback has set',
    file: 'packages/core/src/write/links/updated-times.ts',
    find: 'return isSame(saved, before) && !isSame(times, before)',
    replace: 'return !isSame(times, before)',
    fails: changed,
  },
  {
    title: 'Changed links write the time that the record has already',
    file: 'packages/core/src/write/links/updated-times.ts',
    find: 'return isSame(saved, before) && !isSame(times, before)',
    replace: 'return isSame(saved, before)',
    fails: changed,
  },
  {
    title: 'The record whose links of a published junction change is not among the changes',
    file: 'packages/core/src/write/links/updated-times.ts',
    find: 'context.changes?.note(resource, known, known, node.path)',
    replace: 'void known',
    fails: changed,
  },
  {
    title: 'The change of a deleted record does not have its links',
    file: 'packages/core/src/write/removal/remove-node.ts',
    find: 'noteRemovedLinks(context, resource, stored, removing.links, removals.goneLinks)',
    replace: 'void noteRemovedLinks',
    fails: removed,
  },
  {
    title: 'The change of a record that a cascade deletes does not have its links',
    file: 'packages/core/src/write/removal/find-dependents.ts',
    find: "action === 'null' ? [] : await linksOf(context, { resource, how, rows })",
    replace: 'action === action ? [] : await linksOf(context, { resource, how, rows })',
    fails: removed,
  },
  {
    title: 'A DELETE of many records reads the links of each by statements of its own',
    file: 'packages/core/src/write/resolve/resolve-removals.ts',
    find: 'level.links = await linksOf(context, { resource, how, rows })',
    replace:
      'for (const row of rows) level.links = [...level.links, ...(await linksOf(context, { resource, how, rows: [row] }))]',
    fails: removed,
  },
  {
    title: 'The change of a soft-deleted record reports links that stay',
    file: 'packages/core/src/write/removal/removed-links.ts',
    find: "if (how === 'mark' || context.changes === undefined",
    replace: 'if (context.changes === undefined',
    fails: removed,
  },
  {
    title: 'DELETE reads links that nobody asks for',
    file: 'packages/core/src/write/removal/removed-links.ts',
    find: "if (how === 'mark' || context.changes === undefined",
    replace: "if (how === 'mark'",
    fails: removed,
  },
  {
    title: 'The removed links of a relation have the name that the other model gives them',
    file: 'packages/core/src/write/removal/removed-links.ts',
    find: 'if (!found.has(key)) found.set(key, links)',
    replace: 'found.set(key, links)',
    fails: removed,
  },
  {
    title: 'The links of a relation that only the other model declares are not reported',
    file: 'packages/core/src/write/removal/removed-links.ts',
    find: 'if (target !== resource) continue',
    replace: 'if (target !== resource || source !== resource) continue',
    fails: removed,
  },
  {
    title: 'In a batch or with callbacks, lists of links take statements for each record',
    file: 'packages/core/src/write/writer.ts',
    find: '(await refersToStored(context, nodes, writeNested))',
    replace: 'false',
    fails: 'test/writing/lists-with-references.test.ts',
  },
  {
    title: 'A statement of a callback does not find the links of earlier records',
    file: 'packages/core/src/write/segments/call-hooks.ts',
    find: 'await last.nest(end)',
    replace: '',
    fails: 'test/writing/lists-with-references.test.ts',
  },
  {
    title: 'A list with a reference to no record is written together',
    file: 'packages/core/src/write/segments/refers-to-stored.ts',
    find: 'if (error instanceof ApiError && error.status < 500) return false',
    replace: 'if (error instanceof ApiError && error.status < 500) return true',
    fails: 'test/writing/lists-with-references.test.ts',
  },
  {
    title:
      'After a deadlock in the look-up of references, a list goes on in a transaction that has ended',
    file: 'packages/core/src/write/segments/refers-to-stored.ts',
    find: 'if (error instanceof ApiError && error.status < 500) return false',
    replace: 'if (error instanceof ApiError) return false',
    fails: 'test/writing/cascades-beside-writes.test.ts',
    databases: ['postgres'],
  },
  {
    title: 'Lists of links of the same records from both ends meet in deadlocks',
    file: 'packages/core/src/write/resolve/resolve-changes.ts',
    find: 'await lockLinked(context, level.resource, changesOf(nodes), isByName ? [] : keysOf(nodes))',
    replace: 'void lockLinked',
    fails: 'test/writing/links-from-both-ends.test.ts',
    databases: ['mariadb'],
  },
  {
    title: 'A list of links names a record that is deleted meanwhile',
    file: 'packages/core/src/write/links/nested-records.ts',
    find: 'isLinked: true',
    replace: 'isLinked: false',
    fails: 'test/writing/links-from-both-ends.test.ts',
    databases: ['mariadb'],
  },
  {
    title: 'A link that another request has made from the other end is 409',
    file: 'packages/core/src/write/writer.ts',
    find: "step === 'link' && failure.kind === 'unique'",
    replace: "step === 'link' && failure.kind === 'check'",
    fails: 'test/writing/links-from-both-ends.test.ts',
    databases: ['postgres'],
  },
]
