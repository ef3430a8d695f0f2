/** Declaring models and bases. */
import { defineBase, defineModel } from '../../../packages/core/src/model/define-model.ts'
import {
  belongsTo,
  hasMany,
  hasOne,
  manyToMany,
} from '../../../packages/core/src/model/relation.ts'
import { equal, ok, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const id = { type: 'integer', primaryKey: true } as const

suite('defineModel', (test) => {
  test('names the table after the model by default', () => {
    equal(defineModel('OrderItem', { columns: { id } }).table, 'order_items')
    equal(defineModel('Person', { columns: { id } }).table, 'people')
    equal(defineModel('Person', { table: 'PERSON', columns: { id } }).table, 'PERSON')
  })

  test('keeps what was declared, in order', () => {
    const model = defineModel('Book', {
      columns: { id, title: { type: 'string' }, author_id: { type: 'integer' } },
      relations: { author: belongsTo('Author', 'author_id') },
      meta: { allow_join: true },
    })
    equal(Object.keys(model.columns), ['id', 'title', 'author_id'])
    equal(model.relations.author, { kind: 'belongsTo', target: 'Author', key: 'author_id' })
    equal(model.meta, { allow_join: true })
  })

  test('has empty parts where nothing is declared, and no meta', () => {
    const model = defineModel('Book', { columns: { id } })
    equal([model.relations, model.computed, model.methods], [{}, {}, {}])
    equal('meta' in model, false)
    equal('meta' in defineModel('Book', { columns: { id }, meta: null as never }), false)
    equal(defineModel('Book', { columns: { id }, meta: {} }).meta, {})
  })

  test('freezes the model, but not the literal', () => {
    const columns = { id: { type: 'integer', primaryKey: true } } as const
    const model = defineModel('Book', { columns, meta: {} })
    for (const part of [model, model.columns, model.columns.id, model.relations, model.meta]) {
      ok(Object.isFrozen(part))
    }
    equal(Object.isFrozen(columns.id), false)
    throws(() => Object.assign(model.columns, { extra: 1 }), 'not extensible')
  })
})

suite('relations', (test) => {
  test('are plain data', () => {
    equal(belongsTo('Edition', ['book_id', 'no']), {
      kind: 'belongsTo',
      target: 'Edition',
      key: ['book_id', 'no'],
    })
    equal(hasOne('Profile', 'author_id'), { kind: 'hasOne', target: 'Profile', key: 'author_id' })
    equal(hasMany('City', 'country_code', { references: 'code' }), {
      kind: 'hasMany',
      target: 'City',
      key: 'country_code',
      references: 'code',
    })
    equal(manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }), {
      kind: 'manyToMany',
      target: 'Tag',
      through: 'book_tags',
      from: 'book_id',
      to: 'tag_id',
    })
  })
})

suite('defineBase', (test) => {
  const Base = defineBase({
    columns: { id, created: { type: 'datetime', managed: 'created' } },
    meta: { allow_join: true, count: 'none' },
  })
  const Book = Base.define('Book', {
    columns: { title: { type: 'string' } },
    meta: { count: 'exact' },
  })
  const Secret = Base.define('Secret', { columns: { id: { type: 'uuid', primaryKey: true } } })

  test('puts its columns first, and a model may replace one', () => {
    equal(Object.keys(Book.columns), ['id', 'created', 'title'])
    equal(Secret.columns.id.type, 'uuid')
  })

  test('gives its meta as defaults to models that have meta', () => {
    equal(Book.meta, { allow_join: true, count: 'exact' })
  })

  test('does not publish a model that has none', () => equal('meta' in Secret, false))

  test('remembers its models', () => equal(Base.models, [Book, Secret]))
})
