/**
 * The registry of a caller: that of the API if no rule withholds a column from the caller, else a separate one that is complete
 * in itself.
 */
import {
  callerRegistries,
  type RightsCall,
  registryOfRoles,
} from '../../../packages/core/src/access/column-rights.ts'
import { anonymous, type Caller } from '../../../packages/core/src/access/roles/roles.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import { dependentsOf } from '../../../packages/core/src/model/registry/relations/dependents.ts'
import { junctionOf } from '../../../packages/core/src/model/registry/relations/junction.ts'
import type { Registry, Resource } from '../../../packages/core/src/model/registry/resource.ts'
import { belongsTo, hasMany, manyToMany } from '../../../packages/core/src/model/relation.ts'
import { checkedReferences } from '../../../packages/core/src/write/nodes/hidden-references.ts'
import { equal, fail, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { model } from '../registry/start-up.ts'

const integer = { type: 'integer' }
const ruled = { type: 'integer', read: 'admin' }

const models = [
  model('Author', { relations: { books: hasMany('Book', 'author_id') } }),
  model('Book', {
    columns: {
      author_id: ruled,
      shelf_id: integer,
      price: { ...ruled, unique: true },
      place: { type: 'integer', write: 'admin' },
    },
    relations: {
      author: belongsTo('Author', 'author_id'),
      shelf: belongsTo('Shelf', 'shelf_id'),
      tags: manyToMany('Tag', { through: 'taggings', from: 'book_id', to: 'tag_id' }),
    },
    unique: [['shelf_id', 'place']],
  }),
  model('Shelf', { relations: { books: hasMany('Book', 'shelf_id') } }),
  model('Tag', {
    relations: {
      books: manyToMany('Book', { through: 'taggings', from: 'tag_id', to: 'book_id' }),
    },
  }),
  model('Tagging', { columns: { book_id: integer, tag_id: ruled } }),
  model('Plain', { columns: { name: { type: 'string' } } }),
]
const { registry } = buildRegistry({ models })
const resource = (name: string, of: Registry = registry): Resource =>
  of.byName.get(name) ?? fail(`${name} is not published`)

const admin: Caller = { user: { id: 1 }, authenticated: true, roles: ['admin'] }
const callOf = (caller: Caller, method = 'GET'): RightsCall =>
  ({ caller, method, action: 'GET_MANY', relation: null, runtime: {}, request: {} }) as never

suite('the registry of a caller', (test) => {
  const registries = callerRegistries(registry)
  const of = (name: string, caller: Caller, method = 'GET') =>
    registries.of(callOf(caller, method), resource(name)) as Registry

  test('is that of the API if no column rule applies, or none withholds a column', () => {
    equal(of('Plain', anonymous) === registry, true)
    equal(of('Plain', anonymous, 'POST') === registry, true)
    equal(of('Book', admin) === registry, true)
    equal(of('Book', admin, 'PATCH') === registry, true)
    equal(of('Author', anonymous) === registry, false)
  })

  test('does not depend on write rules for a read', () => {
    const readonly = { name: 'Draft', columns: { state: { type: 'string', write: 'admin' } } }
    const own = buildRegistry({ models: [model('Draft', readonly)] }).registry
    const drafts = callerRegistries(own)
    const draft = resource('Draft', own)
    equal(drafts.of(callOf(anonymous), draft) === own, true)
    equal(drafts.of(callOf(anonymous, 'HEAD'), draft) === own, true)
    equal(drafts.of(callOf(anonymous, 'PATCH'), draft) === own, false)
  })

  test('is the same object for the same rights, whichever resource is requested', () => {
    equal(of('Book', anonymous) === of('Shelf', { ...admin, roles: ['other'] }), true)
    equal(of('Book', anonymous) === of('Book', anonymous, 'HEAD'), true)
  })

  const seen = of('Book', anonymous, 'PATCH')

  test('has no column that the caller may not read, and read-only ones that it may not write', () => {
    const book = resource('Book', seen)
    equal([...book.columns.keys()], ['id', 'shelf_id', 'place'])
    equal([...book.allColumns.keys()], [...resource('Book').allColumns.keys()])
    equal(
      [...book.allColumns.values()].map(({ name, hidden, withheld }) => [name, hidden, withheld]),
      [
        ['id', false, undefined],
        ['author_id', true, 'read'],
        ['shelf_id', false, undefined],
        ['price', true, 'read'],
        ['place', false, 'write'],
      ],
    )
    equal(seen.unreadable, ['Book.author_id', 'Book.price', 'Tagging.tag_id'])
    equal(registry.unreadable, [])
  })

  test('has no relation that needs such a column, on either side or in the junction', () => {
    equal([...resource('Book', seen).relations.keys()], ['shelf'])
    equal([...resource('Author', seen).relations.keys()], [])
    equal([...resource('Tag', seen).relations.keys()], [])
    equal([...resource('Shelf', seen).relations.keys()], ['books'])
    equal([...resource('Book', seen).allRelations.keys()], ['author', 'shelf', 'tags'])
  })

  test('keeps what writes check: the dependents of a record and the targets of foreign keys', () => {
    const names = dependentsOf(seen, resource('Author', seen)).map(({ table }) => table)
    equal(names, ['books'])
    const own = buildRegistry({
      models: [
        model('Shelf', { columns: { code: { type: 'string', unique: true, read: 'admin' } } }),
        model('Loan', {
          columns: { shelf_code: { type: 'string' } },
          relations: { shelf: belongsTo('Shelf', 'shelf_code', { references: 'code' }) },
        }),
      ],
    }).registry
    const loan = resource('Loan', registryOfRoles(own, anonymous))
    equal([...loan.relations.keys()], [])
    const checked = (values: { readonly shelf_code?: string }) =>
      checkedReferences(loan, values, ({ name }) => name === 'Shelf', true)?.map(({ name }) => name)
    equal([checked({ shelf_code: 'x' }), checked({})], [['shelf'], []])
  })

  test('has no path back to the registry of the API', () => {
    for (const one of [...seen.resources]) {
      if (one.name === 'Plain') continue
      ok(one !== resource(one.name))
      const own = new Set(one.allColumns.values())
      for (const column of [...one.columns.values(), ...one.primaryKey, ...one.uniqueKeys.flat()]) {
        ok(own.has(column), `${one.name}.${column.name}`)
      }
      for (const relation of one.allRelations.values()) {
        const { name, source, target, from, to, inverse, address } = relation
        const at = `${one.name}.${name}`
        ok(source === one && target === resource(target.name, seen), at)
        ok(
          from.every((column) => own.has(column)),
          at,
        )
        ok(
          to.every((column) => target.allColumns.get(column.name) === column),
          at,
        )
        const junction = junctionOf(relation)
        ok(junction === undefined || junction.resource === resource('Tagging', seen), at)
        ok(address === null || address.resource === resource(address.resource.name, seen), at)
        ok(address?.key.every((column) => own.has(column)) !== false, at)
        ok(inverse === undefined || inverse === target.relations.get(inverse.name), at)
      }
    }
  })

  test('built from roles alone includes columns whose rule is a function', () => {
    const free = { type: 'integer', read: () => false }
    const own = buildRegistry({ models: [model('Book', { columns: { ruled, free } })] }).registry
    const names = (caller: Caller) => [
      ...resource('Book', registryOfRoles(own, caller)).columns.keys(),
    ]
    equal(names(anonymous), ['id', 'free'])
    equal(names(admin), ['id', 'ruled', 'free'])
  })
})
