// Checks the form of a declared relation, before its names are resolved.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { Relation } from '../../relation.ts'
import { boolean, type Check, object, oneOf, shown, text } from '../../settings/setting-checks.ts'
import type { Problems } from '../../settings/setting-problems.ts'

const key: Check = (value) => {
  const names = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => text(name) === undefined)
    ? undefined
    : `expected a name or a list of names, got ${shown(value)}.`
}

const direct: Readonly<Record<string, Check>> = { target: text, key }
const members: Readonly<Record<Relation['kind'], Readonly<Record<string, Check>>>> = {
  belongsTo: direct,
  hasOne: direct,
  hasMany: direct,
  manyToMany: { target: text, through: text, from: key, to: key },
}

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
  const given = new Map(Object.entries(relation))
  for (const [name, check] of Object.entries(required)) {
    const message = check(given.get(name))
    if (message !== undefined) problems.add(`${at}.${name}`, message)
  }
  const optional: Readonly<Record<string, Check>> =
    relation.kind === 'manyToMany' ? { schema: text, repeats: boolean } : { references: key }
  const known = ['kind', ...Object.keys(required), ...Object.keys(optional)]
  for (const [name, value] of given) {
    if (!known.includes(name)) {
      problems.add(`${at}.${name}`, `unknown option.${didYouMean(name, known)}`)
    } else if (value !== undefined) {
      const message = optional[name]?.(value)
      if (message !== undefined) problems.add(`${at}.${name}`, message)
    }
  }
  return problems.list.length === before
}
