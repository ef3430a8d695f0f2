// Checks the form of a declared relation at start-up, before its names are resolved: its kind, and the types of its members.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { Relation } from '../../relation.ts'
import {
  boolean,
  type Check,
  object,
  oneOf,
  shownValue,
  text,
} from '../../settings/setting-checks.ts'
import type { Problems } from '../../settings/setting-problems.ts'

const key: Check = (value) => {
  const names = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => text(name) === undefined)
    ? undefined
    : `expected a name or a list of names, got ${shownValue(value)}.`
}

/** The members of a relation by a foreign key. */
const direct: Readonly<Record<string, Check>> = { target: text, key }
/** The members that a relation of each kind must have. */
const members: Readonly<Record<Relation['kind'], Readonly<Record<string, Check>>>> = {
  belongsTo: direct,
  hasOne: direct,
  hasMany: direct,
  manyToMany: { target: text, through: text, from: key, to: key },
}

const ofChildren: Readonly<Record<string, Check>> = {
  references: key,
  on_delete: oneOf('restrict', 'cascade', 'null'),
}
/** The members that a relation of each kind may have. */
const optionalMembers: typeof members = {
  belongsTo: { references: key },
  hasOne: ofChildren,
  hasMany: { ...ofChildren, order_by: key },
  manyToMany: { schema: text, repeats: boolean, order_by: key },
}

/** The message about `on_delete` of a relation of a kind that does not take it: where it belongs instead. */
const onDeleteElsewhere = ({ kind, target }: Relation): string =>
  kind === 'manyToMany'
    ? 'links are always deleted with a record. If the junction table has a model, a hasMany to it takes on_delete.'
    : `belongs to the other side: declare it on a hasMany or hasOne of ${target}.`

const kinds = Object.keys(members)

/** Reports the problems of a relation's form; returns whether there are none. */
export function checkRelation(relation: Relation, at: string, problems: Problems): boolean {
  const before = problems.list.length
  const wrong = object(relation) ?? oneOf(...kinds)(relation.kind)
  if (wrong !== undefined) {
    problems.add(at, `expected what ${kinds.join(', ')} return.`)
    return false
  }
  const required = members[relation.kind]
  const declared = new Map(Object.entries(relation))
  for (const [name, check] of Object.entries(required)) {
    const message = check(declared.get(name))
    if (message !== undefined) problems.add(`${at}.${name}`, message)
  }
  const optional = optionalMembers[relation.kind]
  const known = ['kind', ...Object.keys(required), ...Object.keys(optional)]
  for (const [name, value] of declared) {
    if (name === 'on_delete' && !known.includes(name)) {
      problems.add(`${at}.${name}`, onDeleteElsewhere(relation))
    } else if (!known.includes(name)) {
      problems.add(`${at}.${name}`, `unknown option.${didYouMean(name, known)}`)
    } else if (value !== undefined) {
      const message = optional[name]?.(value)
      if (message !== undefined) problems.add(`${at}.${name}`, message)
    }
  }
  return problems.list.length === before
}
