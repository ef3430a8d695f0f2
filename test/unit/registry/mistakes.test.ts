/** Every mistake that a set of models can contain, with its error message. */
import {
  type AnyModel,
  defineBase,
  defineModel,
} from '../../../packages/core/src/model/define-model.ts'
import {
  belongsTo,
  hasMany,
  hasOne,
  manyToMany,
} from '../../../packages/core/src/model/relation.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { model, problemsOf } from './start-up.ts'

const integer = { type: 'integer' }
const key = { type: 'integer', primaryKey: true }

suite('mistakes of names', (test) => {
  const names: readonly (readonly [name: string, message: string])[] = [
    ['first-name', 'a name has letters, digits and _, and does not begin with a digit.'],
    ['2nd', 'a name has letters, digits and _, and does not begin with a digit.'],
    ['größe', 'a name has letters, digits and _, and does not begin with a digit.'],
    ['price__ge', 'a name cannot end in "__ge", which a query reads as an operator.'],
    ['price__neq', 'a name cannot end in "__neq", which a query reads as an operator.'],
    ['price__sum', 'a name cannot end in "__sum", which a query reads as an operator.'],
    ['nullslast', 'nothing can have this name, which a query reads as the position of NULLs.'],
    ['nullsfirst', 'nothing can have this name, which a query reads as the position of NULLs.'],
  ]
  for (const [name, message] of names) {
    test(`a column called ${name}`, () => {
      equal(problemsOf({ models: [model('Book', { columns: { [name]: integer } })] }), [
        `models.Book.columns.${name}: ${message}`,
      ])
    })
    test(`a computed column called ${name}`, () => {
      const computed = { [name]: { type: 'integer', expression: () => null } }
      equal(problemsOf({ models: [model('Book', { computed })] }), [
        `models.Book.computed.${name}: ${message}`,
      ])
    })
    test(`a relation called ${name}`, () => {
      const relations = { [name]: belongsTo('Book', 'book_id') }
      const columns = { book_id: integer }
      equal(problemsOf({ models: [model('Book', { columns, relations })] }), [
        `models.Book.relations.${name}: ${message}`,
      ])
    })
  }

  test('a right of a column that is undefined', () => {
    const why = 'is undefined, which would allow everybody. Leave it out for that.'
    const columns = { price: { type: 'integer', read: undefined, write: undefined } }
    const computed = { cost: { type: 'integer', expression: () => null, read: undefined } }
    equal(problemsOf({ models: [model('Book', { columns, computed })] }), [
      `models.Book.columns.price.read: ${why}`,
      `models.Book.columns.price.write: ${why}`,
      `models.Book.computed.cost.read: ${why}`,
    ])
  })

  test('a column called __proto__, as an introspected one might be', () => {
    const columns = Object.defineProperty({}, '__proto__', { value: integer, enumerable: true })
    equal(problemsOf({ models: [model('Book', { columns })] }), [
      'models.Book.columns.__proto__: nothing can have this name.',
    ])
  })

  for (const name of ['constructor', 'toString', 'prototype']) {
    test(`a column called ${name}, which is a valid name of a relation`, () => {
      const message = `a column cannot have this name, because every JavaScript object has such a member: name it otherwise, with column: '${name}' for its name in the database.`
      const columns = { [name]: integer }
      equal(problemsOf({ models: [model('Book', { columns })] }), [
        `models.Book.columns.${name}: ${message}`,
      ])
      const relations = { [name]: belongsTo('Book', 'book_id') }
      const own = model('Book', { columns: { book_id: integer }, relations })
      equal(problemsOf({ models: [own] }), [])
    })
  }

  for (const name of ['or', 'and', 'not', 'exists', 'missing']) {
    test(`a relation called ${name}, which is a valid column name`, () => {
      const relations = { [name]: belongsTo('Book', 'book_id') }
      const columns = { book_id: integer }
      equal(problemsOf({ models: [model('Book', { columns, relations })] }), [
        `models.Book.relations.${name}: a relation cannot have this name, which a query reads as a group.`,
      ])
      equal(problemsOf({ models: [model('Book', { columns: { [name]: integer } })] }), [])
    })
  }

  test('not: valid names', () => {
    const names = ['page', 'limit', 'a__b', 'ge', '__x']
    const columns = Object.fromEntries(names.map((name) => [name, integer]))
    equal(problemsOf({ models: [model('Book', { columns })] }), [])
  })

  test('a model name', () => {
    equal(problemsOf({ models: [model('Order Item')] }), [
      'models.Order Item: a model name has letters, digits and _, and does not begin with a digit.',
    ])
  })

  test('a relation named as a column', () => {
    const columns = { author: integer }
    const relations = { author: belongsTo('Book', 'author') }
    equal(problemsOf({ models: [model('Book', { columns, relations })] }), [
      'models.Book.relations.author: a column has this name.',
    ])
  })

  test('a computed column named as a column, or as a database column', () => {
    const columns = {
      title: { type: 'string' },
      createdAt: { type: 'datetime', column: 'created_at' },
    }
    const expression = () => null
    const computed = {
      title: { type: 'string', expression },
      created_at: { type: 'string', expression },
    }
    equal(problemsOf({ models: [model('Book', { columns, computed })] }), [
      'models.Book.computed.title: a column has this name.',
      'models.Book.computed.created_at: a column has this name.',
    ])
  })

  test('two relations with one path segment', () => {
    const columns = { a_id: integer }
    const relations = {
      bestSeller: belongsTo('Book', 'a_id'),
      best_seller: belongsTo('Book', 'a_id'),
    }
    equal(problemsOf({ models: [model('Book', { columns, relations })] }), [
      'models.Book.relations.best_seller: shares the path segment "best-seller" with relation "bestSeller".',
    ])
  })
})

