// The relations of paths in `exists(books.tags)` and `count(books.tags)`, which need no join. A path may end in a json column:
// `exists(books.details.size__gt=3)`.

import { unknownPathSegment } from '../../../errors.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { relationsMatching } from '../../../model/registry/relations/relation-token.ts'
import type { ResolvedRelation, Resource } from '../../../model/registry/resource.ts'
import type { FieldNode, TextNode } from '../../parse/ast.ts'
import type { Source } from '../plan.ts'

/** Returns the index of the segment that is a json column with declared paths, and not a relation; undefined if all are relations. */
export function jsonColumnAt(base: Resource, path: readonly TextNode[]): number | undefined {
  let resource: Resource | undefined = base
  for (const [i, { text }] of path.entries()) {
    if (i > 0 && resource.columns.get(text)?.paths !== undefined) return i
    resource = relationsMatching(resource, text)[0]?.target
    if (resource === undefined) return undefined
  }
  return undefined
}

/** Returns the field with these segments put before its path: `details` and `size` → `details.size`. */
export const fieldWithPathBefore = (segments: readonly TextNode[], field: FieldNode): FieldNode => {
  const inside = segments.map(({ text }) => text)
  const text = [...inside, field.text].join('.')
  return { ...field, path: [...inside, ...field.path], text }
}

/** Returns the relation of a source that a segment names; throws if there is none, or if the name fits several. */
export function relationAt(from: Source, segment: TextNode, at: string): ResolvedRelation {
  const relations = relationsMatching(from.resource, segment.text)
  const [relation] = relations
  if (relation === undefined) {
    throw unknownPathSegment(
      segment.text,
      didYouMean(segment.text, from.resource.relations.keys()),
      at,
    )
  }
  if (relations.length > 1) {
    throw unknownPathSegment(
      segment.text,
      ` It fits ${relations.map((r) => `"${r.name}"`).join(' and ')}.`,
      at,
    )
  }
  return relation
}
