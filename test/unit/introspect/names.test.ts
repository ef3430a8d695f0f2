/** Whatever a database calls things, models, fields and relations get names that requests can hold. */
import fc from 'fast-check'
import type { CatalogueTable } from '../../../packages/core/src/dialect/shared/catalogue.ts'
import { readColumns } from '../../../packages/core/src/introspect/columns.ts'
import { resolveLinks } from '../../../packages/core/src/introspect/links.ts'
import { fieldNames, keyStem, modelNames } from '../../../packages/core/src/introspect/names.ts'
import { nameRelations } from '../../../packages/core/src/introspect/relations.ts'
import { toCase } from '../../../packages/core/src/naming/case.ts'
import { endpointNames } from '../../../packages/core/src/registry/endpoint-name.ts'
import { badFieldName, badRelationName } from '../../../packages/core/src/registry/field-name.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** Names near the rules: separators, digits, operators, reserved words, other alphabets. */
const name = fc
  .array(
    fc.oneof(
      fc.constantFrom('_', '__', ' ', 'id', 'Id', 'eq', 'sum', 'or', 'nullsfirst', '2', 'ß', '数'),
      fc.constantFrom(
        'people',
        'person',
        'news',
        'data',
        'artist',
        'Artists',
        '__proto__',
        '$',
        '.',
      ),
      fc.string({ maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''))

const names = fc.uniqueArray(name, { minLength: 1, maxLength: 8 })

const distinct = (list: readonly string[]): boolean => new Set(list).size === list.length

/** Tables that all refer to each other by every column. */
function tangled(tables: readonly string[], columns: readonly string[]): CatalogueTable[] {
  return tables.map((table) => ({
    name: table,
    columns: ['id', ...columns.filter((column) => column !== 'id')].map((column) => ({
      name: column,
      declared: 'integer',
      shape: { type: 'integer' },
      nullable: false,
      generated: false,
      hasDefault: false,
      readOnly: false,
    })),
    primaryKey: ['id'],
    uniqueKeys: [],
    foreignKeys: columns.flatMap((column) =>
      tables.map((target) => ({ columns: [column], table: target, references: ['id'] })),
    ),
  }))
}

suite('names of introspect', (test) => {
  test('fields are valid, distinct, and the column’s own name where that is valid', () => {
    fc.assert(
      fc.property(names, (columns) => {
        const fields = fieldNames(columns)
        equal([...fields.keys()], columns)
        equal(distinct([...fields.values()]), true)
        for (const [column, field] of fields) {
          equal(badFieldName(field), undefined)
          if (badFieldName(column) === undefined) equal(field, column)
        }
      }),
    )
  })

  test('models are identifiers, and no two answer at one endpoint in any case', () => {
    fc.assert(
      fc.property(names, (tables) => {
        const models = [...modelNames(tables).values()]
        for (const model of models) equal(/^[A-Za-z][A-Za-z0-9]*$/.test(model), true, model)
        for (const letterCase of ['kebab', 'snake', 'camel', 'pascal'] as const) {
          const paths = models.flatMap((model) => endpointNames(model, {}, letterCase).paths)
          equal(distinct(paths), true)
        }
      }),
    )
  })

  test('relations are valid and collide with nothing, however tables refer to each other', () => {
    const few = fc.uniqueArray(name, {
      minLength: 1,
      maxLength: 3,
      selector: (text) => text.toLowerCase(),
    })
    fc.assert(
      fc.property(few, few, (tables, columns) => {
        const models = modelNames(tables)
        const drafts = tangled(tables, columns).map((table) => ({
          table,
          model: models.get(table.name) ?? '',
          ...readColumns(table),
        }))
        const { links } = resolveLinks(drafts)
        for (const [model, relations] of nameRelations(drafts, links, [])) {
          const keys = Object.keys(relations)
          equal(keys.length, links.filter(({ child }) => child.model === model).length * 2)
          equal(distinct(keys.map((key) => toCase(key, 'kebab'))), true)
          const fields = drafts.find((draft) => draft.model === model)?.columns ?? {}
          for (const key of keys) {
            equal([badFieldName(key), badRelationName(key)], [undefined, undefined])
            equal(Object.hasOwn(fields, key), false)
          }
        }
      }),
    )
  })

  test('the stem of a key is what it says of its target', () => {
    for (const [column, referenced, stem] of [
      ['ArtistId', 'ArtistId', 'artist'],
      ['artist_id', 'id', 'artist'],
      ['SupportRepId', 'EmployeeId', 'support_rep'],
      ['ReportsTo', 'EmployeeId', 'reports_to'],
      ['country_code', 'code', 'country'],
      ['parent_category_id', 'category_id', 'parent'],
      ['user_uuid', 'id', 'user'],
      ['id', 'id', ''],
      ['ID', 'user_id', ''],
      ['author', 'id', 'author'],
    ] as const) {
      equal(keyStem(column, referenced), stem, column)
    }
  })
})
