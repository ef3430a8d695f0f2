/** The core consists of its rooms and the entries beside them, no folder is too large to be read at once, and names of files tell them apart. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { equal } from '../support/assert.ts'
import { filesBelow, repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'
import { entries, layers, mostFiles } from './layers.ts'

const root = 'packages/core/src/'

const rooms = [
  'access',
  'auth',
  'catalogue',
  'client',
  'database',
  'dialect',
  'drivers',
  'http',
  'lib',
  'model',
  'openapi',
  'query',
  'write',
]

const pipeline = ['api.ts', 'client-in-process.ts', 'errors.ts', 'handle.ts', 'problems.ts']

suite('rooms of the core', (test) => {
  const inside = readdirSync(join(repository, root), { withFileTypes: true })

  test('are thirteen', () => {
    const folders = inside.filter((one) => one.isDirectory()).map(({ name }) => name)
    equal(folders.sort(), rooms)
  })

  test('have only entries, the pipeline, the errors and the problems beside them', () => {
    const files = inside.filter((one) => one.isFile()).map(({ name }) => name)
    equal(files.sort(), [...entries, ...pipeline].sort())
  })

  test('all have a README and a layer', () => {
    const placed = new Set(layers.flat().map((place) => place.split('/')[0]))
    const without = rooms.filter(
      (room) => !placed.has(room) || !existsSync(join(repository, root, room, 'README.md')),
    )
    equal(without, [])
  })

  test('say in a README what each of their folders is for', () => {
    const folders = new Set(
      filesBelow(root).map((file) => file.slice(root.length, file.lastIndexOf('/'))),
    )
    const unnamed = [...folders].filter((folder) => {
      const [room = '', ...below] = folder.split('/')
      const name = below.at(-1)
      if (name === undefined) return false
      const above = below.map((_, at) => [room, ...below.slice(0, at)].join('/'))
      return ![...above, folder].some((one) => {
        const readme = join(repository, root, one, 'README.md')
        return existsSync(readme) && readFileSync(readme, 'utf8').includes(`${name}/`)
      })
    })
    equal(unnamed, [])
  })

  test('have few files in each folder', () => {
    const sizes = new Map<string, number>()
    for (const file of filesBelow(root)) {
      const folder = file.slice(root.length, file.lastIndexOf('/'))
      if (folder.length > 0) sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
    }
    const large = [...sizes].filter(([, size]) => size > mostFiles)
    const problems = large.map(
      ([folder, size]) =>
        `${folder}/ has ${size} files, at most ${mostFiles} are allowed: move those of one idea to a sub-folder, and name it in ${folder.split('/')[0]}/README.md`,
    )
    equal(problems, [])
  })

  test('have a name for each file that no other file of any package has', () => {
    const names = readdirSync(join(repository, 'packages'))
      .flatMap((name) => filesBelow(`packages/${name}/src/`))
      .map((file) => file.slice(file.lastIndexOf('/') + 1))
    // Each package has its index.ts.
    const repeated = names.filter((name, at) => name !== 'index.ts' && names.indexOf(name) < at)
    equal([...new Set(repeated)].sort(), [])
  })
})
