/**
 * The number of statements for a list of records with nested lists grows with the levels and relations of its body, not with
 * the number of records.
 */
import { type AnyModel, belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const depth = 4
const levels = Array.from({ length: depth }, (_, level) => level)

/** A chain of models: each record has records of the next level, and labels. */
const chain = levels.map(
  (level): AnyModel =>
    defineModel(`Level${level}`, {
      table: `level${level}s`,
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        name: { type: 'string', maxLength: 40 },
        parent_id: { type: 'integer', nullable: true },
      },
      relations: {
        ...(level === 0 ? {} : { parent: belongsTo(`Level${level - 1}`, 'parent_id') }),
        ...(level === depth - 1 ? {} : { parts: hasMany(`Level${level + 1}`, 'parent_id') }),
        labels: manyToMany('Label', {
          through: `level${level}_labels`,
          from: 'level_id',
          to: 'label_id',
        }),
      },
      meta: {},
    }),
)
const Label: AnyModel = defineModel('Label', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    word: { type: 'string', maxLength: 40 },
  },
  meta: {},
})
const models = [...chain, Label]

/** Which relations the records of a body have. */
const bodies = {
  'nested lists': { hasLabels: false },
  'nested lists and links': { hasLabels: true },
} as const

eachDatabase('growth of nested lists', (test, db) => {
  const api = testApi(db, models, {
    API_ALLOW_BULK: true,
    API_ALLOW_NESTED_WRITES: true,
    API_MAX_DEPTH: depth,
    API_MAX_BULK: 10_000,
  })
  test.before(async () => {
    await createTables(db, models)
    await api.ready
  })

  const list = (records: number, below: number, hasLabels: boolean, name = 'r'): object[] =>
    Array.from({ length: records }, (_, i) => ({
      name: `${name}.${i}`,
      ...(hasLabels ? { labels: [{ word: `a ${name}` }, { word: `b ${i}` }] } : {}),
      ...(below === 0 ? {} : { parts: list(2, below - 1, hasLabels, `${name}.${i}`) }),
    }))

  /** Counts the statements of a POST of records with a number of nested levels. */
  const statementsOf = async (records: number, below: number, hasLabels: boolean) => {
    const body = list(records, below, hasLabels)
    const { result, statements } = await db.capture(() =>
      send(api, 'POST', '/api/level0s', { body }),
    )
    equal(result.status, 201, JSON.stringify(result.errors))
    return statements.length
  }

  for (const [name, { hasLabels }] of Object.entries(bodies)) {
    test(`${name} take a number of statements that depends on their levels alone`, async () => {
      const counts: number[] = []
      for (let below = 0; below < depth; below++) {
        const [few, many] = [
          await statementsOf(3, below, hasLabels),
          await statementsOf(24, below, hasLabels),
        ]
        equal(many, few, `${below} levels below`)
        counts.push(few)
      }
      // The first nested level also changes how the list is written; from there on, each level takes the same number of
      // statements.
      const added = counts.slice(2).map((count, i) => count - (counts[i + 1] ?? 0))
      ok(new Set(added).size === 1 && (added[0] ?? 0) > 0, `by levels: ${counts}`)
    })
  }
})
