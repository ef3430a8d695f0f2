/** Datetimes that a driver has read as times of the process's zone: those that the Date does not tell are refused. */
import {
  driverMoment,
  usualDriver,
} from '../../../packages/core/src/dialect/shared/values/driver-values.ts'
import type { DialectColumn } from '../../../packages/core/src/model/dialect-column.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const column = { name: 'at', type: 'datetime' } as unknown as DialectColumn

/** Reads texts as `pg` and `mysql2` do, in a time zone. */
function read(zone: string, texts: readonly string[]): readonly unknown[] {
  const { TZ } = process.env
  process.env.TZ = zone
  try {
    return texts.map((text) => {
      try {
        return driverMoment(column, new Date(text), usualDriver)
      } catch (error) {
        return (error as Error).name
      }
    })
  } finally {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  }
}

suite('datetimes that drivers read as Dates', (test) => {
  test('of the skipped hour and of the hour after it are refused, since both give the same Date', () => {
    equal(
      read('America/New_York', [
        '2027-03-14T01:59:59.999',
        '2027-03-14T02:00:00.000',
        '2027-03-14T02:30:00.000',
        '2027-03-14T03:00:00.000',
        '2027-03-14T03:59:59.999',
        '2027-03-14T04:00:00.000',
        '2027-11-07T01:30:00.000',
      ]),
      [
        '2027-03-14T01:59:59.999Z',
        'TypeError',
        'TypeError',
        'TypeError',
        'TypeError',
        '2027-03-14T04:00:00.000Z',
        '2027-11-07T01:30:00.000Z',
      ],
    )
  })

  test('of half an hour, and of a whole day, that were skipped', () => {
    equal(
      read('Australia/Lord_Howe', [
        '2026-10-04T01:45:00.000',
        '2026-10-04T02:15:00.000',
        '2026-10-04T02:45:00.000',
        '2026-10-04T03:00:00.000',
      ]),
      ['2026-10-04T01:45:00.000Z', 'TypeError', 'TypeError', '2026-10-04T03:00:00.000Z'],
    )
    equal(
      read('Pacific/Apia', [
        '2011-12-29T23:59:00.000',
        '2011-12-30T12:00:00.000',
        '2011-12-31T23:59:00.000',
        '2012-01-01T00:00:00.000',
      ]),
      ['2011-12-29T23:59:00.000Z', 'TypeError', 'TypeError', '2012-01-01T00:00:00.000Z'],
    )
  })

  test('in UTC, every one is read', () => {
    equal(read('UTC', ['2027-03-14T02:30:00.000']), ['2027-03-14T02:30:00.000Z'])
  })

  test('an invalid Date is refused, too', () => {
    throws(() => driverMoment(column, new Date(Number.NaN), usualDriver), /invalid Date.*"at"/)
  })
})
