/** Compares the answers of an API with each other: what a list shows can be filtered, ordered, paged, grouped and opened. */
import type { Api } from '@model-api/core'

type Row = Readonly<Record<string, unknown>>

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: values of any type
  readonly value: any
  readonly total_count?: number
  readonly next_url?: string | null
  readonly errors?: unknown
}

/** Sends a request, without the comparison with the OpenAPI document: a column may hold values that are not of its type. */
export async function answerOf(api: Api, url: string): Promise<Answer> {
  const { status, text } = (await api.answer({ method: 'GET', url, headers: {} })) as {
    readonly status: number
    readonly text: string
  }
  return { ...JSON.parse(text), status }
}

/** What to compare of a list of at most 100 rows. */
export interface Compared {
  /** `/api/flags` */
  readonly path: string
  readonly fields: readonly string[]
  /** The fields of the key; empty for a list without one. */
  readonly key: readonly string[]
}

/**
 * Returns a sentence for each answer that contradicts another. A request that is refused as 400 contradicts nothing; its text, with
 * the reason, is added to `refused`.
 */
export async function contradictions(
  api: Api,
  { path, fields, key }: Compared,
  refused: string[] = [],
): Promise<readonly string[]> {
  const found: string[] = []
  const ask = async (url: string): Promise<Answer | undefined> => {
    const answer = await answerOf(api, url)
    if (answer.status === 200) return answer
    const says = `${url}: ${answer.status} ${JSON.stringify(answer.errors)}`
    if (answer.status === 400) refused.push(says)
    else found.push(says)
    return undefined
  }
  const texts = (rows: readonly Row[]): readonly string[] =>
    rows.map((row) => JSON.stringify(fields.map((field) => row[field])))
  const same = (url: string, actual: readonly Row[], expected: readonly Row[]): void => {
    const [a, b] = [texts(actual).toSorted().join(' '), texts(expected).toSorted().join(' ')]
    if (a !== b) found.push(`${url} finds ${a || 'nothing'} instead of ${b || 'nothing'}`)
  }

  const list = await ask(`${path}?limit=100`)
  const rows: readonly Row[] = list?.value ?? []
  if (list !== undefined && list.total_count !== rows.length)
    found.push(`${path} counts ${list.total_count} of ${rows.length}`)

  for (const field of fields) {
    const known = rows.filter((row) => row[field] !== null)
    const compare = async (condition: string, expected: readonly Row[]): Promise<void> => {
      const url = `${path}?limit=100&${field}__${condition}`
      const answer = await ask(url)
      if (answer !== undefined) same(url, answer.value, expected)
    }
    await compare(
      'isnull=true',
      rows.filter((row) => row[field] === null),
    )
    const values = [...new Set(known.map((row) => row[field]))]
    // A value that no filter takes is not of the column's type, and neither less nor greater than others.
    const ofOtherType = new Set<unknown>()
    for (const value of values) {
      const { status } = await answerOf(
        api,
        `${path}?${field}__eq=${encodeURIComponent(quoted(String(value)))}`,
      )
      if (status === 400) ofOtherType.add(value)
    }
    for (const value of values) {
      if (typeof value === 'object') continue
      const text = encodeURIComponent(quoted(String(value)))
      const equal = known.filter((row) => row[field] === value)
      const others = known.filter((row) => row[field] !== value)
      await compare(`eq=${text}`, equal)
      await compare(`ne=${text}`, others)
      await compare(`in=(${text},${text})`, equal)
      await compare(`nin=(${text})`, others)
      const parts: Row[] = []
      let isRefused = false
      for (const operator of ['lt', 'gt']) {
        const answer = await ask(`${path}?limit=100&${field}__${operator}=${text}`)
        parts.push(...(answer?.value ?? []))
        isRefused ||= answer === undefined
      }
      const alike = (row: Row): boolean => !ofOtherType.has(row[field])
      const mayBeFound = (row: Row): boolean => /^[-\d]/.test(String(row[field]))
      if (!isRefused) {
        const found = parts.filter((row) => alike(row) || !mayBeFound(row))
        same(`${path}?${field}__lt and __gt ${text}`, found, others.filter(alike))
      }
    }
    for (const order of [field, `-${field}`]) {
      const sorted = await ask(`${path}?limit=100&order_by=${order}`)
      if (sorted === undefined) continue
      same(`${path}?order_by=${order}`, sorted.value, rows)
      const seen: Row[] = []
      let url: string | null = `${path}?limit=2&paging=cursor&order_by=${order}`
      while (url !== null && seen.length <= rows.length) {
        const page: Answer | undefined = await ask(url)
        if (page === undefined) break
        seen.push(...page.value)
        url = page.next_url ?? null
      }
      const isRefused = refused.at(-1)?.includes(`paging=cursor&order_by=${order}:`) === true
      if (!isRefused && texts(seen).join() !== texts(sorted.value).join())
        found.push(`cursors by ${order} show ${texts(seen)} instead of ${texts(sorted.value)}`)
    }
    const extremes = await ask(`${path}?aggregate=${field}|least__min,${field}|most__max`)
    if (extremes !== undefined) {
      const { least, most } = extremes.value[0]
      const isShown = (one: unknown): boolean =>
        one === null ? values.length === 0 : values.includes(one)
      if (!isShown(least) || !isShown(most))
        found.push(`${field} has the extremes ${JSON.stringify([least, most])}`)
    }
    const groups = await ask(
      `${path}?groupby=${field}&aggregate=${field}|number_of__count&limit=100`,
    )
    if (groups !== undefined) {
      const shown = (groups.value as readonly Row[]).map(
        (group) => `${JSON.stringify(group[field])} ${group.number_of}`,
      )
      const expected = [...new Set(rows.map((row) => row[field]))].map(
        (value) => `${JSON.stringify(value)} ${known.filter((row) => row[field] === value).length}`,
      )
      if (shown.toSorted().join() !== expected.toSorted().join())
        found.push(`groups by ${field} are ${shown} instead of ${expected}`)
    }
  }

  const keys = rows.map((row) => key.map((name) => row[name]))
  if (key.length > 0) {
    const distinct = new Set(keys.map((one) => JSON.stringify(one)))
    if (distinct.size < rows.length) found.push(`${path} shows a key twice: ${texts(rows)}`)
    for (const [i, own] of keys.entries()) {
      const row = rows[i] as Row
      const part = (value: unknown): string => encodeURIComponent(String(value))
      const url = `${path}/${own.map(part).join(',')}`
      const record = await answerOf(api, url)
      if (record.status !== 200) found.push(`${url}: ${record.status}`)
      else same(url, [record.value], [row])
    }
  }
  return found
}

/** Quotes a value of a query where its characters could mean something else. */
const quoted = (value: string): string =>
  /^[\w.:+-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, (one) => `\\${one}`)}"`