suite('mistakes of models', (test) => {
  test('two of one name', () => {
    equal(problemsOf({ models: [model('Book'), model('Book')] }), [
      "models.Book: two models have this name. Rename one, and keep its table with table: 'books'; if they are meant to be one model, define it once.",
    ])
  })

  test('not: the same model twice', () => {
    const Book = model('Book')
    equal(problemsOf({ models: [Book, Book] }), [])
  })

  test('no columns', () => {
    const definition = {
      name: 'Book',
      table: 'books',
      relations: {},
      computed: {},
      aggregates: {},
      methods: {},
    }
    equal(problemsOf({ models: [{ ...definition, columns: {}, meta: {} }] }), [
      'models.Book.columns: a published model needs at least one column.',
    ])
  })

  test('no primary key, which only a read-only model may lack', () => {
    const columns = { id: integer }
    const posting = { allowed_methods: ['POST'] }
    equal(problemsOf({ models: [model('Book', { columns, meta: posting })] }), [
      'models.Book.meta.allowed_methods: Book has no primary key, so it is read only; take POST away, or mark its key primaryKey: true.',
    ])
    equal(problemsOf({ models: [model('Book', { columns })] }), [])
    equal(problemsOf({ models: [model('Book', { columns, meta: undefined })] }), [])
  })

  test('a hidden primary key', () => {
    const columns = { id: { ...key, hidden: true } }
    equal(problemsOf({ models: [model('Book', { columns })] }), [
      'models.Book.columns.id: a primary key column cannot be hidden.',
    ])
  })

  test('a table without a name, an unknown method', () => {
    equal(problemsOf({ models: [model('Book', { table: '', methods: { check: 'yes' } })] }), [
      'models.Book.table: expected the name of a table.',
      'models.Book.methods.check: expected a function, got "yes".',
    ])
  })

  test('an unknown option, also of an unpublished model', () => {
    const models = [
      model('Book', { tabel: 'novels', relation: {} }),
      model('Draft', { coloumns: {}, meta: undefined }),
      { ...model('Tag'), endpoint: 'labels' },
    ]
    equal(problemsOf({ models }), [
      'models.Book.tabel: unknown option. Did you mean "table"?',
      'models.Book.relation: unknown option. Did you mean "relations"?',
      'models.Draft.coloumns: unknown option. Did you mean "columns"?',
      'models.Tag.endpoint: unknown option.',
    ])
    equal(
      problemsOf({
        models: [defineModel('Book', { ...model('Novel'), tabel: undefined } as never)],
      }),
      [],
    )
  })

  test('meta that is no object', () => {
    for (const meta of [true, false, [], 'yes']) {
      const [line = '', ...more] = problemsOf({ models: [model('Book', { meta })] })
      ok(line.startsWith('models.Book.meta: expected an object, got '), line)
      ok(
        line.endsWith(
          'Write meta: {} to publish the model with the settings of the API, or leave meta out.',
        ),
      )
      equal(more, [])
    }
  })

  test('a base with an unknown option', () => {
    const messageOf = (base: object): string => {
      try {
        defineBase(base as never)
        return ''
      } catch (error) {
        return (error as Error).message
      }
    }
    equal(
      messageOf({ columns: {}, mta: {} }),
      'defineBase: unknown option "mta". Did you mean "meta"?',
    )
    equal(messageOf({ columns: {}, meta: true }), 'defineBase: meta must be an object of settings.')
    const Base = defineBase({ columns: {} })
    const Book = Base.define('Book', { columns: { id: key }, tabel: 'x', meta: true } as never)
    equal(problemsOf({ models: [Book] }).length, 2)
  })

  test('two fields of one database column', () => {
    const columns = { name: { type: 'string' }, title: { type: 'string', column: 'name' } }
    equal(problemsOf({ models: [model('Book', { columns })] }), [
      'models.Book.columns.title: the database column "name" is already the field "name".',
    ])
  })

  test('a value other than a list of models', () => {
    equal(problemsOf({ models: { Book: model('Book') } as never }), [
      'models: expected a list of models.',
    ])
    equal(problemsOf({ models: [model('Book'), 'Author', null, { name: 'Tag' }] as never }), [
      'models[1]: expected what defineModel returns.',
      'models[2]: expected what defineModel returns.',
      'models[3]: expected what defineModel returns.',
    ])
  })
})

