/** Non-interference: changes of rows and columns that a user may not see never change a response to that user, neither to a read nor to a write. */
import fc from 'fast-check'
import { equal, ok } from '../support/assert.ts'
import { propertySeed, shareOf } from '../support/property.ts'
import { eachDatabase } from '../support/suite.ts'
import { answerOf } from './answer.ts'
import { randomRequest } from './random-query.ts'
import { randomDeletion, randomWrite } from './random-writes.ts'
import { apiOf, createWorld, fillWorld, full, type Variant, viewer } from './world.ts'
import type { Write } from './write-doors.ts'
import { writerIn } from './write-secrets.ts'

type Row = Readonly<Record<string, unknown>>

const words = fc.constantFrom('Arrows', 'Bread', 'Ann', 'zzz', '', 'ß', 'note 1', 'v-1')
const anyId = fc.constantFrom(1, 2, 3, 4, 5, 11, 21, 100, 101, 102)
const digits = fc.constantFrom('0.00', '10.00', '20.50', '99999.99', '-5.00')

/** Another user's, or deleted, or both. */
const invisible = fc.constantFrom(
  { owner_id: 8, deleted: false },
  { owner_id: 0, deleted: false },
  { owner_id: 7, deleted: true },
  { owner_id: 8, deleted: true },
)

const vault = { vault_code: fc.option(words) }

const secretRows = {
  Author: fc.record({ name: words, ...vault }),
  Book: fc.record({
    title: words,
    price: digits,
    published: fc.constantFrom('2011-02-15', '1999-12-31', '2030-01-01'),
    author_id: fc.option(anyId),
    ...vault,
  }),
  Tag: fc.record({ name: words }),
  Tagging: fc.record({ book_id: anyId, tag_id: anyId }),
  Review: fc.record({
    book_id: anyId,
    stars: fc.integer({ min: -9, max: 99 }),
    note: words,
    ...vault,
  }),
  Profile: fc.record({ author_id: anyId, motto: words }),
} as const

type Secrets = Readonly<Record<string, readonly Row[]>>

/** Rows that none of the users may see, and values of hidden columns in visible rows. */
const secrets: fc.Arbitrary<{ rows: Secrets; vaults: readonly (string | null)[] }> = fc.record({
  rows: fc.record({
    ...Object.fromEntries(
      Object.entries(secretRows).map(([model, row]) => [
        model,
        fc.array(fc.tuple(row as fc.Arbitrary<Row>, invisible), { maxLength: 6 }).map((list) =>
          list.map(([values, owner], i) => ({
            id: 100 + i,
            ...(model === 'Tag' && { slug: `hidden ${i}` }),
            ...values,
            ...owner,
          })),
        ),
      ]),
    ),
    Payroll: fc
      .array(fc.record({ author_id: anyId, amount: fc.nat() }), { maxLength: 4 })
      .map(withIds),
    Audit: fc.array(fc.record({ book_id: anyId, note: words }), { maxLength: 4 }).map(withIds),
  }) as fc.Arbitrary<Secrets>,
  vaults: fc.array(fc.option(words), { minLength: 5, maxLength: 5 }),
})

function withIds(rows: readonly Row[]): readonly Row[] {
  return rows.map((row, i) => ({ id: 100 + i, ...row }))
}

const visible = (row: Row): boolean => row.owner_id === 7 && row.deleted === false

