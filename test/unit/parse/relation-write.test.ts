/** How a write treats the nested objects of a relation. */
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { part, refuses, refusesAs, same } from './query.ts'

const path = (...names: string[]): unknown => names.map((text) => ({ text }))
const parsed = (raw: string): unknown => part(raw, 'relationWrites')

suite('an option of nested objects', (test) => {
  test('names the unique columns of records', () => {
    equal(parsed('labels.on_conflict=name&owner.on_conflict=team,name'), [
      { option: 'on_conflict', path: path('labels'), value: { text: 'name' } },
      { option: 'on_conflict', path: path('owner'), value: { text: 'team,name' } },
    ])
    same('labels.on_conflict=a,b', 'labels.on_conflict=a%2Cb')
  })

  test('says what happens to children that a list does not name', () => {
    equal(parsed('lines.on_missing=remove&lines.notes.on_missing=keep'), [
      { option: 'on_missing', path: path('lines'), value: { text: 'remove' } },
      { option: 'on_missing', path: path('lines', 'notes'), value: { text: 'keep' } },
    ])
  })

  test('has a relation, and one of these names', () => {
    refuses('.on_missing=remove', 'Expected a name in ".on_missing=remove".')
    refuses('lines.on_missing', 'Expected "=" and a value after "lines.on_missing".')
    refusesAs(
      'unknown_parameter',
      'lines.on_mising=remove',
      'Unknown parameter "lines.on_mising". Did you mean "lines.on_missing"? A filter is written "lines.on_mising__eq=remove".',
    )
  })
})
