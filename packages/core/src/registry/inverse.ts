// Inverses: pairs each relation with the relation of its target that uses the same keys.

import type { OpenRelation } from './resolve-relations.ts'
import type { Resource } from './resource.ts'

const key = (from: readonly string[], to: readonly string[], through: string): string =>
  // The other side may list the columns of a composite key in another order.
  [through, ...from.map((name, index) => `${name}=${to[index]}`).sort()].join('\n')

/** The signature of a relation, and the one its inverse must have. */
function signatures(relation: OpenRelation): { readonly own: string; readonly back: string } {
  const { source, target, through } = relation
  const there = `${source.name}>${target.name}\n`
  const here = `${target.name}>${source.name}\n`
  if (through !== undefined) {
    return {
      own: there + key(through.from, through.to, through.table),
      back: here + key(through.to, through.from, through.table),
    }
  }
  const from = relation.from.map(({ name }) => name)
  const to = relation.to.map(({ name }) => name)
  // A belongsTo pairs only with the hasOne or hasMany of the other side.
  const holder = relation.kind === 'belongsTo'
  return {
    own: there + key(from, to, holder ? 'held' : 'followed'),
    back: here + key(to, from, holder ? 'followed' : 'held'),
  }
}

/** Sets `inverse` of every relation that has one; of several, the one declared first. */
export function linkInverses(resources: readonly Resource[]): void {
  const bySignature = new Map<string, OpenRelation>()
  const open: { readonly relation: OpenRelation; readonly back: string }[] = []
  for (const resource of resources) {
    for (const relation of resource.relations.values() as Iterable<OpenRelation>) {
      const { own, back } = signatures(relation)
      if (!bySignature.has(own)) bySignature.set(own, relation)
      open.push({ relation, back })
    }
  }
  for (const { relation, back } of open) {
    const inverse = bySignature.get(back)
    if (inverse !== undefined && inverse !== relation) relation.inverse = inverse
  }
}
