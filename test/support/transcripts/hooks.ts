/** Functions of a host that do something random, and a log of their calls. */
import type { AnyModel, HookArgs } from '@model-api/core'
import { type Any, diceOf, type Next, type Row, type Tools } from './tools.ts'

/** The calls of hooks during one request, by model, in order. */
export class HookLog {
  /** Requests that only prepare another one are not logged. */
  active = false
  /** In a transaction of the host there is one attempt. */
  hosted = false
  calls: Record<string, string[]> = {}
  #transactions: unknown[] = []

  start(hosted: boolean): void {
    this.active = true
    this.hosted = hosted
    this.calls = {}
    this.#transactions = []
  }

  /** Each call begins with the attempt that it belongs to; 0 is outside of a transaction. */
  add(model: string, name: string, given: readonly unknown[], args?: HookArgs): void {
    if (!this.active) return
    const { action, many, relation_name, before } = args ?? {}
    const shown = [...given, { action, many, relation_name, before }]
    this.calls[model] ??= []
    this.calls[model].push(`${this.#attemptOf(args)} ${name} ${JSON.stringify(shown)}`)
  }

  #attemptOf(args: HookArgs | undefined): number {
    if (this.hosted) return 1
    if (args === undefined) return this.#transactions.length
    const { db } = args
    if (!db?.isTransaction) return 0
    if (!this.#transactions.includes(db)) this.#transactions.push(db)
    return this.#transactions.indexOf(db) + 1
  }
}

/** A text in a record that makes the hook of that name refuse it: `!add`. */
export const marks = ['add', 'update', 'remove', 'create', 'change', 'delete', 'valid'] as const

const isMarked = (value: unknown, mark: (typeof marks)[number]): boolean =>
  JSON.stringify(value ?? null).includes(`!${mark}`)

/** What a hook does besides its own task; `read` and `write` send statements, each with what `args.db` has at that moment. */
const deeds = ['none', 'none', 'change', 'read', 'write', 'touch'] as const
type Deed = (typeof deeds)[number]

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'RESTORE', 'UPSERT']

export interface Variant {
  readonly name: string
  readonly callbacks: boolean
  readonly policies: boolean
  readonly hosted: boolean
}

export const variants: readonly Variant[] = [
  { name: 'plain', callbacks: false, policies: false, hosted: false },
  { name: 'callbacks', callbacks: true, policies: false, hosted: false },
  { name: 'policies', callbacks: false, policies: true, hosted: false },
  { name: 'hosted', callbacks: false, policies: false, hosted: true },
  { name: 'all', callbacks: true, policies: true, hosted: false },
  { name: 'all hosted', callbacks: true, policies: true, hosted: true },
]

