/** Parsing takes time in proportion to the length of the query; the test counts characters instead of measuring time. */
import { parseQuery } from '../../../packages/core/src/query/parse/parse-query.ts'
import { ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { limits } from './query.ts'

const boundless = {
  conditions: { ...limits.conditions, value: Number.POSITIVE_INFINITY },
  relationFilters: { ...limits.relationFilters, value: Number.POSITIVE_INFINITY },
  aggregates: { ...limits.aggregates, value: Number.POSITIVE_INFINITY },
  list: { ...limits.list, value: Number.POSITIVE_INFINITY },
}

/** Texts that make a careless parser read the same characters repeatedly. */
const unkind: Readonly<Record<string, (n: number) => string>> = {
  'many filters': (n) => 'a__eq=1&'.repeat(n),
  'many unknown parameters': (n) => `${'utm=1&'.repeat(n)}x=1`,
  'one long value': (n) => `a__eq=${'x'.repeat(n)}`,
  'one long encoded value': (n) => `a__eq=${'%C3%A9'.repeat(n)}`,
  'encoded equals signs': (n) => 'a%3D'.repeat(n),
  'a long list': (n) => `a__in=(${'1,'.repeat(n)}1)`,
  'a list of blanks': (n) => `a__in=(${'+,'.repeat(n)}1)`,
  'blanks in a list': (n) => `a__in=(${'x'.padEnd(n, '+')})`,
  'a long group': (n) => `or[${'a__eq=1,'.repeat(n)}b__eq=1]`,
  'a long group in a form': (n) => `or%5B${'a__eq%3D1%2C'.repeat(n)}b__eq%3D1%5D=`,
  'many groups': (n) => 'or[a__eq=1]&'.repeat(n),
  'open brackets': (n) => `or[a__eq=${'('.repeat(n)}`,
  'balanced brackets': (n) => `or[a__eq=${'('.repeat(n)}${')'.repeat(n)}]`,
  'brackets in every item': (n) => `or[${'a__eq=(),'.repeat(n)}a__eq=1]`,
  quotes: (n) => `or[${'a__eq="\\"",'.repeat(n)}a__eq="x"]`,
  backslashes: (n) => `a__eq="${'\\\\'.repeat(n)}"`,
  'an open quote in every item': (n) => `or[${'a__eq="'.repeat(n)}]`,
  underscores: (n) => `${'_'.repeat(n)}eq=1`,
  'many suffixes': (n) => `${'a__'.repeat(n)}eq=1`,
  dots: (n) => `${'a.'.repeat(n)}b__eq=1`,
  'long fields': (n) => `fields=${'a,'.repeat(n)}b`,
  'long groupby': (n) => `groupby=${'a|b__sum=1,'.repeat(n)}b`,
  'a long relation filter': (n) => `exists(a.${'b__eq=1,'.repeat(n)}c__eq=1)`,
  'many relation options': (n) => 'b.limit=1&'.repeat(n),
  'an unknown operator': (n) => `a__${'x'.repeat(n)}=1`,
  'a label': (n) => `a|${'x'.repeat(n)}__sum=1`,
}

suite('the work of parsing', (test) => {
  for (const [what, text] of Object.entries(unkind)) {
    test(`grows with the length of the query: ${what}`, () => {
      const [less, more] = [workOf(text(400)), workOf(text(3200))]
      ok(more < less * 8 * 1.5 + 2000, `${less} steps became ${more} for eight times the text`)
    })
  }

  test('is recognised by this test if it is quadratic', () => {
    const careless = (n: number) =>
      countWork(() => {
        const text = 'x,'.repeat(n)
        for (let i = 0; i < text.length; i++) text.slice(i).includes('=')
      })
    ok(careless(3200) > careless(400) * 8 * 1.5 + 2000)
  })
})

function workOf(raw: string): number {
  return countWork(() => {
    try {
      parseQuery(raw, { additional: ['utm'], limits: boundless })
    } catch {
      // A refusal counts too.
    }
  })
}

/** Counts the characters that string methods read or copy; the parser reads only through them. */
function countWork(run: () => void): number {
  const methods = [
    'charAt',
    'charCodeAt',
    'slice',
    'indexOf',
    'lastIndexOf',
    'includes',
    'split',
    'endsWith',
  ] as const
  const strings = String.prototype as unknown as Record<string, (...args: unknown[]) => unknown>
  const originals = methods.map((method) => [method, strings[method]] as const)
  let work = 0
  for (const [method, original] of originals) {
    strings[method] = function (this: string, ...args: unknown[]): unknown {
      const result = original?.apply(this, args)
      work += 1 + charactersOf(this, method, args, result)
      return result
    }
  }
  try {
    run()
  } finally {
    for (const [method, original] of originals)
      if (original !== undefined) strings[method] = original
  }
  return work
}

function charactersOf(text: string, method: string, args: unknown[], result: unknown): number {
  if (typeof result === 'string') return result.length
  if (method === 'indexOf') {
    const from = Number(args[1] ?? 0)
    return (result === -1 ? text.length : Number(result)) - from
  }
  return method === 'charCodeAt' || method === 'endsWith' ? 1 : text.length
}
