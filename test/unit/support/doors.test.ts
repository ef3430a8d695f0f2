/**
 * Each list of requests asks through every door of the catalogue, or says here why it does not. A new door needs a request in each list,
 * or a reason; a reason that no longer holds is an error too.
 */
import { families } from '../../growth/doors.ts'
import { cases } from '../../http/cases.ts'
import { requests as ofRuntimes } from '../../runtimes/requests.ts'
import { requestOf } from '../../security/answer.ts'
import * as columns from '../../security/column-doors.ts'
import { doors as reads } from '../../security/doors.ts'
import * as links from '../../security/link-doors.ts'
import { lists, writes } from '../../security/write-doors.ts'
import { equal } from '../../support/assert.ts'
import {
  type Asked,
  type OtherDoor,
  otherDoorsUnaskedBy,
  type QueryDoor,
  queryDoorsUnaskedBy,
} from '../../support/doors.ts'
import { suite } from '../../support/suite.ts'

interface List {
  readonly requests: () => Promise<readonly Asked[]>
  /** Why the list leaves out doors of query strings; one text for all of them if it is not about what they say. */
  readonly queries: Partial<Record<QueryDoor, string>> | string
  readonly others: Partial<Record<OtherDoor, string>>
}

const noUsers = 'the callers are given; auth/ and security/strategies have the credentials'
const byClients = 'clients set it themselves'
const noData = 'it selects no data; http/ and limits/ have it'

/** A read as `answerOf` sends it. */
function readOf(text: string): Asked {
  const [first = '', rest] = text.split(' ', 2)
  if (rest === undefined) return requestOf('GET', first)
  if (first === 'problem') return requestOf('GET', rest, { accept: 'application/problem+json' })
  return requestOf(first === 'follow' ? 'GET' : first, rest)
}

const security: List = {
  requests: async () => [
    ...Object.values(reads).flat().map(readOf),
    ...Object.values(columns.doors).flat(),
    ...Object.values(links.doors).flatMap((groups) => groups.flatMap(([, some]) => some)),
    ...Object.values(writes).flat(),
    ...Object.values(lists).flat(),
  ],
  queries: {
    'the parameter orderby': 'it is another name of order_by',
  },
  others: {
    'the header authorization': noUsers,
    'the header cookie': noUsers,
    'the header origin': noUsers,
    'the header sec-fetch-site': noUsers,
    'the header host': noData,
    'the header accept-encoding': noData,
    'the header content-encoding': noData,
    'the header content-length': noData,
    'the header x-forwarded-for': noData,
    'the header x-http-method-override': 'it is another spelling of the method',
    'the header x-write-position': 'contract/replicas has policies on replicas',
    'the endpoint login': noUsers,
    'the endpoint refresh': noUsers,
    'the endpoint logout': noUsers,
    'the endpoint me': noUsers,
    'the endpoint keys': noUsers,
    'the endpoint key': noUsers,
    'a path that is not published': 'security/paths has them',
    'a body that is no JSON': 'it is refused before anything is looked up',
  },
}

const growth: List = {
  requests: async () => {
    // Those of cursors need a database, and are also among the parameters.
    const { cursors: _, ...withoutDatabase } = families
    const unused = undefined as never
    const doors = await Promise.all(Object.values(withoutDatabase).map((of) => of(unused)))
    return doors.flat().map((door) => door.request(8))
  },
  queries: { 'a cursor that names its row': 'it is among the cursors' },
  others: {
    'the method HEAD': 'it costs what GET costs',
    'the method OPTIONS': 'it reads the path alone, which GET has',
    'the index': 'nothing of the request is listed in it',
    health: 'nothing of the request is read',
    readiness: 'nothing of the request is read',
  },
}

const http: List = {
  requests: async () => cases,
  queries: 'adapters pass the query string on as text',
  others: {
    'the header accept-encoding': 'http/express compresses',
    'the header authorization': 'runtimes/ signs in',
    'the header content-length': byClients,
    'the header cookie': 'auth/ has cookies',
    'the header host': byClients,
    'the header idempotency-key': 'http/body-forms-of-one-key has it',
    'the header origin': 'auth/ has cookies',
    'the header sec-fetch-site': 'auth/ has cookies',
    'the header x-forwarded-for': 'limits/ has it',
    'the header x-request-id': 'no adapter treats it specially',
    'the endpoint login': 'runtimes/ signs in',
    'the endpoint refresh': 'runtimes/ signs in',
    'the endpoint logout': 'auth/endpoints has it',
    'the endpoint me': 'runtimes/ signs in',
    'the endpoint keys': 'runtimes/ makes a key',
    'the endpoint key': 'runtimes/ deletes a key',
    'the documentation': 'runtimes/ compares it',
    'a list of records': 'it is a body like the others',
  },
}

const runtimes: List = {
  requests: async () => ofRuntimes,
  queries: 'the query string is read by the same code everywhere',
  others: {
    'the method QUERY': 'not every runtime and proxy sends it; POST overrides the method',
    'the header accept-encoding': byClients,
    'the header content-encoding': 'http/ has it',
    'the header content-length': byClients,
    'the header host': byClients,
    'the header origin': 'auth/ has cookies',
    'the header prefer': 'no runtime treats it specially',
    'the header x-forwarded-for': 'limits/ has it',
    'the header x-request-id': 'no runtime treats it specially',
    'the header x-write-position': 'no runtime treats it specially',
    'a batch': 'its operations are these requests',
    health: 'readiness is asked, which asks more',
  },
}

for (const [name, { requests, queries, others }] of Object.entries({
  security,
  growth,
  http,
  runtimes,
})) {
  suite(`the requests of ${name}`, (test) => {
    test('ask through every door, but for those with a reason', async () => {
      const all = await requests()
      if (typeof queries !== 'string') {
        equal([...queryDoorsUnaskedBy(all)].sort(), Object.keys(queries).sort())
      }
      equal(
        [...otherDoorsUnaskedBy(all)].sort(),
        Object.keys(others).sort(),
        `a door that only the first list has: add a request to the list of ${name}, or a reason here; only the second: delete its reason`,
      )
    })
  })
}

suite('the catalogue of doors', (test) => {
  test('tells which doors requests leave out', () => {
    const asked = [
      { method: 'GET', url: '/api/books?or[id__eq=1,exists(tags)]&books.limit=1&n|x__sum=1' },
      { method: 'POST', url: '/api/batch', headers: { Prefer: 'x' }, body: [{ a: { b: 1 } }] },
    ]
    const missing = [...queryDoorsUnaskedBy(asked), ...otherDoorsUnaskedBy(asked)]
    const found = [
      ...['or[…]', 'exists(…)', 'the option limit of a relation', 'the function sum', 'a label'],
      ...['a filter', 'the method GET', 'the method POST', 'the header prefer', 'a batch'],
      ...['the route collection', 'a list of records', 'a nested object'],
    ]
    equal(
      found.filter((name) => missing.includes(name)),
      [],
    )
    for (const name of ['and[…]', 'missing(…)', 'the parameter page', 'the method PATCH', 'health'])
      equal(missing.includes(name), true, name)
  })
})
