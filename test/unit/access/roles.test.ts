/** Role rules: fallback from key to key, precedence of levels, forms of rules and of roles. */
import type { ApiConfig } from '@model-api/core'
import { decidingKey, keysFor, type Permission } from '../../../packages/core/src/access/action.ts'
import {
  allowedByRoles,
  type Caller,
  decidingRules,
  namesIn,
  rolesIn,
  satisfies,
} from '../../../packages/core/src/access/roles/roles.ts'
import type {
  RoleMap,
  RoleRule,
} from '../../../packages/core/src/model/settings/access/access-types.ts'
import { resolveRoleMaps } from '../../../packages/core/src/model/settings/access/role-maps.ts'
import type { Meta } from '../../../packages/core/src/model/settings/meta.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const caller = (...roles: string[]): Caller => ({ user: { id: 1 }, authenticated: true, roles })
const nobody: Caller = { user: null, authenticated: false, roles: [] }

suite('the keys of a permission', (test) => {
  const chains: Record<Permission, string> = {
    GET_MANY: 'GET_MANY GET ALL *',
    GET_ONE: 'GET_ONE GET ALL *',
    POST: 'POST ALL *',
    PATCH: 'PATCH ALL *',
    PUT: 'PUT PATCH ALL *',
    RESTORE: 'RESTORE PATCH ALL *',
    UPSERT: 'UPSERT POST ALL *',
    DELETE: 'DELETE ALL *',
    RELATION_GET_MANY: 'RELATION_GET_MANY RELATION_GET GET_MANY GET ALL *',
    RELATION_GET_ONE: 'RELATION_GET_ONE RELATION_GET GET_ONE GET ALL *',
    RELATION_POST: 'RELATION_POST POST ALL *',
    RELATION_PATCH: 'RELATION_PATCH PATCH ALL *',
    RELATION_PUT: 'RELATION_PUT RELATION_PATCH PUT PATCH ALL *',
    RELATION_DELETE: 'RELATION_DELETE DELETE ALL *',
  }
  for (const [action, chain] of Object.entries(chains)) {
    test(`${action}: ${chain}`, () => {
      const keys = keysFor(action as Permission)
      equal(keys.join(' '), chain)
      // Whatever keys a map has, the first one of the chain decides.
      for (let subset = 0; subset < 2 ** keys.length; subset++) {
        const present = keys.filter((_, i) => subset & (2 ** i))
        const map = Object.fromEntries([...present].reverse().map((key) => [key, key]))
        equal(decidingKey(map, action as Permission), present[0])
      }
    })
  }

  test('are own properties of the map, never inherited ones', () => {
    const map: RoleMap = Object.create({ GET: 'viewer' })
    equal(decidingKey(map, 'GET_ONE'), undefined)
  })
})

suite('the level that decides', (test) => {
  // Each level has nothing, a map, a list of required roles, a list of accepted ones, or all of them.
  const kinds = ['none', 'map', 'required', 'accepted', 'lists', 'map and lists'] as const
  type Kind = (typeof kinds)[number]
  const says = (kind: Kind, part: 'map' | 'required' | 'accepted') =>
    kind === part || (kind === 'lists' && part !== 'map') || kind === 'map and lists'

  const expected = (kind: Kind, prefix: string, keys: readonly [string, string, string]) => {
    if (says(kind, 'map')) return [`${prefix}.${keys[0]}`]
    return [
      ...(says(kind, 'required') ? [`${prefix}.${keys[1]}`] : []),
      ...(says(kind, 'accepted') ? [`${prefix}.${keys[2]}`] : []),
    ]
  }

  for (const own of kinds) {
    for (const global of kinds) {
      test(`meta: ${own}, config: ${global}`, () => {
        const meta: Meta = {
          ...(says(own, 'map') ? { role_map: { GET: 'm' } } : {}),
          ...(says(own, 'required') ? { roles_required: ['r'] } : {}),
          ...(says(own, 'accepted') ? { roles_accepted: ['a', 'b'] } : {}),
        }
        const config: ApiConfig = {
          ...(says(global, 'map') ? { API_ROLE_MAP: { GET: 'M' } } : {}),
          ...(says(global, 'required') ? { API_ROLES_REQUIRED: 'R' } : {}),
          ...(says(global, 'accepted') ? { API_ROLES_ACCEPTED: ['A', 'B'] } : {}),
        }
        const metaKeys = ['role_map', 'roles_required', 'roles_accepted'] as const
        const configKeys = ['API_ROLE_MAP', 'API_ROLES_REQUIRED', 'API_ROLES_ACCEPTED'] as const
        equal(
          resolveRoleMaps('Book', meta, config).map(({ at }) => at),
          own === 'none'
            ? expected(global, 'config', configKeys)
            : expected(own, 'models.Book.meta', metaKeys),
        )
      })
    }
  }

  test('is meta if it has a map: an empty map removes the requirements of config', () => {
    const config: ApiConfig = { API_ROLES_REQUIRED: ['admin'] }
    const lifted = resolveRoleMaps('Book', { role_map: {} }, config)
    equal(allowedByRoles(lifted, 'GET_MANY', nobody), true)
    equal(allowedByRoles(resolveRoleMaps('Book', {}, config), 'GET_MANY', nobody), false)
  })

  test('api_role_map and role_map are one key in two spellings', () => {
    const [only] = resolveRoleMaps('Book', { api_role_map: { GET: 'viewer' } }, {})
    equal(only, { at: 'models.Book.meta.api_role_map', map: { GET: 'viewer' } })
  })
})

