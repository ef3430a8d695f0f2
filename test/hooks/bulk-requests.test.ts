/** `many` tells every hook whether its request writes several records, before and after its body is parsed, and for each operation of a batch. */
import { type ApiConfig, apiError, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Tag = defineModel('Tag', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 20 },
    parent: { type: 'json', nullable: true },
  },
  meta: {},
})

eachDatabase('hooks of bulk requests', (test, db) => {
  test.before(() => createTables(db, [Tag]))
  const told: string[] = []
  const config: ApiConfig = {
    API_ALLOW_BULK: true,
    API_ALLOW_BATCH: true,
    API_SETUP_CALLBACK: (_request, { many }) => {
      told.push(`setup ${many}`)
    },
    API_ADD_CALLBACK: (object, _model, { many }) => {
      told.push(`add ${many}`)
      if (object.name === 'refused') throw apiError(409, 'Conflict')
      return object
    },
    API_FINAL_CALLBACK: (body, { many }) => {
      told.push(`final ${many}`)
      return body
    },
    API_ERROR_CALLBACK: (_error, _request, { many }) => {
      told.push(`error ${many}`)
    },
  }
  const api = testApi(db, [Tag], config)
  const toldOf = async (method: string, url: string, body?: unknown) => {
    told.length = 0
    const headers = { 'content-type': 'application/json' }
    await api.handle({ method, url, headers, ...(body === undefined ? {} : { body }) })
    return told.join(', ')
  }

  test('a list is known by its text, its bytes and its value', async () => {
    const one = '{ "name": "[" }'
    const list = ` \n[${one}]`
    for (const body of [list, new TextEncoder().encode(list), JSON.parse(list)]) {
      equal(await toldOf('POST', '/api/tags', body), 'setup true, add true, final true')
    }
    for (const body of [one, new TextEncoder().encode(one), JSON.parse(one)]) {
      equal(await toldOf('POST', '/api/tags', body), 'setup false, add false, final false')
    }
    equal(await toldOf('POST', '/api/tags', ''), 'setup false, error false, final false')
  })

  test('writes by filters, and refused lists', async () => {
    const patch = await toldOf('PATCH', '/api/tags?name__eq=none', { name: 'x' })
    equal(patch, 'setup true, final true')
    equal(await toldOf('DELETE', '/api/tags?name__eq=none'), 'setup true, final true')
    equal(await toldOf('PATCH', '/api/tags/1', { name: 'x' }), 'setup false, final false')
    equal(await toldOf('DELETE', '/api/tags/99'), 'setup false, error false, final false')
    const refused = await toldOf('POST', '/api/tags', [{ name: 'refused' }])
    equal(refused, 'setup true, add true, error true, final true')
  })

  test('each operation of a batch has its own', async () => {
    const { API_SETUP_CALLBACK: _, ...others } = config
    const batching = testApi(db, [Tag], others)
    told.length = 0
    const { status, text } = await send(batching, 'POST', '/api/batch', {
      body: {
        operations: [
          {
            id: 'a',
            method: 'POST',
            url: '/api/tags',
            body: { name: 'a', parent: [{ name: 'b' }] },
          },
          { id: 'b', method: 'POST', url: '/api/tags', body: [{ name: 'c' }] },
          { id: 'c', method: 'POST', url: '/api/tags', body: { $ref: 'a.parent' } },
        ],
      },
    })
    equal([status, text.includes('"b"')], [200, true])
    equal(told, [
      'add false',
      'final false',
      'add true',
      'final true',
      'add true',
      'final true',
      'final false',
    ])
  })
})
