/** The requests whose responses must be the same everywhere, by their column. */
import { ignoresCase, textOperators } from '../support/text-operators.ts'
import { type Field, Sample, values } from './samples.ts'

/** A URL, or the first page of a list whose pages are read to the end. */
export interface Request {
  readonly url: string
  readonly follow?: boolean
}

const path = '/api/samples'

const quoted = (value: unknown): string =>
  encodeURIComponent(`"${String(value).replace(/["\\]/g, '\\$&')}"`)

/** Letters whose other case is several letters, or depends on the language. The documentation says that databases may differ here. */
const opinions = /[iIıİßẞ]/

/** Returns all requests about a column. `thin`: all forms of requests, but with few values, unless the values contain times. */
export function requestsAbout(field: Field, thin: boolean): Request[] {
  const { type } = Sample.columns[field]
  const ordered = type !== 'json' && type !== 'binary' && field !== 'digits'
  const comparable = type !== 'json' && type !== 'binary'
  const number = ['integer', 'bigint', 'float', 'decimal'].includes(type) && ordered
  const ranged = ordered && type !== 'boolean'
  const textual = type === 'string' || type === 'text' || type === 'enum'
  const shown = `fields=id,${field}&limit=100`
  const urls = [
    shown,
    `${field}__isnull=true&fields=id&limit=100`,
    `${field}__isnull=false&fields=id&limit=100`,
    `${field}__count=1`,
    `join=next&fields=id,next.${field}&limit=100`,
    `dump=json&limit=100&next.fields=id,${field}&previous.fields=${field}&id__le=20`,
    `exists(next.${field}__isnull=false)&fields=id&limit=100`,
  ]
  const chains: string[] = []
  if (ordered) {
    for (const order of [field, `-${field}`, `${field}.nullsfirst`, `-${field}.nullslast`]) {
      urls.push(`order_by=${order}&${shown}`)
      chains.push(`order_by=${order}&limit=13&paging=cursor&fields=id,${field}`)
    }
    urls.push(`order_by=-${field}&join=next&fields=id,next.${field}&limit=100`)
    urls.push(`order_by=next.${field}&join=next&join_type=left&fields=id,next.${field}&limit=100`)
    urls.push(`groupby=${field}&id__count=1&id|first__min=1&limit=100`)
    urls.push(`groupby=${field}&order_by=-${field}&limit=100`)
    urls.push(`groupby=${field}&id__count=1&id_count__gt=1`)
  }
  if (ranged) urls.push(`${field}__min=1&${field}__max=1`)
  if (ranged) urls.push(`groupby=next_id&${field}__min=1&order_by=-${field}_min&limit=100`)
  if (number) {
    // The sum of floats that cancel each other depends on the order of the additions.
    const moderate = field === 'float' ? '&float__between=(-1e22,1e22)' : ''
    urls.push(`${field}__sum=1&${field}__avg=1${moderate}`)
    urls.push(`groupby=boolean&${field}__sum=1&${field}__avg=1${moderate}`)
    urls.push(`groupby=id&${field}__sum=1&${field}__avg=1&order_by=-${field}_sum&limit=100`)
    urls.push(`groupby=id&${field}__sum=1&order_by=${field}_sum&limit=100`)
  }
  if (type === 'date' || type === 'datetime') {
    for (const bucket of ['year', 'month', 'day']) {
      urls.push(`groupby=${bucket}(${field})|bucket&id__count=1&order_by=bucket&limit=100`)
    }
  }
  const distinct = [...new Set(values[field].map(({ json }) => json))]
  const short = distinct.filter((value) => String(value).length < 100)
  const timely = type === 'date' || type === 'datetime' || type === 'time'
  const sparse = field === 'text' || (thin && !timely)
  const few = sparse ? short.filter((_, i) => i % 8 === 2) : short
  for (const value of comparable && !(thin && sparse) ? short : []) {
    urls.push(`${field}__eq=${quoted(value)}&fields=id&limit=100`)
  }
  for (const value of comparable ? few : []) {
    const text = quoted(value)
    const operators = ranged ? ['ne', 'lt', 'le', 'gt', 'ge'] : ['ne']
    for (const operator of operators) urls.push(`${field}__${operator}=${text}&fields=id&limit=100`)
    urls.push(`${field}__nin=(${text})&fields=id&limit=100`)
    urls.push(`join=next&next.${field}__eq=${text}&fields=id&limit=100`)
    if (ranged) urls.push(`groupby=next_id&${field}__max=1&${field}_max__gt=${text}&limit=100`)
    if (!textual) continue
    for (const operator of textOperators.filter((one) => !ignoresCase(one))) {
      urls.push(`${field}__${operator}=${text}&fields=id&limit=100`)
    }
    if (opinions.test(String(value))) continue
    for (const operator of textOperators.filter(ignoresCase)) {
      urls.push(`${field}__${operator}=${text}&fields=id&limit=100`)
    }
  }
  if (comparable) {
    urls.push(`${field}__in=(${short.map(quoted).join(',')})&fields=id&limit=100`)
    urls.push(`${field}__nin=(${short.slice(0, 2).map(quoted).join(',')})&fields=id&limit=100`)
  }
  if (field === 'bigint') {
    urls.push(
      `bigint__sum=1&bigint_sum__lt=20000000000000000000&bigint__between=(1,"${'9'.repeat(18)}")`,
    )
    urls.push('join=previous&join_type=left&bigint__sum=1&bigint__avg=1&id__in=(3,5)')
  }
  if (field === 'decimal') urls.push('decimal__sum=1&decimal_sum__gt=123456789012.0000')
  if (type === 'uuid') urls.push(`uuid__eq=A0000000-0000-4000-8000-000000000000&${shown}`)
  if (type === 'datetime') {
    urls.push(`datetime__eq=2024-03-10T02:30:00&${shown}`)
    urls.push(`datetime__eq=2024-03-10T04:30:00%2B02:00&${shown}`)
    urls.push(`datetime__eq=2024-03-10T04:30:00+02:00&${shown}`)
    urls.push(`datetime__between=(2024-01-01T00:00:00.123Z,2024-01-01T00:00:00.123Z)&${shown}`)
  }
  return [
    ...urls.map((query) => ({ url: `${path}?${query}` })),
    ...chains.map((query) => ({ url: `${path}?${query}`, follow: true })),
  ]
}