const softDelete = (values: readonly unknown[]): object => ({
  meta: { soft_delete: true, soft_delete_attribute: 'it', soft_delete_values: values },
})

suite('mistakes of columns', (test) => {
  const types =
    'integer, bigint, float, decimal, boolean, string, text, date, datetime, time, uuid, enum, json, binary, list, opaque'
  const cases: readonly (readonly [column: Record<string, unknown>, ...ends: string[]])[] = [
    [{}, ': needs a type.'],
    [{ type: 'int' }, `.type: expected one of ${types}, got "int".`],
    [
      { type: 'datetme' },
      `.type: expected one of ${types}, got "datetme". Did you mean "datetime"?`,
    ],
    [{ type: 'text', nulable: true }, '.nulable: unknown option. Did you mean "nullable"?'],
    [{ type: 'text', nullable: 'yes' }, '.nullable: expected true or false, got "yes".'],
    [{ type: 'enum' }, ": a column of type enum needs its members: enum: ['…']."],
    [
      { type: 'enum', enum: [] },
      '.enum: expected a list of at least one string, without duplicates.',
    ],
    [
      { type: 'enum', enum: ['a', 'a'] },
      '.enum: expected a list of at least one string, without duplicates.',
    ],
    [{ type: 'string', enum: ['a'] }, '.enum: only a column of type enum, list can have it.'],
    [{ type: 'string', maxLength: 0 }, '.maxLength: expected a whole number from 1, got 0.'],
    [
      { type: 'integer', maxLength: 3 },
      '.maxLength: only a column of type string, text, binary can have it.',
    ],
    [{ type: 'decimal', scale: -1 }, '.scale: expected a whole number from 0, got -1.'],
    [
      { type: 'float', precision: 5 },
      '.precision: only a column of type decimal, list can have it.',
    ],
    [{ type: 'string', storage: 'text' }, '.storage: only a column of type decimal can have it.'],
    [
      { type: 'integer', collation: 'database' },
      '.collation: only a column of type string, text, uuid, enum can have it.',
    ],
    [
      { type: 'string', collation: 'nocase' },
      '.collation: expected one of database, got "nocase".',
    ],
    [{ type: 'string', column: '' }, '.column: expected a non-empty string, got "".'],
    [
      { type: 'integer', managed: 'created' },
      '.managed: only a column of type date, datetime can have it.',
    ],
    [
      { type: 'datetime', managed: 'inserted' },
      '.managed: expected one of created, updated, got "inserted".',
    ],
    [{ type: 'uuid', generated: 'guid' }, '.generated: expected true or false, got "guid".'],
    [
      { type: 'integer', generated: 'uuid' },
      ": generated: 'uuid' needs a column of one of the types string, text, uuid.",
    ],
    [
      { type: 'integer', generated: true, default: 1 },
      ': generated and default exclude each other.',
    ],
    [
      { type: 'datetime', managed: 'created', hasDefault: true },
      ': managed and hasDefault exclude each other.',
    ],
    [{ type: 'integer', default: '1' }, ': the default "1" is not a value of type integer.'],
    [{ type: 'integer', default: null }, ': the default null is not a value of type integer.'],
    [{ type: 'enum', enum: ['a'], default: 'b' }, ': the default "b" is not a value of type enum.'],
    [
      { type: 'integer', databaseDefault: 1 },
      ': databaseDefault says which default it is: add hasDefault: true.',
    ],
    [
      { type: 'integer', hasDefault: true, databaseDefault: 'x' },
      ': the databaseDefault "x" is not a value of type integer.',
    ],
    [
      { type: 'decimal', minimum: '1,5' },
      '.minimum: expected a number, or its digits as a string such as \'0.01\', got "1,5".',
    ],
    [
      { type: 'string', minimum: 1 },
      '.minimum: only a column of type integer, bigint, float, decimal can have it.',
    ],
    [
      { type: 'integer', minimum: 5, exclusiveMaximum: 5 },
      ': no number fits minimum 5 and exclusiveMaximum 5.',
    ],
    [{ type: 'string', minLength: 5, maxLength: 4 }, ': minLength 5 is more than maxLength 4.'],
    [{ type: 'string', validator: 7 }, '.validator: expected a non-empty string, got 7.'],
    [{ type: 'json', primaryKey: true }, ': a column of type json cannot be a key.'],
    [{ type: 'binary', primaryKey: true }, ': a column of type binary cannot be a key.'],
    [
      { type: 'integer', primaryKey: true, nullable: true },
      ': a primary key column cannot be nullable.',
    ],
  ]
  for (const [column, ...ends] of cases) {
    test(JSON.stringify(column), () => {
      equal(
        problemsOf({ models: [model('Book', { columns: { it: column } })] }),
        ends.map((end) => `models.Book.columns.it${end}`),
      )
    })
  }

  test('a type that does not exist is one problem, whatever else the column is for', () => {
    const it = { type: 'int' }
    const wrong = `models.Book.columns.it.type: expected one of ${types}, got "int".`
    const uses: readonly (readonly [columns: object, others: object])[] = [
      [{ it }, { search: ['it'] }],
      [{ it, author_id: { type: 'integer' } }, { unique: [['it', 'author_id']] }],
      [{ it: { ...it, primaryKey: true }, book_id: it }, {}],
      [{ it: { ...it, nullable: true } }, softDelete([null, 'now'])],
      [{ it }, softDelete([false, true])],
    ]
    for (const [columns, others] of uses) {
      const problems = problemsOf({ models: [model('Book', { columns, ...others })] })
      equal(problems[0], wrong)
    }
  })

  test('of write-only columns', () => {
    const string = { type: 'string', writeOnly: true }
    const reasons: readonly (readonly [column: object, ...ends: string[]])[] = [
      [{ ...string, writeOnly: 'yes' }, '.writeOnly: expected true or false, got "yes".'],
      [{ ...string, transform: 'bcrypt' }, '.transform: expected a function, got "bcrypt".'],
      [
        { type: 'string', transform: () => 'x' },
        ': responses would show what transform returns: add writeOnly: true, or leave transform out.',
      ],
      [{ ...string, hidden: true }, ': writeOnly: true hides it already; leave hidden: true out.'],
      [
        { ...string, hidden: false },
        ': writeOnly: true hides it, against hidden: false; leave one of them out.',
      ],
      [
        { ...string, readOnly: true },
        ': nobody could use it with both writeOnly: true and readOnly: true; for that, declare hidden: true.',
      ],
      [
        { ...string, read: 'admin' },
        ': nobody reads it (writeOnly: true), so that read decides nothing; leave read out.',
      ],
      [
        { type: 'uuid', writeOnly: true, generated: 'uuid' },
        ': clients do not send what is generated; declare hidden: true instead of writeOnly: true.',
      ],
      [
        { type: 'datetime', writeOnly: true, managed: 'created' },
        ': clients do not send what is managed; declare hidden: true instead of writeOnly: true.',
      ],
      [
        { ...string, unique: true },
        ': the 409 of a duplicate would tell whether a value is stored, so a unique column cannot be write-only. Leave unique or writeOnly out.',
      ],
      [
        { type: 'json', writeOnly: true },
        ": a column of type json cannot be write-only; declare type: 'text', or hidden: true instead of writeOnly.",
      ],
    ]
    for (const [column, ...ends] of reasons) {
      equal(
        problemsOf({ models: [model('Book', { columns: { it: column } })] }),
        ends.map((end) => `models.Book.columns.it${end}`),
      )
    }
    const valid = {
      a: { ...string, transform: () => 'x', minLength: 8, nullable: true, default: null },
      b: { ...string, write: 'admin', immutable: true, column: 'stored_as', validator: () => true },
      c: { type: 'binary', writeOnly: true, hasDefault: true },
      d: { ...string, readOnly: false },
    }
    equal(problemsOf({ models: [model('Book', { columns: valid })] }), [])
  })

  test('of write-only columns that responses or statuses would tell', () => {
    const secret = { type: 'integer', writeOnly: true }
    const columns = { id: { ...secret, primaryKey: true } }
    equal(problemsOf({ models: [model('Book', { columns })] }), [
      'models.Book.columns.id: the URL of each record contains its key, so a primary key column cannot be write-only; leave writeOnly out.',
    ])
    const unique = [['shelf', 'code']]
    const shelved = { shelf: integer, code: secret }
    equal(problemsOf({ models: [model('Book', { columns: shelved, unique })] }), [
      'models.Book.unique[0]: "code": the 409 of a duplicate would tell whether a value is stored, so a unique column cannot be write-only. Leave it out of the set.',
    ])
    const word = { word: { type: 'string', writeOnly: true } }
    equal(problemsOf({ models: [model('Book', { columns: word, search: ['word'] })] }), [
      'models.Book.search[0]: "word" is write-only, and a search would tell what it holds; leave it out.',
    ])
    const gone = { gone: { type: 'datetime', nullable: true, writeOnly: true } }
    const meta = {
      soft_delete: true,
      soft_delete_attribute: 'gone',
      soft_delete_values: [null, 'now'],
    }
    equal(problemsOf({ models: [model('Book', { columns: gone, meta })] }), [
      'models.Book.columns.gone: include_deleted tells which records are deleted; declare hidden: true, not writeOnly.',
    ])
    const relations = { author: belongsTo('Author', 'author_id') }
    const Book = model('Book', { columns: { author_id: secret }, relations })
    const books = { books: hasMany('Book', 'author_id') }
    equal(problemsOf({ models: [Book, model('Author', { relations: books })] }), [
      'models.Book.relations.author: its key "author_id" is write-only, but the records of a relation would tell its value; leave writeOnly or the relation out.',
      'models.Author.relations.books: its key "author_id" is write-only, but the records of a relation would tell its value; leave writeOnly or the relation out.',
    ])
    const computed = { it: { type: 'string', expression: () => null, writeOnly: true } }
    equal(problemsOf({ models: [model('Book', { computed })] }), [
      'models.Book.computed.it.writeOnly: unknown option.',
    ])
  })

  test('not: valid options', () => {
    const columns = {
      a: { type: 'integer', default: null, nullable: true },
      b: { type: 'decimal', precision: 10, scale: 2, default: '0.00', storage: 'text' },
      c: { type: 'string', validator: () => true, validator_message: 'no', maxLength: 5 },
      d: { type: 'string', validator: { '~standard': {} }, default: () => 'x' },
      e: { type: 'enum', enum: ['', 'a'], collation: 'database', unique: true, example: 'a' },
      f: { type: 'uuid', generated: 'uuid', readOnly: true },
      g: { type: 'bigint', generated: true, hasDefault: true, hidden: true },
      h: { type: 'date', managed: 'updated', description: 'day', format: 'date' },
      i: { type: 'binary', maxLength: 16, nullable: undefined },
    }
    equal(problemsOf({ models: [model('Book', { columns })] }), [])
  })

  test('of computed columns', () => {
    const computed = {
      a: { type: 'string' },
      b: { type: 'string', expression: 'upper(title)' },
      c: { type: 'string', expression: () => null, default: 'x' },
      d: { type: 'enum', expression: () => null },
    }
    equal(problemsOf({ models: [model('Book', { computed })] }), [
      'models.Book.computed.a: needs an expression.',
      'models.Book.computed.b.expression: expected a function, got "upper(title)".',
      'models.Book.computed.c.default: unknown option.',
      "models.Book.computed.d: a column of type enum needs its members: enum: ['…'].",
    ])
  })

  test('that the database refuses', () => {
    const dialect = {
      refuses: ({
        type,
        precision,
        scale,
      }: {
        type: string
        precision?: number
        scale?: number
      }) => (type === 'decimal' ? `numeric(${precision}, ${scale}) is not exact here.` : undefined),
    }
    const columns = { price: { type: 'decimal', scale: 2 } }
    const models = [model('Book', { columns }), model('Draft', { columns, meta: undefined })]
    equal(problemsOf({ models, dialect }), [
      'models.Book.columns.price: numeric(15, 2) is not exact here.',
    ])
  })
})

