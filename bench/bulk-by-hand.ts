/** What one writes by hand to write many tasks: the same checks, policies and look-ups as the models of `bulk-models.ts`, one statement for all. */
import { CompiledQuery, type Kysely } from 'kysely'
import { type NewTask, owner, states } from './bulk-models.ts'
import type { DatabaseName } from './databases.ts'

const names = ['project_id', 'number', 'title', 'details', 'state', 'points', 'due'] as const

type Name = (typeof names)[number]
type Change = Partial<NewTask> & { readonly id: number }

const isWhole = (value: unknown): boolean =>
  Number.isInteger(value) && Math.abs(value as number) < 2 ** 31

/** Whether each field has a value of its column; null where that is allowed. */
const checks: Readonly<Record<Name, (value: unknown) => boolean>> = {
  project_id: isWhole,
  number: isWhole,
  title: (value) => typeof value === 'string' && value.length <= 120 && !value.includes('\0'),
  details: (value) => value === null || (typeof value === 'string' && !value.includes('\0')),
  state: (value) => states.includes(value as never),
  points: (value) => value === null || isWhole(value),
  due: (value) => value === null || (typeof value === 'string' && isDate(value)),
}

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

const canCreate = (task: NewTask): boolean => task.number !== 0

/** Each way to write a list: the text of the answer to the text of a body. */
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
  const columns = `tasks.id, project_id, number, tasks.title, details, state, tasks.points, ${due}`
  const inTransaction = (work: (run: Run) => Promise<readonly Row[]>): Promise<readonly Row[]> =>
    db.transaction().execute((transaction) =>
      work(async (text, parameters) => {
        const query = CompiledQuery.raw(text, [...parameters])
        return (await transaction.executeQuery<Row>(query)).rows
      }),
    )
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
      const tuple = names.map((key) => placeholder(parameters.push(task[key])))
      return `(${tuple.join(', ')})`
    })
    return {
      parameters,
      insert: `insert into tasks (${names.join(', ')}) values ${tuples.join(', ')}`,
    }
  }
  return {
    async create(body) {
      const tasks = newTasks(body)
      const rows = await inTransaction(async (run) => {
        await refuseForeign(run, tasks)
        for (const task of tasks) if (!canCreate(task)) throw new Error('forbidden')
        const { insert, parameters } = tuplesOf(tasks)
        return run(`${insert} returning ${columns}`, parameters)
      })
      return answer(201, rows)
    },

    async upsert(body) {
      const tasks = newTasks(body)
      const rows = await inTransaction(async (run) => {
        const numbers = tasks.map(({ number }) => number)
        const locking = name === 'sqlite' ? '' : ' for update'
        const found = await run(
          `select number from tasks where number in (${listFrom(1, numbers)})${locking}`,
          numbers,
        )
        const stored = new Set(found.map(({ number }) => number))
        await refuseForeign(run, tasks)
        for (const task of tasks) {
          if (!stored.has(task.number) && !canCreate(task)) throw new Error('forbidden')
        }
        const { insert, parameters } = tuplesOf(tasks)
        const set = names.filter((key) => key !== 'number')
        const conflict =
          name === 'mysql'
            ? `on duplicate key update ${set.map((key) => `${key} = values(${key})`).join(', ')}`
            : `on conflict (number) do update set ${set.map((key) => `${key} = excluded.${key}`).join(', ')}`
        return run(`${insert} ${conflict} returning ${columns}`, parameters)
      })
      return answer(201, rows)
    },

    async change(body) {
      const changes = changesIn(body)
      const rows = await inTransaction(async (run) => {
        const ids = changes.map(({ id }) => id)
        const locking = name === 'sqlite' ? '' : ' for update'
        const found = await run(
          `select id from tasks where id in (${listFrom(1, ids)})${locking}`,
          ids,
        )
        if (found.length < ids.length) throw new Error('not found')
        if (name === 'mysql') {
          await run(
            `update tasks join json_table(?, '$[*]' columns (id int path '$.id', title varchar(120) path '$.title', points int path '$.points')) v
             on v.id = tasks.id set tasks.title = v.title, tasks.points = v.points`,
            [JSON.stringify(changes)],
          )
          return run(`select ${columns} from tasks where id in (${listFrom(1, ids)})`, ids)
        }
        const parameters: unknown[] = []
        const types = name === 'postgres' ? ['::int', '::text', '::int'] : ['', '', '']
        const tuples = changes.map(({ id, title, points }) => {
          const tuple = [id, title, points].map(
            (value, i) => `${placeholder(parameters.push(value))}${types[i]}`,
          )
          return `(${tuple.join(', ')})`
        })
        return run(
          `with v (id, title, points) as (values ${tuples.join(', ')})
           update tasks set title = v.title, points = v.points from v where tasks.id = v.id returning ${columns}`,
          parameters,
        )
      })
      const byId = new Map(rows.map((row) => [row.id, row]))
      return answer(
        200,
        changes.map(({ id }) => byId.get(id) ?? {}),
      )
    },
  }
}

function newTasks(body: string): readonly NewTask[] {
  const tasks = JSON.parse(body) as NewTask[]
  const known = new Set<string>(names)
  for (const [i, task] of tasks.entries()) {
    for (const key of Object.keys(task)) if (!known.has(key)) throw new Error(`[${i}].${key}`)
    for (const key of names) if (!checks[key](task[key])) throw new Error(`[${i}].${key}`)
  }
  return tasks
}

function changesIn(body: string): readonly Change[] {
  const changes = JSON.parse(body) as Change[]
  for (const [i, change] of changes.entries()) {
    for (const [key, value] of Object.entries(change)) {
      const isRight = key === 'id' ? isWhole(value) : checks[key as Name]?.(value)
      if (isRight !== true) throw new Error(`[${i}].${key}`)
    }
  }
  return changes
}

const answer = (status_code: number, value: readonly Row[]): string =>
  JSON.stringify({
    datetime: new Date().toISOString(),
    status_code,
    total_count: value.length,
    value,
  })
