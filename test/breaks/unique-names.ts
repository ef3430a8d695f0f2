/** Breaks of nested objects that name records by a unique key. */
import type { Break } from './break.ts'

const file = 'packages/core/src/write/resolve/resolve-unique-names.ts'
const fails = 'test/writing/links-by-name.test.ts'

export const uniqueNames: readonly Break[] = [
  {
    title: 'Records are named by a unique key without the right to read them',
    file,
    find: "if (!(await context.access.mayWrite(resource, 'GET_ONE'))) throw forbidden(path)",
    replace: '',
    fails,
  },
  {
    title: 'A unique key of several objects creates a record for each',
    file,
    find: 'named.set(text, one)',
    replace: 'named.set(path, one)',
    fails,
  },
  {
    title: 'A unique key is looked up without the defaults of its hidden columns',
    file,
    find: 'const key = valuesOf(uniqueName.columns, { ...values, ...initial })',
    replace: 'const key = valuesOf(uniqueName.columns, { ...values, tenant: 1 })',
    fails,
  },
  {
    title: 'An object that names a stored record by a unique key may contain other values',
    file,
    find: 'const sentBack = isNew ? nothingSentBack : node.uniqueName.sentBack',
    replace: 'const sentBack = nothingSentBack',
    fails,
  },
  {
    title: 'Required fields are missing in records that unique keys create',
    file,
    find: 'for (const message of messages) problems.add(path, message)',
    replace: 'void [path, messages]',
    fails,
  },
  {
    title:
      'The two readings of an object by an upsert must equal the record that one of them creates',
    file,
    find: 'const isNew = record !== undefined && path === first.path',
    replace: 'const isNew = record !== undefined && node === first',
    fails,
  },
  {
    title: 'An upsert calls the defaults of a nested object twice',
    file,
    find: 'if (byPath.has(path)) {',
    replace: 'if (byPath.has(path) && byPath.size > 99) {',
    fails,
  },
  {
    title:
      'An object whose default for the key is NULL creates a record without its required fields',
    file,
    find: 'if (createsSome) context.problems.refuse()',
    replace: 'void createsSome',
    fails,
  },
  {
    title: 'A named record that is created outside of the scope of its creator cannot be linked',
    file,
    find: 'const isKnown = record !== undefined && !hasSentBack({ sentBack })',
    replace: 'const isKnown = false',
    fails,
  },
  {
    title: 'Validators check the values of an object that names a stored record',
    file: 'packages/core/src/write/body/read-record.ts',
    find: 'const own: Reading = { ...reading, problems, checks }',
    replace: 'const own: Reading = { ...reading, problems }',
    fails,
  },
  {
    title: 'The validators of an object that names a new record do not run',
    file,
    find: 'await validate(uniqueName.checks)',
    replace: 'void validate',
    fails,
  },
  {
    title:
      'A part of the primary key of an object that names a stored record may differ from the stored one',
    file: 'packages/core/src/write/body/read-record.ts',
    find: 'if (key !== undefined && column?.definition.primaryKey) continue',
    replace: 'if (column?.definition.primaryKey) continue',
    fails,
  },
  {
    title: 'An upsert does not find records by a foreign key that a nested object sets',
    file: 'packages/core/src/http/endpoints/writes/request/upsert-key.ts',
    find: "if (node.kind !== 'reference') continue",
    replace: "if (node.kind !== 'reference' || 1) continue",
    fails,
  },
  {
    title: 'An upsert finds no records by a foreign key that it knows after it has resolved names',
    file: 'packages/core/src/http/endpoints/writes/upsert.ts',
    find: 'return new Candidate({ ...candidate, change, create, key, initial })',
    replace: 'return new Candidate({ ...candidate, change, create })',
    fails,
  },
  {
    title: 'A PATCH by filters that match nothing creates the records that its body names',
    file: 'packages/core/src/http/endpoints/writes/bulk.ts',
    find: 'const mayName = relationKeys.size > 0 && rows.length > 0',
    replace: 'const mayName = relationKeys.size > 0',
    fails,
  },
  {
    title: 'A named record that another request creates meanwhile is a conflict',
    file: 'packages/core/src/http/endpoints/writes/request/relation-keys.ts',
    find: 'named.has(refused.table)',
    replace: "keys.size > 99 && kind === 'unique'",
    fails,
    databases: ['postgres', 'mariadb'],
  },
  {
    title: 'A list whose unique keys name records is written one by one',
    file: 'packages/core/src/http/endpoints/writes/create.ts',
    find: 'await resolveUniqueNames(context, nodes, write)',
    replace:
      '(await Promise.all(nodes.map((one) => resolveUniqueNames(context, [one], write)))).flat()',
    fails,
  },
  {
    title:
      'Missing records are created in the order of the body, so that two requests may deadlock',
    file,
    find: 'const inOrder = [...missing].sort(byKeyText)',
    replace: 'const inOrder = [...missing]',
    fails,
  },
]
