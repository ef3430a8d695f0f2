/** The requests to tables of any size: through model-api, and as statements by hand. */
import type { Next } from '../ask.ts'
import { ownersOf, type RowsDatabase } from './data.ts'

/** One request to model-api. */
export interface ApiAsk {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  /** JSON text. */
  readonly body?: string
}

/** A statement by hand, with `?` for each parameter. */
export interface Statement {
  readonly text: string
  readonly parameters?: readonly unknown[]
}

export interface Question {
  readonly name: string
  /** Whether the work by hand also grows with the table, as for whole counts and far pages by number. */
  readonly grows?: true
  /** The relation that the response embeds. By hand, the last statement reads its rows. */
  readonly embeds?: 'owner' | 'items'
  readonly api: (next: Next, given: Given) => ApiAsk
  /** The statements by hand, in order. The rows of the first one are compared with those of model-api. */
  readonly hand: (next: Next, given: Given) => readonly Statement[]
}

/** The properties of the table that a request depends on. */
export interface Given {
  readonly database: RowsDatabase
  readonly rows: number
  /** Links to the page after the middle of the table, by the title of the request. */
  readonly links: Readonly<Record<string, string>>
}

const page = 20
const flat = 'dump_relationships=false'
const embedding = `limit=${page}&count=none`
const list = `${embedding}&${flat}`
export const columns = 'id, owner_id, title, state, price, pieces, created_at'

const get = (url: string): ApiAsk => ({ method: 'GET', url })
const one = (text: string, ...parameters: unknown[]): readonly Statement[] => [{ text, parameters }]

/** Returns the time of the item in the middle of the order by time. */
const middleTime = (rows: number): string =>
  new Date(Date.UTC(2015, 0, 1) + Math.floor(rows / 2) * 1000).toISOString().slice(0, 19)

const secondsAfter = (moment: string, seconds: number): string =>
  new Date(Date.parse(`${moment}Z`) + seconds * 1000).toISOString().slice(0, 19)

/** A page in the middle of the table, selected by conditions, and the same list without the conditions. */
export interface CursorPage {
  readonly list: string
  readonly conditions: (rows: number) => string
}

/** The pages from which cursors come. The `next_url` of such a page continues in the list of all items. */
export const cursorPages: Readonly<Record<string, CursorPage>> = {
  'page by cursor, order of ids': {
    list: `/api/items?paging=cursor&${list}`,
    conditions: (rows) => `id__gt=${rows / 2 - page}`,
  },
  'page by cursor, order of times': {
    list: `/api/items?paging=cursor&order_by=created_at&${list}`,
    conditions: (rows) => {
      const middle = middleTime(rows)
      return `created_at__ge=${middle}&created_at__lt=${secondsAfter(middle, 60)}`
    },
  },
  'page by cursor, latest first': {
    list: `/api/items?paging=cursor&order_by=-created_at&${list}`,
    conditions: (rows) => {
      const middle = middleTime(rows)
      return `created_at__le=${middle}&created_at__gt=${secondsAfter(middle, -60)}`
    },
  },
}

