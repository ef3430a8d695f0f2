/** Breaks of the rights of columns: a caller reads or writes a column that a rule withholds. */
import type { Break } from './break.ts'

const contract = 'test/contract/column-rights.test.ts'
const matrix = 'test/security/leaks.test.ts'

export const columnRights: readonly Break[] = [
  {
    title: 'on_conflict names one of two unique sets that differ in hidden columns alone',
    file: 'packages/core/src/registry/field-rules.ts',
    find: 'other.columns === columns || !hasNames(other, names)',
    replace: 'other.columns === columns || names.length > 0',
    fails: 'test/writing/hidden-in-unique-sets.test.ts',
  },
  {
    title: 'on_conflict looks up unique sets without their hidden columns',
    file: 'packages/core/src/write/endpoints/upsert.ts',
    find: 'if (found !== undefined) return found.columns',
    replace: 'if (found !== undefined) return found.columns.filter((one) => !one.hidden)',
    fails: 'test/writing/hidden-in-unique-sets.test.ts',
  },
  {
    title: 'Rules of columns are evaluated, and their result is ignored',
    file: 'packages/core/src/endpoints/caller-route.ts',
    find: 'if (registry === runtime.registry) return route',
    replace: 'if (registry !== undefined) return route',
    fails: matrix,
  },
  {
    title: 'A role that is refused a column counts as one that has it',
    file: 'packages/core/src/access/column-rights.ts',
    find: 'refused.flatMap(({ reads }) => reads.map(',
    replace: 'refused.flatMap(({ reads }) => reads.slice(9).map(',
    fails: contract,
  },
  {
    title: 'A promise that resolves to false allows the column',
    file: 'packages/core/src/access/column-rights.ts',
    find: 'answer ? permission : refusal',
    replace: 'answer ? permission : permission',
    fails: matrix,
  },
  {
    title: 'A function that returns no boolean allows the column',
    file: 'packages/core/src/access/column-rights.ts',
    find: "if (typeof answer === 'boolean') return answer",
    replace: 'if (answer !== null) return answer !== false',
    fails: contract,
  },
  {
    title: 'The view of one caller is cached under a key shared by all callers',
    file: 'packages/core/src/access/column-rights.ts',
    find: 'const before = known.get(name)',
    replace:
      "const before = known.get('') ?? (known.set('', callerRegistry(registry, found.related, withheld)), undefined)",
    fails: contract,
  },
  {
    title: 'A plan made for callers who may read a column serves callers who may not',
    file: 'packages/core/src/plan-cache/authority-bound.ts',
    find: 'if (registry !== this.#createdWith.registry) return undefined',
    replace: '',
    fails: 'test/security/first-asker.test.ts',
  },
  {
    title: 'A stored response is replayed to callers who may read less by now',
    file: 'packages/core/src/write/endpoints/idempotent.ts',
    find: 'unreadable.length === 0 ? listed : [listed, unreadable]',
    replace: 'unreadable.length === 0 ? listed : listed',
    fails: contract,
  },
  {
    title: 'A column that the caller may not read stays in the records',
    file: 'packages/core/src/registry/caller-registry.ts',
    find: "hidden: column.hidden || from === 'read'",
    replace: 'hidden: column.hidden',
    fails: matrix,
  },
  {
    title: 'A relation reveals the foreign key that the caller may not read',
    file: 'packages/core/src/registry/caller-registry.ts',
    find: 'if (keysOf(relation).every(isReadable)) view.relations.set(name, relation)',
    replace: 'view.relations.set(name, relation)',
    fails: matrix,
  },
  {
    title: 'A suggestion names a path that the caller may not know',
    file: 'packages/core/src/http/similar-path.ts',
    find: '.filter((relation) => !needsRight(relation))',
    replace: '',
    fails: matrix,
  },
  {
    title: 'Clients may write columns that a rule withholds from them',
    file: 'packages/core/src/registry/field-rules.ts',
    find: "if (column.withheld !== undefined) return 'is read-only'",
    replace: '',
    fails: contract,
  },
  {
    title: 'A nested record stores a foreign key that the caller may not write',
    file: 'packages/core/src/input/read-record.ts',
    find: 'const why = unwritableRelation(relation, mode)\n',
    replace: 'const why = unwritableRelation(relation, mode)?.slice(99) || undefined\n',
    fails: contract,
  },
  {
    title: 'A nested record stores a foreign key that is declared read-only',
    file: 'packages/core/src/registry/field-rules.ts',
    find: 'const why = unwritableKey(relation.source, column, mode)',
    replace: "const why = column.withheld === undefined ? undefined : 'is read-only'",
    fails: 'test/regression/read-only-key-by-nesting.test.ts',
  },
  {
    title: 'A nested record stores a foreign key that is hidden',
    file: 'packages/core/src/registry/field-rules.ts',
    find: 'column.hidden && column.definition.readOnly !== false',
    replace: 'false',
    fails: 'test/regression/read-only-key-by-nesting.test.ts',
  },
  {
    title: 'null clears a foreign key that the caller may not write',
    file: 'packages/core/src/write/execute/requested-changes.ts',
    find: 'if (sent || isFixed || !resource.settings.allowNestedWrites) {',
    replace: 'if (sent || !resource.settings.allowNestedWrites) {',
    fails: contract,
  },
  {
    title: 'on_conflict writes a column that a rule withholds',
    file: 'packages/core/src/write/endpoints/upsert.ts',
    find: 'unmatchable(resource, column)]',
    replace: 'column.withheld === undefined ? unmatchable(resource, column) : undefined]',
    fails: 'test/regression/read-only-in-on-conflict.test.ts',
  },
  {
    title: 'on_conflict takes the value of a column that is declared read-only from the client',
    file: 'packages/core/src/write/endpoints/upsert.ts',
    find: 'unmatchable(resource, column)]',
    replace: 'column.withheld === undefined ? undefined : unmatchable(resource, column)]',
    fails: 'test/regression/read-only-in-on-conflict.test.ts',
  },
  {
    title: 'on_conflict looks for one value of a default, and stores another',
    file: 'packages/core/src/write/execute/defaults.ts',
    find: 'Object.hasOwn(known, name)',
    replace: "Object.hasOwn(known, '')",
    fails: 'test/regression/read-only-in-on-conflict.test.ts',
  },
  {
    title: 'PUT empties a column that the caller may not write',
    file: 'packages/core/src/write/execute/requested-changes.ts',
    find: 'withheld === undefined &&',
    replace: '',
    fails: contract,
  },
  {
    title:
      'A refused DELETE names models that refer to the record by a column that the caller may not read',
    file: 'packages/core/src/write/execute/removal/referred-to.ts',
    find: "if (held.some(({ withheld }) => withheld === 'read')) continue",
    replace: '',
    fails: contract,
  },
  {
    title: 'DELETE ignores records that refer to it by a column that the caller may not read',
    file: 'packages/core/src/registry/dependents.ts',
    find: 'for (const relation of resource.allRelations.values()) {',
    replace: 'for (const relation of resource.relations.values()) {',
    fails: 'test/unit/access/column-rights.test.ts',
  },
  {
    title:
      'A foreign key is not checked against the scope if the caller may not read the model it refers to',
    file: 'packages/core/src/write/plan/references.ts',
    find: '[...resource.allRelations.values()]',
    replace: '[...resource.relations.values()]',
    fails: 'test/unit/access/column-rights.test.ts',
  },
]
