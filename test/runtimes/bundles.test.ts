/** Bundles of an API: esbuild and Vite build them without a warning, and their responses are those of the sources. */
import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { equal, ok } from '../support/assert.ts'
import { notRun, suite } from '../support/suite.ts'
import { load, notInstalled } from './packages.ts'
import { makeProject, type Project, write } from './project.ts'

const run = promisify(execFile)
const answers = readFileSync(new URL('answers.txt', import.meta.url), 'utf8')

const missing = notInstalled()
if (missing === undefined) declare()
else notRun('runtimes/bundles', missing)

/** A program that prints its responses. */
const program = `import { conformance } from './conformance.js'
import { db } from './examples/node-sqlite.js'
const { text, errors } = await conformance(db, 'sqlite')
console.log(JSON.stringify({ text, errors }))
`

const client = `import { createClient } from '@model-api/core/client'
console.log(createClient('http://localhost'))
`

function declare(): void {
  suite('bundles', (test) => {
    let project: Project
    const file = (name: string): string => join(project.folder, name)

    test.before(() => {
      project = makeProject('kysely')
      write(file('program.js'), program)
      write(file('client.js'), client)
    })
    test.after(() => project.remove())

    async function sameAnswers(bundle: string): Promise<void> {
      // The database file of the example.
      rmSync(file('library.sqlite'), { force: true })
      const { stdout } = await run(process.execPath, [bundle], {
        cwd: project.folder,
        maxBuffer: 64 << 20,
      })
      const { text, errors } = JSON.parse(stdout)
      equal(text, answers)
      equal(errors, [])
    }

    for (const minify of [false, true]) {
      test(`by esbuild${minify ? ', minified' : ''}`, async () => {
        const { build } = await load('esbuild')
        const { warnings } = await build({
          entryPoints: [file('program.js')],
          outfile: file(`esbuild/${minify}.mjs`),
          ...{ bundle: true, minify, format: 'esm', platform: 'node', logLevel: 'silent' },
          preserveSymlinks: true,
        })
        equal(warnings, [])
        await sameAnswers(file(`esbuild/${minify}.mjs`))
      })
    }

    test('by Vite, for the server', async () => {
      equal(await viteBuild('program.js', 'vite', { ssr: file('program.js') }), [])
      await sameAnswers(file('vite/program.js'))
    })

    test('of the typed client, for browsers', async () => {
      const { build } = await load('esbuild')
      const { outputFiles, warnings } = await build({
        entryPoints: [file('client.js')],
        ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', write: false },
        logLevel: 'silent',
      })
      equal(warnings, [])
      const size = gzipSync(outputFiles[0].contents).length
      ok(size <= 5000, `${size} bytes`)
      equal(await viteBuild('client.js', 'browser', {}), [])
    })

    /** Builds with Vite; returns its warnings. */
    async function viteBuild(entry: string, outDir: string, more: object): Promise<string[]> {
      const { build, createLogger } = await load('vite')
      const warnings: string[] = []
      const logger = createLogger('silent')
      const warn = (message: string): void => void warnings.push(message)
      await build({
        ...{ root: project.folder, configFile: false },
        customLogger: { ...logger, warn, warnOnce: warn },
        resolve: { preserveSymlinks: true },
        ssr: { noExternal: true },
        build: {
          ...{ outDir, target: 'esnext', rollupOptions: { input: file(entry) } },
          ...more,
        },
      })
      return warnings
    }
  })
}
