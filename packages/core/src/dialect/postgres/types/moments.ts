// PostgreSQL's dates and datetimes with an unusual year, one outside of 1 to 9999, and its infinities: conversion between their JSON form
// and PostgreSQL's.

import type { SpecialValues } from '../../../model/type-definition.ts'

const year = '([+-][0-9]{6,7}|0000)'
const day = '-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const time = 'T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}([0-9]{3})?Z'
const unusualMoment = new RegExp(`^${year}${day}(?:${time})?$`)

const forms = {
  date: `^-?infinity$|^${year}${day}$`,
  datetime: `^-?infinity$|^${year}${day}${time}$`,
}

const lastYear = { date: 5_874_897, datetime: 294_276 }

/** Returns `infinity` or `-infinity`, PostgreSQL's latest and earliest value, unchanged; undefined for any other text. */
export const infinityOf = (text: string): string | undefined =>
  text === 'infinity' || text === '-infinity' ? text : undefined

/** The special values of a date or datetime: infinities, the year 0000, and years with a sign and six or seven digits. */
export const specialMoments = (type: 'date' | 'datetime'): SpecialValues => {
  const whole = new RegExp(forms[type])
  return {
    pattern: forms[type],
    read: (text) =>
      whole.test(text) && (infinityOf(text) !== undefined || isReal(text, lastYear[type]))
        ? text
        : undefined,
  }
}

/** Whether PostgreSQL has the year of a date, and its month that day: `+012023-02-29` is none. `last` is the last year of the type. */
function isReal(text: string, last: number): boolean {
  const [, years = '', month = '', date = ''] = unusualMoment.exec(text) ?? []
  const number = Number(years)
  // 4713 BC is the year -4712.
  if (number < -4712 || number > last || years === '-000000') return false
  const ofMonth = new Date(0)
  // The calendar repeats itself every 400 years.
  ofMonth.setUTCFullYear(2000 + (number % 400), Number(month), 0)
  return Number(date) <= ofMonth.getUTCDate()
}

/**
 * Converts a value to the format that PostgreSQL reads: `+012024-01-01T00:00:00.000Z` → `12024-01-01 00:00:00.000+00`,
 * `-000043-03-15` → `0044-03-15 BC`. Undefined for the years 0001 to 9999.
 */
export function unusualYearText(iso: string): string | undefined {
  const match = /^([+-][0-9]{6,7}|0000)(-[0-9]{2}-[0-9]{2})(?:T(.*)Z)?$/.exec(iso)
  if (match === null) return undefined
  const [, years = '', rest = '', clock] = match
  const number = Number(years)
  const digits = String(number > 0 ? number : 1 - number).padStart(4, '0')
  return `${digits}${rest}${clock === undefined ? '' : ` ${clock}+00`}${number > 0 ? '' : ' BC'}`
}

/** Whether PostgreSQL reads the JSON form of a datetime as it is, in another format (`unusualYearText`), or as one of its infinities. */
export const momentKind = (iso: string): 'usual' | 'unusual year' | 'infinite' =>
  infinityOf(iso) !== undefined
    ? 'infinite'
    : unusualYearText(iso) === undefined
      ? 'usual'
      : 'unusual year'

/** Converts the JSON form of a datetime to the format that PostgreSQL reads, for all years and infinities. */
export const momentText = (iso: string): string => unusualYearText(iso) ?? iso

/**
 * The last stored value that a datetime stands for, in the format that PostgreSQL reads. PostgreSQL stores at most microseconds, so the
 * last value of a millisecond ends in 999; a value from a cursor has six digits already.
 */
export const lastText = (iso: string): string =>
  momentText(iso).replace(/(\.[0-9]{3})(?=Z|\+)/, '$1999')
