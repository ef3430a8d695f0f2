/** Mistakes in roles and policies are start-up errors that say where the mistake is, and suggest a correction. */
import { type ApiConfig, defineModel } from '@model-api/core'
import { buildPolicies } from '../../../packages/core/src/access/policies/policy.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import type { Registry, Resource } from '../../../packages/core/src/model/registry/resource.ts'
import { policy } from '../../../packages/core/src/model/settings/access/check-policy.ts'
import type { Meta } from '../../../packages/core/src/model/settings/meta.ts'
import { collectProblems } from '../../../packages/core/src/model/settings/setting-problems.ts'
import { settingTable } from '../../../packages/core/src/model/settings/setting-table.ts'
import { equal, match } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const hook = () => true
const problem = (value: unknown): string => policy(value) ?? ''

suite('a policy at start-up', (test) => {
  test('is a mapping, an instance or a class with any of the hooks', () => {
    class Owned {
      scope_query = (query: unknown) => query
      isOwner(): boolean {
        return true
      }
    }
    class Base {
      can_read(): boolean {
        return this.helper()
      }
      helper(): boolean {
        return true
      }
    }
    class Derived extends Base {}
    for (const good of [{}, { scope_query: hook }, Owned, new Owned()]) {
      equal(problem(good), '')
    }
    equal(problem(Derived), '')
    equal(problem(new Derived()), '')
  })

  const misspelt = [
    ['scope_qury', 'scope_query'],
    ['scopeQuery', 'scope_query'],
    ['can_raed', 'can_read'],
    ['canRead', 'can_read'],
    ['can_updte', 'can_update'],
    ['can_create_', 'can_create'],
    ['CAN_DELETE', 'can_delete'],
  ] as const
  for (const [name, wanted] of misspelt) {
    test(`refuses ${name} and suggests ${wanted}`, () => {
      match(problem({ [name]: hook }), `unknown hook "${name}". Did you mean "${wanted}"?`)
      class Policy {
        can_update(): boolean {
          return true
        }
      }
      Object.defineProperty(Policy.prototype, name, { value: hook })
      match(problem(Policy), `unknown hook "${name}". Did you mean "${wanted}"?`)
      match(problem(new Policy()), `unknown hook "${name}".`)
    })
  }

  test('refuses names of checks that do not exist', () => {
    class Policy {
      can_read(): boolean {
        return true
      }
      can_list(): boolean {
        return false
      }
    }
    match(problem(Policy), 'unknown hook "can_list".')
    match(problem({ owner: hook }), 'unknown hook "owner".')
  })

  test('refuses values that are no function, and objects that are no policy', () => {
    match(problem({ can_read: true }), 'can_read: expected a function, got true.')
    for (const name of ['scope', 'scope_query', 'can_read', 'can_create', 'can_update']) {
      match(problem({ can_delete: hook, [name]: undefined }), `${name}: is undefined`)
    }
    for (const odd of [null, 'policy', 7, []]) match(problem(odd), 'expected a policy')
    match(problem(new (class Empty {})()), 'has none of')
  })
})

suite('a policy class', (test) => {
  const resource = (name: string, option: unknown, at = 'config.API_ACCESS_POLICY'): Resource =>
    ({
      name,
      model: { name },
      settings: {
        policy: { at, policy: option },
        methods: new Set(),
        roleMaps: [],
        replacedRoleMaps: [],
        ignoredRoleLists: [],
      },
    }) as unknown as Resource
  const registry = (...resources: Resource[]) => ({ resources }) as unknown as Registry

  test('is instantiated once, however many models share it', () => {
    let made = 0
    class Shared {
      constructor() {
        made++
      }
      can_delete(): boolean {
        return false
      }
    }
    const problems = collectProblems()
    const books = resource('Book', Shared)
    const tags = resource('Tag', Shared)
    const policies = buildPolicies(registry(books, tags), problems, () => {})
    equal(made, 1)
    equal(policies.get(books) === policies.get(tags), true)
    equal(problems.list, [])
  })

  test('that throws, or whose fields are misspelt, is a problem with its path', () => {
    class Throws {
      constructor() {
        throw new Error('no tenant')
      }
    }
    class Misspelt {
      can_raed = hook
    }
    const problems = collectProblems()
    const at = 'models.Book.meta.access_policy'
    buildPolicies(registry(resource('Book', Throws, at), resource('Tag', Misspelt)), problems, hook)
    equal(problems.list[0], { path: at, message: 'could not be made: no tenant' })
    match(problems.list[1]?.message ?? '', 'unknown hook "can_raed". Did you mean "can_read"?')
  })

  test('as a function is called once for each model, with the model', () => {
    const asked: string[] = []
    const option = ({ name }: { readonly name: string }) => {
      asked.push(name)
      return { can_delete: () => name === 'Book' }
    }
    const problems = collectProblems()
    const [books, tags] = [resource('Book', option), resource('Tag', option)]
    const policies = buildPolicies(registry(books, tags), problems, () => {})
    const mayDelete = (of: Resource) => policies.get(of)?.can_delete?.({}, {} as never)
    equal([mayDelete(books), mayDelete(tags)], [true, false])
    equal([asked, problems.list], [['Book', 'Tag'], []])
  })

  test('as a function that throws, or returns no policy, is a problem with its path', () => {
    const wrong: readonly (readonly [option: () => unknown, message: string])[] = [
      [() => Promise.resolve(), 'has none of'],
      [() => undefined, 'expected the class or function to give an object.'],
      [() => ({ can_raed: hook }), 'unknown hook "can_raed". Did you mean "can_read"?'],
      [
        () => {
          throw new Error('no tenant')
        },
        'could not be made: no tenant',
      ],
    ]
    for (const [option, message] of wrong) {
      const problems = collectProblems()
      buildPolicies(registry(resource('Book', option)), problems, () => {})
      match(problems.list[0]?.message ?? '', message)
    }
  })

  test('with can_read but without scope_query gets a warning', () => {
    const warnings: string[] = []
    const list = registry(
      resource('Book', { can_read: hook }),
      resource('Tag', { can_read: hook, scope_query: hook }),
    )
    buildPolicies(list, collectProblems(), (message) => warnings.push(message))
    equal(warnings.length, 1)
    match(warnings[0] ?? '', 'models.Book: the policy at config.API_ACCESS_POLICY has can_read')
  })
})