const constant: readonly Question[] = [
  {
    name: 'one by id',
    api: (next, { rows }) => get(`/api/items/${1 + next(rows)}?${flat}`),
    hand: (next, { rows }) => one(`select ${columns} from items where id = ?`, 1 + next(rows)),
  },
  {
    name: 'first page',
    api: () => get(`/api/items?${list}`),
    hand: () => one(`select ${columns} from items order by id limit ${page}`),
  },
  {
    name: 'first page, latest first',
    api: () => get(`/api/items?order_by=-created_at&${list}`),
    hand: () => one(`select ${columns} from items order by created_at desc limit ${page}`),
  },
  {
    name: 'items of an owner, with total',
    api: (next, { rows }) =>
      get(`/api/items?owner_id__eq=${1 + next(ownersOf(rows))}&limit=${page}&${flat}`),
    hand: (next, { rows }) => {
      const owner = 1 + next(ownersOf(rows))
      return [
        {
          text: `select ${columns} from items where owner_id = ? order by id limit ${page}`,
          parameters: [owner],
        },
        { text: 'select count(*) from items where owner_id = ?', parameters: [owner] },
      ]
    },
  },
  {
    name: 'half of all, latest first',
    api: () => get(`/api/items?pieces__ge=500&order_by=-created_at&${list}`),
    hand: () =>
      one(
        `select ${columns} from items where pieces >= ? order by created_at desc limit ${page}`,
        500,
      ),
  },
  {
    name: 'an hour of items, by time',
    api: (next, { rows }) => {
      const from = new Date(Date.UTC(2015, 0, 1) + next(rows - 3600) * 1000)
      const to = new Date(from.getTime() + 3_600_000)
      return get(
        `/api/items?created_at__ge=${from.toISOString()}&created_at__lt=${to.toISOString()}&order_by=created_at&${list}`,
      )
    },
    hand: (next, { rows }) => {
      const from = new Date(Date.UTC(2015, 0, 1) + next(rows - 3600) * 1000)
      const to = new Date(from.getTime() + 3_600_000)
      return one(
        `select ${columns} from items where created_at >= ? and created_at < ? order by created_at limit ${page}`,
        ...[from, to].map((moment) => moment.toISOString().slice(0, 19).replace('T', ' ')),
      )
    },
  },
  {
    name: 'page by cursor, order of ids',
    api: (_, { links }) => get(links['page by cursor, order of ids'] ?? ''),
    hand: (_, { rows }) =>
      one(`select ${columns} from items where id > ? order by id limit ${page}`, rows / 2),
  },
  {
    name: 'page by cursor, order of times',
    api: (_, { links }) => get(links['page by cursor, order of times'] ?? ''),
    hand: (_, { rows }) =>
      one(
        `select ${columns} from items where created_at >= ? order by created_at limit ${page}`,
        secondsAfter(middleTime(rows), page).replace('T', ' '),
      ),
  },
  {
    name: 'page by cursor, latest first',
    api: (_, { links }) => get(links['page by cursor, latest first'] ?? ''),
    hand: (_, { rows }) =>
      one(
        `select ${columns} from items where created_at <= ? order by created_at desc limit ${page}`,
        secondsAfter(middleTime(rows), -page).replace('T', ' '),
      ),
  },
  {
    name: 'items with their owners',
    embeds: 'owner',
    api: () => get(`/api/items?join=owner&join_type=left&${embedding}`),
    hand: () =>
      one(
        `select i.*, o.name from (select ${columns} from items order by id limit ${page}) i left join owners o on o.id = i.owner_id order by i.id`,
      ),
  },
  {
    name: 'owners with their items',
    embeds: 'items',
    api: () => get(`/api/owners?join=items&join_type=left&${embedding}`),
    hand: () => [
      { text: `select id, name from owners order by id limit ${page}` },
      {
        text: `select ${columns} from (select id as owner from owners order by id limit ${page}) o join items on owner_id = o.owner order by id`,
      },
    ],
  },
  {
    name: 'owners that have items, with these',
    embeds: 'items',
    api: () => get(`/api/owners?join=items&${embedding}`),
    hand: () => [
      {
        text: `select id, name from owners o where exists (select 1 from items where owner_id = o.id) order by id limit ${page}`,
      },
      {
        text: `select ${columns} from (select id as owner from owners order by id limit ${page}) o join items on owner_id = o.owner order by id`,
      },
    ],
  },
  {
    name: 'owners with an item of half of all',
    api: () => get(`/api/owners?exists(items.pieces__ge=500)&${list}`),
    hand: () =>
      one(
        `select id, name from owners o where exists (select 1 from items where owner_id = o.id and pieces >= ?) order by id limit ${page}`,
        500,
      ),
  },
  {
    name: 'items of an owner by name',
    api: (next, { rows }) =>
      get(`/api/items?exists(owner.name__eq=owner%20${1 + next(ownersOf(rows))})&${list}`),
    hand: (next, { rows }) =>
      one(
        `select ${columns} from items where owner_id in (select id from owners where name = ?) order by id limit ${page}`,
        `owner ${1 + next(ownersOf(rows))}`,
      ),
  },
  {
    name: 'groups of an owner’s items',
    api: (next, { rows }) =>
      get(
        `/api/items?owner_id__eq=${1 + next(ownersOf(rows))}&groupby=state&price|sum__sum=1&limit=${page}`,
      ),
    hand: (next, { rows }) =>
      one(
        `select state, sum(price) as sum from items where owner_id = ? group by state order by state limit ${page}`,
        1 + next(ownersOf(rows)),
      ),
  },
  {
    name: 'total of at most 10,000',
    api: () => get(`/api/items?limit=${page}&count=capped&${flat}`),
    hand: () => [
      { text: `select ${columns} from items order by id limit ${page}` },
      { text: 'select count(*) from (select 1 from items limit 10001) c' },
    ],
  },
  {
    name: 'page with a number of related items',
    api: () => get(`/api/owners?fields=id,name,count(items)|n&${embedding}`),
    hand: () =>
      one(
        `select id, name, (select count(*) from items where owner_id = owners.id) as n from owners order by id limit ${page}`,
      ),
  },
  {
    name: 'page with four aggregates of related items',
    api: () =>
      get(
        `/api/owners?fields=id,name,count(items)|n,sum(items.pieces)|s,min(items.title)|t,max(items.pieces)|m&order_by=-id&${embedding}`,
      ),
    hand: () =>
      one(
        `select id, name, ${['count(*)', 'sum(pieces)', 'min(title)', 'max(pieces)'].map((of) => `(select ${of} from items where owner_id = owners.id)`).join(', ')} from owners order by id desc limit ${page}`,
      ),
  },
  {
    name: 'change of one',
    api: (next, { rows }) => ({
      method: 'PATCH',
      url: `/api/items/${1 + next(rows)}`,
      body: JSON.stringify({ pieces: next(1000) }),
    }),
    hand: (next, { rows, database }) => {
      const id = 1 + next(rows)
      const change = 'update items set pieces = ? where id = ?'
      const parameters = [next(1000), id]
      return database === 'postgres'
        ? [{ text: `${change} returning ${columns}`, parameters }]
        : [
            { text: change, parameters },
            { text: `select ${columns} from items where id = ?`, parameters: [id] },
          ]
    },
  },
]

