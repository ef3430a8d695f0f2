/**
 * The leak matrix of writes, its second half: lists of links of a published junction, and nested records of a resource that is
 * closed to the caller. Each write answers the same in a world without the secret, changes nothing out of sight, and has
 * the same verdict on every database.
 */
import { sql } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createWorld, full } from './world.ts'
import { newBook, patch, post, type Write } from './write-doors.ts'
import { type Secret, secrets, writerIn } from './write-secrets.ts'

/** Keys of what is there, out of scope, deleted, and nowhere. */
const keys = [1, 11, 21, 99]
const each = (make: (key: number) => Write): Write[] => keys.map(make)

const newAuthor = (more: object) => ({ id: 50, name: 'New', owner_id: 7, ...more })
const newProfile = (more: object) => ({ id: 50, author_id: 1, motto: 'x', owner_id: 7, ...more })

/** Writes, and the status of each. */
const doors: Readonly<Record<string, readonly (readonly [status: number, writes: Write[]])[]>> = {
  'a list of links': [
    // What GET gives, nothing, and one more; book 3 has a link out of sight, book 4 a deleted one.
    [200, [patch('/api/books/1?dump=json', { tags: [{ id: 1 }] })]],
    [200, [patch('/api/books/1?dump=json', { tags: [] })]],
    [200, [patch('/api/books/1?dump=json', { tags: [{ id: 1 }, { id: 2 }] })]],
    [200, [patch('/api/books/3?dump=json', { tags: [] })]],
    [200, [patch('/api/books/3?dump=json', { tags: [{ id: 1 }] })]],
    [200, [patch('/api/books/4?dump=json', { tags: [{ id: 2 }] })]],
    [200, [patch('/api/books?id__lt=5', { tags: [{ id: 2 }] })]],
    [404, [11, 21, 99].map((key) => patch(`/api/books/${key}`, { tags: [] }))],
  ],
  'a list from the other side': [
    [200, [patch('/api/tags/1?dump=json', { books: [{ id: 1 }] })]],
    [200, [patch('/api/tags/1?dump=json', { books: [] })]],
    [200, [patch('/api/tags/2?dump=json', { books: [{ id: 1 }, { id: 4 }] })]],
  ],
  'a link to a record': [
    [200, [patch('/api/books/2', { tags: [{ id: 1 }] })]],
    [422, [11, 21, 99].map((key) => patch('/api/books/2', { tags: [{ id: key }] }))],
    [201, [post('/api/books', newBook({ tags: [{ id: 1 }] }))]],
    [422, [11, 21, 99].map((key) => post('/api/books', newBook({ tags: [{ id: key }] })))],
  ],
  'a nested record of another role': [
    [403, each((key) => post('/api/profiles', newProfile({ payroll: { id: key } })))],
    [403, each((key) => patch('/api/profiles/1', { payroll: { id: key } }))],
    [403, each((key) => post('/api/authors', newAuthor({ payrolls: [{ id: key }] })))],
    // Whether there is such a row is for the database to say, which has no foreign key here.
    [201, each((key) => post('/api/profiles', newProfile({ payroll_id: key })))],
    [200, each((key) => patch('/api/profiles/1', { payroll_id: key }))],
  ],
}

const config = { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true }
const tables = ['authors', 'books', 'tags', 'taggings', 'reviews', 'profiles']

eachDatabase('a write of links', (test, db) => {
  test.before(() => createWorld(db))

  /** What no write of the viewer may change. */
  const outOfSight = async (): Promise<string> => {
    const rows: unknown[] = []
    for (const table of tables) {
      const found =
        await sql`select * from ${sql.id(table)} where owner_id = 8 order by id`.execute(db.kysely)
      rows.push(table, found.rows)
    }
    for (const table of ['payrolls', 'audits']) {
      const found = await sql`select * from ${sql.id(table)} order by id`.execute(db.kysely)
      rows.push(table, found.rows)
    }
    return JSON.stringify(rows)
  }
  const writerOutOfSight = (world: Secret): ((write: Write) => Promise<string>) => {
    let before = ''
    const write = writerIn(db, world, config, async () => {
      before = await outOfSight()
    })
    return async (one) => {
      const answer = await write(one)
      equal(await outOfSight(), before, `${one.method} ${one.url}: rows out of sight`)
      return answer
    }
  }

  for (const [name, groups] of Object.entries(doors)) {
    test(`tells nothing of any secret, and changes none: ${name}`, async () => {
      const told = new Map<Write, string>()
      const write = writerOutOfSight({ variant: full })
      for (const [status, writes] of groups) {
        const answers = new Set<string>()
        for (const one of writes) {
          const answer = await write(one)
          ok(answer.startsWith(`${status} `), `${aboutOf(one)}\n${answer}`)
          answers.add(answer)
          told.set(one, answer)
        }
        if (status === 403) equal(answers.size, 1, 'one answer, whatever is there')
      }
      for (const [secret, lacking] of Object.entries(secrets)) {
        const writeWithout = writerOutOfSight(lacking)
        for (const [one, answer] of told) {
          equal(answer, await writeWithout(one), `${secret}: ${aboutOf(one)}`)
        }
      }
    })
  }
})

const aboutOf = ({ method, url, body }: Write): string => `${method} ${url} ${JSON.stringify(body)}`
