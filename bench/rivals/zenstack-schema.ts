/** The models of zenstack.zmodel, as `zen generate` writes them. */
import {
  type AttributeApplication,
  ExpressionUtils,
  type FieldDefault,
  type SchemaDef,
} from '@zenstackhq/schema'
export class SchemaType implements SchemaDef {
  provider = {
    type: 'postgresql',
  } as const
  models = {
    Publisher: {
      name: 'Publisher',
      fields: {
        id: {
          name: 'id',
          type: 'Int',
          id: true,
          attributes: [
            { name: '@id' },
            {
              name: '@default',
              args: [{ name: 'value', value: ExpressionUtils.call('autoincrement') }],
            },
          ] as readonly AttributeApplication[],
          default: ExpressionUtils.call('autoincrement') as FieldDefault,
        },
        name: {
          name: 'name',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(120) }] },
          ] as readonly AttributeApplication[],
        },
        country: {
          name: 'country',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(2) }] },
          ] as readonly AttributeApplication[],
        },
        founded_on: {
          name: 'founded_on',
          type: 'DateTime',
          attributes: [{ name: '@db.Date' }] as readonly AttributeApplication[],
        },
        books: {
          name: 'books',
          type: 'Book',
          array: true,
          relation: { opposite: 'publisher' },
        },
      },
      attributes: [
        { name: '@@map', args: [{ name: 'name', value: ExpressionUtils.literal('publishers') }] },
        {
          name: '@@allow',
          args: [
            { name: 'operation', value: ExpressionUtils.literal('create') },
            { name: 'condition', value: ExpressionUtils.literal(true) },
          ],
        },
        {
          name: '@@allow',
          args: [
            { name: 'operation', value: ExpressionUtils.literal('read,update,delete') },
            {
              name: 'condition',
              value: ExpressionUtils.binary(
                ExpressionUtils.field('id'),
                '!=',
                ExpressionUtils.member(ExpressionUtils.call('auth'), ['hiddenId']),
              ),
            },
          ],
        },
      ] as readonly AttributeApplication[],
      idFields: ['id'],
      uniqueFields: {
        id: { type: 'Int' },
      },
    },
    Author: {
      name: 'Author',
      fields: {
        id: {
          name: 'id',
          type: 'Int',
          id: true,
          attributes: [
            { name: '@id' },
            {
              name: '@default',
              args: [{ name: 'value', value: ExpressionUtils.call('autoincrement') }],
            },
          ] as readonly AttributeApplication[],
          default: ExpressionUtils.call('autoincrement') as FieldDefault,
        },
        name: {
          name: 'name',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(120) }] },
          ] as readonly AttributeApplication[],
        },
        email: {
          name: 'email',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(120) }] },
          ] as readonly AttributeApplication[],
        },
        country: {
          name: 'country',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(2) }] },
          ] as readonly AttributeApplication[],
        },
        born_on: {
          name: 'born_on',
          type: 'DateTime',
          attributes: [{ name: '@db.Date' }] as readonly AttributeApplication[],
        },
        books: {
          name: 'books',
          type: 'Book',
          array: true,
          relation: { opposite: 'author' },
        },
      },
      attributes: [
        { name: '@@map', args: [{ name: 'name', value: ExpressionUtils.literal('authors') }] },
        {
          name: '@@allow',
          args: [
            { name: 'operation', value: ExpressionUtils.literal('create') },
            { name: 'condition', value: ExpressionUtils.literal(true) },
          ],
        },
        {
          name: '@@allow',
          args: [
            { name: 'operation', value: ExpressionUtils.literal('read,update,delete') },
            {
              name: 'condition',
              value: ExpressionUtils.binary(
                ExpressionUtils.field('id'),
                '!=',
                ExpressionUtils.member(ExpressionUtils.call('auth'), ['hiddenId']),
              ),
            },
          ],
        },
      ] as readonly AttributeApplication[],
      idFields: ['id'],
      uniqueFields: {
        id: { type: 'Int' },
      },
    },
    Book: {
      name: 'Book',
      fields: {
        id: {
          name: 'id',
          type: 'Int',
          id: true,
          attributes: [
            { name: '@id' },
            {
              name: '@default',
              args: [{ name: 'value', value: ExpressionUtils.call('autoincrement') }],
            },
          ] as readonly AttributeApplication[],
          default: ExpressionUtils.call('autoincrement') as FieldDefault,
        },
        title: {
          name: 'title',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(200) }] },
          ] as readonly AttributeApplication[],
        },
        isbn: {
          name: 'isbn',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(20) }] },
          ] as readonly AttributeApplication[],
        },
        price: {
          name: 'price',
          type: 'Decimal',
          attributes: [
            {
              name: '@db.Decimal',
              args: [
                { name: 'p', value: ExpressionUtils.literal(8) },
                { name: 's', value: ExpressionUtils.literal(2) },
              ],
            },
          ] as readonly AttributeApplication[],
        },
        pages: {
          name: 'pages',
          type: 'Int',
        },
        in_print: {
          name: 'in_print',
          type: 'Boolean',
        },
        published_on: {
          name: 'published_on',
          type: 'DateTime',
          attributes: [{ name: '@db.Date' }] as readonly AttributeApplication[],
        },
        created_at: {
          name: 'created_at',
          type: 'DateTime',
          attributes: [
            { name: '@db.Timestamp', args: [{ name: 'x', value: ExpressionUtils.literal(3) }] },
          ] as readonly AttributeApplication[],
        },
        author_id: {
          name: 'author_id',
          type: 'Int',
          foreignKeyFor: ['author'] as readonly string[],
        },
        publisher_id: {
          name: 'publisher_id',
          type: 'Int',
          foreignKeyFor: ['publisher'] as readonly string[],
        },
        author: {
          name: 'author',
          type: 'Author',
          attributes: [
            {
              name: '@relation',
              args: [
                {
                  name: 'fields',
                  value: ExpressionUtils.array('Int', [ExpressionUtils.field('author_id')]),
                },
                {
                  name: 'references',
                  value: ExpressionUtils.array('Int', [ExpressionUtils.field('id')]),
                },
              ],
            },
          ] as readonly AttributeApplication[],
          relation: { opposite: 'books', fields: ['author_id'], references: ['id'] },
        },
        publisher: {
          name: 'publisher',
          type: 'Publisher',
          attributes: [
            {
              name: '@relation',
              args: [
                {
                  name: 'fields',
                  value: ExpressionUtils.array('Int', [ExpressionUtils.field('publisher_id')]),
                },
                {
                  name: 'references',
                  value: ExpressionUtils.array('Int', [ExpressionUtils.field('id')]),
                },
              ],
            },
          ] as readonly AttributeApplication[],
          relation: { opposite: 'books', fields: ['publisher_id'], references: ['id'] },
        },
        reviews: {
          name: 'reviews',
          type: 'Review',
          array: true,
          relation: { opposite: 'book' },
        },
      },
      attributes: [
        { name: '@@map', args: [{ name: 'name', value: ExpressionUtils.literal('books') }] },
        {
          name: '@@allow',
          args: [
            { name: 'operation', value: ExpressionUtils.literal('create') },
            { name: 'condition', value: ExpressionUtils.literal(true) },
          ],
        },
        {
          name: '@@allow',
          args: [
            { name: 'operation', value: ExpressionUtils.literal('read,update,delete') },
            {
              name: 'condition',
              value: ExpressionUtils.binary(
                ExpressionUtils.field('id'),
                '!=',
                ExpressionUtils.member(ExpressionUtils.call('auth'), ['hiddenId']),
              ),
            },
          ],
        },
      ] as readonly AttributeApplication[],
      idFields: ['id'],
      uniqueFields: {
        id: { type: 'Int' },
      },
    },
    Review: {
      name: 'Review',
      fields: {
        id: {
          name: 'id',
          type: 'Int',
          id: true,
          attributes: [
            { name: '@id' },
            {
              name: '@default',
              args: [{ name: 'value', value: ExpressionUtils.call('autoincrement') }],
            },
          ] as readonly AttributeApplication[],
          default: ExpressionUtils.call('autoincrement') as FieldDefault,
        },
        book_id: {
          name: 'book_id',
          type: 'Int',
          foreignKeyFor: ['book'] as readonly string[],
        },
        rating: {
          name: 'rating',
          type: 'Int',
        },
        reviewer: {
          name: 'reviewer',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(80) }] },
          ] as readonly AttributeApplication[],
        },
        body: {
          name: 'body',
          type: 'String',
          attributes: [
            { name: '@db.VarChar', args: [{ name: 'x', value: ExpressionUtils.literal(500) }] },
          ] as readonly AttributeApplication[],
        },
        created_at: {
          name: 'created_at',
          type: 'DateTime',
          attributes: [
            { name: '@db.Timestamp', args: [{ name: 'x', value: ExpressionUtils.literal(3) }] },
          ] as readonly AttributeApplication[],
        },
        book: {
          name: 'book',
          type: 'Book',
          attributes: [
            {
              name: '@relation',
              args: [
                {
                  name: 'fields',
                  value: ExpressionUtils.array('Int', [ExpressionUtils.field('book_id')]),
                },
                {
                  name: 'references',
                  value: ExpressionUtils.array('Int', [ExpressionUtils.field('id')]),
                },
              ],
            },
          ] as readonly AttributeApplication[],
          relation: { opposite: 'reviews', fields: ['book_id'], references: ['id'] },
        },
      },
      attributes: [
        { name: '@@map', args: [{ name: 'name', value: ExpressionUtils.literal('reviews') }] },
        {
          name: '@@allow',
          args: [
            { name: 'operation', value: ExpressionUtils.literal('create') },
            { name: 'condition', value: ExpressionUtils.literal(true) },
          ],
        },
        {
          name: '@@allow',
          args: [
            { name: 'operation', value: ExpressionUtils.literal('read,update,delete') },
            {
              name: 'condition',
              value: ExpressionUtils.binary(
                ExpressionUtils.field('id'),
                '!=',
                ExpressionUtils.member(ExpressionUtils.call('auth'), ['hiddenId']),
              ),
            },
          ],
        },
      ] as readonly AttributeApplication[],
      idFields: ['id'],
      uniqueFields: {
        id: { type: 'Int' },
      },
    },
  } as const
  typeDefs = {
    Caller: {
      name: 'Caller',
      fields: {
        hiddenId: {
          name: 'hiddenId',
          type: 'Int',
        },
      },
      attributes: [{ name: '@@auth' }] as readonly AttributeApplication[],
    },
  } as const
  authType = 'Caller' as const
  plugins = {}
}
export const schema = new SchemaType()
