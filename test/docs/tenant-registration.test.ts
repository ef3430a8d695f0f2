/** Compiles the models of docs/recipes/register-tenants.md that register a tenant with its first user, and sends requests to them. */
import type { AnyModel, Api } from '@model-api/core'
import { jwtKeys } from '../auth/people.ts'
import { send } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { examplesOf } from '../support/examples.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const section = readSource('docs/recipes/register-tenants.md')
const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(section) ?? []

interface Shown {
  readonly api: Api
  readonly Member: AnyModel
  readonly Organisation: AnyModel
}

const password = 'correct horse battery'
const member = (name: string) => ({ name, password })

/** Sends a POST, with the credentials of the member `as`. */
async function post(api: Api, url: string, body: object, as?: string) {
  const headers: Record<string, string> =
    as === undefined ? {} : { authorization: `Basic ${btoa(`${as}:${password}`)}` }
  return send(api, 'POST', url, { body, headers })
}

eachDatabase('a tenant with its first user, in docs/recipes/register-tenants.md', (test, db) => {
  const before = { ...process.env }
  test.before(() => {
    Object.assign(process.env, jwtKeys)
    Object.assign(globalThis, { authenticationPage: { db: db.kysely } })
  })
  test.after(() => {
    process.env = before
    Reflect.deleteProperty(globalThis, 'authenticationPage')
  })

  /** What the page shows, with `to` in the place of `from`. */
  async function moduleOf(from = '', to = ''): Promise<Shown> {
    ok(code.includes(from), `the page has no ${from}`)
    return (await compiled(`// What the page shows, as a module.
import { apiError, createApi, hasMany, hashPassword, modelsFor, passwordCheck } from '@model-api/core'

const { db } = (globalThis as unknown as { authenticationPage: { db: any } }).authenticationPage
${code.replace(from, to).replace('  db,\n', '  db,\n  onError: () => {},\n  onWarning: () => {},\n')}
export { api, Member, Organisation }\n`)) as unknown as Shown
  }

  test('answers as the page shows, and refuses all others', async () => {
    const { api, Member, Organisation } = await moduleOf()
    await createTables(db, [Organisation, Member])
    const requests = examplesOf(section)
    equal(requests.length, 3)
    for (const { method, url, body, answer, line } of requests) {
      const { status, value, errors } = await send(api, method, url, {
        body: JSON.parse(body ?? ''),
      })
      const { problems: _, ...shownErrors } = errors ?? {}
      const shown = errors === null ? { value } : { errors: shownErrors }
      equal({ status_code: status, ...shown }, JSON.parse(answer?.text ?? ''), `line ${line}`)
    }
    const refused = [
      await post(api, '/api/organisations', { name: 'Other', members: [member('bob')] }, 'ann'),
      await post(api, '/api/organisations', { name: 'Two', members: [member('x'), member('y')] }),
      await post(api, '/api/organisations', { name: 'Theft', members: [{ id: 1 }] }),
      await post(api, '/api/members', { ...member('eve'), organisation_id: 1 }),
    ]
    equal(
      refused.map(({ status }) => status),
      [403, 400, 403, 400],
    )
    equal((await post(api, '/api/members', member('mia'), 'ann')).status, 201)
    equal((await post(api, '/api/members', member('mio'), 'mia')).status, 403)
    const stored = db.kysely.selectFrom('members').select(['name', 'organisation_id', 'role'])
    equal(await stored.orderBy('id').execute(), [
      { name: 'ann', organisation_id: 1, role: 'owner' },
      { name: 'mia', organisation_id: 1, role: 'member' },
    ])
  })

  test('needs each of its settings', async () => {
    const rights = `auth_requirements: { POST: false },
    access_policy: () => ({
      scope: { organisation_id`
    const statusWith = async (from: string, to: string) => {
      const { api } = await moduleOf(from, to)
      const body = { name: 'Globex', members: [member('bob')] }
      return (await post(api, '/api/organisations', body)).status
    }
    equal(await statusWith(rights, rights.replace('POST: false', 'POST: true')), 403)
    equal(await statusWith(rights, `role_map: { ALL: true }, ${rights}`), 403)
    equal(await statusWith('allow_nested_writes: true,', ''), 400)
    equal(await statusWith(rights, `role_map: { GET: true }, ${rights}`), 201)
  })
})
