/** CHECK constraints as rules for single columns: a constraint that is not understood completely gives none. */
import {
  type CheckSyntax,
  checkRules,
} from '../../../packages/core/src/catalogue/shared/check-rules.ts'
import { constantDefault } from '../../../packages/core/src/catalogue/shared/default-value.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const plain: CheckSyntax = {
  backslash: 'plain',
  lengths: { length: 'characters', char_length: 'characters', octet_length: 'bytes' },
  anyCharacters: true,
}
const escaping: CheckSyntax = { ...plain, backslash: 'escapes', anyCharacters: false }

/** Each rule in short: `status: a|b`, `price >= 0`, `length of name <= 20`. */
const read = (expression: string, syntax: CheckSyntax = plain): readonly string[] =>
  checkRules(expression, syntax).map((rule) => {
    if (rule.kind === 'members') return `${rule.column}: ${rule.members.join('|')}`
    const { comparison, column } = rule
    return rule.kind === 'bound'
      ? `${column} ${comparison} ${rule.number}`
      : `${rule.unit} of ${column} ${comparison} ${rule.length}`
  })

suite('rules of a CHECK', (test) => {
  const understood: readonly (readonly [expression: string, ...rules: string[]])[] = [
    ["status in ('a', 'b')", 'status: a|b'],
    ['"Status" IN (\'a\')', 'Status: a'],
    ["(s = ANY (ARRAY['a'::text, 'b''c'::text]))", "s: a|b'c"],
    ["((v)::text = ANY ((ARRAY['a'::character varying])::text[]))", 'v: a'],
    ["((o = 'a'::text) OR (o = 'b'::text))", 'o: a|b'],
    ["s is null or s in ('a')", 's: a'],
    ["s in ('a', 'b') and (price >= 0 and price < 10)", 's: a|b', 'price >= 0', 'price < 10'],
    ['0 < price', 'price > 0'],
    ['price between -1.50 and 5', 'price >= -1.5', 'price <= 5'],
    ["((n2 >= '-1.5'::numeric) AND (n2 <= (5)::numeric))", 'n2 >= -1.5', 'n2 <= 5'],
    ['`n2` between -(1.5) and 5', 'n2 >= -1.5', 'n2 <= 5'],
    ['stars between 1 and 5 and stars <> 3', 'stars >= 1', 'stars <= 5'],
    ['level in (30, 10)', 'level >= 10', 'level <= 30'],
    ['length(name) <= 20', 'characters of name <= 20'],
    ['(char_length((name)::text) >= 3)', 'characters of name >= 3'],
    ['octet_length(`l`) < 20', 'bytes of l < 20'],
    ["name <> ''", 'characters of name >= 1'],
    ["since < until and s in ('a')", 's: a'],
    ["lower(x) = 'b' and s in ('a') -- and t in ('b')", 's: a'],
  ]
  for (const [expression, ...rules] of understood) {
    test(`${expression}`, () => equal(read(expression), rules))
  }

  const ignored = [
    "s in ('a') or t in ('b')",
    "s in ('a') or price > 5",
    "s in ('a') or f(s)",
    "not s in ('a')",
    "s not in ('a')",
    "not (s in ('a') and price > 0)",
    "s in ('a', null)",
    "s in ('a', t)",
    "s in ('a', 'b' || 'c')",
    'status in (select name from kinds)',
    "s in ('a', 1)",
    "s in ('a') = 0",
    "(s in ('a')) is false",
    "s in ('a') collate nocase",
    "s collate nocase in ('a')",
    "lower(s) in ('a')",
    "s || t in ('a')",
    "case when x > 1 then s in ('a') else 1 end",
    "s = 'a' xor s = 'b'",
    "s in (E'a\\\\b')",
    "s in (x'41')",
    '0 <= price <= 5',
    'price >= 0 + 1',
    'price + 1 >= 0',
    'price >= other',
    'price >= 1e3',
    'round(price) >= 1',
    '(price)::integer >= 1',
    '(price)::numeric(10,2) >= 1',
    "price >= '1'",
    "price >= '1.5'::integer",
    "day >= '2020-01-01'::date",
    'price not between 1 and 5',
    'price between 1 and other',
    'price between symmetric 5 and 1',
    'length(trim(name)) <= 20',
    'length(name) + 1 <= 20',
    'length(name) <= 20.5',
    "name <> 'x'",
    "name like 'a%'",
    "(m = ANY (ARRAY['a'::mood]))",
    "(a <@ ARRAY['x'::text])",
    "s = ALL (ARRAY['a'::text])",
    'price >= 0 )',
    "s in ('a'",
    '',
  ]
  for (const expression of ignored) {
    test(`ignored: ${expression || 'nothing'}`, () => equal(read(expression), []))
  }

  test('backslashes before quotes only; non-ASCII characters if the catalogue shows them', () => {
    equal(read("`s` in (_utf8mb4'b\\'c')", escaping), ["s: b'c"])
    equal(read("`s` in ('a\\\\b','c')", escaping), [])
    equal(read("`s` in ('Ã©')", escaping), [])
    equal(read("s in ('a\\b', 'é')"), ['s: a\\b|é'])
  })

  test('deep and long expressions', () => {
    equal(read(`${'('.repeat(1000)}s in ('a')${')'.repeat(1000)}`), ['s: a'])
    equal(read(`s in (${"'a',".repeat(100_000)}'b')`), ['s: a|b'])
  })
})

suite('constants of defaults', (test) => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["'it''s'::text", "it's"],
    ["'-1'::integer", '-1'],
    ['-1', '-1'],
    ['(0.50)', '0.50'],
    ['true', 'true'],
    ['now()', undefined],
    ["nextval('s'::regclass)", undefined],
    ['1 + 1', undefined],
    ['(1)+(2)', undefined],
    ['CURRENT_DATE', undefined],
    ['NULL', undefined],
    ["b'1'", undefined],
    ["'a' || 'b'", undefined],
    ["-'a'", undefined],
  ]
  for (const [expression, text] of cases) {
    test(expression, () => equal(constantDefault(expression, 'plain')?.text, text))
  }
})
