/**
 * Programs that declare the same tables for each client: ten columns, a parent, a one-to-one relation and children. For each table,
 * they request one list of names with a condition, and the name of the parent if the client supports that.
 */
import { ringOfModels } from '../../test/support/ring-of-models.ts'

export interface Client {
  readonly name: string
  /** What a person or a generator must write before there are types. */
  readonly needs: string
  /** The declarations of the server, or the output of a generator. The browser loads nothing of it except what `browser` imports. */
  readonly declarations: (tables: number) => string
  /** Creates the client and calls it for each table. */
  readonly calls: (tables: number) => string
}

const numbers = (tables: number): readonly number[] => Array.from({ length: tables }, (_, i) => i)

/** Groups of ten tables. In one chain of a hundred, the types of Elysia nest too deeply for the compiler. */
const tens = (tables: number): readonly (readonly number[])[] =>
  numbers(Math.ceil(tables / 10)).map((i) => numbers(tables).slice(10 * i, 10 * i + 10))

const rowType = (i: number): string => `export interface Row${i} {
  id: number
  name: string
  state: 'draft' | 'done'
  price: string
  visits: string
  born: string | null
  created: string
  next_id: number
  self_id: number | null
  loud: string
}`

const ours: Client = {
  name: 'model-api',
  needs: 'the models',
  declarations: (
    tables,
  ) => `import { createApi, defineModel, belongsTo, hasMany } from '@model-api/core'
import type { Kysely } from 'kysely'
${ringOfModels(tables).join('\n')}
declare const db: Kysely<unknown>
const models = [${numbers(tables).map((i) => `Model${i}`)}] as const
export const api = createApi({ db, models, config: { API_ALLOW_JOIN: true } })
export { belongsTo, hasMany, defineModel }
`,
  calls: (tables) => `import { createClient } from '@model-api/core/client'
import type { api } from './declarations.ts'
export const client = createClient<typeof api>('/api')
${numbers(tables)
  .map(
    (i) =>
      `export const list${i} = client.model${i}s.list({ where: { price: { gt: '1' } }, fields: ['name', 'next.name'] })`,
  )
  .join('\n')}
`,
}

const hono: Client = {
  name: 'Hono `hc`',
  needs: 'a route and a row type for each question',
  declarations: (tables) => `import { Hono } from 'hono'
import { validator } from 'hono/validator'
${numbers(tables)
  .map(
    (i) => `${rowType(i)}
const table${i} = new Hono().get(
  '/',
  validator('query', (query): { price__gt?: string } => query),
  (c) => c.json({ value: [] as (Pick<Row${i}, 'name'> & { next: Pick<Row${(i + 1) % tables}, 'name'> })[] }),
)`,
  )
  .join('\n')}
export const app = new Hono()${numbers(tables)
    .map((i) => `.route('/model${i}s', table${i})`)
    .join('')}
export type App = typeof app
export { validator }
`,
  calls: (tables) => `import { hc } from 'hono/client'
import type { App } from './declarations.ts'
export const client = hc<App>('/')
${numbers(tables)
  .map((i) => `export const list${i} = client.model${i}s.$get({ query: { price__gt: '1' } })`)
  .join('\n')}
`,
}

const eden: Client = {
  name: 'Eden treaty',
  needs: 'a route with a schema for each question',
  declarations: (tables) => `import { Elysia, t } from 'elysia'
${numbers(tables)
  .map(
    (i) => `${rowType(i)}
const table${i} = new Elysia({ prefix: '/model${i}s' }).get(
  '/',
  () => ({ value: [] as (Pick<Row${i}, 'name'> & { next: Pick<Row${(i + 1) % tables}, 'name'> })[] }),
  { query: t.Object({ price__gt: t.Optional(t.String()) }) },
)`,
  )
  .join('\n')}
${tens(tables)
  .map(
    (part, i) =>
      `const part${i} = new Elysia()${part.map((table) => `.use(table${table})`).join('')}`,
  )
  .join('\n')}
export const app = new Elysia()${tens(tables)
    .map((_, i) => `.use(part${i})`)
    .join('')}
export type App = typeof app
export { t }
`,
  calls: (tables) => `import { treaty } from '@elysiajs/eden/treaty2'
import type { App } from './declarations.ts'
export const client = treaty<App>('localhost')
${numbers(tables)
  .map((i) => `export const list${i} = client.model${i}s.get({ query: { price__gt: '1' } })`)
  .join('\n')}
`,
}

