/** Lists every place in the core that caches something between requests, with its key, and every place that hashes. Adding one here is a deliberate decision. */
import { equal, ok } from '../support/assert.ts'
import { filesBelow, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = 'packages/core/src/'

/** Code that caches: a weak map, an LRU map, or values bound to an authority. */
const caching = /\bnew WeakMap\b|(?<!function )\b(?:lruMap|authorityCache)(?:<[^()]*>)?\(/g

const ofAuthority = 'by the authority of the caller (AuthorityBound)'
const ofPlan = 'by a part of one cached plan, on which alone the value depends'
const ofModels = 'by a part of the models, which no request changes'
const ofDriver =
  'by an object of the driver, or the text of a statement; values are bound each time'

/** How often each file caches something, and with which key. */
const places: Readonly<Record<string, readonly [places: number, key: string]>> = {
  'access/column-rights.ts': [1, 'registries of callers, by what is withheld from them'],
  'model/hooks/host-values.ts': [1, ofModels],
  'query/compile/rows/distinct-query.ts': [1, ofModels],
  'api.ts': [1, `plans of echoes, ${ofAuthority}`],
  'client-in-process.ts': [1, 'by letter case and name: the segment that both determine'],
  'database/own-tables/create-table.ts': [
    1,
    'by the connection: whether the table of refresh tokens exists',
  ],
  'query/compile/selection.ts': [1, 'by an output: a part of one cached plan, or of the models'],
  'query/plan/shared-parts.ts': [1, ofModels],
  'database/statements/check-session.ts': [
    1,
    'by the connection: the most bytes of a statement, once its settings were read',
  ],
  'database/statements/failed-statements.ts': [
    1,
    'by the error of a statement: why it failed, within one request',
  ],
  'lib/sql/without-plugins.ts': [1, 'by the connection: the same one without plugins'],
  'http/endpoints/reads/database/read-source.ts': [1, 'within one request: its replica'],
  'http/endpoints/routing/route-facts.ts': [4, ofModels],
  'database/own-tables/idempotency-keys.ts': [
    1,
    'by the dialect: when expired keys were last removed',
  ],
  'query/run/loaded-row.ts': [1, ofPlan],
  'database/leases/in-transaction.ts': [1, 'by an error of this request'],
  'write/refusals/refusal.ts': [1, 'by an error of this request'],
  'http/similar-path.ts': [1, ofModels],
  'query/cache/authority-bound.ts': [1, ofAuthority],
  'write/statements/stored-single-writes.ts': [2, ofPlan],
  'query/cache/statement-store.ts': [
    1,
    'by the name of a statement within one prepared read or one kind of write; no value is kept',
  ],
  'query/cache/prepared-read.ts': [
    1,
    'within one prepared read, by the dialect and the SQL of its scopes; their values are bound each time',
  ],
  'query/plan/plan-exclusion.ts': [
    1,
    'by a rule of a model, whose conditions are the same for all',
  ],
  'query/plan/planned-scope.ts': [
    1,
    'by a part of the models: the conditions of its policy, without the values, which each request has anew',
  ],
  'auth/keys/own-keys.ts': [1, 'by the id of an API key: when its last use was written'],
  'auth/tokens/verified-tokens.ts': [
    1,
    'by the full text of a token that was verified, until it expires',
  ],
  'model/hooks/password-cost-of-args.ts': [
    1,
    'the cost of new hashes, by the arguments of one call',
  ],
  'auth/users/look-up-user.ts': [
    1,
    'by the connection: the keys of users that are looked up in this turn of the event loop; no record outlives its statement',
  ],
  'query/cache/read-cache.ts': [
    2,
    `prepared reads, ${ofAuthority}; whether a query was sent before`,
  ],
  'write/body/plain-record.ts': [1, ofModels],
  'write/body/transform.ts': [1, ofModels],
  'write/check/defaults.ts': [1, ofModels],
  'write/fusion/fusion-of.ts': [1, ofModels],
  'access/hooks/model-functions.ts': [1, 'by the request: the time that its validators were told'],
  'write/nodes/look-up-plan.ts': [1, ofModels],
  'drivers/postgres/prepared-text-rows.ts': [2, ofDriver],
  'drivers/postgres/prepared-postgres.ts': [1, ofDriver],
  'drivers/postgres/statement-names.ts': [2, ofDriver],
  'dialect/shared/json/object-text.ts': [1, 'within one prepared read, by the beginning of URLs'],
  'drivers/sqlite/prepared-sqlite.ts': [1, ofDriver],
  'openapi/endpoint/documentation.ts': [
    1,
    'texts of the documentation, by names that depend on the settings, and on whether the API is mounted: the same for every caller',
  ],
  'model/registry/relations/dependents.ts': [1, ofModels],
  'model/registry/relations/relation-token.ts': [1, ofModels],
  'write/removal/removal-order.ts': [1, ofModels],
  'query/serialize/by-layout.ts': [1, `${ofPlan}, with the beginning of URLs`],
  'query/serialize/tag-text.ts': [1, ofPlan],
  'http/call/session.ts': [1, 'by the request'],
  'database/leases/nested-requests.ts': [
    1,
    'by the connection of hooks, or of a transaction: the requests that are made on it',
  ],
  'database/statements/kysely-methods.ts': [1, 'by an executor: the one that it was derived from'],
  'database/leases/savepoint-level.ts': [1, 'by the connection: the levels of open savepoints'],
}

const placesOf = (code: string): number => code.match(caching)?.length ?? 0

suite('caches of the core', (test) => {
  test('are where this file says, and nowhere else', () => {
    const found = filesBelow(root)
      .map((file) => [file.slice(root.length), placesOf(scan(readSource(file)).code)] as const)
      .filter(([, count]) => count > 0)
    equal(
      Object.fromEntries(found),
      Object.fromEntries(Object.entries(places).map(([file, [count]]) => [file, count])),
    )
  })

  test('are found by this rule', () => {
    equal(placesOf('const known = new WeakMap<A, B>()'), 1)
    equal(placesOf('const a = lruMap<true>(2), b = lruMap(3), c = authorityCache<Plan>(4)'), 3)
    equal(placesOf('export function lruMap<V>(size: number): LruMap<V> {}'), 0)
    equal(placesOf('export function authorityCache<T>(size: number): AuthorityCache<T> {}'), 0)
  })
})

/** The functions that hash: all are SHA-256, because texts of clients are hashed. */
const hashing =
  /\b(?<!function )(?:hashOfText|hashesOfText|sha256Hex|accountKey)\(|\bsubtle\.digest\(|\.createHash\(/

/** Code of a hash of our own, which could be forged. */
const ownHash = /\bMath\.imul\b|0x811c9dc5|0x9e3779b|\b16777619\b|\b5381\b/i

/** What each file hashes, and what two texts with the same hash would do. */
const hashed: Readonly<Record<string, string>> = {
  'auth/users/account.ts': 'login names and API keys: would share a limit (128 bits)',
  'auth/tokens/digest.ts': 'the function for stored secrets',
  'auth/tokens/issuer-tokens.ts': 'users of issuers: would share a limit',
  'auth/tokens/revocation.ts': 'refresh tokens: one would revoke the other',
  'auth/strategies/api-key.ts': 'API keys: one would authenticate as the other',
  'auth/strategies/basic.ts': 'login names: would share a limit',
  'auth/tokens/token-keys.ts': 'secrets: both keys would be tried (128 bits)',
  'auth/tokens/tokens.ts': 'users of tokens: would share a limit',
  'drivers/postgres/statement-names.ts':
    'texts of statements: one would be executed in place of the other',
  'http/endpoints/routing/admit.ts': 'users: would share a limit',
  'http/endpoints/auth/key-endpoints.ts': 'users: would share a limit',
  'http/endpoints/auth/endpoints.ts': 'login names: would share a limit',
  'http/endpoints/auth/issue-tokens.ts': 'refresh tokens: one would be refreshed as the other',
  'http/endpoints/reads/representation.ts':
    'documents, which no client writes: 304 for an older one',
  'http/pages/content-policy.ts': 'the style and the script of pages, which no client writes',
  'http/etag.ts': 'records and pages: 304 or a passed If-Match after a change',
  'lib/text-hash.ts': 'the function for ETags and names',
  'http/endpoints/writes/response/idempotent-post.ts':
    'keys and bodies: the response to another request',
}

suite('hashes of the core', (test) => {
  test('are where this file says, and nowhere else', () => {
    const found = filesBelow(root)
      .filter((file) => hashing.test(scan(readSource(file)).code))
      .map((file) => file.slice(root.length))
    equal(found.sort(), Object.keys(hashed).sort())
  })

  test('are SHA-256: there is no other hash of our own', () => {
    const own = filesBelow(root).filter((file) => ownHash.test(scan(readSource(file)).code))
    equal(own, [])
  })

  test('are found by this rule', () => {
    ok(ownHash.test('lanes[i] = Math.imul(lane, 0x01000193)'))
    ok(hashing.test('const name = hashOfText(text)'))
    ok(!hashing.test('export async function sha256Hex(text: string) {}'))
  })
})
