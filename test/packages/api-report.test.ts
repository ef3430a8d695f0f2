/** The report of each package's public API is current. The packages are bundled, but neither packed nor installed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import {
  bundle,
  copyWorkspace,
  type PackageName,
  packageNames,
  root,
  type Workspace,
} from './build.ts'
import { entriesOf } from './entries-of.ts'
import { surfaceOf } from './surface.ts'

const update = process.env.UPDATE_API_REPORT === '1'

/** The surface of a package in its api-report.md. */
function report(name: PackageName, folder: string): string {
  const sections = entriesOf(name).map((entry) => {
    const specifier = `@model-api/${name}${entry === 'index' ? '' : `/${entry}`}`
    const text = surfaceOf(join(folder, 'packages', name, 'dist', `${entry}.d.ts`))
    return `## ${specifier}\n\n\`\`\`ts\n${text}\n\`\`\`\n`
  })
  const how =
    'Everything that is exported, without comments; rewritten by the test `packages/api-report` with `UPDATE_API_REPORT=1`.'
  return `# The surface of @model-api/${name}\n\n${how}\n\n${sections.join('\n')}`
}

suite('reports of the public API', (test) => {
  let workspace: Workspace | undefined

  test.before(async () => {
    workspace = copyWorkspace()
    await bundle(workspace)
  })
  test.after(() => workspace?.remove())

  for (const name of packageNames) {
    test(`the API report of ${name} is current`, () => {
      const file = `${root}packages/${name}/api-report.md`
      const text = report(name, workspace?.folder ?? '')
      if (update) writeFileSync(file, text)
      equal(readFileSync(file, 'utf8'), text, 'run again with UPDATE_API_REPORT=1, read the diff')
    })
  }
})
