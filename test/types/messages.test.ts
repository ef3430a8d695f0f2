/** The messages of the compiler for a mistake in a model: the first line names the option, the relation or the column. */
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { compilerOutput } from '../support/typescript.ts'

/** A folder below node_modules, so that it is neither committed nor compiled with the tests, and imports find the packages. */
const folder = fileURLToPath(
  new URL(`../node_modules/.cache/messages-${process.pid}/`, import.meta.url),
)

const mistakes: readonly (readonly [line: string, says: string])[] = [
  [
    `export const a = defineModel('A', { columns: { id, name: { type: 'string', maxlength: 5 } } })`,
    String.raw`a column has no option \"maxlength\"`,
  ],
  [
    `export const b = createApi({ db, models: [Book, defineModel('B', { columns: { id, book_id: whole }, relations: { book: belongsTo('Boook', 'book_id') } })] })`,
    String.raw`no model named \"Boook\"`,
  ],
  [
    `export const c = createApi({ db, models: [Book, defineModel('C', { columns: { id, book_id: whole }, relations: { book: belongsTo('Book', 'bookid') } })] })`,
    String.raw`C has no column \"bookid\"`,
  ],
]

const before = `import { belongsTo, createApi, defineModel } from '@model-api/core'
declare const db: never
const whole = { type: 'integer' } as const
const id = { type: 'integer', primaryKey: true } as const
const Book = defineModel('Book', { columns: { id } })
`

suite('compiler errors for mistakes in a model', (test) => {
  test('the first line names the mistake', () => {
    mkdirSync(folder, { recursive: true })
    try {
      const text = before + mistakes.map(([line]) => line).join('\n')
      const stdout = compilerOutput({ folder, file: 'models.ts', text })
      const errors = stdout.split('\n').filter((line) => / error TS/.test(line))
      const first = before.split('\n').length
      equal(
        mistakes.map(([, says], i) =>
          errors.some((error) => error.includes(`(${first + i},`) && error.includes(says)),
        ),
        mistakes.map(() => true),
        stdout,
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
