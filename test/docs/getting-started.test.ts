/** Follows docs/start/getting-started.md literally: writes its files, starts its server, and sends its requests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { equal, match, ok } from '../support/assert.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { suite } from '../support/suite.ts'

const page = readFileSync(new URL('../../docs/start/getting-started.md', import.meta.url), 'utf8')
const installed = fileURLToPath(new URL('../node_modules', import.meta.url))

/** The blocks that name their file. */
const files = [...page.matchAll(/```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)```/g)].map(
  ([, name = '', text = '']) => ({ name, text }),
)

/** The curl commands of the last step. */
const commands = [...page.matchAll(/^curl .*$/gm)].map(([line]) => line)

function requestOf(command: string, url: string): [url: string, init: RequestInit] {
  const target = /localhost:3000([^'\s]*)/.exec(command)?.[1] ?? ''
  const body = / -d '([^']*)'/.exec(command)?.[1]
  if (body === undefined) return [`${url}${target}`, {}]
  return [
    `${url}${target}`,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body },
  ]
}

suite('getting started', (test) => {
  test('ends with a working server', async () => {
    equal(
      files.map(({ name }) => name),
      ['db.ts', 'models.ts', 'server.ts'],
    )
    const folder = mkdtempSync(join(tmpdir(), 'getting-started-'))
    symlinkSync(installed, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    for (const { name, text } of files) {
      // Any free port instead of 3000.
      writeFileSync(join(folder, name), text.replace('listen(3000)', 'listen(0)'))
    }
    const args = [...sourceArguments, 'server.ts']
    const child = spawn(process.execPath, args, { cwd: folder })
    const closed = once(child, 'close')
    let errors = ''
    child.stderr.on('data', (data) => {
      errors += data
    })
    try {
      const [data] = (await Promise.race([
        once(child.stdout, 'data'),
        closed.then(() => [errors]),
      ])) as [Buffer]
      const url = data.toString().trim()
      match(url, /^http:\/\//)
      const statuses: number[] = []
      let last = ''
      for (const command of commands) {
        const response = await fetch(...requestOf(command, url))
        statuses.push(response.status)
        last = await response.text()
      }
      equal(statuses, [201, 201, 200])
      ok(last.includes('"value":[{"title":"Emma","name":"Jane Austen"}]'), last)
      equal((await fetch(`${url}/docs`)).status, 200)
    } finally {
      child.kill('SIGTERM')
      await closed
      rmSync(folder, { recursive: true, force: true })
    }
    equal(errors, '')
  })
})
