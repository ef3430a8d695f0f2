/** A value cached between requests is returned only to requests of the same authority. */

import type { Registry, Resource } from '../../../packages/core/src/model/registry/resource.ts'
import {
  type Authority,
  authorityCache,
  trackAuthority,
} from '../../../packages/core/src/query/cache/authority-bound.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

// Only their identity is used.
const open = { name: 'Open' } as Resource
const secret = { name: 'Secret' } as Resource
const other = { name: 'Other' } as Resource

const registry = {} as Registry
const runtime = { access: { policies: {} } }

/** A caller who may list these resources. */
const caller = (...listed: readonly Resource[]): Authority => ({
  reach: (resource) => listed.includes(resource),
  hooks: {},
  registry,
  runtime,
})

const admin = caller(open, secret)
const viewer = caller(open)

suite('a cached value', (test) => {
  const boundFor = (authority: Authority, ...asked: readonly Resource[]) => {
    const tracker = trackAuthority(authority)
    for (const resource of asked) tracker.reach(resource)
    return tracker.bind('value')
  }

  test('is returned to callers with the same rights on every resource that was checked', () => {
    equal(boundFor(admin, open, secret).valueFor(admin), 'value')
    equal(boundFor(admin, open, secret).valueFor(viewer), undefined)
    equal(boundFor(viewer, open, secret).valueFor(admin), undefined)
    equal(boundFor(viewer, open, secret).valueFor(caller(open, other)), 'value')
    equal(boundFor(admin, open).valueFor(viewer), 'value')
    equal(boundFor(admin).valueFor(viewer), 'value')
  })

  test('is returned to requests with the same policies: those of a user never get what was made for the system', () => {
    const system = { ...admin, runtime: { access: { policies: {} } } }
    equal(boundFor(system, open).valueFor(admin), undefined)
    equal(boundFor(admin, open).valueFor(system), undefined)
    equal(boundFor(system, open).valueFor({ ...system, runtime: { ...system.runtime } }), 'value')
  })

  test('respects resources that are checked after it was cached', () => {
    const tracker = trackAuthority(admin)
    const bound = tracker.bind('value')
    tracker.reach(secret)
    equal(bound.valueFor(viewer), undefined)
  })

  test('is returned to requests with the same filter and dump callbacks', () => {
    const filter = (query: never) => query
    const dump = (object: never) => object
    for (const hooks of [{ filter }, { dump }] as const) {
      const bound = boundFor({ ...viewer, hooks } as never, open)
      equal(bound.valueFor({ ...viewer, hooks: { ...hooks } } as never), 'value')
      equal(bound.valueFor(viewer), undefined)
      equal(boundFor(viewer, open).valueFor({ ...viewer, hooks } as never), undefined)
    }
  })

  test('is returned to callers who may read and write the same columns', () => {
    const clerk = { ...admin, registry: {} as Registry }
    equal(boundFor(admin, open).valueFor(clerk), undefined)
    equal(boundFor(clerk, open).valueFor(admin), undefined)
    equal(boundFor(clerk, open).valueFor({ ...clerk }), 'value')
  })

  test('cannot be read without its authority', () => {
    const bound = boundFor(admin, secret)
    equal(JSON.stringify(bound), '{}')
    equal(Object.keys(bound), [])
  })
})

suite('values cached by name', (test) => {
  const put = (values: ReturnType<typeof authorityCache<string>>, name: string, who: Authority) => {
    const tracker = trackAuthority(who)
    const value = `${name} of somebody who may${tracker.reach(secret) ? '' : ' not'} list secrets`
    values.set(name, who, tracker.bind(value))
  }

  test('are cached for each authority separately', () => {
    const values = authorityCache<string>(2)
    put(values, 'a', admin)
    equal(values.get('a', admin), 'a of somebody who may list secrets')
    equal(values.get('a', viewer), undefined)
    put(values, 'a', viewer)
    equal(values.get('a', viewer), 'a of somebody who may not list secrets')
    equal(values.get('a', admin), 'a of somebody who may list secrets')
    put(values, 'b', viewer)
    put(values, 'c', viewer)
    equal(values.get('a', viewer), undefined)
    equal(values.get('c', viewer), 'c of somebody who may not list secrets')
  })

  test('are replaced for the same authority, and bounded', () => {
    const values = authorityCache<number>(1)
    const resources = [1, 2, 3, 4, 5, 6].map((i) => ({ name: `R${i}` }) as Resource)
    const set = (who: Authority, value: number) => {
      const tracker = trackAuthority(who)
      for (const resource of resources) tracker.reach(resource)
      values.set('x', who, tracker.bind(value))
    }
    const callers = resources.map((resource) => caller(resource))
    for (const [i, who] of callers.entries()) set(who, i)
    equal(
      callers.map((who) => values.get('x', who)),
      [undefined, undefined, 2, 3, 4, 5],
    )
    set(callers[5] as Authority, 50)
    equal(
      callers.map((who) => values.get('x', who)),
      [undefined, undefined, 2, 3, 4, 50],
    )
  })
})
