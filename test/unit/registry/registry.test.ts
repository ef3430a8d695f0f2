/** Models become resources: what is published, under which names, with which columns and relations. */
import { defineBase, defineModel } from '../../../packages/core/src/model/define-model.ts'
import { endpointNames } from '../../../packages/core/src/model/registry/endpoint-name.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import {
  belongsTo,
  hasMany,
  hasOne,
  manyToMany,
} from '../../../packages/core/src/model/relation.ts'
import { equal, ok } from '../../support/assert.ts'
import { steepness } from '../../support/growth.ts'
import { suite } from '../../support/suite.ts'
import { model, resourceOf } from './start-up.ts'

const id = { type: 'integer', primaryKey: true } as const
const integer = { type: 'integer' } as const

suite('the registry', (test) => {
  test('publishes the models that have meta, in order', () => {
    const models = [model('Book'), model('Draft', { meta: undefined }), model('Author')]
    const { registry } = buildRegistry({ models })
    equal(
      registry.resources.map(({ name }) => name),
      ['Book', 'Author'],
    )
    equal(registry.byName.get('Draft'), undefined)
  })

  test('publishes what the base model defined with meta', () => {
    const Base = defineBase({ columns: { id }, meta: { allow_join: true } })
    Base.define('Book', { columns: {}, meta: {} })
    Base.define('Draft', { columns: {} })
    const { registry } = buildRegistry({ models: [model('Tag')], config: { API_BASE_MODEL: Base } })
    equal([...registry.byName.keys()], ['Tag', 'Book'])
    equal(registry.byName.get('Book')?.settings.allowJoin, true)
  })

  test('starts without any model', () => equal(buildRegistry({}).registry.resources, []))

  test('hands on the session getter', () => {
    const getter = () => ({}) as never
    equal(buildRegistry({ config: { API_SESSION_GETTER: getter } }).sessionGetter, getter)
    equal(buildRegistry({}).sessionGetter, undefined)
  })
})

suite('the columns of a resource', (test) => {
  const Book = defineModel('Book', {
    columns: {
      createdAt: { type: 'datetime', column: 'created_at' },
      id,
      secret: { type: 'text', hidden: true, nullable: true },
      price: { type: 'decimal', scale: 2 },
      any: { type: 'decimal' },
      state: { type: 'enum', enum: ['a', 'b'], collation: 'database' },
    },
    computed: {
      label: { type: 'string', nullable: true, expression: (eb) => eb.ref('created_at') },
      inner: { type: 'string', hidden: true, expression: (eb) => eb.ref('created_at') },
    },
    meta: {},
  })
  const resource = resourceOf('Book', [Book])
  const column = (name: string) => resource.allColumns.get(name)

  test('are in model order, computed ones last, hidden ones separate', () => {
    equal([...resource.columns.keys()], ['createdAt', 'id', 'price', 'any', 'state', 'label'])
    equal([...resource.allColumns.keys()].length, 8)
  })

  test('have both names', () => {
    equal([column('createdAt')?.name, column('createdAt')?.dbName], ['createdAt', 'created_at'])
    equal([column('id')?.name, column('id')?.dbName], ['id', 'id'])
  })

  test('have the type, precision and scale needed to read and compare them', () => {
    const { definition, ...price } = column('price') ?? {}
    equal(definition, { type: 'decimal', scale: 2 })
    equal(price, {
      name: 'price',
      dbName: 'price',
      type: 'decimal',
      nullable: false,
      hidden: false,
      precision: 15,
      scale: 2,
    })
    equal(['precision' in (column('any') ?? {}), 'scale' in (column('any') ?? {})], [false, false])
    equal([column('state')?.enum, column('state')?.collation], [['a', 'b'], 'database'])
  })

  test('include computed ones, read-only and under their field name', () => {
    const label = column('label')
    equal(
      [label?.dbName, label?.nullable, label?.definition],
      ['label', true, { type: 'string', nullable: true, readOnly: true }],
    )
    equal(typeof label?.computed, 'function')
  })

  test('give the primary key in model order', () => {
    const Edition = defineModel('Edition', {
      columns: { book_id: id, title: { type: 'string' }, no: id },
      meta: {},
    })
    equal(
      resourceOf('Edition', [Edition]).primaryKey.map(({ name }) => name),
      ['book_id', 'no'],
    )
  })
})

