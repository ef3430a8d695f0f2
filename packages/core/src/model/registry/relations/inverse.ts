// Inverses: pairs each relation with the relation of its target that uses the same keys, as `book.author` and `author.books`, when the registry is
// built. Embedding and nested writes then do not follow a relation back to where they came from.

import { tableKey } from '../../../lib/sql/table-name.ts'
import type { Resource } from '../resource.ts'
import type { MutableRelation } from './resolve-relations.ts'

/** Writes pairs of columns as a text that is equal for equal keys. `through` tells kinds of relations or junction tables apart. */
const key = (pairs: readonly (readonly [string, string])[], through: string): string =>
  // The other side may list the columns of a composite key in another order.
  [through, ...pairs.map(([from, to]) => `${from}=${to}`).sort()].join('\n')

const reversed = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([from, to]) => [to, from] as const)

/** Returns the signature of a relation, and the signature that its inverse must have. */
function signatures(relation: MutableRelation): { readonly own: string; readonly back: string } {
  const { source, target, through } = relation
  const there = `${source.name}>${target.name}\n`
  const here = `${target.name}>${source.name}\n`
  if (through !== undefined) {
    const [toSource, toTarget] = [through.from, through.to].map((columns) =>
      key(
        columns.map(({ dbName, column }) => [dbName, column.name]),
        tableKey(through),
      ),
    )
    return { own: `${there}${toSource}\n${toTarget}`, back: `${here}${toTarget}\n${toSource}` }
  }
  const pairs = relation.pairs.map(({ from, to }) => [from.name, to.name] as const)
  // `held`, `followed`: a belongsTo, which holds the key, pairs only with the hasOne or hasMany of the other side.
  const holder = relation.kind === 'belongsTo'
  return {
    own: there + key(pairs, holder ? 'held' : 'followed'),
    back: here + key(reversed(pairs), holder ? 'followed' : 'held'),
  }
}

/** Sets `inverse` of every relation that has an inverse. If several relations match, the first declared one is the inverse. */
export function linkInverses(resources: readonly Resource[]): void {
  const bySignature = new Map<string, MutableRelation>()
  const expected: { readonly relation: MutableRelation; readonly back: string }[] = []
  for (const resource of resources) {
    for (const relation of resource.relations.values() as Iterable<MutableRelation>) {
      const { own, back } = signatures(relation)
      if (!bySignature.has(own)) bySignature.set(own, relation)
      expected.push({ relation, back })
    }
  }
  for (const { relation, back } of expected) {
    const inverse = bySignature.get(back)
    if (inverse !== undefined && inverse !== relation) relation.inverse = inverse
  }
}
