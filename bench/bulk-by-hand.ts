/**
 * Writes many tasks by hand, with the same checks, policies and look-ups as the models of `bulk-models.ts`, and one statement for
 * all tasks.
 */
import { CompiledQuery, type Kysely } from 'kysely'
import { type NewTask, owner, states } from './bulk-models.ts'
import type { DatabaseName } from './databases.ts'

const names = ['project_id', 'number', 'title', 'details', 'state', 'points', 'due'] as const

type Name = (typeof names)[number]
type Change = Partial<NewTask> & { readonly id: number }

const mostRecords = 1000

const isWhole = (value: unknown): boolean =>
  Number.isInteger(value) && Math.abs(value as number) < 2 ** 31

/** For each field, whether a value fits its column; null fits if the column is nullable. */
const checks: Readonly<Record<Name, (value: unknown) => boolean>> = {
  project_id: isWhole,
  number: isWhole,
  title: (value) => isText(value) && value.length <= 120,
  details: (value) => value === null || isText(value),
  state: (value) => states.includes(value as never),
  points: (value) => value === null || isWhole(value),
  due: (value) => value === null || (typeof value === 'string' && isDate(value)),
}

/** No database stores NUL, or half of a surrogate pair. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0') && !/\p{Surrogate}/u.test(value)

/** `Date` accepts 30 February as 2 March, so the day is compared. */
const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).getUTCDate() === Number(text.slice(8))

/** The types of the columns in a table of values. */
const types: Readonly<Record<Name | 'id', string>> = {
  id: 'int',
  project_id: 'int',
  number: 'int',
  title: 'text',
  details: 'text',
  state: 'text',
  points: 'int',
  due: 'date',
}

const canCreate = (task: NewTask): boolean => task.number !== 0

/** The ways to write a list. Each takes the text of a body and returns the text of the response. */
export interface ByHand {
  create(body: string): Promise<string>
  upsert(body: string): Promise<string>
  change(body: string): Promise<string>
}

type Row = Readonly<Record<string, unknown>>
type Run = (text: string, parameters: readonly unknown[]) => Promise<readonly Row[]>