/** Makes the hooks of the models of one world. */
export function hookMaker(core: Tools['core'], log: HookLog, next: Next, variant: Variant) {
  const { chance, one } = diceOf(next)
  /** Half of the worlds have only what leaves a write of one record one statement. */
  const isBare = !variant.callbacks && chance(50)

  const count = async ({ db }: HookArgs, table: string): Promise<number> => {
    const { n } = await db
      .selectFrom(table)
      .select(db.fn.countAll().as('n'))
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  /** Does the deed, and returns the note of the record. */
  const act = (deed: Deed, name: string, note: Any, table: string, args: HookArgs): Any => {
    const same = (): Any => note
    if (deed === 'change') return `${note ?? ''}~`.slice(-30)
    if (deed === 'read') return count(args, table).then((n) => `${n} in ${table}`)
    if (deed === 'write') {
      const entry = { text: `${table} ${name} ${note ?? ''}` }
      return args.db.insertInto('audits').values(entry).execute().then(same)
    }
    if (deed === 'touch') {
      const touched = args.db.updateTable('projects').set({ note: `by ${name}` })
      return touched.where('id', '=', 1).execute().then(same)
    }
    return note
  }

  const callback = (name: 'add' | 'update' | 'remove', table: string) => {
    const deed = one(deeds)
    return (object: Row, model: AnyModel, args: HookArgs): Any => {
      log.add(model.name, name, [object], args)
      if (isMarked(object.note, name)) {
        throw core.apiError(409, 'Conflict', { note: [`Not with ${name}.`] })
      }
      const note = act(deed, name, object.note, table, args)
      if (note instanceof Promise) return note.then((changed) => ({ ...object, note: changed }))
      return deed === 'change' ? { ...object, note } : object
    }
  }

  const callbacks = (table: string): Row => ({
    ...(chance(50) && { add_callback: callback('add', table) }),
    ...(chance(50) && { update_callback: callback('update', table) }),
    ...(chance(50) && { remove_callback: callback('remove', table) }),
  })

  const judge = (
    model: string,
    table: string,
    name: string,
    mark: (typeof marks)[number],
  ): ((...given: Any[]) => Any) => {
    const deed = chance(25) ? one(['read', 'write'] as const) : 'none'
    return (...given) => {
      const args = given.at(-1)
      log.add(model, name, given.slice(0, -1), args)
      const allowed = !isMarked(given.at(-2)?.note, mark)
      const done = act(deed, name, '', table, args)
      return done instanceof Promise ? done.then(() => allowed) : allowed
    }
  }

  /** Rows that the caller may see: its own, or those that are not shut. */
  const scope = (fields: readonly string[]): Row => {
    if (fields.includes('state')) return { scope: { state: { ne: 'shut' } } }
    if (!fields.includes('owner_id')) return {}
    const mine = (query: Any, { user }: HookArgs): Any =>
      user.roles.includes('admin') ? query : query.where('owner_id', '=', user.id)
    return one([
      { scope: { owner_id: { eq: ({ user }: HookArgs) => user.id } } },
      { scope_query: mine },
      { scope_query: async (query: Any, args: HookArgs) => mine(query, args) },
    ])
  }

  const policy = (model: string, table: string, fields: readonly string[]): Row => ({
    ...((isBare || chance(70)) && scope(fields)),
    ...(!isBare && rules(model, table)),
  })
  const rules = (model: string, table: string): Row => ({
    ...(chance(40) && { can_create: judge(model, table, 'can_create', 'create') }),
    ...(chance(40) && { can_update: judge(model, table, 'can_update', 'change') }),
    ...(chance(40) && { can_delete: judge(model, table, 'can_delete', 'delete') }),
    ...(chance(20) && { can_read: judge(model, table, 'can_read', 'valid') }),
  })

  return {
    /** The `meta` of a model: its callbacks and its policy. */
    meta: (model: string, table: string, fields: readonly string[]): Row => ({
      ...(variant.callbacks && callbacks(table)),
      ...(variant.policies && chance(60) && { access_policy: policy(model, table, fields) }),
      ...(variant.policies && chance(10) && { api_role_map: { [one(methods)]: 'admin' } }),
    }),
    /** A default that is a function, with or without arguments. */
    fallback: (model: string, name: string, value: (args: HookArgs) => unknown): Any => {
      const alone = () => {
        log.add(model, `default of ${name}`, [])
        return (value as () => unknown)()
      }
      const given = (args: HookArgs) => {
        log.add(model, `default of ${name}`, [], args)
        return value(args)
      }
      const later = async (args: HookArgs) => given(args)
      return value.length === 0 ? alone : one([given, given, later])
    },
    /** A validator: of a value, or of the whole record, which may send a statement. */
    validator: (model: string, table: string): Any => {
      const verdict = (value: unknown) => !isMarked(value, 'valid') || 'Not this note.'
      const alone = (value: unknown) => {
        log.add(model, 'validator', [value])
        return verdict(value)
      }
      const whole = (value: unknown, row: Row, args: HookArgs) => {
        log.add(model, 'validator', [value, row], args)
        return verdict(value)
      }
      const asking = async (value: unknown, row: Row, args: HookArgs) => {
        const n = await count(args, table)
        log.add(model, 'validator', [value, row, n], args)
        return verdict(value)
      }
      return one(variant.callbacks ? [alone, alone, whole, asking] : [alone, alone, alone, whole])
    },
    transform: (model: string) => (value: string, args: HookArgs) => {
      log.add(model, 'transform', [value], args)
      return `<${value}>`
    },
    /** The callbacks of the whole API. */
    config: (): Row => {
      const list = (name: string) => (changes: readonly Any[], args: HookArgs) => {
        const shown = changes.map(({ model, ...change }) => ({ model: model.name, ...change }))
        log.add('changes', name, shown, args)
      }
      const dump = (data: Row, args: HookArgs) => {
        log.add(args.model.name, 'dump', [data], args)
        return { ...data, dumped: true }
      }
      const result = (value: Any, args: HookArgs) => {
        log.add(args.model.name, 'return', [], args)
        return value
      }
      if (isBare) return {}
      return {
        ...(chance(40) && { API_BEFORE_COMMIT_CALLBACK: list('before commit') }),
        ...(chance(40) && { API_AFTER_COMMIT_CALLBACK: list('after commit') }),
        ...(chance(15) && { API_DUMP_CALLBACK: dump }),
        ...(chance(15) && { API_RETURN_CALLBACK: result }),
      }
    },
  }
}
