/** Breaks of models without a key: rows that are written, repeated or lost, and keys that do not identify a row. */
import type { Break } from './break.ts'

const contract = 'test/contract/keyless.test.ts'
const keys = 'test/introspect/keys.test.ts'
const pairs = 'test/contract/repeated-pairs.test.ts'
const credentials = 'test/cli/credentials.test.ts'

export const keyless: readonly Break[] = [
  {
    title: 'A pair that a junction holds twice shows its record twice',
    file: 'packages/core/src/query/compile/source.ts',
    find: 'if (!through.repeats) return rows',
    replace: 'return rows',
    fails: pairs,
  },
  {
    title:
      'PostgreSQL writes a record twice into the JSON of a relation whose pair is stored twice',
    file: 'packages/core/src/query/compile/json/embedded-json.ts',
    find: 'const rows = relatedRows(target, { from, relation, source })',
    replace:
      'const rows = relatedRows(target, { from, relation, source }, { rowsMayRepeat: true })',
    fails: pairs,
    databases: ['postgres'],
  },
  {
    title: 'Pairs that a collation considers equal lose a record',
    file: 'packages/core/src/query/compile/source.ts',
    find: 'groupBy([...refs, ...exact])',
    replace: 'groupBy(refs)',
    fails: pairs,
  },
  {
    title: 'A junction model without a unique key counts as one with unique pairs',
    file: 'packages/core/src/model/registry/relations/resolve-relations.ts',
    find: 'return !resource.uniqueKeys.some((key)',
    replace: 'return resource.uniqueKeys.length === 0 && !resource.uniqueKeys.some((key)',
    fails: pairs,
  },
  {
    title: 'Introspection treats every junction as having unique pairs',
    file: 'packages/core/src/catalogue/introspect/relations/junctions.ts',
    find: 'repeats: mayRepeat(draft, ends)',
    replace: 'repeats: false && mayRepeat(draft, ends)',
    fails: keys,
  },
  {
    title: 'An object without a key links to the first row',
    file: 'packages/core/src/write/body/read-record.ts',
    find: 'const named =\n    !isKeyless(target) &&',
    replace: 'const named =\n    ',
    fails: contract,
  },
  {
    title: 'A list without a key has paths for rows',
    file: 'packages/core/src/http/route-table.ts',
    find: 'if (isKeyless(resource)) return undefined',
    replace: '',
    fails: contract,
  },
  {
    title: 'A read-only model has the methods of config',
    file: 'packages/core/src/model/settings/endpoints/resource-methods.ts',
    find: "return new Set(configured.filter((method) => method === 'GET'))",
    replace: 'return new Set(configured)',
    fails: contract,
  },
  {
    title: 'The rows of a view prevent the deletion of the records that they show',
    file: 'packages/core/src/model/registry/relations/dependents.ts',
    find: 'if (holder.model.readOnly) return []',
    replace: '',
    fails: contract,
  },
  {
    title: 'Pages of a list without a key overlap',
    file: 'packages/core/src/model/registry/row-identity.ts',
    find: 'return unique ?? visible',
    replace: 'return unique ?? []',
    fails: contract,
  },
  {
    title: 'The URL of a record shows a hidden foreign key',
    file: 'packages/core/src/model/registry/relations/relation-address.ts',
    find: 'return isWhole && isShown ?',
    replace: 'return isWhole ?',
    fails: contract,
  },
  {
    title: 'A cursor skips rows that are equal to its own',
    file: 'packages/core/src/query/plan/order/keyset.ts',
    find: 'if (!isKeyless(resource) || isTotal(resource, ordered)) return',
    replace: 'if (ordered.length >= 0) return',
    fails: contract,
  },
  {
    title: 'A unique index with NULLs is used as a key',
    file: 'packages/core/src/catalogue/introspect/keys.ts',
    find: 'column?.nullable === false &&',
    replace: 'column !== undefined &&',
    fails: keys,
  },
  {
    title: 'A view with a union of two tables has the key of the first',
    file: 'packages/core/src/catalogue/shared/view-query.ts',
    find: "  'having',\n  'union',",
    replace: "  'having',\n  '',",
    fails: keys,
  },
  {
    title: 'A view has the key of a table of the same name in another schema',
    file: 'packages/core/src/catalogue/postgres/catalogue-views.ts',
    find: 'return named.length > 0 && isOwn ? query : undefined',
    replace: 'return named.length > 0 || isOwn ? query : undefined',
    fails: keys,
    databases: ['postgres'],
  },
  {
    title: 'Foreign keys refer to the table whose name differs in letter case',
    file: 'packages/core/src/catalogue/introspect/align-keys.ts',
    find: 'if (all.includes(name)) return name',
    replace: '',
    fails: keys,
    databases: ['postgres'],
  },
  {
    title: 'A bigint that refers to an integer key is rounded',
    file: 'packages/core/src/catalogue/introspect/align-keys.ts',
    find: 'if (isWider(own, foreignKey)) {',
    replace: 'if (!isWider(own, foreignKey)) {',
    fails: 'test/introspect/wide-keys.test.ts',
  },
  {
    title: 'A foreign key that PostgreSQL has not validated excludes large values',
    file: 'packages/core/src/catalogue/postgres/postgres-catalogue.ts',
    find: 'unchecked: !isTrue(first?.is_checked),',
    replace: 'unchecked: false,',
    fails: 'test/introspect/wide-keys.test.ts',
    databases: ['postgres'],
  },
  {
    title: 'A view shows a credential under another name',
    file: 'packages/core/src/catalogue/introspect/view-credentials.ts',
    find: 'return shows ? ({ ...column, credential: true } as const) : column',
    replace: 'return shows === undefined ? ({ ...column, credential: true } as const) : column',
    fails: credentials,
  },
  {
    title: 'A view shows a credential that a subquery renames',
    file: 'packages/core/src/catalogue/introspect/view-credentials.ts',
    find: '...(hides ? { credential: true } : {})',
    replace: '',
    fails: credentials,
  },
]
