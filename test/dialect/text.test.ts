// The like family: literal text, case folded by simple Unicode folding, the same rows on every database.
import { type Expression, type SqlBool, sql } from 'kysely'
import { detectDialect } from '../../packages/core/src/dialect/detect.ts'
import { equal, ok } from '../support/assert.ts'
import { type PlainDialect, type PlainTextTest, withPlainValues } from '../support/plain-values.ts'
import { eachDatabase } from '../support/suite.ts'
import { idsWhere } from './model.ts'
import { blindDialect, columns, createSamples, rows, samplesDialect } from './samples.ts'

type Test = PlainTextTest

const matches = ['contains', 'startsWith', 'endsWith'] as const

/** The contract in JavaScript; /iu folds as the contract does. */
function holds({ match, text, ignoreCase }: Omit<Test, 'negated'>, value: string): boolean {
  const literal = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const pattern =
    match === 'startsWith' ? `^${literal}` : match === 'endsWith' ? `${literal}$` : literal
  return new RegExp(pattern, ignoreCase ? 'iu' : 'u').test(value)
}

const texts = rows.flatMap(({ name }) => (name === null ? [] : [String(name)]))

/** The whole, the beginning, the middle and the end of every text, by character, and their case twins. */
function needles(): readonly string[] {
  const parts = texts.flatMap((text) => {
    const characters = Array.from(text)
    const half = Math.ceil(characters.length / 2)
    return [
      text,
      characters.slice(0, half).join(''),
      characters.slice(half).join(''),
      characters.slice(1, 3).join(''),
    ]
  })
  const cased = parts.flatMap((part) => [part, part.toLowerCase(), part.toUpperCase()])
  const odd = [
    '%',
    '_',
    '\\',
    '*',
    '?',
    '[',
    ']',
    '!',
    '^',
    '$',
    '.',
    '|',
    '-',
    '[a-z]',
    '.*',
    '\\d',
    'ss',
    'i',
    'ς',
    '\u0301',
    '',
  ]
  return [...new Set([...cased, ...odd])].filter((needle) => !/\p{Cs}/u.test(needle))
}

eachDatabase('dialect/text', (test, db) => {
  let dialects: readonly PlainDialect[]

  test.before(async () => {
    await createSamples(db)
    dialects = [await samplesDialect(db), await blindDialect(db)]
  })

  const ids = async (condition: Expression<SqlBool>): Promise<number[]> => {
    const found = await db.kysely
      .selectFrom('samples')
      .select('id')
      .where(condition)
      .orderBy('id')
      .execute()
    return found.map(({ id }) => Number(id))
  }

  for (const ignoreCase of [false, true]) {
    for (const match of matches) {
      test(`${match}${ignoreCase ? ', case ignored' : ''}`, async () => {
        const [dialect] = dialects
        ok(dialect)
        for (const text of needles()) {
          const asked = { match, text, ignoreCase, negated: false }
          const found = await ids(dialect.textMatch(columns.name, sql.ref('name'), asked))
          equal(
            found,
            idsWhere('name', (value) => holds(asked, String(value))),
            JSON.stringify(text),
          )
        }
      })
    }
  }

  test('negated: NULL stays NULL', async () => {
    for (const dialect of dialects) {
      for (const match of matches) {
        for (const ignoreCase of [false, true]) {
          for (const text of ['a', 'K', 'ß', '', '%']) {
            const asked = { match, text, ignoreCase, negated: true }
            const found = await ids(dialect.textMatch(columns.name, sql.ref('name'), asked))
            equal(
              found,
              idsWhere('name', (value) => !holds(asked, String(value))),
            )
          }
        }
      }
    }
  })

  test('enum columns', async () => {
    for (const dialect of dialects) {
      for (const text of ['A', 'a', 'É', 'c']) {
        for (const ignoreCase of [false, true]) {
          const asked = { match: 'contains', text, ignoreCase, negated: false } as const
          const found = await ids(dialect.textMatch(columns.kind, sql.ref('kind'), asked))
          equal(
            found,
            idsWhere('kind', (value) => holds(asked, String(value))),
          )
        }
      }
    }
  })

  test('every character that has a case, in one pattern after the other', async () => {
    const [dialect] = dialects
    ok(dialect)
    const cased: string[] = []
    for (let code = 0x41; code <= 0x1ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      if (character.toLowerCase() !== character || character.toUpperCase() !== character)
        cased.push(character)
    }
    // Forty characters side by side match their own text and its case twins, and nothing that differs elsewhere.
    const wrong: string[] = []
    for (let at = 0; at < cased.length; at += 40) {
      const text = cased.slice(at, at + 40).join('')
      const subjects = [text, twin(text), `x${twin(text)}`, `${twin(text)}x`, text.slice(0, -2)]
      const asked = { match: 'startsWith', text, ignoreCase: true, negated: false } as const
      const tests = subjects.map(
        (subject) =>
          sql`case when ${dialect.textMatch({ name: 's', type: 'string', nullable: false }, textOf(db.name, subject), asked)} then 1 else 0 end`,
      )
      const { rows: found } = await sql<
        Record<string, unknown>
      >`select ${sql.join(tests.map((one, i) => sql`${one} as ${sql.ref(`t${i}`)}`))}`.execute(
        db.kysely,
      )
      const answers = subjects.map((_, i) => Number(found[0]?.[`t${i}`]))
      const expected = subjects.map((subject) => Number(holds(asked, subject)))
      if (answers.join() !== expected.join())
        wrong.push(`${text}: ${answers} instead of ${expected}`)
    }
    equal(wrong, [])
  })
})

/** The other case of every character, where that is one character with the same simple folding. */
function twin(text: string): string {
  return Array.from(text, (character) => {
    const others = [character.toUpperCase(), character.toLowerCase()]
    return (
      others.find(
        (other) =>
          other !== character &&
          [...other].length === 1 &&
          new RegExp(`^${character}$`, 'iu').test(other),
      ) ?? character
    )
  }).join('')
}

const textOf = (name: string, text: string): Expression<unknown> =>
  name === 'postgres' ? sql`${text}::text` : sql`${text}`

eachDatabase(
  'texts of different lengths that a collation equates',
  (test, db) => {
    const own = {
      name: 'own',
      dbName: 'own',
      type: 'text',
      nullable: false,
      collation: 'database',
    } as const
    const decomposed = 'e\u0301'
    let dialect: PlainDialect

    test.before(async () => {
      await db.execScript(
        `create collation any_accent (provider = icu, locale = 'und', deterministic = false);
         create table accents (id int primary key, own text collate any_accent);`,
      )
      await db.kysely
        .insertInto('accents')
        .values({ id: 1, own: `a${decomposed.repeat(40)}` })
        .execute()
      const detected = detectDialect(db.kysely)
      dialect = withPlainValues(
        (await detected.connect?.(db.kysely, [{ table: 'accents', columns: [own] }])) ?? detected,
      )
    })

    // Before version 18, PostgreSQL refuses patterns under such a collation.
    const found = (match: Test['match'], letters: number): Promise<readonly unknown[] | string> => {
      const test = { match, text: 'é'.repeat(letters), ignoreCase: false, negated: false }
      const rows = db.kysely
        .selectFrom('accents')
        .select('id')
        .where(dialect.textMatch(own, sql.ref('own'), test))
        .execute()
      return rows.catch(() => 'refused')
    }

    for (const match of ['contains', 'endsWith'] as const) {
      test(`${match}: a long text is found as a short one is`, async () => {
        equal(await found(match, 40), await found(match, 2))
      })
    }
  },
  { only: 'postgres' },
)
