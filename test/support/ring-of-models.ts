/** Writes a ring of models as TypeScript, and measures how much work the compiler has with it. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { equal } from './assert.ts'
import { compilerOutput } from './typescript.ts'

/** A ring of models, each of ten columns, three relations, a computed column and a method. */
export function ringOfModels(count: number): readonly string[] {
  const names = Array.from({ length: count }, (_, i) => `Model${i}`)
  return names.map((name, i) => {
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
})`
  })
}

/** A program with these models, their rows, a Kysely database of them and an API. */
export function programOfModels(count: number): string {
  const models = ringOfModels(count).map(
    (model, i) => `${model}
export const row${i}: RowOf<typeof Model${i}>['state'] = 'draft'
export const patch${i}: PatchOf<typeof Model${i}> = { price: '1.00' }
export const new${i}: NewRowOf<typeof Model${i}> = { name: 'x', state: 'done', next_id: 1 }`,
  )
  const names = Array.from({ length: count }, (_, i) => `Model${i}`)
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

/** The program with the `defineModel` of `modelsFor`. */
export const typedByUser = (program: string): string =>
  program.replace(
    /^import .*$/m,
    (line) => `${line.replace('defineModel', 'modelsFor')}
interface Member { readonly id: number; readonly team: string }
const { defineModel } = modelsFor<Member>()`,
  )

/** The compiler's statistics of a program. */
export interface CompilerFigures {
  readonly instantiations: number
  /** Seconds of checking types, without reading and binding. */
  readonly checkSeconds: number
}

/** The type instantiations of a program; the compiler must find no mistake in it. */
export const instantiationsOf = (text: string, folder: string): number =>
  compilerFigures(text, folder).instantiations

/** Compiles a program, in which the compiler must find no mistake. */
export function compilerFigures(text: string, folder: string): CompilerFigures {
  mkdirSync(folder, { recursive: true })
  const stdout = compilerOutput({ folder, file: 'models.ts', text }, ['--extendedDiagnostics'])
  equal(stdout.match(/^.*error TS.*$/gm), null)
  return {
    instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]),
    checkSeconds: Number(/^Check time:\s+([\d.]+)s/m.exec(stdout)?.[1]),
  }
}

/** A folder of this process below node_modules, so that it is neither committed nor compiled with the tests, and packages are found. */
export const budgetFolder = (name: string): string =>
  fileURLToPath(new URL(`../node_modules/.cache/${name}-${process.pid}/`, import.meta.url))
