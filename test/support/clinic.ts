/** The models and data of a few clinics and their technicians, for the examples of aggregates of related records. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import type { Kysely } from 'kysely'

const id = { type: 'integer', primaryKey: true } as const
const name = { type: 'string', maxLength: 40 } as const

export const clinic: readonly AnyModel[] = [
  defineModel('Site', {
    columns: { id, name },
    relations: { appointments: hasMany('Appointment', 'site_id') },
    meta: {},
  }),
  defineModel('Technician', {
    columns: { id, name },
    relations: { appointments: hasMany('Appointment', 'technician_id') },
    meta: {},
  }),
  defineModel('Customer', {
    columns: { id, name },
    relations: {
      appointments: hasMany('Appointment', 'customer_id'),
      invoices: hasMany('Invoice', 'customer_id'),
    },
    meta: {},
  }),
  defineModel('Appointment', {
    columns: {
      id,
      status: { type: 'enum', enum: ['open', 'done', 'cancelled'] },
      minutes: { type: 'integer' },
      site_id: { type: 'integer' },
      technician_id: { type: 'integer' },
      customer_id: { type: 'integer' },
    },
    relations: {
      site: belongsTo('Site', 'site_id'),
      technician: belongsTo('Technician', 'technician_id'),
      customer: belongsTo('Customer', 'customer_id'),
    },
    meta: {},
  }),
  defineModel('Invoice', {
    columns: {
      id,
      amount: { type: 'decimal', precision: 10, scale: 2 },
      paid: { type: 'boolean' },
      customer_id: { type: 'integer' },
    },
    relations: { customer: belongsTo('Customer', 'customer_id') },
    meta: {},
  }),
]

const statements = [
  'create table sites (id integer primary key, name text not null)',
  'create table technicians (id integer primary key, name text not null)',
  'create table customers (id integer primary key, name text not null)',
  'create table appointments (id integer primary key, status text not null, minutes integer not null, site_id integer not null, technician_id integer not null, customer_id integer not null)',
  'create table invoices (id integer primary key, amount decimal(10, 2) not null, paid boolean not null, customer_id integer not null)',
  "insert into sites values (1, 'Harbour'), (2, 'North'), (3, 'Old Town')",
  "insert into technicians values (1, 'Ada'), (2, 'Ben'), (3, 'Cleo')",
  "insert into customers values (1, 'Dora'), (2, 'Emil'), (3, 'Finn')",
  "insert into appointments values (1, 'open', 30, 1, 1, 1), (2, 'open', 45, 1, 2, 2), (3, 'done', 60, 1, 1, 2), (4, 'open', 20, 2, 1, 3), (5, 'cancelled', 30, 3, 2, 1), (6, 'done', 90, 2, 2, 1)",
  'insert into invoices values (1, 900.00, 1, 1), (2, 450.50, 1, 1), (3, 80.00, 0, 2), (4, 1200.25, 1, 2)',
]

/** Creates and fills the tables in an SQLite database. */
// biome-ignore lint/suspicious/noExplicitAny: any database
export async function createClinic(db: Kysely<any>): Promise<void> {
  const { sql } = await import('kysely')
  for (const statement of statements) await sql.raw(statement).execute(db)
}
