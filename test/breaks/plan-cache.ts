/** Breaks of what is kept between requests: one caller decides what another is answered. */
import type { Break } from './break.ts'

export const planCache: readonly Break[] = [
  {
    title: 'What was kept for an admin is handed to whoever may list less',
    file: 'packages/core/src/plan-cache/authority-bound.ts',
    find: 'for (const [resource, answer] of reached) if (reach(resource) !== answer) return undefined',
    replace: '',
    fails: 'test/security/kept.test.ts',
  },
  {
    title: 'What was kept without a filter callback is handed to a request that has one',
    file: 'packages/core/src/plan-cache/authority-bound.ts',
    find: 'if (hooks.filter !== filter || hooks.dump !== dump) return undefined',
    replace: '',
    fails: 'test/unit/plan-cache/authority-bound.test.ts',
  },
  {
    title: 'What a maker asked about the caller is not written down',
    file: 'packages/core/src/plan-cache/authority-bound.ts',
    find: 'reached.set(resource, answer)',
    replace: '',
    fails: 'test/security/kept.test.ts',
  },
  {
    title: 'A plan that a policy narrowed for one caller is kept for everybody',
    file: 'packages/core/src/access/scope.ts',
    find: 'if (policies.has(source.resource)) return undefined',
    replace: '',
    fails: 'test/regression/refused-embed-kept-for-all.test.ts',
  },
  {
    title: 'A prepared read forgets the filter callback',
    file: 'packages/core/src/access/scope.ts',
    find: 'if (hooks.filter !== undefined) return undefined',
    replace: '',
    fails: 'test/hooks/read-hooks.test.ts',
  },
  {
    title: 'A prepared read is kept without the route it was for',
    file: 'packages/core/src/endpoints/planned-read.ts',
    find: '`${request.resource.name}\\n${call.action}\\n${skeleton.key}`',
    replace: '`${call.action}\\n${skeleton.key}`',
    fails: 'test/property/prepared-reads.test.ts',
  },
  {
    title: 'A prepared read answers with the values of the first request',
    file: 'packages/core/src/plan-cache/prepared-read.ts',
    find: 'conditions.set(each.condition.slot, condition)',
    replace: 'conditions.set(each.condition.slot, each.condition)',
    fails: 'test/property/prepared-reads.test.ts',
  },
  {
    title: 'A prepared read stays on the page of the first request',
    file: 'packages/core/src/plan-cache/prepared-read.ts',
    find: 'if (pageOrCursor === undefined) return page',
    replace: 'if (pageOrCursor !== undefined) return page',
    fails: 'test/property/prepared-reads.test.ts',
  },
  {
    title: 'An LRU that never forgets: any client fills the memory',
    file: 'packages/core/src/lru-map.ts',
    find: 'if (known.size <= size) return',
    replace: 'if (known.size <= size * 1000) return',
    fails: 'test/unit/lru-map.test.ts',
  },
  {
    title: 'What a dump callback rewrites is sent as the database wrote it',
    file: 'packages/core/src/endpoints/planned-read.ts',
    find: '!asText || hooks.dump !== undefined || hasDump(rows.from.resource, embeds)',
    replace: '!asText || (embeds.length < 0 && hasDump(rows.from.resource, embeds))',
    fails: 'test/hooks/read-hooks.test.ts',
  },
]
