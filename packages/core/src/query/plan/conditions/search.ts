// The search pass: plans `search=emma austen` as conditions that each word occurs in one of the columns that the model declares for
// search. If a full-text index has these columns, one `found` condition replaces them.

import { invalidParameter, limitExceeded, searchNotOffered } from '../../../errors.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import { type PlanContext, textAt } from '../context.ts'
import { refOf } from '../names.ts'
import type { Condition, Source } from '../plan.ts'
import { isSearchable } from './text-test.ts'

/**
 * Plans the conditions of `search`: for each word, an OR of `ilike` over the columns that the model declares and the caller may
 * read. Without words there are no conditions.
 */
export function planSearch(context: PlanContext, base: Source): readonly Condition[] {
  const { ast, resource } = context
  const searchNode = ast.single.search
  if (searchNode === undefined) return []
  const at = `search=${textAt(context, searchNode.span)}`
  const columns = resource.search
  if (columns.length === 0) throw searchNotOffered(resource.endpoint, at)
  const words = [...new Set(searchNode.text.split(/\s+/u).filter((word) => word !== ''))]
  if (!words.every(isSearchable)) {
    throw invalidParameter('search', searchNode.text, 'words of at most 1000 characters')
  }
  const most = resource.settings.limits.conditions
  if (words.length * columns.length > most) {
    const what = `The search tests ${words.length} words in ${columns.length} columns`
    throw limitExceeded(settingNames.maxConditions, most, what, at)
  }
  const plain = words.map((text): Condition => {
    const all = columns.map(
      (column): Condition => ({
        kind: 'text',
        operand: refOf(base, column),
        match: 'contains',
        text,
        ignoreCase: true,
        negated: false,
      }),
    )
    return all.length === 1 ? (all[0] as Condition) : { kind: 'or', all }
  })
  const { searchIndex: index } = resource
  const [first] = columns
  // The index also finds words in columns that the caller may not read, so it is used only if the caller may read all its columns.
  const isWhole = index !== undefined && columns.length === index.columns.length
  return isWhole && first !== undefined && words.length > 0
    ? [{ kind: 'found', operand: refOf(base, first), index, words, plain }]
    : plain
}
