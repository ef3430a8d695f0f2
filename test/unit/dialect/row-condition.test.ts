/** Conditions on one column: every form in which a database prints one, and nothing else. */
import { mysqlPartialKey } from '../../../packages/core/src/catalogue/mysql/mysql-partial-key.ts'
import {
  rowCondition,
  rowConditionText,
} from '../../../packages/core/src/dialect/shared/sql/row-condition.ts'
import { sqlTokens } from '../../../packages/core/src/dialect/shared/sql/sql-tokens.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const read = (text: string): string | undefined => {
  const condition = rowCondition(sqlTokens(text, 'plain'))
  return condition && rowConditionText(condition)
}

suite('conditions on one column', (test) => {
  const understood: readonly (readonly [expression: string, condition: string])[] = [
    ['(deleted_at IS NULL)', 'deleted_at is null'],
    ['((("deletedAt")) is null)', 'deletedAt is null'],
    ['[deleted at] is not null', 'deleted at is not null'],
    ['`deleted_at` is null', 'deleted_at is null'],
    ['deleted', 'deleted = true'],
    ['(NOT deleted)', 'deleted <> true'],
    ['not (deleted = 0)', 'deleted <> 0'],
    ['(deleted IS NOT TRUE)', 'deleted is not true'],
    ['(state = \'open\'::"State")', "state = 'open'"],
    ["(state = 'open'::public.state)", "state = 'open'"],
    ["((state)::text = 'it''s'::text)", "state = 'it''s'"],
    ["('open'::bpchar = state)", "state = 'open'"],
    ["(NOT ((state)::text IS DISTINCT FROM 'open'::text))", "state is 'open'"],
    ["state is distinct from 'gone'", "state is not 'gone'"],
    ["state <> 'gone'", "state <> 'gone'"],
    ["(i = '-1'::integer)", "i = '-1'"],
    ['i == -1', 'i = -1'],
    ["`state` = _utf8mb4'open'", "state = 'open'"],
    ['deleted_at is null -- not deleted', 'deleted_at is null'],
  ]
  for (const [expression, condition] of understood) {
    test(`${expression} → ${condition}`, () => equal(read(expression), condition))
  }

  const others = [
    '',
    'a is null and b is null',
    'a is null or b = 1',
    'not a = 1 or b = 1',
    'a = b',
    '1 = 1',
    'a = 1 = 1',
    'a < 1',
    'a in (1)',
    'a = null',
    "lower(a) = 'open'",
    '(a)::integer = 1',
    "a = 'open' collate nocase",
    "a = 'open' || ''",
    "a = 'open'::text || ''",
    'coalesce(a, false) = false',
    'a.b is null',
    'a is unknown',
    'case when a then true end',
  ]
  for (const expression of others) {
    test(`not read: ${expression}`, () => equal(read(expression), undefined))
  }
})

suite('unique indexes over a generated column', (test) => {
  const key = (columns: readonly string[], expressions: Readonly<Record<string, string>>) => {
    const found = mysqlPartialKey('i', columns, new Map(Object.entries(expressions)))
    return found && [found.columns.join(', '), found.condition]
  }
  const live = (expression: string) => key(['name', 'live'], { live: expression })

  test('reads the forms that MariaDB and MySQL print', () => {
    const expected = ['name', 'deleted_at is null']
    equal(live('if(`deleted_at` is null,1,NULL)'), expected)
    equal(live('case when `deleted_at` is null then 1 end'), expected)
    equal(live("(case when (`deleted_at` is null) then _utf8mb4'x' else NULL end)"), expected)
    equal(live('if(`deleted_at` is not null,NULL,1)'), expected)
    equal(live('if(`deleted`,NULL,1)'), ['name', 'deleted is not true'])
  })

  test('a column in place of a constant counts as that column', () => {
    const name = 'if(`deleted_at` is null,`name`,NULL)'
    equal(key(['organisation_id', 'live'], { live: name }), [
      'organisation_id, name',
      'deleted_at is null',
    ])
  })

  test('several generated columns need the same condition', () => {
    const name = 'if(`deleted_at` is null,`name`,NULL)'
    equal(key(['a', 'b'], { a: name, b: 'if(`deleted_at` is null,1,NULL)' }), [
      'name',
      'deleted_at is null',
    ])
    equal(key(['a', 'b'], { a: name, b: 'if(`archived_at` is null,1,NULL)' }), undefined)
  })

  test('nothing else', () => {
    equal(key(['name'], {}), undefined)
    for (const expression of [
      'if(`deleted_at` is null,NULL,NULL)',
      'if(`deleted_at` is null,1,2)',
      'if(`deleted_at` is null,lower(`name`),NULL)',
      'if(`state` <> 1,NULL,1)',
      'case `state` when 1 then 1 end',
      'case when `a` is null then 1 when `b` is null then 1 end',
      'coalesce(`name`,1)',
    ]) {
      equal([expression, live(expression)], [expression, undefined])
    }
  })
})