const supabase: Client = {
  name: 'supabase-js',
  needs: 'generated types',
  declarations: (tables) => `${numbers(tables).map(rowType).join('\n')}
export type Database = {
  public: {
    Tables: {
${numbers(tables)
  .map(
    (i) => `      table_${i}: {
        Row: { [K in keyof Row${i}]: Row${i}[K] }
        Insert: { [K in keyof Row${i}]?: Row${i}[K] }
        Update: { [K in keyof Row${i}]?: Row${i}[K] }
        Relationships: [
          { foreignKeyName: 'table_${i}_next', columns: ['next_id'], isOneToOne: false, referencedRelation: 'table_${(i + 1) % tables}', referencedColumns: ['id'] },
          { foreignKeyName: 'table_${i}_self', columns: ['self_id'], isOneToOne: false, referencedRelation: 'table_${i}', referencedColumns: ['id'] },
        ]
      }`,
  )
  .join('\n')}
    }
    Views: { [_ in never]: never }
    Functions: { [_ in never]: never }
    Enums: { [_ in never]: never }
    CompositeTypes: { [_ in never]: never }
  }
}
`,
  calls: (tables) => `import { createClient } from '@supabase/supabase-js'
import type { Database } from './declarations.ts'
export const client = createClient<Database>('http://localhost', 'key')
${numbers(tables)
  .map(
    (i) =>
      `export const list${i} = client.from('table_${i}').select('name, next:table_${(i + 1) % tables}!table_${i}_next(name)').gt('price', 1)`,
  )
  .join('\n')}
`,
}

const zenstack: Client = {
  name: 'ZenStack hooks',
  needs: 'a generated schema, which the browser loads',
  declarations: (tables) => `import type { SchemaDef } from '@zenstackhq/schema'
export class SchemaType implements SchemaDef {
  provider = { type: 'postgresql' } as const
  models = {
${numbers(tables)
  .map((i) => {
    const scalar = (name: string, type: string, more = '') =>
      `        ${name}: { name: '${name}', type: '${type}'${more} },`
    const last = (i + tables - 1) % tables
    return `    Model${i}: {
      name: 'Model${i}',
      fields: {
        id: { name: 'id', type: 'Int', id: true },
${scalar('name', 'String')}
${scalar('notes', 'String', ', optional: true')}
${scalar('state', 'String')}
${scalar('price', 'Decimal')}
${scalar('visits', 'BigInt')}
${scalar('born', 'DateTime', ', optional: true')}
${scalar('created', 'DateTime')}
        next_id: { name: 'next_id', type: 'Int', foreignKeyFor: ['next'] as readonly string[] },
        self_id: { name: 'self_id', type: 'Int', optional: true, foreignKeyFor: ['self'] as readonly string[] },
        next: { name: 'next', type: 'Model${(i + 1) % tables}', relation: { opposite: 'before', fields: ['next_id'] as readonly string[], references: ['id'] as readonly string[] } },
        self: { name: 'self', type: 'Model${i}', optional: true, relation: { opposite: 'selves', fields: ['self_id'] as readonly string[], references: ['id'] as readonly string[] } },
        selves: { name: 'selves', type: 'Model${i}', array: true, relation: { opposite: 'self' } },
        before: { name: 'before', type: 'Model${last}', array: true, relation: { opposite: 'next' } },
      },
      idFields: ['id'],
      uniqueFields: { id: { type: 'Int' } },
    },`
  })
  .join('\n')}
  } as const
  plugins = {}
}
export const schema = new SchemaType()
`,
  calls: (tables) => `import { useClientQueries } from '@zenstackhq/tanstack-query/react'
import { schema } from './declarations.ts'
export const useLists = () => {
  const client = useClientQueries(schema)
${numbers(tables)
  .map(
    (i) =>
      `  const list${i} = client.model${i}.useFindMany({ where: { price: { gt: 1 } }, select: { name: true, next: { select: { name: true } } } })`,
  )
  .join('\n')}
  return [${numbers(tables).map((i) => `list${i}.data?.[0]?.name`)}]
}
`,
}

export const clients: readonly Client[] = [ours, hono, eden, supabase, zenstack]
