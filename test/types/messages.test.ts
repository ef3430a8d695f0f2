/** The messages of the compiler for a mistake in a model or a setting: the first line names the option, the relation, the column or the setting. */
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { equal, ok } from '../support/assert.ts'
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
    `export const w = defineModel('W', { columns: { id, place: ((column: string) => ({ type: 'integer', column }) as const)('place_id') } })`,
    String.raw`the option \"column\" is no literal type but string`,
  ],
  [
    `export const u = defineModel('U', { columns: { id, place: whole }, unique: [['id', 'plaice']] })`,
    `Type '"plaice"' is not assignable to type '"id" | "place"'`,
  ],
  [
    `client.stocks.createMany([], { onConflict: 'place' })`,
    `Type '"place"' is not assignable to type '"id" | readonly ["id"] | readonly ["place" | "shop", "place" | "shop"]`,
  ],
  [
    `export const b = createApi({ db, models: [Book, defineModel('B', { columns: { id, book_id: whole }, relations: { book: belongsTo('Boook', 'book_id') } })] })`,
    String.raw`B.book: no model named \"Boook\"`,
  ],
  [
    `export const c = createApi({ db, models: [Book, defineModel('C', { columns: { id, book_id: whole }, relations: { book: belongsTo('Book', 'bookid') } })] })`,
    String.raw`C.book: C has no column \"bookid\"`,
  ],
  [
    `export const d = createApi({ db, models: [Book, User], config: { API_USER_MODEL: User, API_CUSTOM_AUTH: (request) => memberOf(request.url) } })`,
    String.raw`API_USER_MODEL has no column \"roles\", as the user of API_CUSTOM_AUTH`,
  ],
  [
    `export const e = createApi({ db, models: [Book, User], config: { API_CUSTOM_AUTH: (request) => memberOf(request.url), API_USER_MODEL: User, API_ADD_CALLBACK: stamped } })`,
    'WriteCallback<API_USER_MODEL<',
  ],
]

/** Misspelt columns in the callbacks of a model; the first line names them, whatever its size. */
const inCallbacks: readonly (readonly [line: string, says: string])[] = [
  [
    `defineModel('H', { columns: { id, title, text }, meta: { add_callback: (record) => ({ ...record, title: record.titel }) } })`,
    `Property 'titel' does not exist`,
  ],
  [
    `defineModel('H', { columns: { id, title, text, state: { type: 'enum', enum: ['open', 'closed'] } }, meta: { post_add_callback: (record) => ({ ...record, titel: 'x' }) } })`,
    String.raw`the model has no column \"titel\"`,
  ],
  [
    `defineModel('H', { columns: { id, title, text }, meta: { async update_callback(record) { return { ...record, titel: 'x' } } } })`,
    String.raw`the model has no column \"titel\"`,
  ],
  [
    `defineModel('H', { columns: { id, title, text }, meta: { remove_callback: (record, _model, { before }) => (before?.titel === 'x' ? record : record) } })`,
    `Property 'titel' does not exist`,
  ],
  [
    `defineModel('H', { columns: { id, title, text }, meta: { dump_callback: (data) => ({ ...data, shout: data.titel }) } })`,
    `Property 'titel' does not exist`,
  ],
]

/** Mistakes in a list of models; the compiler shortens the types of wide models. */
const inLists: readonly (readonly [line: string, says: string])[] = [
  [
    `export const g = createApi({ db, models: [Wide, Book] })`,
    String.raw`Wide.user: no model named \"User\"`,
  ],
  [
    `export const m = createApi({ db, models: [Wide, Book], config: { API_USER_MODEL: User, API_ADD_CALLBACK: (object) => object } })`,
    String.raw`Wide.user: no model named \"User\"`,
  ],
  [
    `export const h = createApi({ db, models: [User, Book, Wide, Old] })`,
    'Old.books: Book has no column',
  ],
]

/** Mistakes that the last line of the message names, because TypeScript compares the alternatives of the option first. */
const named: readonly (readonly [line: string, says: string])[] = [
  [
    `defineModel('F', { columns: { id }, meta: { access_policy: () => ({ scope: { idd: { eq: 1 } } }) } })`,
    String.raw`the model has no column \"idd\"`,
  ],
]

/** Bodies that lack a member, which the last line of the message names. */
const incomplete: readonly (readonly [line: string, says: string])[] = [
  [`client.notes.create({ title: 'x' })`, "Property 'text' is missing"],
  [`client.issues.create({ title: 'x' })`, "Property 'project_id' is missing"],
  [
    `client.issues.create({ title: 'x', milestone: { id: 1 } })`,
    "Property 'project_id' is missing",
  ],
  [`client.issues.createMany([{ title: 'x' }])`, "Property 'project_id' is missing"],
  [`client.issues.replace(1, { title: 'x' })`, "Property 'project_id' is missing"],
  [`client.moves.create({ from_id: 1 })`, "Property 'to_id' is missing"],
  [`client.issues.create({ project_id: 1 })`, "Property 'title' is missing"],
]

