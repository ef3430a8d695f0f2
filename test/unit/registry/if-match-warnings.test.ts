/** Warnings of a required If-Match that refuses every cascade, or does not cover links. */
import {
  belongsTo,
  type Column,
  defineModel,
  hasMany,
  type Meta,
  manyToMany,
} from '@model-api/core'
import { ifMatchWarnings } from '../../../packages/core/src/model/registry/checks/if-match-warnings.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import { equal, match } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

interface Sides {
  readonly project?: Meta
  readonly issue?: Meta
  readonly onDelete?: 'restrict' | 'cascade' | 'null'
}

const warnings = (
  { project = {}, issue = {}, onDelete = 'restrict' }: Sides,
  columns: Readonly<Record<string, Column>> = {},
): readonly string[] => {
  const models = [
    defineModel('Project', {
      columns: { id },
      relations: { issues: hasMany('Issue', 'project_id', { on_delete: onDelete }) },
      meta: project,
    }),
    defineModel('Issue', {
      columns: { id, project_id: { type: 'integer', nullable: true }, ...columns },
      relations: {
        project: belongsTo('Project', 'project_id'),
        labels: manyToMany('Label', { through: 'links', from: 'issue_id', to: 'label_id' }),
      },
      meta: issue,
    }),
    defineModel('Label', { columns: { id }, meta: {} }),
  ]
  return ifMatchWarnings(buildRegistry({ models, config: {} }).registry)
}

suite('warnings of a required If-Match', (test) => {
  test('an on_delete that it refuses', () => {
    equal(warnings({ onDelete: 'cascade', issue: { require_if_match: true } }), [
      "models.Project: a DELETE also deletes its records of Issue (on_delete: 'cascade'), but each of those needs its ETag in If-Match (API_REQUIRE_IF_MATCH), so a DELETE that reaches one is refused (428). Declare require_if_match: 'single' in the meta of Issue, which asks for the ETag of the record in the path alone.",
    ])
    const [emptied] = warnings({ onDelete: 'null', issue: { require_if_match: true } })
    match(emptied ?? '', "a DELETE also changes its records of Issue (on_delete: 'null')")
    equal(warnings({ onDelete: 'cascade', issue: { require_if_match: 'single' } }), [])
    equal(
      warnings({
        onDelete: 'cascade',
        project: { block_methods: ['DELETE'] },
        issue: { require_if_match: true },
      }),
      [],
    )
    equal(warnings({ issue: { require_if_match: true } }), [])
  })

  test('links that are not part of the ETag', () => {
    const issue: Meta = { require_if_match: 'single', allow_nested_writes: true }
    equal(warnings({ issue }), [
      `models.Issue: If-Match is required (API_REQUIRE_IF_MATCH), but the ETag does not cover the links of "labels", so two clients can overwrite each other's lists. Add a column with managed: 'updated', which changes with the links.`,
    ])
    equal(warnings({ issue }, { updated: { type: 'datetime', managed: 'updated' } }), [])
    equal(warnings({ issue: { require_if_match: 'single' } }), [])
    equal(warnings({ issue: { allow_nested_writes: true } }), [])
  })
})
