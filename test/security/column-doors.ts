/** The doors of columns that a caller may not read: models with such columns of many kinds, and requests that try them. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  type JsonValue,
  manyToMany,
} from '@model-api/core'

export type Row = Readonly<Record<string, unknown>>

const id = { type: 'integer', primaryKey: true, generated: true } as const
const read = 'payroll'

/**
 * The models. `secret`: whether they declare the columns that only the payroll may read, and the one that nobody may; `isOpen`: the
 * payroll may read that one, too.
 */
export function modelsOf(secret: boolean, isOpen = false): readonly AnyModel[] {
  const of = <T>(columns: T): T | Record<never, never> => (secret ? columns : {})
  return [
    defineModel('Team', {
      columns: {
        id,
        name: { type: 'string' },
        ...of({ budget: { type: 'integer', nullable: true, read } as const }),
      },
      relations: {
        staff: hasMany('Person', 'team_id'),
        ...of({ led: hasMany('Person', 'led_id') }),
      } as never,
      meta: {},
    }),
    defineModel('Person', {
      columns: {
        id,
        name: { type: 'string', maxLength: 20 },
        email: { type: 'string', unique: true },
        number: { type: 'integer', nullable: true },
        grade: { type: 'string', default: 'C', write: read },
        doc: { type: 'json', nullable: true, json: { a: 'integer' } },
        team_id: { type: 'integer', nullable: true },
        gone: { type: 'datetime', nullable: true },
        ...of({
          salary: { type: 'integer', nullable: true, read },
          badge: { type: 'string', nullable: true, unique: true, read },
          org_id: { type: 'integer', nullable: true, read, default: 1 },
          notes: { type: 'json', nullable: true, read, json: { code: 'text' } },
          rate: { type: 'decimal', precision: 8, scale: 2, nullable: true, read },
          level: { type: 'enum', enum: ['low', 'high'], nullable: true, read },
          hired: { type: 'date', nullable: true, read },
          led_id: { type: 'integer', nullable: true, read },
          boss_id: { type: 'integer', nullable: true, read },
          phrase: {
            type: 'string',
            maxLength: 20,
            nullable: true,
            ...(isOpen ? { read } : { writeOnly: true }),
          },
        } as const),
      } as never,
      ...(secret ? { unique: [['org_id', 'number']] } : {}),
      search: ['name', ...(secret ? ['badge'] : [])],
      computed: of({
        yearly: {
          type: 'integer',
          nullable: true,
          read,
          // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
          expression: (eb: any) => eb('salary', '*', eb.val(12)),
        },
      }),
      relations: {
        team: belongsTo('Team', 'team_id'),
        skills: manyToMany('Skill', { through: 'mastery', from: 'person_id', to: 'skill_id' }),
        ...of({
          led: belongsTo('Team', 'led_id'),
          boss: belongsTo('Person', 'boss_id'),
          reports: hasMany('Person', 'boss_id'),
        }),
      },
      meta: {},
    } as never),
    defineModel('Skill', {
      columns: { id, name: { type: 'string' } },
      relations: {
        people: manyToMany('Person', { through: 'mastery', from: 'skill_id', to: 'person_id' }),
      },
      meta: {},
    }),
    defineModel('Mastery', {
      table: 'mastery',
      columns: {
        id,
        person_id: { type: 'integer' },
        skill_id: { type: 'integer' },
        ...of({ score: { type: 'integer', nullable: true, read } as const }),
      },
      meta: {},
    }),
  ]
}

