/** Printed models compile, and importing them gives equal models. */
import { belongsTo, defineModel, hasMany, hasOne, manyToMany } from '@model-api/core'
import { introspect, printModels } from '@model-api/core/introspect'
import { equal, throws } from '../support/assert.ts'
import { eachChinook } from '../support/chinook.ts'
import { compiled } from '../support/compile.ts'
import { suite, type Test } from '../support/suite.ts'

const imported = async (text: string): Promise<unknown> => (await compiled(text)).models

const odd = [
  defineModel('Part', {
    table: 'it\'s a \\ "table"\nindeed',
    schema: "it's a schema",
    columns: {
      a: { type: 'integer', primaryKey: true, column: 'a b' },
      b: { type: 'integer', primaryKey: true, generated: true, hasDefault: true },
      kind: { type: 'enum', enum: ["it's", '"quoted"', 'back\\slash', '\u2028', '数'] },
      long: {
        type: 'decimal',
        precision: 30,
        scale: 10,
        storage: 'text',
        nullable: true,
        description:
          'A sentence that is long enough to break the line it stands in, and then some.',
      },
    },
    relations: {
      whole: belongsTo('Part', ['a', 'b']),
      parts: hasMany('Part', ['a', 'b']),
      other: hasOne('Part', 'a', { references: 'b', on_delete: 'cascade' }),
      freed: hasMany('Part', 'b', { on_delete: 'null' }),
      many: manyToMany('Part', {
        through: 'part_parts_with_a_name_of_some_length',
        schema: 'pairs',
        from: ['from_a', 'from_b'],
        to: ['to_a', 'to_b'],
        repeats: true,
      }),
    },
    meta: { description: "Somebody's", allowed_methods: ['GET'] },
  }),
  defineModel('Empty', { columns: { id: { type: 'uuid', primaryKey: true } }, meta: {} }),
  defineModel('Listed', { columns: { id: { type: 'uuid' } }, readOnly: true }),
]

suite('printModels', (test) => {
  test('writes odd names, composite keys and meta', async () => {
    equal(await imported(printModels(odd)), odd)
  })

  test('breaks long lines and keeps short ones', () => {
    const text = printModels(odd)
    equal(
      text.split('\n').filter((line) => line.length > 100),
      [],
    )
    equal(text.includes("    a: { type: 'integer', column: 'a b', primaryKey: true },"), false)
    equal(text.includes("    a: { type: 'integer', primaryKey: true, column: 'a b' },"), true)
  })

  test('says what the database does with related records', () => {
    const deletes = [{ model: 'Part', relation: 'parts', rule: 'set null' }] as const
    const text = printModels(odd, { deletes })
    equal(
      text.includes(
        "    parts: hasMany('Part', ['a', 'b']), // in the database: ON DELETE SET NULL\n",
      ),
      true,
    )
    equal(printModels(odd), text.replace(' // in the database: ON DELETE SET NULL', ''))
  })

  test('refuses a value that is not a string', () => {
    const validator = () => true
    const model = defineModel('A', { columns: { id: { type: 'integer', validator } } })
    throws(() => printModels([model]), 'printModels: A.id.validator is a function')
  })
})

eachChinook('printModels of Chinook', (test: Test, db) => {
  test('prints models that load as the models that were read', async () => {
    const { models } = await introspect(db.kysely)
    equal(await imported(printModels(models)), models)
  })
})
