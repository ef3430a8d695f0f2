// The output pass: plans the members of each result object, for records and for projections (`fields`).

import { featureDisabled } from '../../errors.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { FieldNode } from '../parse/ast.ts'
import { type PlanContext, textAt } from './context.ts'
import { type Names, refOf, resolveColumn } from './names.ts'
import type { ColumnRef, Output, Source } from './plan.ts'
import { allowOnRelated } from './relations/related-switches.ts'

/** Returns all visible columns, then the hidden columns among `keys`, whose values links and embeds need. */
export function recordOutput(source: Source, keys: readonly NamedColumn[]): readonly Output[] {
  const visible = [...source.resource.columns.values()].map((column) =>
    member(source, column, true),
  )
  return [...visible, ...hiddenKeys(source, visible, keys)]
}

/** Returns the columns among `keys` that the output lacks, as invisible members. */
export function hiddenKeys(
  source: Source,
  output: readonly Output[],
  keys: readonly NamedColumn[],
): readonly Output[] {
  const present = new Set(output.map(({ key }) => key))
  const missing = [...new Set(keys)].filter(({ name }) => !present.has(name))
  return missing.map((column) => member(source, column, false))
}

const member = (source: Source, column: NamedColumn, visible: boolean): Output => ({
  key: column.name,
  value: refOf(source, column),
  visible,
})

/** Returns the columns of `fields`, each under its name, or as the client wrote it if two columns have the same name. */
export function projectionOutput(
  context: PlanContext,
  names: Names,
  fields: readonly FieldNode[],
): readonly Output[] {
  if (!context.resource.settings.allowSelectFields) {
    throw featureDisabled('Choosing fields', settingNames.allowSelectFields, 'fields')
  }
  const chosen: { field: FieldNode; ref: ColumnRef }[] = []
  for (const field of fields) {
    const at = textAt(context, field.span)
    const ref = resolveColumn(names, field, at)
    allowOnRelated(context, ref, 'allowSelectFields', at)
    if (!chosen.some((known) => sameColumn(known.ref, ref))) chosen.push({ field, ref })
  }
  return chosen.map(({ field, ref }) => {
    const collides = chosen.filter((other) => other.ref.column.name === ref.column.name).length > 1
    return { key: collides ? field.text : ref.column.name, value: ref, visible: true }
  })
}

export const sameColumn = (a: ColumnRef, b: ColumnRef): boolean =>
  a.source === b.source && a.column === b.column
