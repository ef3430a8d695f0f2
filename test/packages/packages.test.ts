/**
 * The packages as they would be published: linters find no problem in the tarballs, and an empty project can install and use
 * them, on the oldest Node and the newest.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { equal, ok } from '../support/assert.ts'
import type { Servers } from '../support/servers.ts'
import { notRun, runsOn, suite } from '../support/suite.ts'
import { type Built, build, type PackageName, pack, packageNames, root } from './build.ts'
import { surfaceOf } from './surface.ts'

runsOn('one server of each kind')

const run = promisify(execFile)
const update = process.env.UPDATE_API_REPORT === '1'
const bin = (name: string): string => `${root}node_modules/.bin/${name}`

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly scripts?: Readonly<Record<string, string>>
}

/** The entries of a package, without `internals`, which promises nothing. */
function entriesOf(name: PackageName): readonly string[] {
  const text = readFileSync(`${root}packages/${name}/package.json`, 'utf8')
  const paths = Object.keys((JSON.parse(text) as Manifest).exports)
  const entries = paths.filter((path) => path !== './package.json' && path !== './internals')
  return entries.map((path) => path.slice(2) || 'index')
}

/** The surface of a package in its api-report.md. */
function report(name: PackageName, folder: string): string {
  const sections = entriesOf(name).map((entry) => {
    const specifier = `@model-api/${name}${entry === 'index' ? '' : `/${entry}`}`
    const text = surfaceOf(join(folder, 'packages', name, 'dist', `${entry}.d.ts`))
    return `## ${specifier}\n\n\`\`\`ts\n${text}\n\`\`\`\n`
  })
  const how =
    'Everything that is exported, without comments; rewritten by `UPDATE_API_REPORT=1 npm test`.'
  return `# The surface of @model-api/${name}\n\n${how}\n\n${sections.join('\n')}`
}

interface Runtime {
  readonly node: string
  readonly version: string
}

/** The Node of the machine, in addition to the one that runs the tests. */
async function systemNode(): Promise<Runtime | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const folder of folders.filter((one) => !one.includes('node_modules'))) {
    const node = join(folder, 'node')
    const version = await run(node, ['--version']).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    )
    if (/^v20\./.test(version)) return { node, version }
  }
  return undefined
}

const servers = JSON.parse(process.env.TEST_SERVERS ?? '[]') as Servers
const postgres = servers.find(({ kind, url }) => kind === 'postgres' && url !== undefined)?.url
const oldest = await systemNode()
const newest: Runtime = { node: process.execPath, version: process.version }
const registry = await run('npm', ['view', 'jose', 'version'], { timeout: 20_000 }).then(
  () => true,
  () => false,
)
if (!registry) notRun('installing the tarballs', 'the package registry cannot be reached')
else if (oldest === undefined) notRun('packages on the oldest Node', 'there is no Node 20 here')
else if (postgres === undefined) notRun('packages on the oldest Node', 'there is no PostgreSQL')

interface Use {
  readonly answers: Readonly<Record<string, unknown>>
  readonly stderr: string
  readonly version: string
}

/** Installs the tarballs in an empty project, with everything that the smoke test uses. */
async function install({ folder: parent }: Built, tarballs: readonly string[]): Promise<string> {
  const folder = join(parent, 'project')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const flags = ['install', '--prefer-offline', '--no-audit', '--no-fund']
  const beside = ['kysely', 'express', 'koa', 'better-sqlite3@13.2.0', 'pg']
  await run('npm', [...flags, ...tarballs, ...beside], { cwd: folder })
  copyFileSync(`${root}test/packages/smoke.mjs`, join(folder, 'smoke.mjs'))
  return folder
}

/** Runs the smoke test and the command in a project. */
async function used(folder: string, { node }: Runtime, env: NodeJS.ProcessEnv = {}): Promise<Use> {
  const options = { cwd: folder, env: { ...process.env, ...env } }
  const { stdout, stderr } = await run(node, ['smoke.mjs'], options)
  const command = join(folder, 'node_modules', '.bin', 'model-api')
  const { stdout: version } = await run(node, [command, '--version'], options)
  return { answers: JSON.parse(stdout), stderr, version: version.trim() }
}

