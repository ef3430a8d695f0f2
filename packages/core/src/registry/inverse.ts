// Inverses: pairs each relation with the one of its target that leads back by the same keys.

import type { OpenRelation } from './resolve-relations.ts'
import type { Resource } from './resource.ts'

const key = (from: readonly string[], to: readonly string[], through: string): string =>
  // Pairs of a composite key may be listed in another order on the other side.
  [through, ...from.map((name, index) => `${name}=${to[index]}`).sort()].join('\n')

/** How a relation looks from its own side, and from the other one. */
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
  // A key held by this side must be the one the other side follows, so belongsTo never pairs with belongsTo.
  const holder = relation.kind === 'belongsTo'
  return {
    own: there + key(from, to, holder ? 'held' : 'followed'),
    back: here + key(to, from, holder ? 'followed' : 'held'),
  }
}

/** Fills `inverse` of every relation that has one; where two fit, the first declared is taken. */
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
