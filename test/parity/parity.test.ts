/** The same request gives the same bytes on every database and in every time zone, for every type and its extremes. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { equal, ok } from '../support/assert.ts'
import { ofSameServers } from '../support/databases.ts'
import { checksRelease, extent } from '../support/extent.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { plainOnly } from '../support/path.ts'
import { compareKeys } from '../support/reference/rows.ts'
import { compareValues } from '../support/reference/values.ts'
import { eachDatabase, notRun } from '../support/suite.ts'
import type { Answers } from './answers.ts'
import { requestsAbout } from './requests.ts'
import { type Field, fields, rowCount, Sample, values } from './samples.ts'

const allZones = ['UTC', 'America/St_Johns', 'Pacific/Kiritimati'] as const

/** A further run has the amounts of a usual one, but asks in every zone on the usual way. */
const zones = extent === 'whole' || (checksRelease && !plainOnly) ? allZones : allZones.slice(0, 2)
if (zones !== allZones) notRun('parity in a third time zone', 'a usual run has two zones')

const script = fileURLToPath(new URL('answers.ts', import.meta.url))

function answersIn(zone: string): Promise<Answers> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...sourceArguments, script], {
      env: { ...ofSameServers(), TZ: zone, SESSION_ZONE: zone },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const parts: Buffer[] = []
    child.stdout.on('data', (part) => parts.push(part))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(parts).toString()))
      else reject(new Error(`the answers in ${zone} ended with ${code}`))
    })
  })
}

let started: Promise<ReadonlyMap<string, Answers>> | undefined

/** Starts the requests once for all suites. */
function everyAnswer(): Promise<ReadonlyMap<string, Answers>> {
  started ??= Promise.all(zones.map(async (zone) => [zone, await answersIn(zone)] as const)).then(
    (entries) => new Map(entries),
  )
  return started
}

eachDatabase('parity', (test, db) => {
  let all: ReadonlyMap<string, Answers>
  test.before(async () => {
    all = await everyAnswer()
  })
  const answers = (zone: string, label: string = db.label): Readonly<Record<string, string>> =>
    all.get(zone)?.[label] ?? {}
  const value = (query: string): Record<string, unknown>[] =>
    JSON.parse(answers('UTC')[`/api/samples?${query}&limit=100`] ?? 'null').value

  for (const field of fields) {
    test(`${field}: the bytes equal those of SQLite in UTC, in every time zone`, () => {
      const problems: string[] = []
      for (const zone of zones) {
        for (const { url } of requestsAbout(field, zone !== 'UTC')) {
          const expected = answers('UTC', 'SQLite')[url]
          const actual = answers(zone)[url]
          if (expected === undefined || actual === undefined) throw new Error(`not asked: ${url}`)
          if (actual === expected) continue
          problems.push(`${zone} ${decodeURIComponent(url)}\n${firstDifference(expected, actual)}`)
        }
      }
      ok(problems.length === 0, `${problems.length} differ\n${problems.slice(0, 12).join('\n')}`)
    })

    test(`${field}: nothing fails`, () => {
      const failed = Object.entries(answers('UTC')).filter(([, text]) =>
        text.includes('"status_code":5'),
      )
      equal(
        failed.map(([url]) => url),
        [],
      )
    })

    test(`${field}: each value in its JSON form`, () => {
      const rows = answers('UTC')[`/api/samples?fields=id,${field}&limit=100`] ?? ''
      const found = Array.from({ length: rowCount }, (_, i) => memberText(rows, i + 1, field))
      const expected = Array.from({ length: rowCount }, (_, i) => {
        const stored = values[field][i]
        if (stored === undefined) return 'null'
        return field === 'json' ? String(stored.json) : JSON.stringify(stored.json)
      })
      equal(found, expected)
    })

    if (field === 'json' || field === 'binary') continue
    test(`${field}: equal values are found, others are not`, () => {
      for (const { json } of values[field]) {
        if (String(json).length > 100) continue
        const text = encodeURIComponent(`"${String(json).replace(/["\\]/g, '\\$&')}"`)
        const expected = values[field].flatMap((other, i) =>
          compareValues(Sample.columns[field], other.json, json) === 0 ? [i + 1] : [],
        )
        const found = value(`${field}__eq=${text}&fields=id`).map(({ id }) => id)
        equal(found, expected, `${field} = ${json}: ${found} instead of ${expected}`)
      }
    })

    if (field === 'digits') continue
    for (const descending of [false, true]) {
      test(`${field}: ${descending ? 'descending' : 'ascending'} order`, () => {
        const name = `${descending ? '-' : ''}${field}`
        const found = value(`order_by=${name}&fields=id,${field}`).map(({ id }) => id)
        equal(found, idsInOrder(field, descending))
      })
    }
  }
})

/** The ids in the order of the stored values, which for datetimes are more precise than their JSON. */
function idsInOrder(field: Field, descending: boolean): number[] {
  const type = Sample.columns[field]
  const keys = Array.from({ length: rowCount }, (_, i) => {
    const { json = null, stored } = values[field][i] ?? {}
    return { id: i + 1, value: field === 'datetime' ? (stored ?? null) : json }
  })
  return keys
    .sort((a, b) =>
      compareKeys(
        [
          { type, value: a.value },
          { type: { type: 'integer' }, value: a.id },
        ],
        [
          { type, value: b.value },
          { type: { type: 'integer' }, value: b.id },
        ],
        [{ descending }, { descending: false }],
      ),
    )
    .map(({ id }) => id)
}

/** Returns the text of one member of one row, with all digits. */
function memberText(body: string, id: number, field: string): string {
  const start = `{"id":${id},"${field}":`
  const at = body.indexOf(start)
  const next = body.indexOf(`},{"id":${id + 1},`, at)
  const end = next < 0 ? body.lastIndexOf('}]}') : next
  return at < 0 ? 'missing' : body.slice(at + start.length, end)
}

function firstDifference(expected: string, actual: string): string {
  let at = 0
  while (at < expected.length && expected[at] === actual[at]) at += 1
  const from = Math.max(0, at - 60)
  return `  expected …${expected.slice(from, at + 80)}\n  actual   …${actual.slice(from, at + 80)}`
}
