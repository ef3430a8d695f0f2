/** The commands of docs/start/tutorial.md that log in to the demo do what the page says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLibrary } from '../../examples/library/library.ts'
import { equal, ok } from '../support/assert.ts'
import { repository } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const page = readFileSync(join(repository, 'docs/start/tutorial.md'), 'utf8')
const [, section = ''] = /^## Write\n(.*?)^## /ms.exec(page) ?? []
const [, commands = ''] = /^```sh\n(.*?)^```/ms.exec(section) ?? []

/** `curl <url> -H '<name>: <value>' -d '<body>'`, over several lines. */
function requestOf(command: string) {
  const headers = [...command.matchAll(/-H '([^:]+): ([^']*)'/g)].map(([, name, value]) => [
    name,
    value,
  ])
  const [, body] = /-d '([^']*)'/.exec(command) ?? []
  return {
    method: body === undefined ? 'GET' : 'POST',
    url: new URL(/curl (\S+)/.exec(command)?.[1] ?? '').pathname,
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(body === undefined ? {} : { body }),
  }
}

suite('logging in as the tutorial does', (test) => {
  test('returns tokens that allow writing a book', async () => {
    const library = await openLibrary(() => {})
    const [login = '', create = ''] = commands
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.startsWith('curl '))
    const first = await library.api.handle<Record<string, unknown>>(requestOf(login))
    const { access_token, refresh_token, user_pk } = first.body?.value ?? {}
    equal([first.status, typeof access_token, typeof refresh_token], [200, 'string', 'string'])
    ok(commands.includes(`"user_pk": ${JSON.stringify(user_pk)}`), `user_pk: ${user_pk}`)
    const request = requestOf(create)
    const second = await library.api.handle({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${access_token}` },
    })
    ok(commands.includes(`# ${second.status}, location: ${second.headers.location}`))
    await library.close()
  })
})
