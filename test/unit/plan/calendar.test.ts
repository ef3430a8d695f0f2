/** Dates in the query language: exactly the days that exist. */
import { parseDate } from '../../../packages/core/src/model/types/date-type.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const two = (number: number): string => String(number).padStart(2, '0')

suite('calendar', (test) => {
  test('a date is a day that exists, in years with and without a leap day', () => {
    for (const year of ['0001', '1900', '2000', '2023', '2024', '9999']) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const text = `${year}-${two(month)}-${two(day)}`
          const time = Date.parse(`${text}T00:00:00Z`)
          const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
          equal(parseDate(text), exists ? text : undefined, text)
        }
      }
    }
  })

  test('other years and other forms are no dates', () => {
    for (const text of ['0000-01-01', '2024-1-01', '02024-01-01', '2024-01-01 ', '2024-01-01T00']) {
      equal(parseDate(text), undefined, text)
    }
  })
})
