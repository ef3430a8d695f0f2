/** A music encyclopaedia of 371 tables: entities with their types, aliases, tags and edits, and a link table for every pair of them. */
import { type AnyModel, belongsTo, type Column, defineModel, hasMany } from '@model-api/core'

/** The number of tables of the whole schema. */
export const wideTables = 371

interface Table {
  readonly name: string
  readonly columns: Record<string, Column>
  /** The foreign keys: the column, and the table that it refers to. */
  readonly keys: Record<string, string>
}

const entities =
  'Area Artist Event Genre Instrument Label Mood Place Recording Release ReleaseGroup Series Url Work'.split(
    ' ',
  )

const id = { id: { type: 'integer', primaryKey: true, generated: true } } as const
const edited = {
  edits_pending: { type: 'integer', hasDefault: true },
  last_updated: { type: 'datetime', nullable: true, hasDefault: true },
} as const satisfies Record<string, Column>
const begun = {
  begin_date_year: { type: 'integer', nullable: true },
  begin_date_month: { type: 'integer', nullable: true },
  begin_date_day: { type: 'integer', nullable: true },
  end_date_year: { type: 'integer', nullable: true },
  end_date_month: { type: 'integer', nullable: true },
  end_date_day: { type: 'integer', nullable: true },
  ended: { type: 'boolean', hasDefault: true },
} as const satisfies Record<string, Column>
const key: Column = { type: 'integer' }

function table(
  name: string,
  columns: Record<string, Column>,
  keys: Record<string, string> = {},
): Table {
  const references = Object.keys(keys).map((column) => [column, key] as const)
  return { name, columns: { ...id, ...columns, ...Object.fromEntries(references) }, keys }
}

/** Returns the tables that belong to one entity. */
function around(entity: string): Table[] {
  const own = entity.toLowerCase()
  return [
    table(
      entity,
      {
        gid: { type: 'uuid' },
        name: { type: 'text' },
        comment: { type: 'string', maxLength: 255, hasDefault: true },
        [`${own}_code`]: { type: 'string', maxLength: 40, nullable: true },
        [`${own}_position`]: { type: 'integer', nullable: true },
        ...begun,
        ...edited,
      },
      { type: `${entity}Type`, area: 'Area', language: 'Language', script: 'Script' },
    ),
    table(
      `${entity}Type`,
      {
        name: { type: 'string', maxLength: 255 },
        child_order: key,
        description: { type: 'text', nullable: true },
        gid: { type: 'uuid' },
      },
      { parent: `${entity}Type` },
    ),
    table(
      `${entity}Alias`,
      {
        name: { type: 'text' },
        locale: { type: 'text', nullable: true },
        sort_name: { type: 'text' },
        primary_for_locale: { type: 'boolean' },
        ...begun,
        ...edited,
      },
      { [own]: entity, type: `${entity}Type` },
    ),
    table(`${entity}Annotation`, {}, { [own]: entity, annotation: 'Annotation' }),
    table(
      `${entity}Attribute`,
      { [`${own}_attribute_text`]: { type: 'text', nullable: true } },
      { [own]: entity, type: `${entity}Type` },
    ),
    table(
      `${entity}GidRedirect`,
      { gid: { type: 'uuid' }, created: { type: 'datetime' } },
      { [own]: entity },
    ),
    table(
      `${entity}Tag`,
      { count: key, last_updated: edited.last_updated },
      { [own]: entity, tag: 'Tag' },
    ),
    table(
      `${entity}TagRaw`,
      { is_upvote: { type: 'boolean' } },
      { [own]: entity, editor: 'Editor', tag: 'Tag' },
    ),
    table(`${entity}RatingRaw`, { rating: key }, { [own]: entity, editor: 'Editor' }),
    table(
      `${entity}Meta`,
      {
        rating: { type: 'integer', nullable: true },
        rating_count: { type: 'integer', nullable: true },
      },
      { [own]: entity },
    ),
    table(`Edit${entity}`, {}, { edit: 'Edit', [own]: entity }),
    table(`EditorSubscribe${entity}`, {}, { editor: 'Editor', [own]: entity, edit: 'Edit' }),
  ]
}

