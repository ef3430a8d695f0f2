// firstRequests: builds up to five example requests from the schema and an existing row, which `serve` prints under "Worth trying".

import type { Api, Column, ColumnType, Registry, Resource } from '@model-api/core'

type Row = Readonly<Record<string, unknown>>

interface Sample {
  readonly resource: Resource
  readonly row: Row
}

/** Maximum number of tables that are queried to find an example row. */
const mostAttempts = 5

/**
 * Returns up to five URLs: of a list, a filter, an order, a relation and an or-group. Omits those that the schema does not allow, and
 * those of records and relations that are not found: a foreign key may be null or name no row, and an empty key has no URL.
 */
export async function firstRequests(
  api: Pick<Api, 'handle' | 'registry'>,
  prefix: string,
): Promise<string[]> {
  const sample = await findSample(api, prefix)
  if (sample === undefined) {
    const path = api.registry.resources[0]?.paths[0]
    return path === undefined ? [] : [`${prefix}/${path}`]
  }
  const base = `${prefix}/${sample.resource.paths[0]}`
  const { name, number } = conditions(sample)
  const filters = [name, number].filter((filter) => filter !== undefined)
  const [column] = [...sample.resource.primaryKey, ...sample.resource.columns.values()]
  const order = orderColumn(sample) ?? column?.name
  const url = await foundUrl(api, base, sample)
  return [
    `${base}?limit=5`,
    ...(filters[0] === undefined ? [] : [`${base}?${filters[0]}`]),
    `${base}?order_by=-${order}&limit=5`,
    ...(url === undefined ? [] : [url]),
    ...(filters.length < 2 ? [] : [`${base}?or[${filters.join(',')}]&limit=5`]),
  ]
}

/** Returns the first row of the most interesting table that has rows (see `byInterest`); undefined if the first five have none. */
async function findSample(
  api: Pick<Api, 'handle' | 'registry'>,
  prefix: string,
): Promise<Sample | undefined> {
  for (const resource of byInterest(api.registry).slice(0, mostAttempts)) {
    const url = `${prefix}/${resource.paths[0]}?limit=1&dump_relationships=false`
    const { body } = await api.handle<readonly Row[]>({ method: 'GET', url })
    const row = body?.value?.[0]
    if (row !== undefined) return { resource, row }
  }
  return undefined
}

/** The resources, those first whose examples show most: with relations, texts, numbers and a key. */
function byInterest(registry: Registry): Resource[] {
  const score = (resource: Resource): number => {
    const relations = [...resource.relations.values()]
    const types = new Set([...resource.columns.values()].map((column) => column.type))
    return (
      Math.min(relations.length, 4) +
      (relations.some((relation) => relation.cardinality === 'many') ? 4 : 0) +
      (texts.some((type) => types.has(type)) ? 3 : 0) +
      (measures.some((type) => types.has(type)) ? 2 : 0) +
      (resource.primaryKey.length > 0 ? 4 : 0)
    )
  }
  return [...registry.resources].sort((a, b) => score(b) - score(a))
}

const texts: readonly ColumnType[] = ['string', 'text']
const measures: readonly ColumnType[] = [
  'decimal',
  'float',
  'integer',
  'bigint',
  'date',
  'datetime',
]

/** Returns the columns of these types that have a value in the row, except key columns. */
function ownColumns({ resource, row }: Sample, types: readonly ColumnType[]): string[] {
  const keys = new Set(resource.primaryKey.map((column) => column.name))
  for (const relation of resource.relations.values()) {
    if (relation.kind === 'belongsTo') for (const column of relation.from) keys.add(column.name)
  }
  const fits = ({ type }: Pick<Column, 'type'>): boolean => types.includes(type)
  return [...resource.columns.values()]
    .filter((column) => fits(column) && !keys.has(column.name) && (row[column.name] ?? '') !== '')
    .map((column) => column.name)
}

/** Filters that find the row: `title__ilike=sense`, `price__ge=9.5`. */
function conditions(sample: Sample): { name: string | undefined; number: string | undefined } {
  const [name] = ownColumns(sample, texts)
  const [number] = ownColumns(sample, measures)
  return {
    name: name === undefined ? undefined : `${name}__ilike=${word(String(sample.row[name]))}`,
    number: number === undefined ? undefined : `${number}__ge=${encoded(sample.row[number])}`,
  }
}

const orderColumn = (sample: Sample): string | undefined =>
  ownColumns(sample, measures)[0] ?? ownColumns(sample, texts)[0]

/** Returns the longest word of a text, so that a search for it finds more than this row. */
function word(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  const longest = [...words].sort((a, b) => b.length - a.length)[0]
  return encoded((longest ?? text).slice(0, 12).toLowerCase())
}

const keyOf = ({ resource, row }: Sample): string =>
  resource.primaryKey.map((column) => encoded(row[column.name])).join(',')

/** Returns the URL of the first relation of the row that is found, of many records if possible; otherwise that of the row. */
async function foundUrl(
  api: Pick<Api, 'handle'>,
  base: string,
  sample: Sample,
): Promise<string | undefined> {
  if (sample.resource.primaryKey.length === 0) return undefined
  const relations = [...sample.resource.relations.values()].sort(
    (a, b) => Number(b.cardinality === 'many') - Number(a.cardinality === 'many'),
  )
  const record = `${base}/${keyOf(sample)}`
  for (const segment of [...relations.map((relation) => `/${relation.segment}`), '']) {
    const url = `${record}${segment}`
    const { status } = await api.handle({ method: 'GET', url })
    if (status === 200) return url
  }
  return undefined
}

/** Percent-encodes for URLs inside quotes of any shell. */
const encoded = (value: unknown): string =>
  encodeURIComponent(String(value)).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
