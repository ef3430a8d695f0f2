/** API_ERROR_CODES and meta.error_codes: the document lists the codes of the host; the service sends other codes too. */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  apiError,
  createApi,
  defineModel,
  hasMany,
} from '@model-api/core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { send, testApi } from '../support/api.ts'
import { equal, fail, ok, throws } from '../support/assert.ts'
import { everyDatabase, openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
type Anything = any

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Issue = defineModel('Issue', {
  columns: { id, title: { type: 'string' }, project_id: { type: 'integer' } },
  meta: {
    error_codes: {
      issue_closed: {
        status: 409,
        description: 'The issue is closed; reopen it first.',
        methods: ['PATCH'],
      },
      issue_locked: { status: 423, description: 'Unlock it first', methods: ['PATCH', 'DELETE'] },
    },
  },
})

const Project = defineModel('Project', {
  columns: { id, name: { type: 'string' } },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta: {},
})

/** A model without codes and relations. */
const Label = defineModel('Label', { columns: { id }, meta: {} })

const common: ApiConfig = {
  API_ERROR_CODES: { closed_on_sundays: { status: 503, description: 'Closed on Sundays.' } },
}

function apiOf(models: readonly AnyModel[], config: ApiConfig = {}): Api {
  const [db] = everyDatabase()
  if (db === undefined) return fail('no database')
  const all: ApiConfig = {
    API_SCHEMA_CHECK: 'off',
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    ...config,
  }
  return createApi({ db: db.kysely, models, config: all, env: {}, onWarning: () => {} })
}

/** Returns the response of an operation for a status, and the name of its component. */
function responseOf(document: Anything, path: string, method: string, status: number): Anything {
  const name = document.paths[path][method].responses[status]?.$ref.split('/').at(-1)
  return name === undefined ? undefined : { name, ...document.components.responses[name] }
}

const codesIn = (response: Anything): string[] =>
  response.content['application/json'].schema.properties.errors.properties.code.enum

suite('codes of the host in the document', (test) => {
  let document: Anything

  test.before(async () => {
    document = await apiOf([Project, Issue], common).openapi()
  })

  const at = (path: string, method: string, status: number) =>
    responseOf(document, path, method, status)

  test('are listed beside those of the service where the status exists', () => {
    const { name, description, content } = at('/api/issues/{id}', 'patch', 409)
    equal(name, 'IssueConflictOnUpdate')
    equal(description, 'Conflict. `issue_closed`: The issue is closed; reopen it first.')
    const { issue_closed: own, unique_violation: ofService } = content['application/json'].examples
    equal(own.summary, 'The issue is closed; reopen it first.')
    equal(own.value.errors, {
      error: 'Conflict',
      reason: 'The issue is closed; reopen it first.',
      code: 'issue_closed',
    })
    equal(own.value.status_code, 409)
    ok(ofService !== undefined)
    const codes = codesIn(at('/api/issues/{id}', 'patch', 409))
    ok(codes.includes('issue_closed') && codes.includes('unique_violation'), codes.join())
  })

  test('add a response where the service has none of the status', () => {
    const { name, description, content } = at('/api/issues/{id}', 'patch', 423)
    equal(name, 'IssueLockedOnUpdate')
    equal(description, 'Locked. `issue_locked`: Unlock it first.')
    equal(Object.keys(content['application/json'].examples), ['issue_locked'])
    equal(codesIn(at('/api/issues/{id}', 'patch', 423)), ['issue_locked'])
  })

  test('are listed for the parent whose body may contain records of their model', async () => {
    const document = await apiOf([Project, Issue], {
      ...common,
      API_ALLOW_NESTED_WRITES: true,
    }).openapi()
    const codesAt = (path: string, method: string, status: number): string[] => {
      const response = responseOf(document, path, method, status)
      return response === undefined ? [] : codesIn(response)
    }
    ok(codesAt('/api/projects', 'post', 409).includes('issue_closed'))
    ok(codesAt('/api/projects/{id}', 'patch', 409).includes('issue_closed'))
    equal(codesAt('/api/projects/{id}', 'put', 423), ['issue_locked'])
    equal(codesAt('/api/projects/{id}', 'delete', 423), [])
    equal(codesAt('/api/projects/{id}', 'get', 423), [])
  })

  test('are listed for their methods and their model only', async () => {
    equal(at('/api/issues/{id}', 'put', 409).name, 'ConflictOnUpdate')
    for (const [path, method] of [
      ['/api/issues/{id}', 'get'],
      ['/api/issues/{id}', 'put'],
      ['/api/issues', 'post'],
      ['/api/projects/{id}', 'patch'],
    ] as const) {
      equal(at(path, method, 423), undefined, `${method} ${path}`)
    }
    equal(at('/api/issues/{id}', 'delete', 423).name, 'IssueLockedOnDelete')
    const others = apiOf([Label], common)
    ok(!JSON.stringify(await others.openapi()).includes('issue_closed'))
  })

  test('of the configuration are shared by all models, with the errors that the service has', () => {
    for (const path of ['/api/issues', '/api/projects', '/api/projects/{id}/issues']) {
      const response = at(path, 'get', 503)
      equal(response.name, 'ServiceUnavailableOnList')
      const codes = codesIn(response)
      ok(codes.includes('closed_on_sundays') && codes.includes('database_unavailable'))
    }
    equal(at('/api/projects/{id}', 'put', 503).name, 'ServiceUnavailableOnReplace')
    equal(at('/api', 'get', 503), undefined)
  })

  test('come with what `default` says of a status that an operation has not otherwise', async () => {
    const codes = { backend_missing: { status: 501, description: 'Not built yet.' } }
    const own = await apiOf([Label], { API_ERROR_CODES: codes }).openapi()
    const response = responseOf(own, '/api/labels', 'get', 501)
    equal(response.name, 'NotImplementedOnList')
    equal(codesIn(response), ['transactions_unsupported', 'backend_missing'])
  })

  test('of meta replace those of the configuration with the same name', async () => {
    const renamed = { closed_on_sundays: { status: 410, description: 'Gone on Sundays.' } }
    const Closed = defineModel('Closed', { columns: { id }, meta: { error_codes: renamed } })
    const own = await apiOf([Closed, Label], common).openapi()
    equal(responseOf(own, '/api/closeds', 'get', 503), undefined)
    equal(responseOf(own, '/api/closeds', 'get', 410).name, 'ClosedGoneOnList')
    equal(responseOf(own, '/api/labels', 'get', 503).name, 'ServiceUnavailableOnList')
  })

  test('have names that do not depend on the other errors of an operation', async () => {
    const codes = { hidden: { status: 404, description: 'Hidden.' } }
    const named = async (models: readonly AnyModel[]) =>
      await apiOf(models, { API_ERROR_CODES: codes }).openapi()
    const both = await named([Project, Issue])
    equal(responseOf(both, '/api/issues', 'get', 404).name, 'NotFoundOnListOfHost')
    equal(responseOf(both, '/api/projects/{id}/issues', 'get', 404).name, 'NotFoundOnList')
    equal(responseOf(await named([Issue]), '/api/issues', 'get', 404).name, 'NotFoundOnListOfHost')
  })

  test('are errors of a batch, which runs the operations', async () => {
    const batch = await apiOf([Project, Issue], { ...common, API_ALLOW_BATCH: true }).openapi()
    const response = responseOf(batch, '/api/batch', 'post', 409)
    equal(response.name, 'ConflictOnBatch')
    ok(codesIn(response).includes('issue_closed'))
    equal(codesIn(responseOf(batch, '/api/batch', 'post', 423)), ['issue_locked'])
    const onlyRead = defineModel('Issue', {
      columns: { id },
      meta: { ...Issue.meta, allowed_methods: ['GET'] },
    })
    const read = apiOf([onlyRead], { API_ALLOW_BATCH: true })
    ok(!JSON.stringify(await read.openapi()).includes('issue_closed'))
  })

  test('leave the document valid', async () => {
    const api = apiOf([Project, Issue], { ...common, API_ALLOW_BATCH: true })
    const result = await new Validator().validate(structuredClone(await api.openapi()) as Anything)
    ok(result.valid, JSON.stringify(result))
  })
})

suite('codes of the host at the start', (test) => {
  const code = { status: 409, description: 'No.' }

  test('cannot be codes of the service', () => {
    throws(
      () => apiOf([Label], { API_ERROR_CODES: { record_not_found: code } }),
      'config.API_ERROR_CODES.record_not_found: the service has errors with this code, which the document already lists by itself. Choose another code, such as "my_record_not_found".',
    )
    const Own = defineModel('Own', {
      columns: { id },
      meta: { error_codes: { unique_violation: code } },
    })
    throws(() => apiOf([Own]), 'models.Own.meta.error_codes.unique_violation: the service has')
  })

  test('are reported together with the other mistakes of the map', () => {
    const mistakes = {
      record_not_found: code,
      closed: { status: 200, description: 'Closed.' },
      gone: null,
    }
    const message = [
      'config.API_ERROR_CODES: "closed": status: expected a whole number from 400 to 599, got 200. "gone": expected an object, got null.',
      'config.API_ERROR_CODES.record_not_found: the service has errors with this code',
    ].join('\n')
    throws(() => apiOf([Label], { API_ERROR_CODES: mistakes as never }), message)
    const Own = defineModel('Own', { columns: { id }, meta: { error_codes: mistakes as never } })
    throws(() => apiOf([Own]), 'models.Own.meta.error_codes.record_not_found: the service has')
    throws(() => apiOf([Own]), 'models.Own.meta.error_codes: "closed": status')
    throws(() => apiOf([Label], { API_ERROR_CODES: 'closed' as never }), 'expected an object')
  })

  test('may have prefixes', async () => {
    const prefixed = await apiOf([Label], {
      API_ERROR_CODES: { 'library.on_loan': code },
    }).openapi()
    const response = responseOf(prefixed, '/api/labels/{id}', 'patch', 409)
    ok(codesIn(response).includes('library.on_loan'))
  })
})

suite('codes of the host in requests', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  test.before(() => createTables(db, [Project, Issue]))
  test.after(() => db.close())

  test('are sent as they are thrown, declared or not', async () => {
    const api = testApi(db, [Project, Issue], {
      API_ADD_CALLBACK: (object) => {
        if (object.title === 'teapot') throw apiError(418, 'Teapot', 'Short and stout.', 'teapot')
        return object
      },
      API_UPDATE_CALLBACK: (_, { name }) => {
        throw apiError(409, 'Conflict', 'The issue is closed.', `${name.toLowerCase()}_closed`)
      },
    })
    const made = await send(api, 'POST', '/api/issues', { body: { title: 'a', project_id: 1 } })
    equal(made.status, 201)
    // `send` compares the response with the document.
    const url = `/api/issues/${made.value.id}`
    const declared = await send(api, 'PATCH', url, { body: { title: 'b' } })
    equal([declared.status, declared.errors.code], [409, 'issue_closed'])
    const other = await send(api, 'POST', '/api/issues', {
      body: { title: 'teapot', project_id: 1 },
    })
    equal([other.status, other.errors.code], [418, 'teapot'])
  })
})
