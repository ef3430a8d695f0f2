/** People, tasks and what belongs to them: models in which every kind of write has its difficult cases. */
import type { AnyModel, ApiConfig, Column } from '@model-api/core'
import { CompiledQuery } from 'kysely'
import { type HookLog, hookMaker, type Variant } from './hooks.ts'
import { type Any, diceOf, type Next, type Row, type TestDatabase, type Tools } from './tools.ts'

export interface World {
  readonly models: readonly AnyModel[]
  /** The models, and one that is no endpoint: the table into which callbacks write. */
  readonly tables: readonly AnyModel[]
  readonly config: ApiConfig
}

/** The tables without a model: pairs of many-to-many relations. */
export const junctions: Readonly<Record<string, readonly [from: string, to: string]>> = {
  friends: ['person_id', 'friend_id'],
  person_tags: ['person_id', 'tag_id'],
  task_tags: ['task_id', 'tag_id'],
}

/** Columns that have the same declaration in every model. */
const usual: Row = {
  id: { type: 'integer', primaryKey: true, generated: true },
  created: { type: 'datetime', managed: 'created' },
  updated: { type: 'datetime', managed: 'updated' },
  deleted: { type: 'boolean', default: false },
}

/**
 * Declares columns by `name:type`, or `name:length` for a text, or `name` for a number; `!` is unique, `?` nullable. `more` has the
 * rest of a declaration.
 *
 * columnsOf('id name:20! age?') // generated key, a unique text of 20 characters, a number or NULL
 */
function columnsOf(text: string, more: Row = {}): Record<string, Column> {
  const columns = text.split(' ').map((word) => {
    const {
      name = '',
      type = 'integer',
      marks = '',
    } = /^(?<name>\w+)(:(?<type>\w+))?(?<marks>[!?]*)$/.exec(word)?.groups ?? {}
    const form = /^\d/.test(type) ? { type: 'string', maxLength: Number(type) } : { type }
    const digits = type === 'decimal' ? { precision: 8, scale: 2 } : {}
    const signs = { unique: marks.includes('!'), nullable: marks.includes('?') }
    return [name, { ...(usual[name] ?? { ...form, ...digits, ...signs }), ...more[name] }]
  })
  return Object.fromEntries(columns)
}

