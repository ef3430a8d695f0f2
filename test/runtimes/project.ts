/**
 * A separate project for one version of Kysely: the sources of the core as JavaScript, the conformance list, and the examples
 * of docs/reference/databases.md.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repository } from '../support/source.ts'
import { installed, folder as installedFolder } from './packages.ts'

export interface Project {
  readonly folder: string
  remove(): void
}

/** `kysely` is the name of the installed package that the project gets as `kysely`. */
export function makeProject(kysely: string): Project {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-runtimes-'))
  write(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  for (const name of packagesIn(join(installedFolder, 'node_modules'))) {
    if (name !== 'kysely') link(folder, name, installed(name))
  }
  link(folder, 'kysely', installed(kysely))
  for (const name of ['better-sqlite3', 'mysql2']) {
    link(folder, name, join(repository, 'test/node_modules', name))
  }
  copyCore(join(folder, 'node_modules', '@model-api', 'core'))
  for (const file of ['world', 'requests', 'conformance', 'run']) {
    write(join(folder, `${file}.js`), javascript(join(repository, `test/runtimes/${file}.ts`)))
  }
  write(
    join(folder, 'worker.js'),
    readFileSync(join(repository, 'test/runtimes/worker.js'), 'utf8'),
  )
  write(join(folder, 'examples', 'models.js'), exampleModels)
  for (const [name, code] of examples()) write(join(folder, 'examples', `${name}.js`), code)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The models of the examples: those that need no authentication. */
const exampleModels = `import { models as all } from '../world.js'
export const models = all.filter(({ name }) => ['Author', 'Book', 'Tag'].includes(name))
`

/** The packages of a folder node_modules, with the folders of scopes opened. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((one) => `${name}/${one}`) : name,
    )
}

function link(folder: string, name: string, target: string): void {
  const path = join(folder, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

function copyCore(folder: string): void {
  const core = join(repository, 'packages/core')
  for (const file of readdirSync(join(core, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    write(join(folder, 'dist', file.replace(/\.ts$/, '.js')), javascript(join(core, 'src', file)))
  }
  const manifest = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8'))
  const published = { ...manifest, exports: manifest.publishConfig.exports }
  write(join(folder, 'package.json'), JSON.stringify(published))
}

/** The sources contain only erasable types, so this is the output of the compiler. */
export const javascript = (file: string): string => withoutTypes(readFileSync(file, 'utf8'))

export const withoutTypes = (text: string): string =>
  stripTypeScriptTypes(text).replace(/(from |import\(|import )('\.[^']*)\.ts'/g, "$1$2.js'")

/** The examples of docs/reference/databases.md and docs/guide/adapters.md by their headings, each as a module that exports its `db` or `server`. */
function examples(): readonly (readonly [string, string])[] {
  const page = ['reference/databases', 'guide/adapters']
    .map((name) => readFileSync(join(repository, `docs/${name}.md`), 'utf8'))
    .join('\n')
  const sections = [...page.matchAll(/^### (.+)\n(?:(?!^#|^```)[^\n]*\n)*```ts\n([\s\S]*?)^```/gm)]
  const shown = sections.map(([, heading = '', code = '']): [string, string] => {
    const exported = /^const (db|server) = /m.exec(code)?.[1]
    const text = exported === undefined ? code : `${code}\nexport { ${exported} }\n`
    return [exampleName(heading), withoutTypes(text)]
  })
  const variants = shown.flatMap(([name, text]) => {
    const variant = variantsOfExamples[name]
    return variant === undefined ? [] : [[variant.name, replaced(text, variant.texts)] as const]
  })
  return [...shown, ...variants]
}

/** Examples that the page describes by what they replace in another one. */
const variantsOfExamples: Readonly<
  Record<string, { readonly name: string; readonly texts: Readonly<Record<string, string>> }>
> = {
  pg: { name: 'pg-on-deno', texts: { "'kysely'": "'npm:kysely'", "'pg'": "'npm:pg'" } },
  'node-sqlite': {
    name: 'bun-sqlite',
    texts: {
      "{ DatabaseSync } from 'node:sqlite'": "{ Database } from 'bun:sqlite'",
      'new DatabaseSync(': 'new Database(',
      'statement.columns()': 'statement.columnNames',
    },
  },
}

function replaced(text: string, texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts).reduce((made, [old, next]) => {
    if (!made.includes(old)) throw new Error(`the example lacks ${old}`)
    return made.replaceAll(old, next)
  }, text)
}

const exampleName = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9]+/g, '-')

/** Writes a file, and the folders above it. */
export function write(file: string, text: string): void {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