suite('mistakes of relations', (test) => {
  const Author = model('Author', { columns: { code: { type: 'string' }, mother: integer } })
  const Edition = model('Edition', {
    columns: { id: integer, book_id: key, no: { type: 'integer', primaryKey: true, column: 'nr' } },
  })
  const book = (
    relation: object,
    columns: object = {},
    others: readonly AnyModel[] = [],
  ): string[] =>
    problemsOf({
      models: [
        Author,
        Edition,
        ...others,
        model('Book', { columns: { author_id: integer, ...columns }, relations: { it: relation } }),
      ],
    })
  const at = 'models.Book.relations.it'

  test('a value that no relation function returned', () => {
    const form = 'expected what belongsTo, hasOne, hasMany, manyToMany return.'
    equal(book('Author' as never), [`${at}: ${form}`])
    equal(book({ kind: 'owns', target: 'Author' }), [`${at}: ${form}`])
    equal(book((belongsTo as (target: string) => object)('Author')), [
      `${at}.key: expected a name or a list of names, got undefined.`,
    ])
    equal(book({ kind: 'hasMany', target: '', key: [] }), [
      `${at}.target: expected a non-empty string, got "".`,
      `${at}.key: expected a name or a list of names, got an empty list.`,
    ])
    equal(book({ ...belongsTo('Author', 'author_id'), refrences: 'code', references: 7 }), [
      `${at}.refrences: unknown option. Did you mean "references"?`,
      `${at}.references: expected a name or a list of names, got 7.`,
    ])
    equal(book({ kind: 'manyToMany', target: 'Author', through: 'x', from: 'a', key: 'b' }), [
      `${at}.to: expected a name or a list of names, got undefined.`,
      `${at}.key: unknown option.`,
    ])
  })

  test('the kind of relation whose key is on the other side', () => {
    equal(book({ ...hasMany('Author', 'author_id') }), [
      `${at}: Author has no column "author_id". Book has it, so this relation is a belongsTo: belongsTo('Author', 'author_id').`,
    ])
    equal(book({ ...belongsTo('Edition', ['book_id', 'no']) }), [
      ...['book_id', 'no'].map(
        (name) =>
          `${at}: Book has no column "${name}". Edition has it, so this relation is a hasMany: hasMany('Edition', ['book_id', 'no']).`,
      ),
    ])
    equal(book({ ...belongsTo('Edition', 'book') }), [`${at}: Book has no column "book".`])
  })

  test('a target that is not declared', () => {
    equal(book(belongsTo('Autor', 'author_id')), [
      `${at}: no model named "Autor". Did you mean "Author"?`,
    ])
    equal(book(belongsTo('Xyzzy', 'author_id')), [`${at}: no model named "Xyzzy".`])
  })

  test('a foreign key that is no column', () => {
    equal(book(belongsTo('Author', 'autor_id')), [
      `${at}: Book has no column "autor_id". Did you mean "author_id"?`,
    ])
    equal(book(hasMany('Author', 'book_id')), [`${at}: Author has no column "book_id".`])
    equal(book(hasOne('Author', 'book_id')), [`${at}: Author has no column "book_id".`])
  })

  test('a key spelt as in the database', () => {
    equal(book(hasMany('Edition', 'nr')), [
      `${at}: "nr" is a name of the database; the field of Edition is "no".`,
    ])
  })

  test('a key that cannot be one', () => {
    equal(book(belongsTo('Author', 'data'), { data: { type: 'json' } }), [
      `${at}: "data" is of type json, which cannot be a key.`,
    ])
    const relations = { it: belongsTo('Author', 'sum') }
    const computed = { sum: { type: 'integer', expression: () => null } }
    equal(problemsOf({ models: [Author, model('Book', { computed, relations })] }), [
      `${at}: "sum" is a computed column; a key needs a stored one.`,
    ])
  })

  test('keys of different lengths', () => {
    equal(book(belongsTo('Edition', 'author_id')), [
      `${at}: the keys differ in length: (author_id) of Book, (book_id, no) of Edition.`,
    ])
    equal(book(hasMany('Edition', ['book_id', 'no'])), [
      `${at}: the keys differ in length: (id) of Book, (book_id, no) of Edition.`,
    ])
  })

  test('keys of different types', () => {
    equal(book(belongsTo('Author', 'ref'), { ref: { type: 'bigint' } }), [
      `${at}: Book.ref is of type bigint, Author.id of type integer.`,
    ])
    equal(book(belongsTo('Edition', ['a', 'b']), { a: { type: 'uuid' }, b: { type: 'string' } }), [
      `${at}: Book.a is of type uuid, Edition.book_id of type integer.`,
      `${at}: Book.b is of type string, Edition.no of type integer.`,
    ])
  })

  test('a reference to a name that is no column, or is not unique', () => {
    const columns = { author_code: { type: 'text' } }
    equal(book(belongsTo('Author', 'author_code', { references: 'cod' }), columns), [
      `${at}.references: Author has no column "cod". Did you mean "code"?`,
    ])
    equal(book(belongsTo('Author', 'author_code', { references: 'code' }), columns), [
      `${at}.references: (code) of Author is not unique; mark the column unique or reference a key.`,
    ])
  })

  test('junction columns of the wrong number', () => {
    const junction = { through: 'book_editions', from: 'book_id', to: 'edition_id' }
    equal(book(manyToMany('Edition', junction)), [
      `${at}.to: the keys differ in length: (edition_id) of book_editions, (book_id, no) of Edition.`,
    ])
  })

  test('junction columns that a declared table lacks', () => {
    const junction = { through: 'editions', from: 'bookid', to: 'nr' }
    equal(book(manyToMany('Author', junction)), [
      `${at}.from: the table editions has no column "bookid". Did you mean "book_id"?`,
    ])
  })

  test('junction columns that its published model does not declare', () => {
    const links = manyToMany('Author', { through: 'links', from: 'book_id', to: 'author_id' })
    const Link = model('Link', { columns: { book_id: integer } })
    // Another model of the same table declares the column, but is not published.
    const Row = model('Row', { table: 'links', columns: { author_id: integer }, meta: undefined })
    equal(book(links, {}, [Link, Row]), [
      `${at}.to: Link publishes the table links and has no column for "author_id"; declare it, so that links follow the rules of Link.`,
    ])
  })

  test('an order_by that a relation cannot have', () => {
    const own = `${at}.order_by`
    const columns = {
      book_id: integer,
      place: integer,
      text: { type: 'string', hidden: true },
      cost: { type: 'integer', read: 'owner' },
      more: { type: 'json' },
    }
    const notes = (order_by: unknown) => {
      const options = { order_by } as { order_by: string }
      return book(hasMany('Note', 'book_id', options), {}, [model('Note', { columns })])
    }
    const hidden = 'is hidden from some callers, and the order would tell them its values.'
    equal(
      [
        notes(['-place.nullslast', 'id']),
        notes('plaec'),
        notes([]),
        notes(['text', '-cost', 'more']),
      ],
      [
        [],
        [`${own}: Note has no column "plaec". Did you mean "place"?`],
        [`${own}: expected a name or a list of names, got an empty list.`],
        [
          `${own}: "text" of Note ${hidden} Choose another column.`,
          `${own}: "cost" of Note ${hidden} Choose another column.`,
          `${own}: "more" of Note is of type json, which has no order.`,
        ],
      ],
    )
    const one = { ...belongsTo('Author', 'author_id'), order_by: 'id' } as never
    equal(book(one), [`${own}: unknown option.`])
  })

  test('an on_delete that a relation cannot have', () => {
    const on = (on_delete: unknown) => ({ on_delete }) as { on_delete: 'null' }
    const own = `${at}.on_delete`
    const nullable = { type: 'integer', nullable: true }
    const Note = model('Note', { columns: { book_id: integer, old_id: nullable, no: nullable } })
    const notes = (key: string | string[], given: unknown, others: readonly AnyModel[] = [Note]) =>
      book(hasMany('Note', key, on(given)), {}, others)
    equal(notes('book_id', 'nul'), [
      `${own}: expected one of restrict, cascade, null, got "nul". Did you mean "null"?`,
    ])
    equal(notes('book_id', null), [`${own}: expected one of restrict, cascade, null, got null.`])
    equal(book({ ...belongsTo('Author', 'author_id'), ...on('null') }), [
      `${own}: belongs to the other side: declare it on a hasMany or hasOne of Author.`,
    ])
    const through = { through: 'links', from: 'book_id', to: 'author_id' }
    equal(book({ ...manyToMany('Author', through), ...on('cascade') }), [
      `${own}: links are always deleted with a record. If the junction table has a model, a hasMany to it takes on_delete.`,
    ])
    equal(notes('book_id', 'null'), [
      `${own}: "book_id" of Note cannot be null. Declare it nullable: true, or on_delete: 'cascade'.`,
    ])
    equal(
      [notes('old_id', 'null'), notes('book_id', 'cascade'), notes('old_id', undefined)],
      [[], [], []],
    )
    for (const [more, why] of [
      [
        { meta: undefined },
        'Note has no meta, so no DELETE reaches its records. Give it a meta, or',
      ],
      [{ readOnly: true }, 'Note is read-only.'],
    ] as const) {
      const Other = model('Note', { columns: { old_id: nullable }, ...more })
      const [message = ''] = notes('old_id', 'cascade', [Other])
      ok(message.startsWith(`${own}: ${why}`), message)
      ok(message.endsWith('eave on_delete to the foreign key in the database.'), message)
      equal(notes('old_id', 'restrict', [Other]), [])
    }
  })

  test('two relations by one foreign key with another on_delete', () => {
    const Note = model('Note', { columns: { book_id: { type: 'integer', nullable: true } } })
    const of = (first?: 'cascade' | 'null', second?: 'cascade' | 'null') =>
      problemsOf({
        models: [
          Note,
          model('Book', {
            relations: {
              notes: hasMany('Note', 'book_id', first && { on_delete: first }),
              note: hasOne('Note', 'book_id', second && { on_delete: second }),
            },
          }),
        ],
      })
    equal(of('cascade', 'null'), [
      `models.Book.relations.note.on_delete: "notes" has the same foreign key, and on_delete: 'cascade'. Declare the same here, or leave it out.`,
    ])
    equal([of('cascade', 'cascade'), of(undefined, 'null'), of('cascade')], [[], [], []])
  })

  test('not: a relation to an unpublished model', () => {
    const Draft = model('Draft', { columns: { id: integer }, meta: undefined })
    const relations = { drafts: hasMany('Draft', 'nothing') }
    equal(problemsOf({ models: [Draft, model('Book', { relations })] }), [])
  })
})