/** Makes the models of one chunk; the random numbers decide which of them have soft delete, hooks and validators. */
export function makeWorld(
  { core }: Pick<Tools, 'core'>,
  log: HookLog,
  next: Next,
  variant: Variant,
): World {
  const { belongsTo } = core
  const hooks = hookMaker(core, log, next, variant)
  const { chance, one } = diceOf(next)
  const key = { primaryKey: true }
  /** A list of children, some of which are deleted with their parent, or lose their reference. */
  const children =
    (kind: 'hasMany' | 'hasOne', ...actions: readonly string[]) =>
    (target: string, key: Any): Any =>
      core[kind](target, key, chance(50) ? {} : ({ on_delete: one(actions) } as Any))
  const hasMany = children('hasMany', 'cascade', 'null')
  const owning = children('hasMany', 'cascade')
  const hasOne = children('hasOne', 'cascade')

  const links = (target: string, through: string, from: string, to: string) =>
    core.manyToMany(target, { through, from, to })
  const soft = (percent: number, attribute: string, deleted?: unknown): Row =>
    chance(percent)
      ? {
          soft_delete: true,
          soft_delete_attribute: attribute,
          ...(deleted !== undefined && { soft_delete_values: [null, deleted] }),
        }
      : {}
  const model = (
    name: string,
    table: string,
    text: string,
    more: Row,
    relations: Row,
    rest: Row = {},
  ): AnyModel => {
    const owner_id = { default: hooks.fallback(name, 'owner_id', ({ user }) => user.id) }
    const note = { validator: hooks.validator(name, table) }
    const columns = columnsOf(`${text} note:40?`, { owner_id, note, ...more })
    const meta = { ...hooks.meta(name, table, Object.keys(columns)), ...rest.meta }
    return core.defineModel(name, { table, columns, relations, ...rest, meta } as Any)
  }
  const ends = (value: string, row: Row, args: Any): boolean | string => {
    log.add('Task', 'validator of ends', [value, row], args)
    return row.starts == null || value >= row.starts || 'Before it begins.'
  }

  const task_id = chance(30) ? { immutable: true } : {}
  const space = { hidden: true, default: hooks.fallback('Tag', 'space', () => 1) }

  const models = [
    model(
      'Country',
      'countries',
      'code:5 title:20 capital:20!?',
      { code: key },
      {
        people: hasMany('Person', 'country_code'),
      },
    ),
    model(
      'Person',
      'people',
      'id name:20! email:40!? age? score:decimal? boss_id? country_code:5? owner_id badge:20 secret:20? pin:20? created updated deleted',
      {
        email: { validator: 'email' },
        badge: { readOnly: true, default: hooks.fallback('Person', 'badge', () => 'new') },
        secret: { hidden: true },
        pin: { writeOnly: true, transform: hooks.transform('Person') },
      },
      {
        boss: belongsTo('Person', 'boss_id'),
        country: belongsTo('Country', 'country_code'),
        reports: hasMany('Person', 'boss_id'),
        passport: hasOne('Passport', 'person_id'),
        tasks: hasMany('Task', 'assignee_id'),
        assets: hasMany('Asset', 'person_id'),
        teams: links('Team', 'memberships', 'person_id', 'team_id'),
        watched: links('Task', 'watches', 'person_id', 'task_id'),
        friends: links('Person', 'friends', 'person_id', 'friend_id'),
        fans: links('Person', 'friends', 'friend_id', 'person_id'),
        tags: links('Tag', 'person_tags', 'person_id', 'tag_id'),
      },
      { meta: soft(50, 'deleted') },
    ),
    model(
      'Passport',
      'passports',
      'id person_id! number:20!',
      {},
      {
        person: belongsTo('Person', 'person_id'),
      },
    ),
    model(
      'Project',
      'projects',
      'id title:20! parent_id? owner_id deleted_at:datetime?',
      { id: { generated: false } },
      {
        parent: belongsTo('Project', 'parent_id'),
        children: hasMany('Project', 'parent_id'),
        tasks: hasMany('Task', 'project_id'),
      },
      { unique: [['owner_id', 'title']], meta: soft(60, 'deleted_at', 'now') },
    ),
    model(
      'Task',
      'tasks',
      'id title:20 project_id? number? code:10!? state:enum points starts:date? ends:date? doc:json? level parent_id? assignee_id? updated deleted',
      {
        state: { enum: ['open', 'done', 'shut'], default: 'open' },
        points: { default: hooks.fallback('Task', 'points', ({ many }) => (many ? 5 : 3)) },
        ends: { validator: ends },
        level: { immutable: true, default: 1 },
      },
      {
        project: belongsTo('Project', 'project_id'),
        parent: belongsTo('Task', 'parent_id'),
        children: hasMany('Task', 'parent_id'),
        assignee: belongsTo('Person', 'assignee_id'),
        comments: owning('Comment', 'task_id'),
        watchers: links('Person', 'watches', 'task_id', 'person_id'),
        tags: links('Tag', 'task_tags', 'task_id', 'tag_id'),
      },
      {
        unique: [['project_id', 'number']],
        meta: soft(50, 'deleted'),
      },
    ),
    model(
      'Comment',
      'comments',
      'id task_id author_id? text:30 updated',
      { task_id },
      {
        task: belongsTo('Task', 'task_id'),
        author: belongsTo('Person', 'author_id'),
        reactions: owning('Reaction', 'comment_id'),
      },
    ),
    model(
      'Reaction',
      'reactions',
      'id comment_id kind:10',
      {},
      { comment: belongsTo('Comment', 'comment_id') },
      { unique: [['comment_id', 'kind']] },
    ),
    model(
      'Tag',
      'tags',
      'id space name:10',
      { space },
      {
        people: links('Person', 'person_tags', 'tag_id', 'person_id'),
        tasks: links('Task', 'task_tags', 'tag_id', 'task_id'),
      },
      { unique: [['space', 'name']] },
    ),
    model(
      'Team',
      'teams',
      'id name:20! owner_id rank? gone:20?',
      {
        name: chance(30) ? { collation: 'database' } : {},
        rank: chance(40) ? { write: 'admin' } : chance(40) ? { read: 'admin' } : {},
      },
      { members: links('Person', 'memberships', 'team_id', 'person_id') },
      {
        meta: soft(
          50,
          'gone',
          hooks.fallback('Team', 'gone', ({ user }) => `by ${user.id}`),
        ),
      },
    ),
    model(
      'Membership',
      'memberships',
      'id personId team_id rank:10 created updated deleted',
      { personId: { column: 'person_id' }, rank: { default: 'member' } },
      { person: belongsTo('Person', 'personId'), team: belongsTo('Team', 'team_id') },
      { unique: [['personId', 'team_id']], meta: soft(70, 'deleted') },
    ),
    model(
      'Watch',
      'watches',
      'task_id person_id level',
      { task_id: key, person_id: key, level: { default: 1 } },
      { task: belongsTo('Task', 'task_id'), person: belongsTo('Person', 'person_id') },
    ),
    model(
      'Shelf',
      'shelves',
      'hall:10 number width',
      { hall: key, number: key },
      {
        boxes: hasMany('Box', ['hall', 'number']),
      },
    ),
    model(
      'Box',
      'boxes',
      'id hall:10? number? label:10?',
      {},
      { shelf: belongsTo('Shelf', ['hall', 'number']) },
      { unique: [['hall', 'label']] },
    ),
    model(
      'Asset',
      'assets',
      'id label:20! price:decimal size:bigint? weight:float? data:binary? seen:datetime? opens:time? person_id?',
      { id: { type: 'uuid', generated: 'uuid' }, price: { default: '1.5' } },
      { person: belongsTo('Person', 'person_id') },
    ),
  ]
  const Audit = core.defineModel('Audit', { table: 'audits', columns: columnsOf('id text:200') })
  const config = {
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOW_BULK: true,
    API_ALLOW_CASCADE_DELETE: true,
    API_ALLOW_BATCH: true,
    API_SCHEMA_CHECK: 'off',
    ...hooks.config(),
  } as ApiConfig
  return { models, tables: [...models, Audit], config }
}