export function handWritten(name: DatabaseName, db: Kysely<never>): ByHand {
  const placeholder = (i: number): string => (name === 'postgres' ? `$${i}` : '?')
  const due =
    name === 'postgres'
      ? 'tasks.due::text as due'
      : name === 'mysql'
        ? "date_format(tasks.due, '%Y-%m-%d') as due"
        : 'tasks.due'
  const columns = `tasks.id, tasks.project_id, tasks.number, tasks.title, tasks.details, tasks.state, tasks.points, ${due}`
  const inTransaction = (
    work: (run: Run) => Promise<readonly Row[]>,
    begin = db.transaction(),
  ): Promise<readonly Row[]> =>
    begin.execute((transaction) =>
      work(async (text, parameters) => {
        const query = CompiledQuery.raw(text, [...parameters])
        return (await transaction.executeQuery<Row>(query)).rows
      }),
    )
  /**
   * Begins the transaction of an upsert at READ COMMITTED on MariaDB, whose default level locks the gaps between keys that are not
   * stored yet.
   */
  const withoutGapLocks = () =>
    name === 'mysql' ? db.transaction().setIsolationLevel('read committed') : db.transaction()
  const listFrom = (first: number, values: readonly unknown[]): string =>
    values.map((_, i) => placeholder(i + first)).join(', ')
  const refuseForeign = async (run: Run, tasks: readonly { readonly project_id: number }[]) => {
    const ids = [...new Set(tasks.map((task) => task.project_id))]
    const found = await run(
      `select id from projects where owner = ${placeholder(1)} and id in (${listFrom(2, ids)})`,
      [owner, ...ids],
    )
    if (found.length < ids.length) throw new Error('project_id')
  }
  const tuplesOf = (tasks: readonly NewTask[]) => {
    const parameters: unknown[] = []
    const tuples = tasks.map((task) => {
      const tuple = names.map((key) => placeholder(parameters.push(task[key] ?? null)))
      return `(${tuple.join(', ')})`
    })
    return {
      parameters,
      insert: `insert into tasks (${names.join(', ')}) values ${tuples.join(', ')}`,
    }
  }
  /** Sets these columns in the records. Returns their rows, except on MariaDB. */
  const update = (run: Run, set: readonly Name[], changes: readonly Change[]) => {
    if (name === 'mysql') {
      const read = (['id', ...set] as const).map((key) => `${key} ${types[key]} path '$.${key}'`)
      const values = set.map((key) => `tasks.${key} = v.${key}`)
      return run(
        `update tasks join json_table(?, '$[*]' columns (${read.join(', ')})) v
         on v.id = tasks.id set ${values.join(', ')}`,
        [JSON.stringify(changes)],
      )
    }
    const parameters: unknown[] = []
    const given = ['id', ...set] as const
    const tuples = changes.map((change) => {
      const tuple = given.map((key) => {
        const value = placeholder(parameters.push(change[key]))
        return name === 'postgres' ? `${value}::${types[key]}` : value
      })
      return `(${tuple.join(', ')})`
    })
    const values = set.map((key) => `${key} = v.${key}`)
    return run(
      `with v (${given.join(', ')}) as (values ${tuples.join(', ')})
       update tasks set ${values.join(', ')} from v where tasks.id = v.id returning ${columns}`,
      parameters,
    )
  }
  /** Inserts or updates all tasks by one statement for each set of fields. */
  const upsertAll = async (run: Run, tasks: readonly NewTask[]): Promise<readonly Row[]> => {
    const written: Row[] = []
    for (const { set, records } of byFields(tasks, 'number')) {
      const { insert, parameters } = tuplesOf(records)
      const values = set.map((key) => `${key} = excluded.${key}`).join(', ')
      const conflict = `on conflict (number) do update set ${values}`
      written.push(...(await run(`${insert} ${conflict} returning ${columns}`, parameters)))
    }
    return written
  }
  /**
   * Inserts the new tasks and updates the stored ones, for MariaDB, whose ON DUPLICATE KEY UPDATE may change the record that has the
   * value of another unique key.
   */
  const insertOrUpdate = async (
    run: Run,
    tasks: readonly NewTask[],
    stored: ReadonlyMap<unknown, unknown>,
  ): Promise<readonly Row[]> => {
    const created = tasks.filter(({ number }) => !stored.has(number))
    const changed = tasks.flatMap((task) =>
      stored.has(task.number) ? { ...task, id: stored.get(task.number) as number } : [],
    )
    const written: Row[] = []
    if (created.length > 0) {
      const { insert, parameters } = tuplesOf(created)
      written.push(...(await run(`${insert} returning ${columns}`, parameters)))
    }
    for (const { set, records } of byFields(changed, 'id')) await update(run, set, records)
    const ids = changed.map(({ id }) => id)
    return ids.length === 0 ? written : [...written, ...(await readByIds(run, ids))]
  }
  const readByIds = (run: Run, ids: readonly number[]): Promise<readonly Row[]> =>
    run(`select ${columns} from tasks where id in (${listFrom(1, ids)})`, ids)
  return {
    async create(body) {
      const tasks = newTasks(body)
      const rows = await inTransaction(async (run) => {
        await refuseForeign(run, tasks)
        for (const task of tasks) if (!canCreate(task)) throw new Error('forbidden')
        const { insert, parameters } = tuplesOf(tasks)
        return run(`${insert} returning ${columns}`, parameters)
      })
      return answer(201, inOrder(rows, 'number', tasks))
    },

    async upsert(body) {
      const tasks = newTasks(body)
      refuseRepeated(tasks, 'number')
      let created = 0
      const rows = await inTransaction(async (run) => {
        const numbers = tasks.map(({ number }) => number)
        const locking = name === 'sqlite' ? '' : ' for update'
        const found = await run(
          `select id, number from tasks where number in (${listFrom(1, numbers)})${locking}`,
          numbers,
        )
        created = tasks.length - found.length
        const stored = new Map(found.map(({ id, number }) => [number, id]))
        await refuseForeign(run, tasks)
        for (const task of tasks) {
          if (!stored.has(task.number) && !canCreate(task)) throw new Error('forbidden')
        }
        return name === 'mysql' ? insertOrUpdate(run, tasks, stored) : upsertAll(run, tasks)
      }, withoutGapLocks())
      return answer(created > 0 ? 201 : 200, inOrder(rows, 'number', tasks))
    },

    async change(body) {
      const changes = changesIn(body)
      refuseRepeated(changes, 'id')
      const rows = await inTransaction(async (run) => {
        const ids = changes.map(({ id }) => id)
        const locking = name === 'sqlite' ? '' : ' for update'
        const found = await run(
          `select id from tasks where id in (${listFrom(1, ids)})${locking}`,
          ids,
        )
        if (found.length < ids.length) throw new Error('not found')
        const moved = changes.filter(({ project_id }) => project_id !== undefined)
        if (moved.length > 0) await refuseForeign(run, moved as readonly NewTask[])
        const written: Row[] = []
        for (const { set, records } of byFields(changes, 'id')) {
          if (set.length > 0) written.push(...(await update(run, set, records)))
        }
        // Reads the rows that no statement has returned.
        const known = new Set(written.map(({ id }) => id))
        const others = ids.filter((id) => !known.has(id))
        if (others.length === 0) return written
        return [...written, ...(await readByIds(run, others))]
      })
      return answer(200, inOrder(rows, 'id', changes))
    },
  }
}

