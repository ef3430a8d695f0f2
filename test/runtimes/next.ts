/** An app of Next.js with the data of the conformance list: built by `next build`, served by `next start`. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { host } from '../http/conformance.ts'
import { freePort } from '../support/free-port.ts'
import { repository } from '../support/source.ts'
import { installed } from './packages.ts'
import { javascript, makeProject, withoutTypes, write } from './project.ts'

const run = promisify(execFile)

export interface NextApp {
  readonly port: number
  /** What the build printed. */
  readonly printed: string
  stop(): Promise<void>
}

/** The route of docs/guide/adapters.md. */
const route = (): string => {
  const page = readFileSync(join(repository, 'docs/guide/adapters.md'), 'utf8')
  const [, code] =
    /```ts\n\/\/ app\/api\/\[\[\.\.\.path\]\]\/route\.ts\n([\s\S]*?)```/.exec(page) ?? []
  if (code === undefined) throw new Error('docs/guide/adapters.md has no route of Next.js')
  return withoutTypes(code)
}

const text = (body: string): string =>
  `export const dynamic = 'force-dynamic'\nexport const GET = () => new Response('${body}')\n`

/** Starts the app; `basePath` is the setting of Next. */
export async function startNext(basePath: string): Promise<NextApp> {
  const { folder, remove } = makeProject('kysely')
  const file = (path: string, content: string): void => write(join(folder, path), content)
  const world = javascript(join(repository, 'test/http/world.ts'))
  // Next sets NODE_ENV to production, which turns HTML pages off by default; `env: {}` hides it.
  file('http/world.js', world.replace('createApi({', 'createApi({ env: {},'))
  file('support/replication.js', javascript(join(repository, 'test/support/replication.ts')))
  file('support/api.js', frozenClock)
  file(
    'api.js',
    `import { openWorld } from './http/world.js'\nexport const { api } = await openWorld()\n`,
  )
  file(
    'next.config.js',
    `export default { basePath: '${basePath}', turbopack: { root: ${JSON.stringify('/')} } }\n`,
  )
  file('app/layout.js', 'export default ({ children }) => children\n')
  file('app/not-found.js', `export default () => '${host.nobody}'\n`)
  const served = route()
    .replace("'@/api'", "'../../../api.js'")
    .replace('{ compress', `{ baseUrl: '${basePath}', compress`)
  for (const path of ['api', 'docs', 'health']) {
    file(`app/${path}/[[...path]]/route.js`, served)
  }
  file('app/openapi.json/route.js', served.replace('../../../', '../../'))
  file('app/hello/route.js', text(host.hello.text))
  file('app/api/shelves/route.js', text(host.shelves.text))

  const next = [join(installed('next'), 'dist/bin/next')]
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    NODE_OPTIONS: '',
  }
  const built = await run(process.execPath, [...next, 'build'], { cwd: folder, env }).catch(
    (error) => {
      remove()
      throw new Error(`next build: ${error.stdout}${error.stderr}`)
    },
  )
  const port = await freePort()
  const server = spawn(
    process.execPath,
    [...next, 'start', '-p', String(port), '-H', '127.0.0.1'],
    {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let started = ''
  server.stdout.setEncoding('utf8')
  for await (const data of server.stdout.iterator({ destroyOnReturn: false })) {
    started += data
    if (/Ready in/i.test(started)) break
  }
  server.stdout.resume()
  return {
    port,
    printed: built.stdout + built.stderr,
    stop: async () => {
      const ended = once(server, 'exit')
      if (server.kill()) await ended
      remove()
    },
  }
}

/** The clock of test/support/api.ts, without its imports. */
const frozenClock = `const now = Date.parse('2026-01-02T03:04:05.678Z')
export const frozenClock = () => ({ now: () => now, elapsed: () => 0 })
`