suite('a rule', (test) => {
  const cases: readonly (readonly [RoleRule, readonly string[], boolean])[] = [
    ['editor', ['editor'], true],
    ['editor', ['viewer'], false],
    ['editor', [], false],
    ['editor', ['Editor'], false],
    [['admin', 'editor'], ['editor', 'admin', 'viewer'], true],
    [['admin', 'editor'], ['admin'], false],
    [{ roles: ['admin', 'editor'] }, ['admin'], false],
    [{ roles: ['admin', 'editor'], any_of: false }, ['admin'], false],
    [{ roles: ['admin', 'editor'], any_of: true }, ['admin'], true],
    [{ roles: ['admin', 'editor'], any_of: true }, ['viewer'], false],
    // Only the boolean `true` counts, even if the types were bypassed.
    [{ roles: ['admin', 'editor'], any_of: 'yes' as never }, ['admin'], false],
    [[], ['admin'], false],
    [{ roles: [], any_of: true }, ['admin'], false],
    [true, [], true],
  ]
  for (const [rule, roles, allowed] of cases) {
    test(`${JSON.stringify(rule)} of a user with ${JSON.stringify(roles)}: ${allowed}`, () => {
      equal(satisfies(rule, caller(...roles)), allowed)
      equal(satisfies(rule, { ...nobody, roles }), false)
    })
  }

  test('must hold of every map of the level', () => {
    const maps = resolveRoleMaps(
      'Book',
      { roles_required: ['staff'], roles_accepted: ['admin', 'editor'] },
      {},
    )
    equal(allowedByRoles(maps, 'POST', caller('staff', 'editor')), true)
    equal(allowedByRoles(maps, 'POST', caller('staff')), false)
    equal(allowedByRoles(maps, 'POST', caller('admin', 'editor')), false)
    equal(
      decidingRules(maps, 'POST').map(({ at, key }) => `${at} ${key}`),
      ['models.Book.meta.roles_required ALL', 'models.Book.meta.roles_accepted ALL'],
    )
  })

  test('that is missing requires nothing', () => {
    const maps = resolveRoleMaps('Book', { role_map: { POST: 'editor' } }, {})
    equal(allowedByRoles(maps, 'GET_MANY', nobody), true)
    equal(allowedByRoles(maps, 'POST', nobody), false)
  })
})

suite('roles', (test) => {
  test('are a list of strings; anything else counts as none', () => {
    equal(rolesIn(['admin', 'editor']), ['admin', 'editor'])
    for (const odd of [
      'admin',
      ['admin', 1],
      [['admin']],
      { 0: 'admin', length: 1 },
      null,
      true,
      7,
    ]) {
      equal(rolesIn(odd), [], JSON.stringify(odd))
    }
  })

  test('may be records with a name', () => {
    equal(namesIn([{ id: 1, name: 'admin' }, { name: 'editor' }]), ['admin', 'editor'])
    equal(namesIn([{ name: 'admin' }, { title: 'editor' }]), [])
    equal(namesIn('admin'), [])
  })
})