/** Conditions of the database that the models do not know. */
const checks = {
  people: 'age >= 0',
  tasks: 'points < 1000',
  shelves: 'width > 0',
  friends: 'friend_id <> person_id',
}

const triggers = {
  sqlite: (when: string) => [
    `create trigger rule_${when} before ${when} on tasks when new.title = 'forbidden' begin select raise(abort, 'Not this title.'); end`,
  ],
  postgres: (when: string) => [
    `create function rule_${when}() returns trigger language plpgsql as $$ begin if new.title = 'forbidden' then raise exception 'Not this title.'; end if; return new; end $$`,
    `create trigger rule_${when} before ${when} on tasks for each row execute function rule_${when}()`,
  ],
  mysql: (when: string) => [
    `create trigger rule_${when} before ${when} on tasks for each row if new.title = 'forbidden' then signal sqlstate '45000' set message_text = 'Not this title.'; end if`,
  ],
}

/** Creates the tables, with CHECK constraints and sometimes a trigger, and inserts the first records. */
export async function fillWorld(
  { createTables, insertRows }: Pick<Tools, 'createTables' | 'insertRows'>,
  db: TestDatabase,
  { models, tables }: World,
  next: Next,
): Promise<void> {
  const run = (text: string) => db.kysely.executeQuery<Row>(CompiledQuery.raw(text))
  await createTables(db, tables)
  for (const [table, check] of Object.entries(checks)) {
    if (db.name !== 'sqlite') {
      await run(`alter table ${table} add constraint ${table}_rule check (${check})`)
      continue
    }
    // SQLite cannot add a constraint, but an empty table can be created again.
    const { rows } = await run(`select sql from sqlite_master where name = '${table}'`)
    await run(`drop table ${table}`)
    await run(`${rows[0]?.sql.slice(0, -1)}, check (${check}))`)
  }
  // A rule of which the models know nothing.
  await run('create unique index shelf_width on shelves (width)')
  if (next(2) === 0) {
    for (const ddl of ['insert', 'update'].flatMap(triggers[db.name])) await db.execScript(ddl)
  }
  for (const model of models) {
    const rows = Array.from({ length: rowsOfEach }, (_, i) => firstRow(model, i + 1, next))
    await insertRows(db, model, rows)
  }
  for (const [table, [from, to]] of Object.entries(junctions)) {
    const rows = [1, 2, 3].map((i) => ({ [from]: i, [to]: 1 + ((i + next(3)) % rowsOfEach) }))
    await db.kysely.insertInto(table).values(rows).execute()
  }
}

const rowsOfEach = 6

/** The first record with the number `i` of a model. */
function firstRow({ columns, relations, unique = [] }: AnyModel, i: number, next: Next): Row {
  const foreign = new Set(
    Object.values(relations).flatMap((one) =>
      one.kind === 'belongsTo' && !Array.isArray(one.key) ? [one.key] : [],
    ),
  )
  const row: Row = {}
  for (const [field, column] of Object.entries(columns)) {
    const { type, nullable, managed } = column
    const isUnique = column.unique || column.primaryKey || unique.flat().includes(field)
    // Records of the same model refer to earlier ones.
    const most = /^(boss|parent)_id$/.test(field) ? i - 1 : rowsOfEach
    const number = foreign.has(field) && !isUnique ? 1 + next(most) : i
    if (type === 'uuid') row[field] = `00000000-0000-4000-8000-00000000000${i}`
    else if (field === 'space') row[field] = 1
    else if (field === 'owner_id') row[field] = next(4) === 0 ? 8 : 7
    else if (type === 'boolean') row[field] = next(rowsOfEach) === 0
    else if (managed !== undefined) row[field] = '2020-01-01T00:00:00.000Z'
    else if (most === 0 || (nullable && next(3) === 0)) row[field] = null
    else if (/^(deleted_at|gone)$/.test(field))
      row[field] =
        next(rowsOfEach) > 0 ? null : type === 'datetime' ? '2020-01-01T00:00:00.000Z' : 'by 7'
    else if (/^(bigint|float|binary|datetime|time)$/.test(type)) row[field] = null
    else if (type === 'enum') row[field] = column.enum?.[next(3)]
    else if (type === 'decimal') row[field] = '1.50'
    else if (type === 'date') row[field] = '2024-05-15'
    else if (type === 'json') row[field] = { a: 1, b: { c: [1, 2] } }
    else
      row[field] =
        type === 'integer' ? number : `${/code$/.test(field) ? 'c' : field.slice(0, 5)}${number}`
  }
  return row
}
