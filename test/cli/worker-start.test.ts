/** Start and end of several workers: what is printed only once, what ends all of them, what is refused. */
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { equal, match } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { baseIn, numberOf, pidsIn, runs } from './processes.ts'
import { command, demo, sqliteFile, started } from './support.ts'

suite('starting several workers', (test) => {
  const file = sqliteFile('create table things (id integer primary key)')
  const folder = dirname(file)
  const written = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  test('an error is printed once', async () => {
    const failing = async (...args: string[]) => {
      const running = started(['serve', ...args, '--workers', '3'], { PORT: '0' })
      const code = await running.ended
      return { code, text: await running.written() }
    }
    const broken = written('broken.mjs', 'throw new Error("SECRET is missing")')
    equal(await failing(broken), {
      code: 1,
      text: `Loading ${broken} …\nmodel-api: ${broken} cannot be loaded: SECRET is missing\n`,
    })
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const taken = await failing(file, '--port', String(port))
    equal([taken.code, numberOf(taken.text, `Port ${port} is taken`)], [1, 1])
    other.close()
    equal((await failing(broken, '--only', 'things')).code, 2)
  })

  test('a worker that cannot start beside another ends the command', async () => {
    const flag = join(folder, 'taken')
    const path = written(
      'alone.mjs',
      `import { existsSync, writeFileSync } from 'node:fs'
       if (existsSync(${JSON.stringify(flag)})) throw new Error('there is one of us already')
       writeFileSync(${JSON.stringify(flag)}, '')
       console.warn('a warning')
       export const api = {
         exposure: true, ready: Promise.resolve(), registry: { resources: [] }, rateLimits: 'none', bodyLimit: 1,
         owns: () => true, close: async () => {}, handle: async () => ({ status: 200, headers: {}, body: null }),
       }`,
    )
    const running = started(['serve', path, '--workers', '2'], { PORT: '0' })
    equal(await running.ended, 1)
    const text = await running.written()
    equal(existsSync(flag), true)
    equal(numberOf(text, 'there is one of us already'), 1)
    match(text, /Worker \d+ ended before it served \(exit code 1\)\./)
  })

  test('several workers serve a SQLite file, and Ctrl+C ends them cleanly', async () => {
    const running = started(['serve', file, '--workers=2', '--only=things'], { PORT: '0' })
    const text = await running.until(/workers: processes .*\n/)
    equal(numberOf(text, 'Reading the schema'), 1)
    for (let i = 0; i < 4; i++) {
      equal((await fetch(`${baseIn(text)}/api/things`)).status, 200)
    }
    const all = [running.process.pid ?? 0, ...pidsIn(text)]
    // A terminal sends the signal to every process.
    for (const pid of all) process.kill(pid, 'SIGINT')
    equal(await running.ended, 0)
    equal(all.filter(runs), [])
    equal((await running.written()).slice(text.length), '\nStopping …\n')
  })

  test('the demo runs in one process', async () => {
    const refused = started(['--workers', '2'], {}, demo)
    equal(await refused.ended, 2)
    match(await refused.written(), /^The library is in the memory of one process/)
  })

  test('an invalid number of workers is refused', async () => {
    for (const [text, args] of [
      ['"0" is not a number of workers. Expected 1 to 256.', ['serve', file, '--workers', '0']],
      ['"two" is not a number of workers.', ['serve', file, '--workers', 'two']],
      ['"1000" is not a number of workers.', ['serve', file, '--workers=1000']],
      ['models has no option "--workers".', ['models', file, '--workers', '2']],
    ] as const) {
      const { code, err } = await command(args)
      equal(code, 2)
      match(err, text)
    }
    equal((await command(['serve', file, '--workers', '1', '--port', '0'])).code, 0)
  })
})
