/**
 * The packages as they would be published: linters find no problem in the tarballs, and an empty project can install and use
 * them, on the oldest Node and the newest.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { equal, ok } from '../support/assert.ts'
import type { Servers } from '../support/servers.ts'
import { notRun, runsOn, suite } from '../support/suite.ts'
import {
  copyWorkspace,
  type PackageName,
  pack,
  packageNames,
  root,
  type Workspace,
} from './build.ts'
import { pathsOf } from './entries-of.ts'
import { filesOf, loadedBy, sourcesIn } from './tarball.ts'

runsOn('one server of each kind')

const run = promisify(execFile)
const bin = (name: string): string => `${root}node_modules/.bin/${name}`

/** The largest number of files of a tarball, and of their bytes. */
const limits: Readonly<Record<PackageName, { readonly files: number; readonly bytes: number }>> = {
  core: { files: 60, bytes: 3_000_000 },
  'http-node': { files: 15, bytes: 200_000 },
  'adapter-express': { files: 8, bytes: 30_000 },
  'adapter-koa': { files: 8, bytes: 30_000 },
}

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly scripts?: Readonly<Record<string, string>>
}

/** The compilers that read the declarations, by version: that of this repository, and that of an example. */
const compilers = [
  ['7.0', `${root}node_modules/typescript/bin/tsc`],
  ['5.9', `${root}examples/typed-client/node_modules/typescript/bin/tsc`],
] as const

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
async function install(
  { folder: parent }: Workspace,
  tarballs: readonly string[],
): Promise<string> {
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
  let workspace: Workspace | undefined
  let tarballs = {} as Readonly<Record<PackageName, string>>
  /** The folder with the installed tarballs; if installing fails, the tests that use it fail. */
  let installed: Promise<string> | undefined

  test.before(async () => {
    const own = copyWorkspace()
    workspace = own
    tarballs = await pack(own)
    installed = registry ? install(own, Object.values(tarballs)) : undefined
    await installed?.catch(() => {})
  })
  test.after(() => workspace?.remove())

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
    test(`the tarball of ${name} contains the bundles, their declarations and nothing else`, async () => {
      const files = await filesOf(tarballs[name])
      const text = (path: string): string => files.find((file) => file.path === path)?.text ?? ''
      equal(
        files
          .map(({ path }) => path)
          .filter((path) => !/^dist\/[\w-]+\.(?:js|d\.ts)$/.test(path))
          .sort(),
        ['LICENSE', 'README.md', 'package.json'],
      )
      const manifest = JSON.parse(text('package.json')) as Manifest
      ok(!text('package.json').includes('workspace:'), 'a workspace address')
      ok(!JSON.stringify(manifest.exports).includes('source'), 'sources are exported')
      ok(text('README.md').startsWith(`# @model-api/${name}\n`), text('README.md').slice(0, 40))
      for (const { path, text: code } of files) ok(!code.includes('sourceMappingURL'), path)
      const { files: most, bytes } = limits[name]
      const size = files.reduce((sum, file) => sum + file.bytes, 0)
      ok(files.length <= most, `${files.length} files`)
      ok(size <= bytes, `${size} bytes`)
      // A release keeps the maps as artefacts.
      const bundled = join(workspace?.folder ?? '', 'packages', name, 'dist')
      ok(existsSync(join(bundled, 'index.js.map')))
    })

    test(`every source of ${name} is in one file of its bundles, so that each class exists once`, async () => {
      const sources = sourcesIn(await filesOf(tarballs[name]))
      ok(sources.length > 1, `${sources.length}`)
      equal(
        sources.filter((source, at) => sources.indexOf(source) !== at),
        [],
      )
    })

    test(`publint and attw find no problem in ${name}`, async () => {
      await run(bin('publint'), ['--strict', tarballs[name]])
      await run(bin('attw'), ['--profile', 'esm-only', tarballs[name]])
    })
  }

  test('the entries of the core load what every API needs, and the rest when it is first needed', async () => {
    const files = await filesOf(tarballs.core)
    const packagesOf = (entry: string): readonly string[] =>
      loadedBy(entry, files).filter((name) => !name.endsWith('.js'))
    equal(packagesOf('index.js'), ['change-case', 'kysely', 'pluralize'])
    equal(loadedBy('client.js', files), ['client.js', 'create-client.js'])
    equal(loadedBy('redis.js', files), ['redis.js'])
    const atStart = new Set(loadedBy('index.js', files))
    equal(
      ['comparison.js', 'docs.js', 'document.js', 'pages.js', 'service-index.js'].filter(
        (name) => atStart.has(name) || !files.some(({ path }) => path === `dist/${name}`),
      ),
      [],
    )
  })

  const found = [{ title: 'Emma' }]
  const entries = packageNames.flatMap((name) =>
    pathsOf(name).map((path) => `@model-api/${name}${path.slice(1)}`),
  )
  const expected = {
    ...{ handle: found, fetch: found, written: 201, node: found, express: found, koa: found },
    ...{ password: true, hashed_on_threads: true, required: 'function', entries, same_class: true },
  }

  if (registry) {
    test('installed with npm and used on the newest Node, with SQLite', async () => {
      const folder = (await installed) ?? ''
      const { answers, stderr, version } = await used(folder, newest)
      equal([answers, stderr], [{ ...expected, node_version: newest.version }, ''])
      equal(version, '0.0.0')
    })

    for (const [version, compiler] of compilers) {
      test(`a user’s program compiles with TypeScript ${version}`, async () => {
        const folder = (await installed) ?? ''
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
        const { stdout: own } = await run(process.execPath, [compiler, '--version'])
        ok(own.startsWith(`Version ${version}.`), own)
        await run(process.execPath, [compiler, '-p', folder])
      })
    }
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