eachDatabase('what a caller may not see', (test, db) => {
  test.before(() => createWorld(db))

  const worlds: readonly (readonly [string, Variant])[] = [
    ['rows and hidden columns', full],
    ['rows and columns of another role', { ...full, vault: 'ruled' }],
    ['rows and write-only columns', { ...full, vault: 'writeOnly' }],
  ]
  for (const [what, variant] of worlds)
    test(`does not change any response to that caller: ${what}`, async () => {
      await fillWorld(db, (row) => (visible(row) ? row : null))
      const api = apiOf(db, variant, viewer)
      const before = new Map<string, string>()
      const samples = fc.sample(
        fc.tuple(fc.array(randomRequest, { minLength: 60, maxLength: 60 }), secrets),
        { numRuns: shareOf(12), seed: propertySeed },
      )
      for (const [requests] of samples) {
        for (const request of requests) {
          if (!before.has(request)) before.set(request, await answerOf(api, request))
        }
      }
      const succeeded = [...before.values()].filter((answer) => answer.startsWith('200')).length
      equal(
        succeeded > before.size / 3,
        true,
        `only ${succeeded} of ${before.size} requests are answered`,
      )
      equal(
        [...before].filter(([, answer]) => answer.startsWith('5')),
        [],
      )
      for (const [requests, secret] of samples) {
        await fillWorld(
          db,
          (row) => (visible(row) ? withVault(row, secret.vaults) : null),
          secret.rows,
        )
        for (const request of requests) {
          equal(
            await answerOf(api, request),
            before.get(request),
            `${request}\n${JSON.stringify(secret)}`,
          )
        }
      }
    })
})

eachDatabase('what a writer may not see', (test, db) => {
  test.before(() => createWorld(db))
  const config = {
    API_ALLOW_BULK: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOW_CASCADE_DELETE: true,
  } as const
  const ownRow = (row: Row): Row | null => (row.owner_id === 7 ? row : null)
  /** Rows of others. Deleted rows of the writer are no secret: they can be restored. */
  const ofOthers = (rows: Secrets): Secrets =>
    mapRows(rows, (some) => some.filter(({ owner_id }) => owner_id !== 7))
  /** The same rows, which refer to no visible record: DELETE tells what refers to one. */
  const apart = (rows: Secrets): Secrets =>
    mapRows(ofOthers(rows), (some) =>
      some.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            /^(?:author|book|tag)_id$/.test(name) && value !== null ? Number(value) + 900 : value,
          ]),
        ),
      ),
    )

  const kinds = [
    ['writes', randomWrite, ofOthers],
    ['deletions', randomDeletion, apart],
  ] as const
  for (const [what, arbitrary, hidden] of kinds) {
    for (const [declared, variant] of [
      ['hidden columns', full],
      ['columns of another role', { ...full, vault: 'ruled' }],
      ['write-only columns', { ...full, vault: 'writeOnly' }],
    ] as const) {
      test(`does not change any response to it, or what it reads later: ${what}, ${declared}`, async () => {
        const samples = fc.sample(
          fc.tuple(fc.array(arbitrary, { minLength: 40, maxLength: 40 }), secrets),
          { numRuns: shareOf(12), seed: propertySeed },
        )
        const write = writerIn(db, { variant, change: ownRow }, config)
        const before = new Map<Write, string>()
        for (const one of samples.flatMap(([writes]) => writes)) before.set(one, await write(one))
        const succeeded = [...before.values()].filter((answer) => answer.startsWith('2')).length
        ok(succeeded > before.size / 5, `only ${succeeded} of ${before.size} writes succeed`)
        for (const [writes, secret] of samples) {
          const change = (row: Row) => {
            const own = ownRow(row)
            return own && withVault(own, secret.vaults)
          }
          const writeAmong = writerIn(db, { variant, change, others: hidden(secret.rows) }, config)
          for (const one of writes) {
            const answer = await writeAmong(one)
            ok(!answer.startsWith('5'), `${JSON.stringify(one)}\n${answer}`)
            equal(answer, before.get(one), `${JSON.stringify(one)}\n${JSON.stringify(secret)}`)
          }
        }
      })
    }
  }
})

const mapRows = (rows: Secrets, map: (some: readonly Row[]) => readonly Row[]): Secrets =>
  Object.fromEntries(Object.entries(rows).map(([model, some]) => [model, map(some)]))

function withVault(row: Row, vaults: readonly (string | null)[]): Row {
  if (row.vault_code === undefined) return row
  return { ...row, vault_code: vaults[Number(row.id) % vaults.length] ?? null }
}
