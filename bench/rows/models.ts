/** The models of the tables of `data.ts`. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Owner = defineModel('Owner', {
  columns: { id, name: { type: 'string', maxLength: 80 } },
  relations: { items: hasMany('Item', 'owner_id') },
  meta: {},
})

const Item = defineModel('Item', {
  columns: {
    id,
    owner_id: { type: 'integer' },
    title: { type: 'string', maxLength: 80 },
    state: { type: 'string', maxLength: 10 },
    price: { type: 'decimal', precision: 8, scale: 2 },
    pieces: { type: 'integer' },
    created_at: { type: 'datetime' },
  },
  relations: { owner: belongsTo('Owner', 'owner_id') },
  meta: {},
})

export const models: readonly AnyModel[] = [Owner, Item]