/** Returns the link table of a pair of entities, in a list. */
function between(first: string, second: string): Table[] {
  return [
    table(
      `L${first}${second}`,
      {
        ...edited,
        link_order: key,
        entity0_credit: { type: 'text', hasDefault: true },
        entity1_credit: { type: 'text', hasDefault: true },
      },
      { link: 'Link', entity0: first, entity1: second },
    ),
  ]
}

const shared: readonly Table[] = [
  table('Language', {
    iso_code_1: { type: 'string', maxLength: 2, nullable: true },
    iso_code_3: { type: 'string', maxLength: 3, nullable: true },
    name: { type: 'string', maxLength: 100 },
    frequency: { type: 'integer', hasDefault: true },
  }),
  table('Script', {
    iso_code: { type: 'string', maxLength: 4 },
    iso_number: { type: 'string', maxLength: 3 },
    name: { type: 'string', maxLength: 100 },
    frequency: { type: 'integer', hasDefault: true },
  }),
  table('Tag', { name: { type: 'string', maxLength: 255 }, ref_count: key }),
  table('Annotation', {
    text: { type: 'text', nullable: true },
    changelog: { type: 'string', maxLength: 255, nullable: true },
    created: { type: 'datetime' },
  }),
  table('Editor', {
    name: { type: 'string', maxLength: 64 },
    privs: { type: 'integer', nullable: true },
    website: { type: 'string', maxLength: 255, nullable: true },
    bio: { type: 'text', nullable: true },
    member_since: { type: 'datetime', nullable: true },
  }),
  table(
    'Edit',
    {
      type: key,
      status: { type: 'enum', enum: ['open', 'applied', 'failed'] },
      autoedit: key,
      open_time: { type: 'datetime', nullable: true },
      close_time: { type: 'datetime', nullable: true },
      quality: key,
      data: { type: 'json' },
    },
    { editor: 'Editor', language: 'Language' },
  ),
  table('LinkType', {
    gid: { type: 'uuid' },
    entity_type0: { type: 'string', maxLength: 50 },
    entity_type1: { type: 'string', maxLength: 50 },
    name: { type: 'string', maxLength: 255 },
    link_phrase: { type: 'text' },
    priority: key,
    is_deprecated: { type: 'boolean' },
  }),
  table(
    'Link',
    { ...begun, attribute_count: key, created: { type: 'datetime' } },
    { link_type: 'LinkType' },
  ),
]

/** Returns a table that brings the schema to its size, like the tables of statistics, imports and queues of a real schema. */
const further = (index: number): Table =>
  table(
    `Report${index}`,
    {
      [`figure_${index}`]: { type: 'decimal', precision: 12, scale: 2 },
      [`note_${index}`]: { type: 'text', nullable: true },
      recorded_at: { type: 'datetime' },
    },
    { editor: 'Editor', release: 'Release' },
  )

/**
 * Returns the first `count` tables of the schema: first the shared tables, then those of each entity, then the link tables, then as
 * many further tables as are needed.
 */
function tables(count: number): Table[] {
  const pairs = entities.flatMap((first, at) =>
    entities.slice(at).flatMap((second) => between(first, second)),
  )
  const all = [...shared, ...entities.flatMap(around), ...pairs]
  const missing = Array.from({ length: Math.max(0, count - all.length) }, (_, i) => further(i))
  return [...all, ...missing].slice(0, count)
}

const lower = (name: string): string => name[0]?.toLowerCase() + name.slice(1)

/** Returns models of the first `count` tables, with relations in both directions; new ones on each call. */
export function wideModels(count: number = wideTables): AnyModel[] {
  const chosen = tables(count)
  const known = new Set(chosen.map(({ name }) => name))
  return chosen.map(({ name, columns, keys }) => {
    const relations: Record<string, ReturnType<typeof belongsTo> | ReturnType<typeof hasMany>> = {}
    for (const [column, target] of Object.entries(keys)) {
      if (known.has(target)) relations[`${column}_of`] = belongsTo(target, column)
    }
    for (const other of chosen) {
      for (const [column, target] of Object.entries(other.keys)) {
        if (target === name)
          relations[`${lower(other.name)}_by_${column}`] = hasMany(other.name, column)
      }
    }
    return defineModel(name, { columns, relations, meta: {} })
  })
}
