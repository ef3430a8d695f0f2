/** Whatever names a database contains, models, fields and relations get names that requests can contain. */
import fc from 'fast-check'
import { readColumns } from '../../../packages/core/src/catalogue/introspect/columns.ts'
import {
  fieldNames,
  keyStem,
  modelNames,
} from '../../../packages/core/src/catalogue/introspect/model-names.ts'
import { resolveLinks } from '../../../packages/core/src/catalogue/introspect/relations/foreign-key-links.ts'
import { nameRelations } from '../../../packages/core/src/catalogue/introspect/relations/relations.ts'
import type { CatalogueTable } from '../../../packages/core/src/catalogue/shared/catalogue.ts'
import { toCase } from '../../../packages/core/src/lib/naming/case.ts'
import { transliterate } from '../../../packages/core/src/lib/naming/transliterate.ts'
import { endpointNames } from '../../../packages/core/src/model/registry/endpoint-name.ts'
import {
  badFieldName,
  badRelationName,
} from '../../../packages/core/src/model/registry/field-name.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

/** Names that are close to the rules: separators, digits, operators, reserved words, other alphabets. */
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
      databaseType: 'integer',
      shape: { type: 'integer' },
      nullable: false,
      generated: false,
      hasDefault: false,
      readOnly: false,
    })),
    primaryKey: ['id'],
    uniqueKeys: [],
    partialKeys: [],
    foreignKeys: columns.flatMap((column) =>
      tables.map((target) => ({ columns: [column], table: target, references: ['id'] })),
    ),
  }))
}

suite('names of introspect', (test) => {
  test('fields are valid, distinct, and named like the column if its name is valid', () => {
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

  test('models are identifiers, and no two share an endpoint in any letter case', () => {
    fc.assert(
      fc.property(names, (tables) => {
        const models = [...modelNames(tables.map((name) => ({ name }))).values()]
        for (const model of models) equal(/^[A-Za-z][A-Za-z0-9]*$/.test(model), true, model)
        for (const letterCase of ['kebab', 'snake', 'camel', 'pascal'] as const) {
          const paths = models.flatMap((model) => endpointNames(model, {}, letterCase).paths)
          equal(distinct(paths), true)
        }
      }),
    )
  })

  test('relations are valid and collide with no other name, however tables refer to each other', () => {
    const few = fc.uniqueArray(name, {
      minLength: 1,
      maxLength: 3,
      selector: (text) => text.toLowerCase(),
    })
    fc.assert(
      fc.property(few, few, (tables, columns) => {
        const models = modelNames(tables.map((name) => ({ name })))
        const drafts = tangled(tables, columns).map((table) => ({
          table,
          model: models.get(table.name) ?? '',
          ...readColumns(table),
        }))
        const { links } = resolveLinks(drafts)
        for (const [model, relations] of nameRelations(drafts, links, []).relations) {
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

  test('the stem of a foreign key is its name without the suffix for the key', () => {
    for (const [column, referenced, target, stem] of [
      ['ArtistId', 'ArtistId', 'artist', ''],
      ['artist_id', 'id', 'artist', 'artist'],
      ['SupportRepId', 'EmployeeId', 'employee', 'support_rep'],
      ['ReportsTo', 'EmployeeId', 'employee', 'reports_to'],
      ['country_code', 'code', 'country', 'country'],
      ['parent_category_id', 'category_id', 'category', 'parent_category'],
      ['parent_id', 'category_id', 'category', 'parent'],
      ['user_uuid', 'id', 'user', 'user'],
      ['id', 'id', 'user', ''],
      ['ID', 'user_id', 'user', ''],
      ['author', 'id', 'employee', 'author'],
      ['emp_no', 'emp_no', 'employee', ''],
      ['manager_emp_no', 'emp_no', 'employee', 'manager'],
      ['customerNumber', 'customerNumber', 'customer', ''],
      ['salesRepEmployeeNumber', 'employeeNumber', 'employee', 'sales_rep_employee'],
      ['original_language_id', 'language_id', 'language', 'original_language'],
      ['customer_no', 'id', 'customer', 'customer'],
      ['order_no', 'id', 'customer', 'order_no'],
      ['bill_territory_id', 'territory_id', 'sales_territory', 'bill_territory'],
      ['productid', 'productid', 'product', ''],
      ['productid', 'id', 'product', ''],
      ['billtoaddressid', 'addressid', 'address', 'billto_address'],
      ['fromcurrencycode', 'currencycode', 'currency', 'from_currency'],
      ['salespersonid', 'businessentityid', 'sales_person', ''],
      ['paid', 'id', 'payment', 'paid'],
    ] as const) {
      equal(keyStem(column, referenced, target), stem, column)
    }
  })

  test('other alphabets are transliterated, or else written as code points', () => {
    for (const [text, expected] of [
      ['Größe', 'Grosse'],
      ['Łódź', 'Lodz'],
      ['Заказы', 'Zakazy'],
      ['ЩИТ', 'SHCHIT'],
      ['ёлка_їжак', 'yolka_yizhak'],
      ['Ελλάδα', 'Ellada'],
      ['מחיר', 'mhyr'],
      ['اسم', 'asm'],
      ['고객', 'gogaek'],
      ['カタログ', 'katarogu'],
      ['きゃく がっこう', 'kyaku_gakkou'],
      ['顧客', 'u9867u5ba2'],
      ['顾客2', 'u987eu5ba22'],
      ['unit price', 'unit_price'],
      ['price %', 'price_'],
    ] as const) {
      equal(transliterate(text), expected, text)
      equal(transliterate(text.normalize('NFD')), expected, text)
    }
  })
})