const growing: readonly Question[] = [
  {
    name: 'total of all',
    grows: true,
    api: () => get(`/api/items?limit=${page}&${flat}`),
    hand: () => [
      { text: `select ${columns} from items order by id limit ${page}` },
      { text: 'select count(*) from items' },
    ],
  },
  {
    name: 'page in the middle, by number',
    grows: true,
    api: (_, { rows }) => get(`/api/items?page=${rows / 2 / page}&${list}`),
    hand: (_, { rows }) =>
      one(`select ${columns} from items order by id limit ${page} offset ${rows / 2 - page}`),
  },
  {
    name: 'order by the number of related items',
    grows: true,
    api: () => get(`/api/owners?order_by=-count(items[state__eq=open])&${list}`),
    // The cheaper of two plans: groups on PostgreSQL, a subquery for each owner elsewhere.
    hand: (_, { database }) =>
      one(
        database === 'postgres'
          ? `select id, name from owners left join (select owner_id, count(*) as n from items where state = 'open' group by owner_id) g on owner_id = id order by coalesce(n, 0) desc, id limit ${page}`
          : `select id, name from owners order by (select count(*) from items where owner_id = owners.id and state = 'open') desc, id limit ${page}`,
      ),
  },
  {
    name: 'newest item of each owner, with total',
    grows: true,
    api: () =>
      get(`/api/items?distinct_on=owner_id&order_by=owner_id,-created_at&limit=${page}&${flat}`),
    hand: (_, { database }) => [
      {
        text:
          database === 'postgres'
            ? `select distinct on (owner_id) ${columns} from items order by owner_id, created_at desc, id limit ${page}`
            : `select ${columns} from (select items.*, row_number() over (partition by owner_id order by created_at desc, id) as r from items) i where r = 1 order by owner_id limit ${page}`,
      },
      { text: 'select count(distinct owner_id) from items' },
    ],
  },
  {
    name: 'groups of all items',
    grows: true,
    api: () => get(`/api/items?groupby=state&price|sum__sum=1&limit=${page}`),
    hand: () =>
      one(`select state, sum(price) as sum from items group by state order by state limit ${page}`),
  },
]

export const questions: readonly Question[] = [...constant, ...growing]
