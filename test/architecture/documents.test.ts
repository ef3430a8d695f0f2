/** Doc comments refer to a document by its full address, because the published packages do not contain docs/. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const published = 'https://github.com/model-api/model-api/blob/main/'

/** The documents that doc comments in a text refer to; full addresses stay complete. */
function documentsIn(text: string): string[] {
  const comments = text.match(/\/\*\*[\s\S]*?\*\//g) ?? []
  return comments.flatMap((comment) => comment.match(/[^\s`'"()]+\.md\b/g) ?? [])
}

suite('documents in doc comments', (test) => {
  const named = filesBelow('packages')
    .filter((file) => /^packages\/[^/]+\/src\//.test(file))
    .flatMap((file) => documentsIn(readSource(file)).map((document) => ({ file, document })))

  test('have a path that exists', () => {
    const wrong = named.filter(
      ({ document }) =>
        !document.startsWith(published) ||
        !existsSync(join(repository, document.slice(published.length))),
    )
    equal(wrong, [])
    equal(named.length > 0, true)
  })

  test('are distinguished from other comments', () => {
    equal(documentsIn('/** One column (docs/guide/models.md). */ // docs/x.md'), [
      'docs/guide/models.md',
    ])
    equal(documentsIn(`/** See ${published}docs/guide/models.md */`), [
      `${published}docs/guide/models.md`,
    ])
    equal(documentsIn('// The columns (docs/guide/models.md).\nexport const x = 1'), [])
  })
})
