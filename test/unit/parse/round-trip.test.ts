/** Parsing a printed query returns the same AST, and no text crashes the parser. */
import fc from 'fast-check'
import { ApiError } from '../../../packages/core/src/errors.ts'
import type { QueryAst } from '../../../packages/core/src/query/parse/ast.ts'
import { parseQuery } from '../../../packages/core/src/query/parse/parse-query.ts'
import { printQuery } from '../../../packages/core/src/query/parse/print-query.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { arbitraryAst, ownParameters } from './arbitrary.ts'
import { limits, withoutSpans } from './query.ts'

const numRuns = Number(process.env.FUZZ_RUNS ?? 1000)

const generous = {
  ...limits,
  conditions: { ...limits.conditions, value: 10_000 },
  aggregates: { ...limits.aggregates, value: 10_000 },
}

function parse(raw: string): QueryAst {
  return parseQuery(raw, { additional: ownParameters, limits: generous })
}

/** Requires that a text is parsed into an AST that can be printed, or is refused with a 400 of the service. */
function parsesOrRefuses(raw: string): void {
  let ast: QueryAst
  try {
    ast = parse(raw)
  } catch (error) {
    ok(error instanceof ApiError, `threw ${error}`)
    equal(error.status, 400)
    ok(typeof error.body.reason === 'string' && error.body.code !== undefined)
    const at = error.body.at?.replace(/(?<=^.{199,200})…$/s, '')
    ok(raw.includes(at ?? 'nowhere'), `"${at}" is not the client's own text`)
    return
  }
  equal(withoutSpans(parse(printQuery(ast))), withoutSpans(ast))
}

/** Every element of the grammar, so that random texts are parsed far. */
const piece = fc.constantFrom(
  ...['or[', 'and%5B', 'not[', 'exists(', 'missing%28', 'books[', 'books.', '.limit', '.fields'],
  ...['__eq', '__in', '__sum', '__', '=', '%3D', ',', '%2C', '(', ')', '[', ']', '%5D', '|', '%7C'],
  ...['"', '%22', '\\', '%5C', '+', '%20', '&', '.', '-', '%', '%4', '%C3', '%C3%A9', '%00'],
  ...['fields=', 'order_by=', 'orderby=', 'groupby=', 'aggregate=', 'join=', 'page=', 'utm='],
  ...['year(', '.nullslast', '__proto__', 'constructor', 'a', 'b1', 'é', '😀', '\ud83d'],
)

suite('parse and print', (test) => {
  test('give back any AST', () => {
    fc.assert(
      fc.property(arbitraryAst, (ast) => {
        equal(withoutSpans(parse(printQuery(ast))), withoutSpans(ast))
      }),
      { numRuns },
    )
  })

  test('give back any AST from a form encoder too', () => {
    fc.assert(
      fc.property(arbitraryAst, (ast) => {
        const form = new URLSearchParams(printQuery(ast)).toString()
        equal(withoutSpans(parse(form)), withoutSpans(ast))
      }),
      { numRuns },
    )
  })

  test('print what was meant, in canonical spelling', () => {
    const raw = 'orderby=-price&price__gte=30&or%5Ba__eq%3D1%2Cb__in%3D%28+1%2C%222%22+%29%5D='
    equal(printQuery(parse(raw)), 'price__ge=30&or[a__eq=1,b__in=(1,%222%22)]&order_by=-price')
    equal(
      printQuery(parse('exists(books,price__gt=20)&groupby=year(a)|y,b|c__sum=1&utm=x&page=2')),
      'exists(books.price__gt=20)&groupby=year(a)|y&b|c__sum=1&page=2&utm=x',
    )
  })
})

suite('any text', (test) => {
  test('made of the pieces of the grammar parses or is refused', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => parsesOrRefuses(pieces.join(''))),
      { numRuns: numRuns * 5 },
    )
  })

  test('made of any characters parses or is refused', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
    fc.assert(fc.property(fc.string({ unit }), parsesOrRefuses), { numRuns })
    fc.assert(fc.property(fc.string({ unit: 'binary-ascii', maxLength: 30 }), parsesOrRefuses), {
      numRuns,
    })
  })

  test('that was a query before it was damaged parses or is refused', () => {
    const damage = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 4 }),
      insert: fc.array(piece, { maxLength: 2 }),
    })
    fc.assert(
      fc.property(
        arbitraryAst,
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        (ast, damages) => {
          let raw = printQuery(ast)
          for (const { at, remove, insert } of damages) {
            const place = raw === '' ? 0 : at % raw.length
            raw = raw.slice(0, place) + insert.join('') + raw.slice(place + remove)
          }
          parsesOrRefuses(raw)
        },
      ),
      { numRuns },
    )
  })
})
