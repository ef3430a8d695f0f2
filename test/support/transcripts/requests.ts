/** Random writes of every kind: mostly valid ones for the records that are stored, a third of them with a fault. */
import type { AnyModel, Relation } from '@model-api/core'
import {
  bodyMaker,
  foreignFields,
  keyOf,
  primary,
  type Stored,
  softDelete,
  type User,
  uniqueSets,
} from './bodies.ts'
import { type Any, diceOf, type Next, type Row } from './tools.ts'

export interface Write {
  readonly kind: string
  /** What is wrong with it; empty if it should be accepted. */
  readonly fault: string
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: Any
}

/** What requests are made from. */
export interface Scene extends Stored {
  /** Sends a GET that is not recorded. */
  readonly get: (url: string) => Promise<{ readonly value: Any; readonly etag: string | undefined }>
  /** The last accepted request with an `Idempotency-Key`, which a later one repeats. */
  readonly keyed: Write | undefined
}

const plurals: Row = {
  Person: 'people',
  Country: 'countries',
  Shelf: 'shelves',
  Box: 'boxes',
  Watch: 'watches',
}
const endpoint = ({ name }: AnyModel): string => `/api/${plurals[name] ?? `${name.toLowerCase()}s`}`
const urlOf = (model: AnyModel, row: Row): string =>
  `${endpoint(model)}/${primary(model)
    .map((field) => encodeURIComponent(row[field]))
    .join()}`

/** Relations with a unique column by which their records can be named. */
const nameable: readonly [model: string, relation: string, column: string][] = [
  ['Task', 'tags', 'name'],
  ['Person', 'tags', 'name'],
  ['Person', 'teams', 'name'],
  ['Task', 'assignee', 'name'],
  ['Task', 'project', 'title'],
  ['Person', 'boss', 'name'],
  ['Team', 'members', 'name'],
  ['Comment', 'task', 'code'],
]