suite('a role map of a model', (test) => {
  const warnings = (meta: Meta, config: ApiConfig): string[] => {
    const heard: string[] = []
    const model = defineModel('Book', {
      columns: { id: { type: 'integer', primaryKey: true }, gone: { type: 'boolean' } },
      meta: { allowed_methods: ['GET', 'POST'], ...meta },
    })
    const { registry } = buildRegistry({ models: [model], config })
    buildPolicies(registry, collectProblems(), (message) => heard.push(message))
    return heard
  }

  test('that omits methods for which the API requires roles gets a warning', () => {
    const [only, ...more] = warnings(
      { role_map: { POST: 'editor' } },
      { API_ROLES_REQUIRED: 'staff' },
    )
    equal(
      only,
      'models.Book.meta.role_map replaces config.API_ROLES_REQUIRED and has no rule for GET_MANY, GET_ONE, which therefore need no role. Add ALL to it to set a rule for them; ALL: true requires authentication only.',
    )
    equal(more, [])
  })

  test('that does not repeat UPSERT or RESTORE of the API gets a warning for each', () => {
    const config: ApiConfig = {
      API_ROLE_MAP: { ALL: 'member', UPSERT: 'owner', RESTORE: 'owner' },
      API_SOFT_DELETE: true,
      API_SOFT_DELETE_ATTRIBUTE: 'gone',
    }
    const own = (role_map: Meta['role_map']): Meta => ({
      allowed_methods: ['GET', 'POST', 'PATCH'],
      role_map: role_map ?? {},
    })
    equal(warnings(own({ ALL: 'editor', RESTORE: 'owner' }), config), [
      'models.Book.meta.role_map replaces config.API_ROLE_MAP and does not repeat its rule for UPSERT, so the rule for POST decides. Add UPSERT to it; a rule equal to that for POST changes nothing and ends this warning.',
    ])
    match(
      warnings(own({ ALL: 'editor', UPSERT: 'editor' }), config).join(),
      'its rule for RESTORE, so the rule for PATCH decides.',
    )
    equal(warnings(own({ ALL: 'editor', UPSERT: 'owner', RESTORE: 'owner' }), config), [])
    equal(
      warnings({ ...own({ ALL: 'editor', RESTORE: 'owner' }), allow_upsert: false }, config),
      [],
    )
  })

  test('that is complete, empty or the only one gets none', () => {
    equal(
      warnings({ role_map: { POST: 'editor', ALL: true } }, { API_ROLES_REQUIRED: 'staff' }),
      [],
    )
    equal(warnings({ role_map: {} }, { API_ROLES_REQUIRED: 'staff' }), [])
    equal(warnings({ role_map: { POST: 'editor' } }, {}), [])
    equal(warnings({ role_map: { POST: 'editor' } }, { API_ROLE_MAP: { DELETE: 'admin' } }), [])
    equal(warnings({}, { API_ROLES_REQUIRED: 'staff' }), [])
  })
})

