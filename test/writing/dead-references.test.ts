/** Foreign keys of a list that refer to no record that the caller may see: one error names all of them. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const key = { type: 'integer', primaryKey: true } as const
const number = { type: 'integer', nullable: true } as const
const text = { type: 'string', maxLength: 40, nullable: true } as const

const own = { scope: { owner: { eq: 1 } } } as const
const Project = defineModel('Project', {
  columns: { id: key, owner: number, code: { ...text, unique: true } },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta: { access_policy: own },
})
const Member = defineModel('Member', {
  columns: { id: key, owner: number },
  meta: { access_policy: own },
})
const columns = {
  id: { ...key, generated: true },
  title: { ...text, unique: true },
  project_id: number,
  assignee_id: number,
  reviewer_id: number,
  parent_id: number,
} as const
const relations = {
  project: belongsTo('Project', 'project_id'),
  assignee: belongsTo('Member', 'assignee_id'),
  reviewer: belongsTo('Member', 'reviewer_id'),
  parent: belongsTo('Issue', 'parent_id'),
} as const
const seen = { access_policy: { scope: { title: { ne: 'hidden' } } } } as const
const Issue = defineModel('Issue', { columns, relations, meta: { allow_bulk: true, ...seen } })
const Note = defineModel('Note', { columns: { id: { ...key, generated: true }, text }, meta: {} })
const Folder = defineModel('Folder', {
  columns: { id: key, parent_id: number, note_id: number },
  relations: { parent: belongsTo('Folder', 'parent_id'), note: belongsTo('Note', 'note_id') },
  meta: { allow_bulk: true, access_policy: { scope: { id: { lt: 100 } } } },
})
/** The caller may not read the key that loans name. */
const Shelf = defineModel('Shelf', {
  columns: { id: key, owner: number, code: { ...text, unique: true, read: 'admin' } },
  meta: { access_policy: own },
})
const Loan = defineModel('Loan', {
  columns: { id: { ...key, generated: true }, shelf_code: text },
  relations: { shelf: belongsTo('Shelf', 'shelf_code', { references: 'code' }) },
  meta: { allow_bulk: true },
})
const models = [Project, Member, Issue, Note, Folder, Shelf, Loan]

const none = ['No such record.']
const dead = (...paths: readonly string[]) => [
  422,
  'missing_reference',
  Object.fromEntries(paths.map((path) => [path, none])),
]

