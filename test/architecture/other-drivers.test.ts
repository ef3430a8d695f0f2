/** Statements that the drivers of the suite send rightly, and others do not. The conformance list finds the same where these drivers are installed. */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

/**
 * Postgres.js writes JSON for a parameter that PostgreSQL describes as `json` or `jsonb`: a text becomes the JSON of this text. A parameter
 * that is already JSON is therefore cast to `text` first. The interpolations named here are no parameters.
 */
const notParameters = new Set(['ref', 'text'])

const jsonParameters = (source: string): string[] =>
  [...source.matchAll(/\$\{(\w+)\}::jsonb?\b/g)].flatMap(([found, name = '']) =>
    notParameters.has(name) ? [] : [found],
  )

/** libSQL and bun:sqlite leave EXPLAIN unfinished, and SQLite then commits no further write of the connection. */
const explains = (source: string): string[] => source.match(/`\s*explain\s/gi) ?? []

suite('statements for other drivers', (test) => {
  const sources = filesBelow('packages/core/src')
  const found = (pattern: (source: string) => string[]): string[] =>
    sources.flatMap((file) => pattern(readSource(file)).map((text) => `${file}: ${text}`))

  test('a parameter of type JSON is cast to text first', () => {
    equal(found(jsonParameters), [])
    equal(jsonParameters('from jsonb_array_elements_text(${' + 'names}::jsonb)').length, 1)
  })

  test('no statement is explained', () => {
    equal(found(explains), [])
    equal(explains('sql`explain insert into books`').length, 1)
  })
})