suite('a role map beside a list of roles', (test) => {
  const warnings = (config: ApiConfig, ...metas: Meta[]): string[] => {
    const heard: string[] = []
    const models = metas.map((meta, i) =>
      defineModel(`Book${i}`, {
        table: `books${i}`,
        columns: { id: { type: 'integer', primaryKey: true } },
        meta: { allowed_methods: ['GET', 'POST'], ...meta },
      }),
    )
    const { registry } = buildRegistry({ models, config })
    buildPolicies(registry, collectProblems(), (message) => heard.push(message))
    return heard
  }

  test('gets one warning for the methods that it has no rule for, for any number of models', () => {
    equal(
      warnings(
        { API_ROLE_MAP: { GET: 'viewer' }, API_ROLES_REQUIRED: 'staff' },
        {},
        { allowed_methods: ['GET', 'DELETE'] },
      ),
      [
        'config.API_ROLE_MAP takes precedence over config.API_ROLES_REQUIRED and has no rule for POST, DELETE, which therefore need no role. Add ALL to it to set a rule for them, as ALL: ["staff"].',
      ],
    )
    equal(
      warnings(
        {},
        { role_map: { POST: 'editor' }, roles_required: 'staff', roles_accepted: ['a', 'b'] },
      ),
      [
        'models.Book0.meta.role_map takes precedence over models.Book0.meta.roles_required and models.Book0.meta.roles_accepted and has no rule for GET_MANY, GET_ONE, which therefore need no role. Add ALL to it to set a rule for them.',
      ],
    )
    equal(warnings({}, { role_map: {}, roles_accepted: 'a' }).length, 1)
  })

  test('gets no warning if it has a rule for each method, or the model has rules of its own', () => {
    const beside = { API_ROLES_REQUIRED: 'staff' }
    equal(warnings({ API_ROLE_MAP: { GET: 'viewer', ALL: 'editor' }, ...beside }, {}), [])
    equal(warnings({ API_ROLE_MAP: { GET: 'a', POST: 'b' }, ...beside }, {}), [])
    equal(warnings({ API_ROLE_MAP: { DELETE: 'a' }, ...beside }, { roles_required: 'b' }), [])
  })
})

suite('a role map at start-up', (test) => {
  const wrong = (map: unknown): string => settingTable.API_ROLE_MAP.check(map) ?? ''

  test('accepts every key and every form of a rule', () => {
    equal(
      wrong({ GET: 'viewer', POST: ['a', 'b'], RELATION_GET: { roles: ['a'], any_of: true } }),
      '',
    )
    equal(wrong({ ALL: true, '*': { roles: ['a'] } }), '')
  })

  test('explains that GET also covers HEAD and QUERY, and that OPTIONS needs no role', () => {
    match(wrong({ HEAD: 'viewer' }), 'HEAD cannot be a key: HEAD is answered like GET')
    match(wrong({ QUERY: 'viewer' }), 'QUERY cannot be a key: QUERY is answered like GET of a list')
    match(wrong({ OPTIONS: 'viewer' }), 'OPTIONS cannot be a key: OPTIONS needs neither')
  })

  test('refuses misspelt keys, with a suggestion', () => {
    match(wrong({ GETMANY: 'viewer' }), 'unknown key "GETMANY". Did you mean "GET_MANY"?')
    match(wrong({ get: 'viewer' }), 'unknown key "get". Did you mean "GET"?')
    match(wrong({ all: true }), 'Did you mean "ALL"?')
  })

  test('refuses invalid rules', () => {
    for (const odd of [false, null, 7, '', [], [''], [1], {}, { roles: [] }, { roles: 'a' }]) {
      match(wrong({ GET: odd }), 'GET: expected a role', JSON.stringify(odd))
    }
    match(wrong({ GET: { roles: ['a'], any_of: 'yes' } }), 'GET: expected a role')
    match(wrong({ GET: { roles: ['a'], anyof: true } }), 'GET: expected a role')
  })
})

suite('requirements at start-up', (test) => {
  const wrong = (map: unknown): string => settingTable.API_AUTH_REQUIREMENTS.check(map) ?? ''

  test('may name any method, if HEAD and QUERY say the same as GET and OPTIONS says no', () => {
    equal(wrong({ GET: 'no', HEAD: false, QUERY: 0, OPTIONS: 'off', POST: true }), '')
    equal(wrong({ '*': true, HEAD: true, QUERY: true }), '')
    equal(wrong({ HEAD: true }), '')
    equal(wrong({ GET_MANY: false, QUERY: false }), '')
  })

  test('refuse values that have no effect on HEAD, QUERY and OPTIONS', () => {
    match(
      wrong({ HEAD: false, GET: true }),
      'HEAD: false has no effect. HEAD is answered like GET without a body, and GET decides about it. Leave it out.',
    )
    match(wrong({ HEAD: false }), 'HEAD: false has no effect.')
    match(wrong({ HEAD: false, GET_MANY: false }), 'HEAD: false has no effect.')
    match(wrong({ QUERY: 'no', GET_ONE: false }), 'QUERY: "no" has no effect.')
    match(
      wrong({ OPTIONS: true }),
      'OPTIONS: true has no effect. OPTIONS needs neither authentication nor a role: browsers send it without credentials. Leave it out.',
    )
  })

  test('refuse misspelt keys and other values', () => {
    match(wrong({ HED: false }), 'unknown key "HED". Did you mean "HEAD"?')
    match(wrong({ GET: 'maybe' }), 'GET: expected true or false')
    match(wrong([]), 'expected')
  })
})