export const config: ApiConfig = {
  API_SCHEMA_CHECK: 'off',
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'gone',
  API_SOFT_DELETE_VALUES: [null, 'now'],
  API_LIST_ETAGS: true,
  API_HTML_PAGES: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Persons 4 to 7 are deleted. Whether the boss of 6, and the first reports of 7, are deleted depends on the values. */
const people = (values: number): readonly Row[] =>
  [1, 2, 3, 4, 5, 6, 7].map((key) => ({
    id: key,
    name: `P${key}`,
    email: `p${key}@example.org`,
    number: 10 + key,
    grade: 'A',
    doc: { a: key },
    team_id: 1 + (key % 2),
    gone: key >= 4 ? '2025-01-01T00:00:00.000Z' : null,
    salary: values === 1 ? 100 * key : 900 - key,
    badge: values === 1 ? `b-${key}` : `z-${key < 5 ? 5 - key : key}`,
    org_id: values === 1 ? 1 : 7,
    notes: values === 1 ? { code: `c${key}` } : null,
    rate: values === 1 ? `${key}.50` : '9.00',
    level: values === 1 ? 'low' : key % 2 === 0 ? 'high' : null,
    hired: values === 1 ? `2020-01-0${key}` : '1999-12-31',
    led_id: values === 1 ? (key === 7 ? 3 : 1) : 2,
    boss_id: bossOf(key, values),
    phrase: values === 1 ? `c-${key}` : `d-${key}`,
  }))

function bossOf(key: number, values: number): number | null {
  if (key === 6) return values === 1 ? 5 : 3
  if (values === 1) return key === 1 ? null : 1
  return key === 3 ? null : 3
}

export const rowsOf = (values: number): Readonly<Record<string, readonly Row[]>> => ({
  Team: [
    { id: 1, name: 'T1', budget: values },
    { id: 2, name: 'T2', budget: 5 * values },
    { id: 3, name: 'T3', budget: null },
  ],
  Person: people(values),
  Skill: [
    { id: 1, name: 'S1' },
    { id: 2, name: 'S2' },
  ],
  Mastery: [
    { id: 1, person_id: 1, skill_id: 1, score: values },
    { id: 2, person_id: 2, skill_id: 2, score: 3 - values },
  ],
})

/** The field that the clerk may write but not read. */
export const writeOnly = 'phrase'

/** Fields that the clerk may not read, each with values that a guess may hit. */
export const guesses: Readonly<Record<string, readonly [JsonValue, JsonValue]>> = {
  salary: [100, 899],
  badge: ['b-1', 'z-4'],
  org_id: [1, 7],
  notes: [{ code: 'c1' }, null],
  rate: ['1.50', '9.00'],
  level: ['low', 'high'],
  hired: ['2020-01-01', '1999-12-31'],
  led_id: [1, 2],
  boss_id: [1, 3],
  yearly: [1200, 10788],
  phrase: ['c-1', 'd-1'],
}
const relations = ['boss', 'reports', 'led']

const json = { 'content-type': 'application/json' }
const merge = { 'content-type': 'application/merge-patch+json' }

const get = (url: string, headers = {}): Asked => ({ method: 'GET', url, headers })
const write = (method: string, url: string, body?: unknown, headers: Row = json): Asked => ({
  method,
  url,
  body,
  headers: headers as Record<string, string>,
})
const batch = (...operations: readonly object[]): Asked =>
  write('POST', '/api/batch', {
    operations: operations.map((one, i) => ({ id: 'abc'[i], ...one })),
  })

const made = (more: Row = {}): Row => ({
  name: 'New',
  email: 'new@example.org',
  number: 77,
  ...more,
})

/** The fields of a stored person that the clerk reads: an upsert of them changes nothing. */
const asStored = (key: number): Row => ({
  name: `P${key}`,
  email: `p${key}@example.org`,
  number: 10 + key,
  grade: 'A',
  doc: { a: key },
  team_id: 1 + (key % 2),
})

function readsOf(field: string, [one, other]: readonly [JsonValue, JsonValue]): Asked[] {
  const text = (value: JsonValue) => (typeof value === 'object' ? 'c1' : String(value))
  const [a, b] = [text(one), text(other)]
  const urls = [
    ...['eq', 'ne', 'lt', 'ge', 'like', 'ilike', 'startswith', 'contains'].flatMap((op) => [
      `people?${field}__${op}=${a}`,
      `people?${field}__${op}=${b}`,
    ]),
    `people?${field}__in=(${a},${b})`,
    `people?${field}__between=(${a},${b})`,
    `people?${field}__isnull=true`,
    `people?${field}.code__eq=c1`,
    `people?${field}=${a}`,
    `people?or[id__eq=1,${field}__eq=${a}]`,
    `people?not[${field}__isnull=true]`,
    `people?search=${a}`,
    `people?order_by=-${field}&limit=1`,
    `people?order_by=${field}.nullsfirst`,
    `people?order_by=${field},id&distinct_on=${field}`,
    `people?order_by=${field}&paging=cursor&limit=1`,
    `people?fields=${field}`,
    `people?fields=id,${field}`,
    `people/1?fields=${field}`,
    `people?groupby=${field}`,
    `people?groupby=grade&${field}|x__max=1&x__gt=1`,
    `people?groupby=grade|${field}`,
    `people?${field}__count=1`,
    `people?id|${field}__count=1`,
    `people?groupby=year(${field})`,
    `people?aggregate=${field}__max`,
    `people?join=team&fields=${field},team.name`,
    `teams?join=staff&staff.${field}__eq=${a}`,
    `teams?exists(staff.${field}__eq=${a})`,
    `teams?missing(staff.${field}__eq=${a})`,
    `teams?dump=json&staff[${field}__eq=${a}]`,
    `teams?dump=json&staff.order_by=${field}`,
    `teams?dump=json&staff.fields=${field}`,
    `teams?join=staff&groupby=name&staff.${field}|x__max=1`,
    `teams/1/staff?${field}__eq=${a}`,
    `teams/1/staff?order_by=-${field}&limit=1`,
    `skills?exists(people.${field}__eq=${a})`,
    `teams?fields=id,count(staff[${field}__eq=${a}])`,
    `teams?fields=max(staff.${field})|x`,
    `teams?fields=id,count(staff)|${field}`,
    `teams?count(staff[${field}__eq=${a}])__ge=1`,
    `teams?min(staff.${field})__eq=${a}`,
    `teams?order_by=-max(staff.${field})`,
    `teams?dump=json&staff.fields=-${field}`,
    `skills?sum(people.${field})__gt=1`,
    `people?fields=*,-${field}`,
    `people?fields=id,count(${field})`,
    `skills?join=people&people.${field}__eq=${a}`,
    `people?include_deleted=true&${field}__eq=${a}`,
    `people?count=exact&${field}__eq=${a}`,
    `people?${field.slice(0, -1)}__eq=1`,
    `people?${field}s__eq=1`,
    `people?order_by=${field}x`,
    `people/1/${field}`,
    `people?paging=cursor&limit=1&after=${btoa(`["${field}",1]`)}`,
  ]
  const accepts = [{}, { accept: 'text/html' }, { accept: 'application/problem+json' }]
  return urls.map((url, i) => get(`/api/${url}`, accepts[i % 3]))
}

function writesOf(field: string, values: readonly [JsonValue, JsonValue]): Asked[] {
  return values.flatMap((value): Asked[] => [
    write('PATCH', '/api/people/1', { [field]: value }),
    write('PATCH', '/api/people/1', { name: 'Q', [field]: value }),
    write('PATCH', '/api/people/1', { [field]: value }, merge),
    write('PATCH', '/api/people/1', { [field]: { code: 'c1' } }, merge),
    write('PATCH', '/api/people', [{ id: 1, [field]: value }]),
    write('PATCH', '/api/people', [
      { id: 2, name: 'x' },
      { id: 1, [field]: value },
    ]),
    write('PATCH', `/api/people?${field}__eq=${String(value)}`, { name: 'Q' }),
    write('DELETE', `/api/people?${field}__eq=${String(value)}`),
    write('DELETE', `/api/people?id__eq=1&${field}__eq=${String(value)}&max_affected=1`),
    write('PUT', '/api/people/1', { name: 'Q', email: 'p1@example.org', [field]: value }),
    write('POST', '/api/people', made({ [field]: value })),
    write('POST', '/api/people', [made({ [field]: value })]),
    write('POST', `/api/people?on_conflict=${field}`, made({ [field]: value })),
    write('POST', `/api/people?on_conflict=${field},number`, made({ [field]: value, number: 11 })),
    write('POST', `/api/people?on_conflict=id`, { ...made(), id: 1, [field]: value }),
    write('POST', '/api/people?on_conflict=email', { ...asStored(1), [field]: value }),
    write('POST', '/api/people?on_conflict=email', [
      asStored(2),
      { ...asStored(1), [field]: value },
    ]),
    write('POST', `/api/people?on_conflict=email&fields=${field}`, asStored(1)),
    ...[field, 'email'].flatMap((by) => [
      write('POST', `/api/skills?people.on_conflict=${by}`, {
        name: 'S',
        people: [{ ...asStored(1), [field]: value }],
      }),
      write('POST', `/api/skills?people.on_conflict=${by}`, {
        name: 'S',
        people: [made({ [field]: value })],
      }),
    ]),
    write('POST', `/api/people?fields=${field}`, [made()]),
    write('PATCH', `/api/people?fields=id,${field}`, [{ id: 1, name: 'Q' }]),
    write('PATCH', `/api/people/1?fields=${field}`, { name: 'Q' }),
    write('PATCH', `/api/people?id__eq=1&fields=${field}`, { name: 'Q' }),
    write('POST', `/api/people/4/restore?fields=${field}`),
    write('POST', '/api/people/4/restore', { [field]: value }),
    write('DELETE', `/api/people?${field}__eq=${String(value)}&cascade_delete=1`),
    write('DELETE', `/api/teams?exists(staff.${field}__eq=${String(value)})`),
    write('POST', '/api/teams', { name: 'T', staff: [made({ [field]: value })] }),
    write('POST', '/api/teams', { name: 'T', staff: [{ id: 1, [field]: value }] }),
    write('PATCH', '/api/teams/1', { staff: [{ id: 1, [field]: value }] }),
    write('PATCH', '/api/teams/1?staff.on_missing=remove', {
      staff: [{ id: 1, name: 'Q' }, made({ [field]: value })],
    }),
    write('PATCH', '/api/teams', [{ id: 1, staff: [{ id: 1, name: 'Q', [field]: value }] }]),
    write('PUT', '/api/teams/1', { name: 'T', staff: [{ id: 1, [field]: value }] }),
    write('POST', '/api/skills', { name: 'S', people: [{ id: 1, [field]: value }] }),
    write('PATCH', '/api/skills/1', { people: [{ id: 1, [field]: value }] }),
    batch(
      { method: 'PATCH', url: '/api/people/1', body: { name: 'Q' } },
      { method: 'GET', url: `/api/people/{a.${field}}` },
    ),
    batch(
      { method: 'GET', url: '/api/people/1' },
      { method: 'PATCH', url: '/api/people/2', body: { name: { $ref: `a.${field}` } } },
    ),
    batch(
      { method: 'POST', url: '/api/people', body: made() },
      { method: 'PATCH', url: '/api/people/{a.id}', body: { [field]: value } },
    ),
  ])
}

const others: readonly Asked[] = [
  get('/api'),
  ...[
    '/api/people',
    '/api/people?limit=1',
    '/api/people/1',
    '/api/people?dump=json',
    '/api/teams?dump=json',
    '/api/people/1?dump=hybrid&join=team',
    '/api/people/4',
    '/api/people?include_deleted=true',
    '/api/mastery',
    '/api/mastery?score__eq=1',
    '/api/masteries?score__eq=1',
    '/api/teams?budget__gt=1',
    '/api/people?join=team&team.budget__gt=1',
    '/api/people?order_by=team.budget&join=team',
    '/api/people?search=b-1',
    '/api/people?search=z-',
    '/api/people?search=b-1&id__count=1',
  ].flatMap((url) => [get(url), get(url, { accept: 'text/html' }), { method: 'HEAD', url }]),
  ...relations.flatMap((name) => [
    ...[
      `people?join=${name}`,
      `people?exists(${name})`,
      `people?missing(${name})`,
      `people?exists(${name}.id__eq=1)`,
      `people/1/${name}`,
      `people/2/${name}`,
      `people/2/${name}s`,
      `people?join=${name}x`,
      `teams?exists(${name})`,
      `teams/1/${name}`,
      `people?dump=json&${name}.limit=1`,
      `people?join=team.${name}`,
      `teams?join=staff.${name}`,
      `people?fields=${name}`,
      `people?${name}.name__eq=P1`,
      `people?order_by=${name}.name`,
      `people?groupby=${name}.name&id__count=1`,
    ].map((url) => get(`/api/${url}`)),
    ...[
      null,
      `/api/people/2/${name}`,
      { id: 1 },
      { id: 99 },
      { name: 'x' },
      [],
      [{ id: 1 }],
    ].flatMap((value) => [
      write('PATCH', '/api/people/2', { [name]: value }),
      write('PUT', '/api/people/2', { name: 'Q', email: 'p2@example.org', [name]: value }),
      write('POST', '/api/people', made({ [name]: value })),
      write('PATCH', '/api/people', [{ id: 2, [name]: value }]),
      write('PATCH', '/api/teams/1', { [name]: value }),
      write('POST', '/api/teams', { name: 'T', [name]: value }),
      write('PATCH', `/api/teams/1?${name}.on_missing=remove`, { [name]: value }),
      write('PATCH', `/api/people/2?${name}.on_missing=remove`, { [name]: value }),
      write('PATCH', '/api/teams/1', { staff: [{ id: 1, [name]: value }] }),
    ]),
  ]),
  write('PATCH', '/api/people/1', { name: 'Q' }),
  write('PATCH', '/api/people/1?dump=json', { name: 'Q' }),
  write('PATCH', '/api/people/1', { name: 'Q' }, { ...json, prefer: 'return=minimal' }),
  write('PATCH', '/api/people/1', { doc: { b: 1 } }, merge),
  write('PATCH', '/api/people/1', { grade: 'A' }),
  write('PATCH', '/api/people/1', { grade: 'B' }),
  write('PATCH', '/api/people?number__gt=11', { name: 'Q' }),
  write('PUT', '/api/people/1', { name: 'Q', email: 'p1@example.org' }),
  write('PUT', '/api/people/1', { name: 'Q' }),
  write('POST', '/api/people', made()),
  write('POST', '/api/people', [made(), made({ email: 'n2@example.org', number: 78 })]),
  write('POST', '/api/people', made({ email: 'p1@example.org' })),
  write('POST', '/api/people?on_conflict=email', made({ email: 'p1@example.org' })),
  write('POST', '/api/people?on_conflict=email', [
    made({ email: 'p1@example.org' }),
    made({ number: 78 }),
  ]),
  write('POST', '/api/people?on_conflict=email', asStored(1)),
  write('POST', '/api/people?on_conflict=email', asStored(1), {
    ...json,
    prefer: 'return=minimal',
  }),
  write('POST', '/api/people?on_conflict=email', [asStored(2), asStored(1)]),
  write('POST', '/api/people?on_conflict=email', [asStored(1), made()]),
  // The unique value of a deleted person.
  write('POST', '/api/people?on_conflict=email', { ...asStored(4), name: 'Q' }),
  ...relations.map((name) =>
    write('POST', '/api/people?on_conflict=email', [
      { ...asStored(1), team: { id: 1 } },
      { ...asStored(2), [name]: { id: 1 } },
    ]),
  ),
  write('POST', '/api/people', [
    made({ team: { id: 1 }, team_id: undefined }),
    made({ email: 'n2@example.org', number: 78, team: { id: 99 } }),
  ]),
  write('PATCH', '/api/people', [
    { id: 1, team: { id: 1 } },
    { id: 2, team: { id: 1 } },
  ]),
  // Persons by name: a stored one, the unique value of a deleted one, a new one; and keys with columns of the caller and others.
  write('POST', '/api/skills?people.on_conflict=email', {
    name: 'S',
    people: [{ email: 'p1@example.org' }, made()],
  }),
  write('POST', '/api/skills?people.on_conflict=email', [
    { name: 'S', people: [{ email: 'p2@example.org' }] },
    { name: 'T', people: [{ ...asStored(4), name: 'Q' }] },
  ]),
  write('PATCH', '/api/skills/1?people.on_conflict=email', {
    people: [{ email: 'p2@example.org' }, made()],
  }),
  ...['number', 'org_id,number', 'badge', 'badg', 'org_i,number'].map((by) =>
    write('POST', `/api/skills?people.on_conflict=${by}`, {
      name: 'S',
      people: [made({ number: 12 })],
    }),
  ),
  write('POST', '/api/people?on_conflict=number', made({ number: 12 })),
  write('POST', '/api/people?on_conflict=org_id,number', made({ number: 12 })),
  write('POST', '/api/people?on_conflict=badg', made()),
  write('POST', '/api/people?on_conflict=org_i,number', made()),
  write('POST', '/api/people?on_conflict=budget', made()),
  write('POST', '/api/people/4/restore'),
  write('POST', '/api/people/1/restore'),
  write('POST', '/api/people/5/restore'),
  write('POST', '/api/people/6/restore'),
  write('POST', '/api/people/6/restore', {}, { ...json, 'if-match': '"stale"' }),
  write('POST', '/api/people/99/restore'),
  write('DELETE', '/api/people/2'),
  write('DELETE', '/api/people/2?cascade_delete=1'),
  write('DELETE', '/api/people?id__in=(2,4)&cascade_delete=1'),
  write('DELETE', '/api/people?id__in=(2,3)'),
  write('POST', '/api/teams', { name: 'T', staff: [made()] }),
  write('POST', '/api/teams?dump=json', { name: 'T', budget: 1, staff: [made()] }),
  write('PATCH', '/api/teams/1', { staff: [{ id: 1, name: 'Q' }, made()] }),
  write('PATCH', '/api/teams/1', { staff: [{ id: 1, grade: 'B' }] }),
  write('PATCH', '/api/teams/1', { staff: [{ id: 4, name: 'Q' }] }),
  write('PATCH', '/api/teams/1?staff.on_missing=remove&dump=json', { staff: [] }),
  write('PUT', '/api/teams/1', { name: 'T', staff: [{ id: 1 }] }),
  write('PATCH', '/api/teams/1', { budget: 1 }),
  write('PATCH', '/api/people/1', { team: { id: 1, budget: 1 } }),
  write('PATCH', '/api/people/1', { team: { id: 2, budget: 1 } }),
  write('PATCH', '/api/people/1', { team: { id: 1, budget: 5 } }),
  write('PATCH', '/api/people/1', { skills: [{ id: 1 }, { id: 2 }] }),
  write('PATCH', '/api/people/1?dump=json', { skills: [] }),
  write('PATCH', '/api/mastery/1', { score: 1 }),
  write('PATCH', '/api/masteries/1', { score: 1 }),
  write('PATCH', '/api/masteries/1', { score: 2 }),
  write('POST', '/api/masteries', { person_id: 2, skill_id: 1 }),
  write('POST', '/api/masteries', { person_id: 2, skill_id: 1, score: 1 }),
  batch(
    { method: 'PATCH', url: '/api/people/1', body: { name: 'Q' } },
    { method: 'GET', url: '/api/people?dump=json' },
    { method: 'GET', url: '/api/people/{a.id}' },
  ),
  batch(
    { method: 'POST', url: '/api/people', body: made() },
    { method: 'GET', url: '/api/people/{a.id}' },
  ),
]

/** Deletions that reveal who refers to a record by a column that the caller may not read: docs/guide/access.md, "What a policy cannot hide". */
export const deletions: readonly Asked[] = [
  write('DELETE', '/api/people/1?cascade_delete=1'),
  write('DELETE', '/api/people/3?cascade_delete=1'),
  write('DELETE', '/api/people?id__eq=3&cascade_delete=1'),
  write('DELETE', '/api/teams/3'),
  write('DELETE', '/api/teams?id__eq=3'),
]

/**
 * Those whose writes differ: a plain column, a unique one, one with a default in a unique set, a document, a foreign key, a computed one,
 * and the one that clients may write.
 */
const written = ['salary', 'badge', 'org_id', 'notes', 'led_id', 'yearly', writeOnly]

export const doors: Readonly<Record<string, readonly Asked[]>> = {
  ...Object.fromEntries(
    Object.entries(guesses).flatMap(([field, values]) => [
      [`reads of ${field}`, readsOf(field, values)],
      ...(written.includes(field) ? [[`writes of ${field}`, writesOf(field, values)]] : []),
    ]),
  ),
  'relations, searches, and records as a whole': others,
}