suite('endpoint names', (test) => {
  test('are the plural in each case, with the name itself as alias', () => {
    equal(endpointNames('OrderItem', {}, 'kebab').paths, ['order-items', 'order-item'])
    equal(endpointNames('OrderItem', {}, 'snake').paths, ['order_items', 'order_item'])
    equal(endpointNames('OrderItem', {}, 'camel').paths, ['orderItems', 'orderItem'])
    equal(endpointNames('OrderItem', {}, 'pascal').paths, ['OrderItems', 'OrderItem'])
  })

  test('are a single one if the name is its own plural', () => {
    equal(endpointNames('News', {}, 'kebab').paths, ['news'])
    equal(endpointNames('Books', {}, 'kebab').paths, ['books'])
  })

  test('exist in addition to the endpoints of meta', () => {
    const meta = { endpoint: ['/shop/items', 'things'] }
    equal(endpointNames('Item', meta, 'kebab'), {
      endpoint: 'items',
      paths: ['items', 'shop/items', 'things', 'item'],
    })
  })

  test('are replaced by those of meta without canonical routes', () => {
    const meta = { endpoint: 'shop/items', register_canonical_routes: false }
    equal(endpointNames('Item', meta, 'kebab'), { endpoint: 'items', paths: ['shop/items'] })
    equal(endpointNames('Item', { register_canonical_routes: false }, 'kebab'), {
      endpoint: 'items',
      paths: [],
    })
  })

  test('follow API_ENDPOINT_CASE, and so do relation segments', () => {
    const columns = { id, best_id: integer }
    const relations = { bestSeller: belongsTo('OrderItem', 'best_id') }
    const Item = defineModel('OrderItem', { columns, relations, meta: {} })
    for (const [endpointCase, endpoint, segment] of [
      ['kebab', 'order-items', 'best-seller'],
      ['snake', 'order_items', 'best_seller'],
      ['camel', 'orderItems', 'bestSeller'],
      ['pascal', 'OrderItems', 'BestSeller'],
    ] as const) {
      const resource = resourceOf('OrderItem', [Item], { API_ENDPOINT_CASE: endpointCase })
      equal(resource.endpoint, endpoint)
      equal(resource.relations.get('bestSeller')?.segment, segment)
    }
  })
})

