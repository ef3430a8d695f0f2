// Dates and times as databases print them, parsed without the local time zone.
import {
  isoDate,
  isoDatetime,
  isoTime,
  nextMillisecond,
  nextSecond,
} from '../../../packages/core/src/dialect/shared/values/calendar-text.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const zones = ['UTC', 'America/St_Johns', 'Pacific/Kiritimati', 'Africa/Monrovia']

/** Runs in several process time zones; Node follows the variable at once. */
function inEveryZone(step: () => void): void {
  const before = process.env.TZ
  try {
    for (const zone of zones) {
      process.env.TZ = zone
      step()
    }
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}

suite('dialect/calendar-text', (test) => {
  const datetimes: readonly (readonly [stored: string, iso: string])[] = [
    ['2024-05-14 10:30:00', '2024-05-14T10:30:00.000Z'],
    ['2024-05-14 10:30:00.5', '2024-05-14T10:30:00.500Z'],
    ['2024-05-14 10:30:00.123999', '2024-05-14T10:30:00.123Z'],
    ['2024-05-14 10:30:00.999999999', '2024-05-14T10:30:00.999Z'],
    ['2024-05-14T10:30:00Z', '2024-05-14T10:30:00.000Z'],
    ['2024-05-14T10:30:00.123Z', '2024-05-14T10:30:00.123Z'],
    ['2024-05-14 10:30:00+00', '2024-05-14T10:30:00.000Z'],
    ['2024-05-14 10:30:00.123456+00', '2024-05-14T10:30:00.123Z'],
    ['2024-05-14 10:30:00.123456+00:00', '2024-05-14T10:30:00.123Z'],
    ['2024-05-14 10:30:00+02', '2024-05-14T08:30:00.000Z'],
    ['2024-05-14 10:30:00.999999-03:30', '2024-05-14T14:00:00.999Z'],
    ['0001-12-31 20:29:08-03:30:52 BC', '0001-01-01T00:00:00.000Z'],
    ['0044-03-15 00:00:00+00 BC', '-000043-03-15T00:00:00.000Z'],
    ['9999-12-31 23:59:59.999999', '9999-12-31T23:59:59.999Z'],
    ['10000-01-01 00:00:00', '+010000-01-01T00:00:00.000Z'],
    ['0001-01-01 00:00:00', '0001-01-01T00:00:00.000Z'],
    ['0099-01-01 00:00:00+00:00:01', '0098-12-31T23:59:59.000Z'],
    ['2024-05-14 10:30', '2024-05-14T10:30:00.000Z'],
    ['2024-05-14', '2024-05-14T00:00:00.000Z'],
    ['infinity', 'infinity'],
    ['-infinity', '-infinity'],
    ['0000-00-00 00:00:00', '0000-00-00T00:00:00.000Z'],
    ['0000-00-00 00:00:00.000000', '0000-00-00T00:00:00.000Z'],
  ]
  for (const [stored, iso] of datetimes) {
    test(`${stored} is ${iso}`, () => inEveryZone(() => equal(isoDatetime(stored), iso)))
  }

  test('a datetime that is not in ISO form throws, because another DateStyle would swap days and months', () => {
    for (const text of ['14.05.2024 10:30:00', '05/14/2024 10:30:00', '1715682600', 'soon', '']) {
      throws(() => isoDatetime(text), 'not a date and time in ISO form')
    }
  })

  const dates: readonly (readonly [stored: string, iso: string])[] = [
    ['2024-05-14', '2024-05-14'],
    ['0001-01-01', '0001-01-01'],
    ['9999-12-31', '9999-12-31'],
    ['2024-05-14 00:00:00', '2024-05-14'],
    ['2024-05-14T00:00:00.000Z', '2024-05-14'],
    ['0044-03-15 BC', '-000043-03-15'],
    ['12024-01-01', '+012024-01-01'],
    ['infinity', 'infinity'],
    ['0000-00-00', '0000-00-00'],
  ]
  for (const [stored, iso] of dates) {
    test(`${stored} is the day ${iso}`, () => inEveryZone(() => equal(isoDate(stored), iso)))
  }

  const times: readonly (readonly [stored: string, time: string])[] = [
    ['10:30:00', '10:30:00'],
    ['10:30:00.999999', '10:30:00'],
    ['23:59:59.5+02', '23:59:59'],
    ['10:30:00-03:30', '10:30:00'],
    ['10:30:00Z', '10:30:00'],
    ['-838:59:59', '-838:59:59'],
  ]
  for (const [stored, time] of times) {
    test(`${stored} is the time ${time}`, () => equal(isoTime(stored), time))
  }

  test('the next millisecond carries over', () => {
    equal(nextMillisecond('2024-02-29T23:59:59.999Z'), '2024-03-01T00:00:00.000Z')
    equal(nextMillisecond('0001-01-01T00:00:00.000Z'), '0001-01-01T00:00:00.001Z')
    equal(nextMillisecond('9999-12-31T23:59:59.999Z'), '10000-01-01T00:00:00.000Z')
  })

  test('the next second carries over', () => {
    equal(nextSecond('00:00:00'), '00:00:01')
    equal(nextSecond('10:59:59'), '11:00:00')
    equal(nextSecond('23:59:59'), '24:00:00')
  })
})
