/** Doc comments name a document by its address only: the packages that users install hold none of docs/. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const published = 'https://github.com/model-api/model-api/blob/main/'

/** The documents that the doc comments of a text name, addresses in whole. */
function documentsIn(text: string): string[] {
  const comments = text.match(/\/\*\*[\s\S]*?\*\//g) ?? []
  return comments.flatMap((comment) => comment.match(/[^\s`'"()]+\.md\b/g) ?? [])
}

suite('documents in doc comments', (test) => {
  const named = filesBelow('packages')
    .filter((file) => /^packages\/[^/]+\/src\//.test(file))
    .flatMap((file) => documentsIn(readSource(file)).map((document) => ({ file, document })))

  test('are named by their address, and are there', () => {
    const wrong = named.filter(
      ({ document }) =>
        !document.startsWith(published) ||
        !existsSync(join(repository, document.slice(published.length))),
    )
    equal(wrong, [])
    equal(named.length > 0, true)
  })

  test('are told from other comments', () => {
    equal(documentsIn('/** One column (docs/models.md). */ // docs/x.md'), ['docs/models.md'])
    equal(documentsIn(`/** See ${published}docs/models.md */`), [`${published}docs/models.md`])
    equal(documentsIn('// The columns (docs/models.md).\nexport const x = 1'), [])
  })
})