suite('packages', (test) => {
  let built: Built | undefined
  let tarballs = {} as Readonly<Record<PackageName, string>>
  /** The folder with the installed tarballs; if installing fails, the tests that use it fail. */
  let installed: Promise<string> | undefined

  test.before(async () => {
    const own = await build()
    built = own
    tarballs = await pack(own)
    installed = registry ? install(own, Object.values(tarballs)) : undefined
    await installed?.catch(() => {})
  })
  test.after(() => built?.remove())

  test('the packages bring at most five packages, run no scripts when installed, and leave drivers to the host', () => {
    const manifests = packageNames.map(
      (name) =>
        JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8')) as Manifest,
    )
    const brought = manifests.flatMap(({ dependencies = {} }) => Object.keys(dependencies))
    const others = new Set(brought.filter((name) => !name.startsWith('@model-api/')))
    ok(others.size <= 5, [...others].join(' '))
    const hosts = ['kysely', 'pg', 'mysql2', 'better-sqlite3', 'express', 'koa', 'redoc']
    equal(
      hosts.filter((name) => others.has(name)),
      [],
    )
    for (const { scripts = {}, peerDependencies = {}, peerDependenciesMeta = {} } of manifests) {
      equal(
        Object.keys(scripts).filter((name) => /install|prepare|publish/.test(name)),
        [],
      )
      // Only Kysely and the framework of an adapter are needed in any case.
      const optional = Object.keys(peerDependencies).filter(
        (name) => !['kysely', 'express', 'koa'].includes(name),
      )
      equal(
        optional.filter((name) => peerDependenciesMeta[name]?.optional !== true),
        [],
      )
    }
  })

  test('what is installed here is exact, and no package runs a script unless named', () => {
    const workspace = readFileSync(`${root}pnpm-workspace.yaml`, 'utf8')
    ok(
      /^allowBuilds:\n {2}node: true\n {2}better-sqlite3: false\n(?! )/m.test(workspace),
      workspace,
    )
    const workflow = readFileSync(`${root}.github/workflows/test.yml`, 'utf8')
    equal(workflow.match(/install(?! --frozen-lockfile)\b/g) ?? [], [])
    const lockfile = readFileSync(`${root}pnpm-lock.yaml`, 'utf8')
    const [, packages = ''] = lockfile.split(/^packages:$/m)
    const [resolved = ''] = packages.split(/^snapshots:$/m)
    const entries = resolved.split(/\n {2}(?=\S)/).slice(1)
    ok(entries.length > 100, `${entries.length}`)
    equal(
      entries.filter((entry) => !entry.includes('integrity: sha512-')),
      [],
    )
  })

  for (const name of packageNames) {
    test(`the API report of ${name} is current`, () => {
      const file = `${root}packages/${name}/api-report.md`
      const text = report(name, built?.folder ?? '')
      if (update) writeFileSync(file, text)
      equal(readFileSync(file, 'utf8'), text, 'run again with UPDATE_API_REPORT=1, read the diff')
    })

    test(`the tarball of ${name} contains the expected files`, async () => {
      const { stdout } = await run('tar', ['-tf', tarballs[name]])
      const files = stdout.trim().split('\n')
      const folders = new Set(files.map((file) => file.split('/')[1]))
      equal([...folders].sort(), ['LICENSE', 'README.md', 'dist', 'package.json', 'src'])
      equal(
        files.filter((file) => /tsbuildinfo|\.test\./.test(file)),
        [],
      )
      const { stdout: text } = await run('tar', ['-xOf', tarballs[name], 'package/package.json'])
      const manifest = JSON.parse(text) as Manifest
      ok(!text.includes('workspace:'), 'a workspace address')
      ok(!JSON.stringify(manifest.exports).includes('source'), 'sources are exported')
      const readme = (await run('tar', ['-xOf', tarballs[name], 'package/README.md'])).stdout
      ok(readme.startsWith(`# @model-api/${name}\n`), readme.slice(0, 40))
    })

    test(`publint and attw find no problem in ${name}`, async () => {
      await run(bin('publint'), ['--strict', tarballs[name]])
      await run(bin('attw'), ['--profile', 'esm-only', tarballs[name]])
    })
  }

  const found = [{ title: 'Emma' }]
  const expected = {
    ...{ handle: found, fetch: found, written: 201, node: found, express: found, koa: found },
    ...{ password: true, introspect: 'function', required: 'function' },
  }

  if (registry) {
    test('installed with npm and used on the newest Node, with SQLite; a user’s program compiles', async () => {
      const folder = (await installed) ?? ''
      const { answers, stderr, version } = await used(folder, newest)
      equal([answers, stderr], [{ ...expected, node_version: newest.version }, ''])
      equal(version, '0.0.0')
      copyFileSync(`${root}test/packages/consumer.ts`, join(folder, 'consumer.ts'))
      const compilerOptions = {
        ...{
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          module: 'NodeNext',
          target: 'ES2022',
        },
        ...{ lib: ['ES2023', 'WebWorker'], types: ['node'] },
        typeRoots: [`${root}node_modules/@types`],
      }
      const project = { compilerOptions, files: ['consumer.ts'] }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
      await run(bin('tsc'), ['-p', folder])
    })
  }
  if (registry && oldest !== undefined && postgres !== undefined) {
    test('used on the oldest Node, with PostgreSQL', async () => {
      const env = { SMOKE_POSTGRES: postgres }
      const { answers, stderr, version } = await used((await installed) ?? '', oldest, env)
      equal([answers, stderr], [{ ...expected, node_version: oldest.version }, ''])
      equal(version, '0.0.0')
    })
  }
})