function newTasks(body: string): readonly NewTask[] {
  const tasks = listIn<NewTask>(body)
  const known = new Set<string>(names)
  const problems: string[] = []
  for (const [i, task] of tasks.entries()) {
    for (const key of Object.keys(task)) if (!known.has(key)) problems.push(`[${i}].${key}`)
    // A field that may be null may also be missing.
    for (const key of names) if (!checks[key](task[key] ?? null)) problems.push(`[${i}].${key}`)
  }
  if (problems.length > 0) throw new Error(problems.join())
  return tasks
}

function changesIn(body: string): readonly Change[] {
  const changes = listIn<Change>(body)
  const problems: string[] = []
  for (const [i, change] of changes.entries()) {
    for (const [key, value] of Object.entries(change)) {
      const isRight = key === 'id' ? isWhole(value) : checks[key as Name]?.(value)
      if (isRight !== true) problems.push(`[${i}].${key}`)
    }
    if (change.id === undefined) problems.push(`[${i}].id`)
  }
  if (problems.length > 0) throw new Error(problems.join())
  return changes
}

function listIn<T extends object>(body: string): readonly T[] {
  const list = JSON.parse(body) as T[]
  if (!Array.isArray(list) || list.length === 0) throw new Error('a list is expected')
  if (list.length > mostRecords) throw new Error('too many records')
  for (const item of list) if (typeof item !== 'object' || item === null) throw new Error('object')
  refuseLosses(body, list)
  return list
}

/** Refuses repeated keys, and numbers with more digits than JavaScript keeps. Without them, the same text is made again, up to spaces and escapes. */
function refuseLosses(body: string, list: readonly object[]): void {
  if (JSON.stringify(list) === body) return
  const outside = body.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  const sent = outside.match(/""\s*:/g)?.length ?? 0
  const kept = list.reduce((sum, item) => sum + Object.keys(item).length, 0)
  if (sent > kept) throw new Error('a key twice')
  if (/[\d.]{17}/.test(outside)) throw new Error('a number of too many digits')
}

function refuseRepeated<K extends string>(
  records: readonly { readonly [key in K]: unknown }[],
  key: K,
): void {
  if (new Set(records.map((record) => record[key])).size < records.length) {
    throw new Error(`${key} twice`)
  }
}

/** Records with the same fields, which one statement can set. */
interface Group<T> {
  /** The fields without the key. */
  readonly set: readonly Name[]
  readonly records: T[]
}

function byFields<T extends object>(records: readonly T[], key: Name | 'id'): readonly Group<T>[] {
  const groups = new Map<string, Group<T>>()
  for (const record of records) {
    const sent = Object.keys(record) as Name[]
    const group = groups.get(sent.join())
    if (group !== undefined) group.records.push(record)
    else groups.set(sent.join(), { set: sent.filter((name) => name !== key), records: [record] })
  }
  return [...groups.values()]
}

/** Returns the rows in the order of the body, because no database guarantees the order of RETURNING. */
function inOrder<K extends string>(
  rows: readonly Row[],
  key: K,
  records: readonly { readonly [key in K]: unknown }[],
): readonly Row[] {
  const found = new Map(rows.map((row) => [row[key], row]))
  return records.map((record) => found.get(record[key]) ?? {})
}

const answer = (status_code: number, value: readonly Row[]): string =>
  JSON.stringify({
    datetime: new Date().toISOString(),
    api_version: '1.0.0',
    status_code,
    total_count: value.length,
    next_url: null,
    previous_url: null,
    errors: null,
    value,
  })
