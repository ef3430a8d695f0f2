/** The typed client knows every filter operator of the query language. */
import { queryText } from '../../packages/core/src/client/query/query-text.ts'
import type { Operators } from '../../packages/core/src/client/query/where-types.ts'
import {
  type FilterOperator,
  filterOperators,
} from '../../packages/core/src/model/query-words/operators.ts'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

type OfTexts = Operators<{ readonly type: 'text' }, string>
type OfLists = Operators<{ readonly type: 'list'; readonly items: 'text' }, string[]>

/** Does not compile if the types of conditions lack an operator. */
const typed = (name: FilterOperator): keyof OfTexts | keyof OfLists => name

const names = Object.keys(filterOperators) as FilterOperator[]

suite('the operators of the typed client', (test) => {
  for (const name of names) {
    test(`${name} is an operator, not a relation`, () => {
      const text = queryText({ where: { title: { [typed(name)]: 'a' } } })
      equal(text.split('&')[0], `title__${name}=a`)
    })
  }
})
