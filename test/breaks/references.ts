/** Breaks of references to records that are soft-deleted, before or while they are stored, of deferred constraints, and of guessed keys. */
import type { Break } from './break.ts'

const cascades = 'test/writing/cascades-beside-writes.test.ts'
const restored = 'test/writing/restored-references.test.ts'

export const references: readonly Break[] = [
  {
    title:
      'An INSERT of one statement checks its reference without a lock, and a cascade deletes the parent meanwhile',
    file: 'packages/core/src/write/statements/statements.ts',
    find: "const lock = undeleted === undefined ? sql`` : lockClause(target, relation.target, 'reference')",
    replace: 'const lock = sql``',
    fails: cascades,
    databases: ['postgres'],
  },
  {
    title: 'The look-up of a list locks no parents on MySQL and MariaDB',
    file: 'packages/core/src/dialect/mysql/dialect.ts',
    find: 'lockReferred: () => sql`lock in share mode`,',
    replace: 'lockReferred: () => sql`limit 2000`,',
    fails: cascades,
    databases: ['mariadb'],
  },
  {
    title: 'A parent is deleted while a callback runs, and its new dependent is stored',
    file: 'packages/core/src/write/transaction/in-write-transaction.ts',
    find: 'if (transaction.isTransaction) await refuseDeletedMeanwhile(context)',
    replace: 'void [transaction.isTransaction, refuseDeletedMeanwhile]',
    fails: cascades,
    databases: ['postgres'],
  },
  {
    title: 'Callbacks that lock the parent for themselves deadlock with the lock of the look-up',
    file: 'packages/core/src/write/check/referred-records.ts',
    find: 'if (mayBeDeleted && isLockable && !mayCallHost(context, holder)) {',
    replace: 'if (mayBeDeleted && isLockable && !(mayCallHost(context, holder) && false)) {',
    fails: cascades,
    databases: ['postgres'],
  },
  {
    title: 'A cascade reads the dependents of a dependent before it has locked it',
    file: 'packages/core/src/write/removal/find-dependents.ts',
    find: 'const locked = parents.soft ? await lockedRows(context, planned(read), found) : found',
    replace: 'const locked = parents.soft && lockedRows.length === 0 ? [] : found',
    fails: cascades,
    databases: ['postgres'],
  },
  {
    title: 'A role that may not update a table locks its rows, and every reference to it is 500',
    file: 'packages/core/src/dialect/postgres/column-facts.ts',
    find: "and not c.relrowsecurity and has_any_column_privilege(c.oid, 'update')",
    replace: 'and not c.relrowsecurity',
    fails: cascades,
    databases: ['postgres'],
  },
  {
    title: 'One statement stores a reference to a record that it cannot lock',
    file: 'packages/core/src/write/nodes/strategy.ts',
    find: "return 'a referenced record cannot be locked'",
    replace: 'return undefined',
    fails: 'test/unit/write/strategy.test.ts',
  },
  {
    title: 'A restore makes a live record below a deleted one',
    file: 'packages/core/src/write/store/change.ts',
    find: 'await refuseDeletedReferences(context, resource, stored)',
    replace: 'void refuseDeletedReferences',
    fails: restored,
  },
  {
    title: 'A restore tells whether a record is deleted that the caller may not read',
    file: 'packages/core/src/write/check/deleted-references.ts',
    find: "if (!(await context.access.mayWrite(target, 'GET_ONE'))) return false",
    replace: "await context.access.mayWrite(target, 'GET_ONE')",
    fails: restored,
  },
  {
    title: 'A restore tells a foreign key that the caller may not read',
    file: 'packages/core/src/write/check/deleted-references.ts',
    find: 'resource.relations.values()',
    replace: 'resource.allRelations.values()',
    fails: 'test/security/column-leaks.test.ts',
  },
  {
    title: 'A record that refers to itself cannot be restored',
    file: 'packages/core/src/write/check/deleted-references.ts',
    find: 'if (key === undefined || refersToItself(relation, resource, stored)) continue',
    replace: 'if (key === undefined || refersToItself.length === 0) continue',
    fails: restored,
  },
  {
    title: 'A policy that refuses the parent refuses the restore of its dependents',
    file: 'packages/core/src/write/check/deleted-references.ts',
    find: 'orEmpty: true',
    replace: 'orEmpty: false',
    fails: restored,
  },
  {
    title: 'A violation of a deferred constraint is put down to the first record written',
    file: 'packages/core/src/write/refusals/refused-commit.ts',
    find: 'if (await breaksConstraint(context, refusal)) await refuse',
    replace: 'await refuse',
    fails: 'test/writing/deferred-constraints.test.ts',
  },
  {
    title: 'A new record may refer to a key that a client has guessed',
    file: 'packages/core/src/write/store/generated-keys.ts',
    find: 'if (guessed !== undefined) throw',
    replace: 'if (guessed?.length === 0) throw',
    fails: 'test/writing/guessed-keys.test.ts',
  },
  {
    title: 'A new record that one statement stores may refer to itself by a guessed key',
    file: 'packages/core/src/write/nodes/hidden-references.ts',
    find: 'isNew && isOwn(relation)',
    replace: '!isNew && isOwn(relation)',
    fails: 'test/writing/guessed-keys.test.ts',
  },
  {
    title: 'A nested object may link a record of the same request by a guessed key',
    file: 'packages/core/src/write/links/find-or-create.ts',
    find: 'context.generatedKeys.has(resource, text)',
    replace: '!context',
    fails: 'test/writing/guessed-keys.test.ts',
  },
  {
    title:
      'A taken value beside a dangling foreign key is not reported where the database finds the foreign key first',
    file: 'packages/core/src/write/refusals/explain-refusal.ts',
    find: 'return taken.length > 0 ? uniqueViolation(takenPaths(taken, paths)) : undefined',
    replace: 'return taken.length < 0 ? uniqueViolation(takenPaths(taken, paths)) : undefined',
    fails: 'test/writing/several-mistakes.test.ts',
    databases: ['mysql'],
  },
  {
    title: 'Of values that do not fit, only the one that the database names is reported',
    file: 'packages/core/src/write/refusals/explain-refusal.ts',
    find: 'known.includes(column) || others.includes(column)',
    replace: 'known.length > 0 ? known.includes(column) : others.includes(column)',
    fails: 'test/writing/several-mistakes.test.ts',
    databases: ['mariadb'],
  },
]
