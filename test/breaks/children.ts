/** Breaks of lists of children of stored records: whose they are, who may see them, and which of them are removed. */
import type { Break } from './break.ts'

const leaks = 'test/security/link-leaks.test.ts'
const changes = 'packages/core/src/write/links/change-children.ts'

export const children: readonly Break[] = [
  {
    title: 'A caller who may not read children learns whose they are',
    file: 'packages/core/src/write/links/write-links.ts',
    find: "others !== 'keep' || listed.some(isChild)",
    replace: "others !== 'keep' || (listed.some(isChild) && false)",
    fails: 'test/security/writing-without-reading.test.ts',
  },
  {
    title: 'A list changes the child of another record',
    file: 'packages/core/src/write/nodes/write-node.ts',
    find: 'const columns = [...new Set([...target.primaryKey, ...to])]',
    replace: 'const columns = [...new Set([...target.primaryKey, ...to.slice(to.length)])]',
    fails: leaks,
  },
  {
    title: 'A list removes the children that it names',
    file: changes,
    find: 'found.filter((row) => !kept.has(textOf(target, row)))',
    replace: 'found.filter((row) => kept.has(textOf(target, row)) || found.length > 0)',
    fails: leaks,
  },
  {
    title: 'A list of a PATCH removes the children that it does not name',
    file: changes,
    find: "owned.filter(({ list }) => list.others === 'remove')",
    replace: 'owned',
    fails: 'test/writing/children-of-changes.test.ts',
  },
]
