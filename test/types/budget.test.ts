/** Models, checked against each other by type, stay within a number of type instantiations that grows with their number. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
/** Below node_modules, so that it is neither committed nor compiled with the tests, and packages are found. */
const folder = fileURLToPath(
  new URL(`../node_modules/.cache/budget-${process.pid}/`, import.meta.url),
)

/** Instantiations that 100 models, their rows, a Kysely database and a createApi may cost; 215 000 are used. */
const budget = 250_000

const options = {
  target: 'ES2022',
  lib: ['ES2023', 'WebWorker'],
  module: 'NodeNext',
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  customConditions: ['@model-api/source'],
  types: [],
}

/** A ring of models, each of ten columns, three relations, a computed column and a method. */
function program(count: number): string {
  const names = Array.from({ length: count }, (_, i) => `Model${i}`)
  const models = names.map((name, i) => {
    const next = `Model${(i + 1) % count}`
    const before = `Model${(i + count - 1) % count}`
    return `
export const ${name} = defineModel('${name}', {
  table: 'table_${i}',
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 80 },
    notes: { type: 'text', nullable: true, hidden: true },
    state: { type: 'enum', enum: ['draft', 'done'] },
    price: { type: 'decimal', precision: 8, scale: 2, default: '0.00' },
    visits: { type: 'bigint', hasDefault: true, readOnly: true },
    born: { type: 'date', nullable: true },
    created: { type: 'datetime', column: 'created_at', managed: 'created' },
    next_id: { type: 'integer' },
    self_id: { type: 'integer', nullable: true },
  },
  relations: {
    next: belongsTo('${next}', 'next_id'),
    self: belongsTo('${name}', 'self_id'),
    before: hasMany('${before}', 'next_id'),
  },
  computed: { loud: { type: 'string', expression: (eb) => eb.fn('upper', ['name']) } },
  methods: { check: (row, text: string) => row.notes === text },
  meta: { allow_join: true },
})
export const row${i}: RowOf<typeof ${name}>['state'] = 'draft'
export const patch${i}: PatchOf<typeof ${name}> = { price: '1.00' }
export const new${i}: NewRowOf<typeof ${name}> = { name: 'x', state: 'done', next_id: 1 }`
  })
  return `import { createApi, defineModel, belongsTo, hasMany } from '@model-api/core'
import type { DatabaseOf, NewRowOf, PatchOf, RowOf } from '@model-api/core'
import type { Kysely } from 'kysely'
${models.join('\n')}
const models = [${names.join(', ')}] as const
declare const db: Kysely<DatabaseOf<typeof models>>
export const api = createApi({ db, models, config: { API_ALLOW_JOIN: true } })
${count === 0 ? '' : `export const rows = db.selectFrom('table_0').select(['id', 'created_at']).execute()`}
void [belongsTo, hasMany, defineModel]
export type Unused = [DatabaseOf<[]>, NewRowOf<never>, PatchOf<never>, RowOf<never>]
`
}

function instantiations(count: number): number {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}models.ts`, program(count))
  writeFileSync(
    `${folder}tsconfig.json`,
    JSON.stringify({ compilerOptions: options, include: ['models.ts'] }),
  )
  const { stdout } = spawnSync(tsc, ['-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' })
  equal(stdout.match(/^.*error TS.*$/gm), null)
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
}

suite('the budget of types', (test) => {
  test(`a hundred models cost at most ${budget} instantiations, and two hundred twice as many`, () => {
    try {
      const [none = 0, hundred = 0, twice = 0] = [0, 100, 200].map(instantiations)
      const cost = hundred - none
      console.log(`${cost} instantiations for 100 models, ${twice - none} for 200`)
      ok(cost > 1000, `${cost}: nothing was measured`)
      ok(cost <= budget, `${cost} instantiations, ${budget} are allowed`)
      ok(twice - none <= 2.1 * cost, `${twice - none} instantiations for 200 models`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