suite('mistakes of endpoints', (test) => {
  const advice = 'Rename a model or set meta.endpoint with register_canonical_routes: false.'

  test('two models with one plural', () => {
    equal(problemsOf({ models: [model('OrderItem'), model('order_items')] }), [
      `models.order_items: the endpoint "order-items" is also served by OrderItem. ${advice}`,
    ])
  })

  test('a plural that is the alias of another', () => {
    equal(
      problemsOf({ models: [model('Person'), model('Human', { meta: { endpoint: 'person' } })] }),
      [`models.Human: the endpoint "person" is also served by Person. ${advice}`],
    )
  })

  test('two endpoints of one path', () => {
    const meta = { endpoint: ['shop/items', '/shelf'] }
    equal(problemsOf({ models: [model('A', { meta }), model('B', { meta })] }), [
      `models.B: the endpoint "shop/items" is also served by A. ${advice}`,
      `models.B: the endpoint "shelf" is also served by A. ${advice}`,
    ])
  })

  test('the path of the batch endpoint, or one above it', () => {
    const config = (path: string) => ({ API_ALLOW_BATCH: true, API_BATCH_ROUTE: path })
    for (const [path, problem] of [
      ['/books', 'is already the path of Book, whose endpoint is "books".'],
      ['/book', 'is already the path of Book, whose endpoint is "book".'],
      [
        '/books/many',
        'lies inside "books", an endpoint of Book, where it would be a record\'s path.',
      ],
    ] as const) {
      equal(problemsOf({ models: [model('Book')], config: config(path) }), [
        `config.API_BATCH_ROUTE: "/api${path}" ${problem}`,
      ])
    }
    equal(problemsOf({ models: [model('Book')], config: config('/books-batch') }), [])
    const off = { ...config('/books'), API_ALLOW_BATCH: false }
    equal(problemsOf({ models: [model('Book')], config: off }), [])
  })

  test('a path inside another', () => {
    const models = [model('Library'), model('Book', { meta: { endpoint: 'libraries/books' } })]
    equal(problemsOf({ models }), [
      'models.Book.meta.endpoint: "libraries/books" lies inside "libraries", an endpoint of Library, where it would be a record\'s path.',
    ])
  })

  test('not: one endpoint name, if one of the models has no canonical routes', () => {
    const meta = { endpoint: 'goods', register_canonical_routes: false }
    equal(problemsOf({ models: [model('OrderItem'), model('order_items', { meta })] }), [])
  })
})

suite('mistakes of base models', (test) => {
  const Base = defineBase({ columns: { id: { type: 'integer', primaryKey: true } } })
  const Book = Base.define('Book', { columns: {}, meta: {} })
  Base.define('Draft', { columns: {} })

  test('a listed model of the same name', () => {
    equal(problemsOf({ models: [model('Book')], config: { API_BASE_MODEL: Base } }), [
      "models.Book: two models have this name. Rename one, and keep its table with table: 'books'; if they are meant to be one model, define it once.",
    ])
  })

  test('not: an inherited model that is listed as well', () => {
    equal(problemsOf({ models: [Book], config: { API_BASE_MODEL: Base } }), [])
  })
})
