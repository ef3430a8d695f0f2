/** An operation that needs authentication, and no role, was documented with `Roles: authentication.` */
import { type ApiConfig, createApi } from '@model-api/core'
import { equal, fail } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { shop } from '../support/shop.ts'
import { suite } from '../support/suite.ts'

suite('authentication as a role', (test) => {
  test('the document names roles, but no rule that requires only authentication', async () => {
    const [db] = everyDatabase()
    const config: ApiConfig = {
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: () => false,
      API_ROLE_MAP: { POST: 'editor', PATCH: true },
    }
    const kysely = db?.kysely ?? fail('no database')
    const { openapi } = createApi({
      db: kysely,
      models: shop,
      config,
      env: {},
      onWarning: () => {},
    })
    const paths = (await openapi()).paths ?? {}
    equal(paths['/api/books']?.post?.description?.split('\n\n')[1], 'Roles: editor.')
    equal(paths['/api/books/{id}']?.patch?.description?.includes('Roles'), false)
  })
})