/** Makes the next request. The same random numbers and the same stored records give the same request. */
export async function nextWrite(next: Next, user: User, scene: Scene): Promise<Write> {
  const { models, rows, get, keyed: last } = scene
  const { chance, one, times } = diceOf(next)
  const { named, targetOf, nodes, isSeen, some, several, record, spoil } = bodyMaker(
    next,
    user,
    scene,
  )

  const make = (kind: string, url: string, body?: Any, headers: Row = {}): Write => {
    const [method = ''] = kind.split(' ', 1)
    return { kind, fault: '', method, url, headers, ...(body !== undefined && { body }) }
  }
  const anyModel = (): AnyModel =>
    chance(55)
      ? named(one(['Person', 'Person', 'Task', 'Task', 'Project', 'Team', 'Comment']))
      : one(models)
  const stored = (): [AnyModel, Row] => {
    for (;;) {
      const model = anyModel()
      const row = some(model)
      if (row !== undefined) return [model, row]
    }
  }
  /** The depth of a body, and the word for it in the kind of the request. */
  const deep = (percent = 50, most = 4): [depth: number, word: string] =>
    chance(percent) ? [1 + next(most), ' nested'] : [0, '']
  const change = (model: AnyModel, row: Row, depth = 0): Row =>
    Object.assign(record(model, { depth, change: true }), keyOf(model, row))
  const filter = (model: AnyModel): string => {
    const [field = ''] = primary(model)
    const keys = several(model, 4).map((row) => row[field])
    return keys.length === 0 || chance(15)
      ? one(['note__isnull=true', 'note__eq=none'])
      : `${field}__in=(${keys.join()})`
  }

  /** A parameter that removes the children which one of the lists does not name. */
  const removing = (model: AnyModel, bodies: readonly Row[]): string => {
    const lists = Object.entries(model.relations).filter(
      ([name, { kind }]) =>
        kind === 'hasMany' && bodies.some((body) => Array.isArray(body[name]) && chance(70)),
    )
    return lists.length === 0 ? '' : `?${one(lists)[0]}.on_missing=remove`
  }

  const post = (): Write => {
    const [model, [depth, word]] = [anyModel(), deep()]
    return make(`POST one${word}`, endpoint(model), record(model, { depth }))
  }
  const postList = (): Write => {
    const [model, [depth, word]] = [anyModel(), deep()]
    const list = times(1 + next(chance(25) ? 12 : 5), () => record(model, { depth }))
    return make(`POST list${word}`, endpoint(model), list)
  }
  const patch = (): Write => {
    const [[model, row], [depth, word]] = [stored(), deep()]
    const body = record(model, { depth, change: true })
    return make(`PATCH one${word}`, `${urlOf(model, row)}${removing(model, [body])}`, body)
  }
  const put = (): Write => {
    const [[model, row], [depth, word]] = [stored(), deep(30)]
    const omit = [...primary(model), 'level']
    return make(`PUT one${word}`, urlOf(model, row), record(model, { depth, omit }))
  }
  const patchList = (): Write => {
    const [[model], [depth, word]] = [stored(), deep(50, 2)]
    const list = several(model, chance(25) ? 12 : 5).map((row) => change(model, row, depth))
    if (chance(3) && list[0]) list.push({ ...list[0] })
    return make(`PATCH list${word}`, `${endpoint(model)}${removing(model, list)}`, list)
  }
  const patchWhere = (): Write => {
    const [[model], [depth, word]] = [stored(), deep(40, 1)]
    const body = record(model, { depth, change: true })
    for (const field of uniqueSets(model).flat()) if (chance(80)) delete body[field]
    return make(`PATCH where${word}`, `${endpoint(model)}?${filter(model)}`, body)
  }
  const remove = (): Write => {
    const [model, row] = stored()
    return chance(50)
      ? make('DELETE one', urlOf(model, row))
      : make('DELETE one cascade', `${urlOf(model, row)}?cascade_delete=1`)
  }
  const removeWhere = (): Write => {
    const [model] = stored()
    const url = `${endpoint(model)}?${filter(model)}`
    return chance(60)
      ? make('DELETE where', url)
      : make('DELETE where cascade', `${url}&cascade_delete=1`)
  }
  const restore = (): Write => {
    const model = one(models.filter(({ meta }) => meta?.soft_delete)) ?? named('Person')
    const unmarked = { deleted: null, deleted_at: null, gone: null }
    const isMarked = (row: Row): boolean =>
      softDelete.some((field) => row[field]) && isSeen({ ...row, ...unmarked })
    const row = one(rows(model).filter(isMarked)) ?? some(model) ?? { id: 1 }
    return make('POST restore', `${urlOf(model, row)}/restore`)
  }

  const upsert = (): Write => {
    const [model, [depth, word], isList] = [anyModel(), deep(25, 1), chance(50)]
    const set = one(uniqueSets(model))
    const relations = Object.entries(model.relations)
    const item = (): Row => {
      const body = record(model, { depth })
      const row = some(model)
      const isStored = row !== undefined && chance(60)
      for (const [name, relation] of relations) {
        const isSet = foreignFields(relation).some((field) => set.includes(field))
        if (isSet && !isStored)
          body[foreignFields(relation)[0] ?? ''] = some(targetOf(relation))?.id ?? null
        // A stored record takes no lists of records that refer to it.
        if (isSet || (isStored && /^has/.test(relation.kind) && chance(95))) delete body[name]
      }
      if (isStored) for (const field of set) body[field] = row[field]
      return body
    }
    const url = `${endpoint(model)}?on_conflict=${set.join()}`
    if (!isList) return make(`POST upsert one${word}`, url, item())
    const list = times(2 + next(4), item)
    if (chance(20)) list.push({ ...one(list), note: 'again' })
    return make(`POST upsert list${word}`, url, list)
  }

  /** Nested objects that name records by a unique column, sometimes in an upsert. */
  const byName = (): Write => {
    const [name, relation, field] = one(nameable)
    const model = named(name)
    const declared = model.relations[relation] as Relation
    const target = targetOf(declared)
    const fresh = { [field]: `n${next(9000)}` }
    const naming = (): Row => {
      const row = some(target)
      if (row?.[field] == null || chance(30))
        return Object.assign(chance(75) ? record(target) : {}, fresh)
      return { [field]: row[field], ...(chance(4) && { note: 'other' }) }
    }
    const omit = foreignFields(declared)
    const set = chance(30) ? one(uniqueSets(model).filter(([field]) => field !== 'id')) : undefined
    const item = (): Row => {
      const body = record(model, { depth: chance(70) ? 0 : 1, omit })
      const row = chance(60) ? some(model) : undefined
      const known = row === undefined ? [] : (set ?? []).filter((field) => !omit.includes(field))
      for (const field of known) body[field] = row?.[field]
      body[relation] = declared.kind === 'manyToMany' ? times(1 + next(3), naming) : naming()
      return body
    }
    const own = set === undefined ? '' : `&on_conflict=${set.join()}`
    const url = `${endpoint(model)}?${relation}.on_conflict=${field}${own}`
    return chance(50)
      ? make('POST list by name', url, times(2 + next(4), item))
      : make('POST one by name', url, item())
  }

  /** Links that are records: one that is marked as deleted, others that exist, and new ones. */
  const relink = (): Write => {
    const links = rows(named('Membership'))
    const link = one(links.filter(({ deleted }) => deleted)) ??
      one(links) ?? { personId: 1, team_id: 1 }
    const ofTeam = chance(50)
    const [own, other] = ofTeam ? ['team_id', 'personId'] : ['personId', 'team_id']
    const existing = links.filter((one) => one[own] === link[own] && chance(60))
    const found = several(named(ofTeam ? 'Person' : 'Team'), 2).map(({ id }) => id)
    const keys = new Set([link[other], ...existing.map((one) => one[other]), ...found])
    const list = [...keys].map((id) => ({ id }))
    const url = urlOf(named(ofTeam ? 'Team' : 'Person'), { id: link[own] })
    return make('PATCH links', url, { [ofTeam ? 'members' : 'teams']: list })
  }

  /** The response of a GET with changes. */
  const sentBack = async (): Promise<Write> => {
    const [model, row] = stored()
    const { dumped: _, ...found } = (await get(urlOf(model, row))).value ?? {}
    const body = Object.assign(found, record(model, { change: true }))
    nodes.push({ model, body })
    if (chance(70)) return make('PATCH sent back', urlOf(model, row), body)
    const others = several(model, 3).filter((other) => other !== row)
    const list = [...others.map((other) => change(model, other)), body]
    return make('PATCH list sent back', endpoint(model), list)
  }
  const conditional = async (): Promise<Write> => {
    const [model, row] = stored()
    const url = urlOf(model, row)
    const { etag = '"none"' } = await get(url)
    const headers = { 'if-match': chance(70) ? etag : one(['"0000.0000"', '*']) }
    if (chance(30)) return make('DELETE if-match', url, undefined, headers)
    return make('PATCH if-match', url, record(model, { depth: next(2), change: true }), headers)
  }
  const merge = (): Write => {
    const model = named('Task')
    const docs = [{ a: null }, { b: { c: 'x', e: { f: 1 } } }, { a: { deep: true } }, null, [1]]
    const body = Object.assign(record(model, { change: true }), { doc: one<Any>(docs) })
    const headers = { 'content-type': 'application/merge-patch+json' }
    return make('PATCH merge', urlOf(model, some(model) ?? { id: 1 }), body, headers)
  }
  const keyed = (): Write => {
    if (last !== undefined && chance(40)) {
      const body = chance(20) ? { ...last.body, note: 'x' } : last.body
      return { ...last, fault: '', kind: 'POST keyed again', body }
    }
    const headers = { 'idempotency-key': `key-${next(1_000_000)}-of-the-transcripts` }
    const { url, body } = post()
    return make('POST keyed', url, body, headers)
  }

  /** An operation that refers to the record of the first one of its batch. */
  const ofFirst = (first: AnyModel): Write => {
    const reference = { $ref: 'a.id' }
    const relations = models.flatMap((model) =>
      Object.entries(model.relations).map(([name, relation]) => ({ model, name, relation })),
    )
    const { model, name, relation } = one(
      relations.filter(({ relation }) => relation.target === first.name),
    )
    const [key] = foreignFields(relation)
    if (key !== undefined) {
      return make(
        'POST',
        endpoint(model),
        Object.assign(record(model, { omit: [key] }), { [key]: reference }),
      )
    }
    if (relation.kind !== 'manyToMany') {
      return make('PATCH', `${endpoint(first)}/{a.id}`, record(first, { change: true }))
    }
    const links = { [name]: [{ id: reference }] }
    const row = chance(50) ? some(model) : undefined
    if (row !== undefined) return make('PATCH', urlOf(model, row), links)
    return make('POST', endpoint(model), Object.assign(record(model), links))
  }
  const batch = (): Write => {
    const first = named(one(['Person', 'Task', 'Tag', 'Project', 'Comment', 'Team']))
    const body = record(first, { depth: next(2) })
    const operations: Any[] = [{ id: 'a', method: 'POST', url: endpoint(first), body }]
    for (let i = 1 + next(4); i > 0; i -= 1) {
      const { method, url, ...rest } = chance(75) ? ofFirst(first) : simple()
      operations.push({ method, url, ...(rest.body !== undefined && { body: rest.body }) })
    }
    if (chance(10)) operations.push({ method: 'DELETE', url: `${endpoint(first)}/{a.id}` })
    return chance(25)
      ? make('POST batch dry run', '/api/batch', { operations, dry_run: true })
      : make('POST batch', '/api/batch', { operations })
  }

  const simple = (): Write =>
    one([
      post,
      post,
      postList,
      postList,
      patch,
      patch,
      patch,
      put,
      patchList,
      patchList,
      patchWhere,
      upsert,
      upsert,
      remove,
      remove,
      removeWhere,
      restore,
    ])()
  const special = (): Write | Promise<Write> =>
    one([
      byName,
      byName,
      relink,
      sentBack,
      sentBack,
      conditional,
      merge,
      batch,
      batch,
      batch,
      keyed,
    ])()

  const write = await (chance(60) ? simple() : special())
  const isPlain = write.kind !== 'POST keyed again' && write.url !== '/api/batch'
  const isRead = isPlain && write.method !== 'DELETE' && chance(20)
  const more = isRead
    ? [write.url.includes('?') ? '&' : '?', one(['dump=json', 'dump=json', 'fields=note'])]
    : []
  const headers = { ...write.headers, ...(isPlain && chance(8) && { prefer: 'return=minimal' }) }
  const made = { ...write, url: [write.url, ...more].join(''), headers }
  if (!chance(33)) return made
  if (write.body !== undefined && chance(90)) return { ...made, fault: spoil() }
  if (chance(40)) return misplaced(made, next)
  const url = made.url.replace(/^(\/api\/\w+\/)\d+/, '$199999')
  return { ...made, url, fault: url === made.url ? '' : 'path' }
}

const parameters = [
  'max_affected=1',
  'max_affected=x',
  'on_conflict=note',
  'cascade_delete=1',
  'tags.on_conflict=name',
  'order_by=id',
  'nope=1',
]
const conditions = {
  'if-match': '*',
  'if-none-match': '*',
  'idempotency-key': 'key-that-is-not-for-this',
}

/** Adds a parameter or a header that the request may not have. */
function misplaced(write: Write, next: Next): Write {
  const { chance, one } = diceOf(next)
  const [name, value] = one(Object.entries(conditions))
  const fault = 'parameter'
  return chance(70)
    ? {
        ...write,
        fault,
        url: `${write.url}${write.url.includes('?') ? '&' : '?'}${one(parameters)}`,
      }
    : { ...write, fault, headers: { ...write.headers, [name]: value } }
}