eachDatabase('references of a list to no record', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    const owned = [
      { id: 1, owner: 1 },
      { id: 2, owner: 2 },
    ]
    await insertRows(db, Project, owned)
    await insertRows(db, Member, owned)
    await insertRows(
      db,
      Shelf,
      owned.map((one) => ({ ...one, code: `s${one.id}` })),
    )
    await insertRows(db, Issue, [
      { title: 'first', project_id: 1 },
      { title: 'elsewhere', project_id: 2, assignee_id: 2 },
      { title: 'third', project_id: 1 },
    ])
  })
  const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true })
  const refusal = async (method: string, url: string, body: unknown, of = api) => {
    const { status, errors } = await send(of, method, url, { body })
    return [status, errors?.code, errors?.reason]
  }
  // 2 is hidden from the caller, 9 does not exist.
  const list = [
    { title: 'a', project_id: 1, assignee_id: 1 },
    { title: 'b', project_id: 2, assignee_id: 9, reviewer_id: 1 },
    { title: 'c', project_id: 1, assignee_id: null },
    { title: 'd', project_id: 9, reviewer_id: 2 },
  ]
  const ofList = dead('[1].project_id', '[1].assignee_id', '[3].project_id', '[3].reviewer_id')

  test('are all in the error of a POST, also if a callback sends statements', async () => {
    equal(await refusal('POST', '/api/issues', list), ofList)
    const calling = testApi(db, models, {
      API_ADD_CALLBACK: async (object, _model, { db }) => {
        await db.selectFrom('projects').select('id').execute()
        return object
      },
    })
    equal(await refusal('POST', '/api/issues', list, calling), ofList)
  })

  test('do not include a record that a callback has stored', async () => {
    const stores = testApi(db, models, {
      API_ADD_CALLBACK: async (object, _model, { db }) => {
        if (object.title === 'stores') {
          await db.insertInto('projects').values({ id: 60, owner: 1 }).execute()
          await db.insertInto('members').values({ id: 60, owner: 1 }).execute()
        }
        return object
      },
    })
    const body = [
      { title: 'stores' },
      { title: 'e', project_id: 9, assignee_id: 60 },
      { title: 'f', project_id: 60, assignee_id: 9 },
    ]
    const expected = dead('[1].project_id', '[2].assignee_id')
    equal(await refusal('POST', '/api/issues', body, stores), expected)
  })

  test('are all in the error of an upsert, of created and changed records', async () => {
    const named = list.map((record, i) => ({
      ...record,
      title: ['first', 'third'][i] ?? record.title,
    }))
    equal(await refusal('POST', '/api/issues?on_conflict=title', named), ofList)
  })

  test('are all in the error of a PATCH of a list, but not those that are stored', async () => {
    const changes = [
      { id: 1, project_id: 2 },
      { id: 2, project_id: 2, assignee_id: 9 },
      { id: 3, reviewer_id: 9 },
    ]
    const expected = ['[0].project_id', '[1].assignee_id', '[2].reviewer_id']
    equal(await refusal('PATCH', '/api/issues', changes), dead(...expected))
  })

  test('are in the error whether they are stored or not, for a caller who may not read', async () => {
    const blind = defineModel('Issue', {
      columns,
      relations,
      meta: { allow_bulk: true, block_methods: ['GET'], ...seen },
    })
    const of = testApi(db, [Project, Member, blind])
    const changes = (guess: number) => [
      { id: 1, project_id: 2 },
      { id: 2, assignee_id: guess },
    ]
    const expected = dead('[0].project_id', '[1].assignee_id')
    equal(await refusal('PATCH', '/api/issues', changes(2), of), expected)
    equal(await refusal('PATCH', '/api/issues', changes(9), of), expected)
  })

  test('are refused to a caller who may not read the key that they name', async () => {
    const loans = (...codes: string[]) => codes.map((shelf_code) => ({ shelf_code }))
    equal(await refusal('POST', '/api/loans', loans('s1', 's2')), dead('[1].shelf_code'))
    const { status } = await send(api, 'POST', '/api/loans', { body: loans('s1', 's1') })
    equal(status, 201)
  })

  test('are all in the error of a nested list', async () => {
    const issues = [
      { title: 'x', assignee_id: 2 },
      { title: 'y', assignee_id: 1 },
      { title: 'z', assignee_id: 9, reviewer_id: 9 },
    ]
    equal(
      await refusal('POST', '/api/projects', { id: 5, owner: 1, issues }),
      dead('issues[0].assignee_id', 'issues[2].assignee_id', 'issues[2].reviewer_id'),
    )
  })

  test('are all in the error of one record', async () => {
    const { title: _, ...change } = list[1] as (typeof list)[number]
    const expected = dead('project_id', 'assignee_id')
    equal(await refusal('POST', '/api/issues', change), expected)
    equal(await refusal('PATCH', '/api/issues/1', change), expected)
  })

  test('need no statement more than one of them', async () => {
    const [good, , , bad] = list
    const counted = async (body: unknown) =>
      (await db.capture(() => send(api, 'POST', '/api/issues', { body }))).statements.length
    const oneDead = [
      { title: 'p', project_id: 9 },
      { ...good, reviewer_id: 1 },
    ]
    const allDead = [{ title: 'p', project_id: 9, assignee_id: 9 }, bad]
    equal(await counted(allDead), await counted(oneDead))
  })

  test('do not include a reference to a record of the same list', async () => {
    const chosen = [
      { title: 'r', project_id: 9 },
      { title: 's', parent_id: 70 },
    ]
    equal(await refusal('POST', '/api/issues', chosen), dead('[0].project_id'))
    const both = [{ title: 't' }, { project_id: 9, parent_id: 70 }, { project_id: 9 }]
    const ofBoth = dead('[1].project_id', '[1].parent_id', '[2].project_id')
    equal(await refusal('POST', '/api/issues', both), ofBoth)
  })

  test('are none if earlier records of the list have the keys, also where others are nested', async () => {
    const created = async (body: unknown) =>
      (await send(api, 'POST', '/api/folders', { body })).status
    equal(await created([{ id: 1 }, { id: 2, parent_id: 1 }, { id: 3, parent_id: 2 }]), 201)
    const note = (about: string) => ({ note: { text: about } })
    const nested = [
      { id: 4, ...note('a') },
      { id: 5, parent_id: 4, ...note('b') },
    ]
    equal(await created(nested), 201)
    const notes = await db.kysely.selectFrom('notes').select('text').orderBy('id').execute()
    equal(notes, [{ text: 'a' }, { text: 'b' }])
    const later = [{ id: 6, parent_id: 7 }, { id: 7 }]
    equal(await refusal('POST', '/api/folders', later), dead('[0].parent_id'))
  })

  test('come before what the database refuses', async () => {
    const taken = [{ title: 'first' }, ...list]
    const ofTaken = dead('[2].project_id', '[2].assignee_id', '[4].project_id', '[4].reviewer_id')
    equal(await refusal('POST', '/api/issues', taken), ofTaken)
  })

  test('are counted beyond the hundredth', async () => {
    const many = Array.from({ length: 250 }, (_, i) => ({ title: `m${i}`, project_id: 9 }))
    const [, , reason] = await refusal('POST', '/api/issues', many)
    equal([Object.keys(reason).length, reason['']], [101, ['and 150 more problems']])
  })
})
