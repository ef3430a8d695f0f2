/** What is kept between requests comes out for requests of the same authority only. */
import {
  type Authority,
  keptValues,
  makingFor,
} from '../../../packages/core/src/plan-cache/kept.ts'
import type { Resource } from '../../../packages/core/src/registry/resource.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

// Only their identity is looked at.
const open = { name: 'Open' } as Resource
const secret = { name: 'Secret' } as Resource
const other = { name: 'Other' } as Resource

/** Somebody who may list these resources. */
const caller = (...listed: readonly Resource[]): Authority => ({
  reach: (resource) => listed.includes(resource),
  hooks: {},
})

const admin = caller(open, secret)
const viewer = caller(open)

suite('a kept value', (test) => {
  const keptFor = (authority: Authority, ...asked: readonly Resource[]) => {
    const making = makingFor(authority)
    for (const resource of asked) making.reach(resource)
    return making.keep('value')
  }

  test('is for callers who are answered the same about every resource that was asked about', () => {
    equal(keptFor(admin, open, secret).for(admin), 'value')
    equal(keptFor(admin, open, secret).for(viewer), undefined)
    equal(keptFor(viewer, open, secret).for(admin), undefined)
    equal(keptFor(viewer, open, secret).for(caller(open, other)), 'value')
    equal(keptFor(admin, open).for(viewer), 'value')
    equal(keptFor(admin).for(viewer), 'value')
  })

  test('heeds what is asked after it was kept', () => {
    const making = makingFor(admin)
    const kept = making.keep('value')
    making.reach(secret)
    equal(kept.for(viewer), undefined)
  })

  test('is for requests that meet the same filter and dump callbacks', () => {
    const filter = (query: never) => query
    const dump = (object: never) => object
    for (const hooks of [{ filter }, { dump }] as const) {
      const kept = keptFor({ ...viewer, hooks } as never, open)
      equal(kept.for({ ...viewer, hooks: { ...hooks } } as never), 'value')
      equal(kept.for(viewer), undefined)
      equal(keptFor(viewer, open).for({ ...viewer, hooks } as never), undefined)
    }
  })

  test('cannot be read past its authority', () => {
    const kept = keptFor(admin, secret)
    equal(JSON.stringify(kept), '{}')
    equal(Object.keys(kept), [])
  })
})

suite('values kept by name', (test) => {
  const put = (values: ReturnType<typeof keptValues<string>>, name: string, who: Authority) => {
    const making = makingFor(who)
    const value = `${name} of somebody who may${making.reach(secret) ? '' : ' not'} list secrets`
    values.set(name, who, making.keep(value))
  }

  test('are kept for each authority on its own', () => {
    const values = keptValues<string>(2)
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

  test('are replaced for their own authority, and bounded', () => {
    const values = keptValues<number>(1)
    const resources = [1, 2, 3, 4, 5, 6].map((i) => ({ name: `R${i}` }) as Resource)
    const set = (who: Authority, value: number) => {
      const making = makingFor(who)
      for (const resource of resources) making.reach(resource)
      values.set('x', who, making.keep(value))
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