suite('the relations of a resource', (test) => {
  const models = [
    defineModel('Author', {
      columns: { id, code: { type: 'string', unique: true } },
      relations: {
        books: hasMany('Book', 'author_id'),
        profile: hasOne('Profile', 'author_id'),
        tags: manyToMany('Tag', { through: 'author_tags', from: 'author_id', to: 'tag_id' }),
        letters: hasMany('Letter', 'author_code', { references: 'code' }),
        drafts: hasMany('Draft', 'author_id'),
      },
      meta: {},
    }),
    defineModel('Book', {
      columns: { id, author_id: integer, editor_id: integer },
      relations: {
        author: belongsTo('Author', 'author_id'),
        editor: belongsTo('Author', 'editor_id'),
      },
      meta: {},
    }),
    defineModel('Profile', {
      columns: { id, author_id: integer },
      relations: { author: belongsTo('Author', 'author_id') },
      meta: {},
    }),
    defineModel('Tag', {
      columns: { id },
      relations: {
        authors: manyToMany('Author', { through: 'author_tags', from: 'tag_id', to: 'author_id' }),
      },
      meta: {},
    }),
    defineModel('Letter', {
      columns: { id, author_code: { type: 'text' } },
      relations: { author: belongsTo('Author', 'author_code', { references: 'code' }) },
      meta: {},
    }),
    defineModel('Draft', { columns: { id, author_id: integer } }),
    defineModel('Edition', {
      columns: { book_id: id, no: id },
      relations: { prints: hasMany('Print', ['b', 'n']) },
      meta: {},
    }),
    defineModel('Print', {
      columns: { id, n: integer, b: integer },
      relations: { edition: belongsTo('Edition', ['b', 'n']) },
      meta: {},
    }),
    defineModel('Node', {
      columns: { id, parent_id: { type: 'integer', nullable: true } },
      relations: {
        parent: belongsTo('Node', 'parent_id'),
        children: hasMany('Node', 'parent_id'),
        friends: manyToMany('Node', { through: 'friends', from: 'a', to: 'b' }),
        friendOf: manyToMany('Node', { through: 'friends', from: 'b', to: 'a' }),
      },
      meta: {},
    }),
  ] as const
  const { byName } = buildRegistry({ models }).registry
  const relation = (name: string, key: string) => byName.get(name)?.relations.get(key)
  const keys = (name: string, key: string) => {
    const { from = [], to = [], pairs = [], through } = relation(name, key) ?? {}
    const foreignKeys = [through?.from ?? [], through?.to ?? []]
    const junction = through
      ? [through.table, ...foreignKeys.map((columns) => columns.map(({ dbName }) => dbName))]
      : []
    equal(
      pairs.map((pair) => [pair.from, pair.to]),
      through ? [] : from.map((column, i) => [column, to[i]]),
    )
    return [from.map((c) => c.name), to.map((c) => c.name), ...junction]
  }

  test('lead to published models only, in model order', () => {
    equal(
      [...(byName.get('Author')?.relations.keys() ?? [])],
      ['books', 'profile', 'tags', 'letters'],
    )
  })

  test('have the columns of both sides', () => {
    equal(keys('Book', 'author'), [['author_id'], ['id']])
    equal(keys('Author', 'books'), [['id'], ['author_id']])
    equal(keys('Author', 'profile'), [['id'], ['author_id']])
    equal(keys('Author', 'letters'), [['code'], ['author_code']])
    equal(keys('Letter', 'author'), [['author_code'], ['code']])
    equal(keys('Author', 'tags'), [['id'], ['id'], 'author_tags', ['author_id'], ['tag_id']])
  })

  test('pair composite keys in the order of the target key', () => {
    equal(keys('Print', 'edition'), [
      ['b', 'n'],
      ['book_id', 'no'],
    ])
    equal(keys('Edition', 'prints'), [
      ['book_id', 'no'],
      ['b', 'n'],
    ])
  })

  test('know the published model of a junction table', () => {
    const pair = { a_id: integer, b_id: integer }
    const links = manyToMany('Node', { through: 'links', from: 'a_id', to: 'b_id' })
    const Node = model('Node', { relations: { links } })
    const through = (meta: object | undefined) =>
      resourceOf('Node', [Node, model('Link', { columns: pair, meta })]).relations.get('links')
        ?.through
    equal(through({})?.resource?.name, 'Link')
    equal(through(undefined)?.resource, undefined)
  })

  test('know how many records they can have', () => {
    equal(
      ['books', 'profile', 'tags'].map((key) => relation('Author', key)?.cardinality),
      ['many', 'one', 'many'],
    )
    equal(relation('Book', 'author')?.cardinality, 'one')
  })

  test('know source and target', () => {
    ok(relation('Book', 'author')?.source === byName.get('Book'))
    ok(relation('Book', 'author')?.target === byName.get('Author'))
  })

  test('know the relation that leads back by the same keys', () => {
    const inverse = (name: string, key: string) => relation(name, key)?.inverse?.name
    equal(inverse('Author', 'books'), 'author')
    equal(inverse('Book', 'author'), 'books')
    equal(inverse('Book', 'editor'), undefined)
    equal(inverse('Author', 'profile'), 'author')
    equal(inverse('Author', 'tags'), 'authors')
    equal(inverse('Tag', 'authors'), 'tags')
    equal(inverse('Letter', 'author'), 'letters')
    equal(inverse('Print', 'edition'), 'prints')
    equal(inverse('Node', 'parent'), 'children')
    equal(inverse('Node', 'children'), 'parent')
    equal(inverse('Node', 'friends'), 'friendOf')
    ok(relation('Author', 'books')?.inverse === relation('Book', 'author'))
  })

  test('may link a key of type string with one of type text', () => {
    equal(relation('Letter', 'author')?.from[0]?.type, 'text')
    equal(relation('Letter', 'author')?.to[0]?.type, 'string')
  })
})

suite('a large registry', (test) => {
  test('of models with 20 columns and 10 relations takes time in proportion to their number', async () => {
    const columns = Object.fromEntries(
      Array.from({ length: 19 }, (_, c) => [`c${c}`, { type: 'integer' }]),
    )
    const modelsOf = (count: number) =>
      Array.from({ length: count }, (_, i) => {
        const relations = Object.fromEntries(
          Array.from({ length: 10 }, (_, r) => [
            `r${r}`,
            belongsTo(`M${(i + r) % count}`, `c${r}`),
          ]),
        )
        return model(`M${i}`, { columns, relations })
      })
    const build = (count: number) => {
      const models = modelsOf(count)
      return () => equal(buildRegistry({ models }).registry.resources.length, count)
    }
    equal(await steepness(250, build), undefined)
  })
})