/** Values that are no nested records; the message is one line, which says of which model they should be. */
const notRecords: readonly (readonly [line: string, says: string])[] = [
  [
    `client.issues.update(1, { labels: ['bug'] })`,
    `Type 'string' has no properties in common with type 'NestedRecord<Model<"Label"`,
  ],
  [
    `client.issues.create({ title: 'x', project_id: 1, labels: [5] })`,
    `Type 'number' has no properties in common with type 'NestedRecord<Model<"Label"`,
  ],
]

const before = `import { belongsTo, createApi, defineModel, hasMany, manyToMany, type WriteCallback } from '@model-api/core'
import { createClient } from '@model-api/core/client'
declare const db: never
const whole = { type: 'integer' } as const
const id = { type: 'integer', primaryKey: true } as const
const Book = defineModel('Book', { columns: { id } })
const User = defineModel('User', { columns: { id, email: { type: 'string' } } })
const Old = defineModel('Old', { columns: { id }, relations: { books: hasMany('Book', 'old_id') }, meta: {} })
const text = { type: 'string', maxLength: 80 } as const
const Wide = defineModel('Wide', { columns: { id, title: text, author: text, place: text, user_id: whole, state: { type: 'enum', enum: ['open', 'closed'] } }, relations: { user: belongsTo('User', 'user_id'), book: belongsTo('Book', 'id') }, meta: {} })
interface Member { readonly id: number; readonly roles: readonly string[] }
declare const memberOf: (url: string) => Promise<Member | null>
declare const stamped: WriteCallback<Member | null>
const title = { type: 'string' } as const
const made = { type: 'integer', primaryKey: true, generated: true } as const
const milestone_id = { type: 'integer', nullable: true } as const
const Note = defineModel('Note', {
  columns: { id: made, title, text: title, milestone_id },
  relations: { milestone: belongsTo('Book', 'milestone_id') },
})
const Issue = defineModel('Issue', {
  columns: { id: made, title, project_id: whole, milestone_id },
  relations: { project: belongsTo('Book', 'project_id'), milestone: belongsTo('Book', 'milestone_id'), labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label_id' }) },
})
const Label = defineModel('Label', { columns: { id: made, name: title } })
const Move = defineModel('Move', {
  columns: { id: made, from_id: whole, to_id: whole },
  relations: { from: belongsTo('Book', 'from_id'), to: belongsTo('Book', 'to_id') },
})
const Stock = defineModel('Stock', { columns: { id, shop: whole, place: whole }, unique: [['shop', 'place']] })
const tracker = createApi({ db, models: [Book, Note, Issue, Label, Move, Stock] })
const client = createClient<typeof tracker>('/api')
`

/** The messages about each of these lines: its first line, and the further ones. */
function messagesOf(lines: readonly string[]): readonly (readonly string[])[] {
  mkdirSync(folder, { recursive: true })
  try {
    const text = before + lines.join('\n')
    const stdout = compilerOutput({ folder, file: 'models.ts', text })
    const messages = stdout
      .trimEnd()
      .split(/\n(?=\S)/)
      .map((message) => message.split('\n'))
    const first = before.split('\n').length
    return lines.map((_, i) =>
      messages.filter(([start]) => start?.includes(`(${first + i},`)).flat(),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

suite('compiler errors for mistakes in a model and in the configuration', (test) => {
  test('the first line names the mistake', () => {
    const messages = messagesOf(mistakes.map(([line]) => line))
    for (const [i, [, says]] of mistakes.entries()) {
      ok(messages[i]?.[0]?.includes(says), `${says}: ${messages[i]?.join('\n')}`)
    }
  })

  test('the first line about a callback of a model names the misspelt column', () => {
    const messages = messagesOf(inCallbacks.map(([line]) => line))
    for (const [i, [, says]] of inCallbacks.entries()) {
      ok(messages[i]?.[0]?.includes(says), `${says}: ${messages[i]?.join('\n')}`)
    }
  })

  test('the message about a body names a member that is required', () => {
    const messages = messagesOf(incomplete.map(([line]) => line))
    for (const [i, [, says]] of incomplete.entries()) {
      ok(
        messages[i]?.some((line) => line.includes(says)),
        `${says}: ${messages[i]?.join('\n')}`,
      )
    }
  })

  test('the message about a nested record is one line, which names its model', () => {
    const messages = messagesOf(notRecords.map(([line]) => line))
    for (const [i, [, says]] of notRecords.entries()) {
      equal(messages[i]?.length, 1)
      ok(messages[i]?.[0]?.includes(says), `${says}: ${messages[i]?.join('\n')}`)
    }
  })

  test('the first line names the mistake in a list of models, whatever their size, and suggests nothing else', () => {
    const messages = messagesOf(inLists.map(([line]) => line))
    for (const [i, [, says]] of inLists.entries()) {
      const [first = ''] = messages[i] ?? []
      ok(first.includes(says), `${says}: ${first}`)
      ok(!/exactOptionalPropertyTypes|Two different types/.test(first), first)
    }
  })

  test('a later line names the mistake where the first one names the option', () => {
    const messages = messagesOf(named.map(([line]) => line))
    for (const [i, [, says]] of named.entries()) {
      ok(messages[i]?.[0]?.includes('PolicyOption'), `the option: ${messages[i]?.join('\n')}`)
      ok(messages[i]?.at(-1)?.includes(says), `${says}: ${messages[i]?.join('\n')}`)
    }
  })
})
