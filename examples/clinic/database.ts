// The database and its tables, which Kysely writes for each kind of database.

import type { ColumnBuilderCallback, CreateTableBuilder, Kysely } from 'kysely'
import type { Database } from './models.ts'

export type Engine = 'sqlite' | 'postgres' | 'mysql'

const datetimeOf = {
  sqlite: 'datetime',
  postgres: 'timestamptz',
  mysql: 'datetime(3)',
} as const

/** Creates the tables that are missing. */
export async function createTables(db: Kysely<Database>, engine: Engine): Promise<void> {
  const datetime = datetimeOf[engine]
  const generated: ColumnBuilderCallback = (column) =>
    engine === 'postgres'
      ? column.generatedByDefaultAsIdentity().primaryKey()
      : column.autoIncrement().primaryKey()
  const table = (name: keyof Database): CreateTableBuilder<string, 'id'> =>
    db.schema.createTable(name).ifNotExists().addColumn('id', 'integer', generated)
  const required: ColumnBuilderCallback = (column) => column.notNull()

  await table('sites').addColumn('name', 'varchar(80)', required).execute()
  await table('technicians').addColumn('name', 'varchar(80)', required).execute()
  await table('users')
    .addColumn('username', 'varchar(40)', (column) => column.notNull().unique())
    .addColumn('password_hash', 'varchar(60)', required)
    .addColumn('roles', 'json', required)
    .addColumn('technician_id', 'integer')
    .addForeignKeyConstraint('technician_of_user', ['technician_id'], 'technicians', ['id'])
    .execute()
  await table('customers')
    .addColumn('number', 'varchar(12)', (column) => column.notNull().unique())
    .addColumn('name', 'varchar(80)', required)
    .addColumn('email', 'varchar(120)')
    .addColumn('birthday', 'date')
    .execute()
  await table('appointments')
    .addColumn('site_id', 'integer', required)
    .addColumn('technician_id', 'integer', required)
    .addColumn('customer_id', 'integer', required)
    .addColumn('starts_at', datetime, required)
    .addColumn('ends_at', datetime, required)
    .addColumn('status', 'varchar(10)', required)
    .addForeignKeyConstraint('site_of_appointment', ['site_id'], 'sites', ['id'])
    .addForeignKeyConstraint('technician_of_appointment', ['technician_id'], 'technicians', ['id'])
    .addForeignKeyConstraint('customer_of_appointment', ['customer_id'], 'customers', ['id'])
    .execute()
  await table('services')
    .addColumn('name', 'varchar(80)', required)
    .addColumn('price', 'decimal(10, 2)', required)
    .execute()
  await table('invoices')
    .addColumn('customer_id', 'integer', required)
    .addColumn('state', 'varchar(10)', required)
    .addColumn('paid', 'boolean', required)
    .addColumn('total', 'decimal(10, 2)')
    .addColumn('updated', datetime, required)
    .addForeignKeyConstraint('customer_of_invoice', ['customer_id'], 'customers', ['id'])
    .execute()
  await table('lines')
    .addColumn('invoice_id', 'integer', required)
    .addColumn('position', 'integer', required)
    .addColumn('text', 'varchar(200)', required)
    .addColumn('quantity', 'integer', required)
    .addColumn('price', 'decimal(10, 2)', required)
    .addForeignKeyConstraint('invoice_of_line', ['invoice_id'], 'invoices', ['id'])
    .execute()

  const indexes: readonly (readonly [keyof Database, readonly string[]])[] = [
    ['appointments', ['technician_id', 'starts_at']],
    ['appointments', ['site_id']],
    ['appointments', ['customer_id']],
    ['invoices', ['customer_id']],
    ['lines', ['invoice_id']],
  ]
  for (const [name, columns] of indexes) {
    const index = db.schema
      .createIndex(`${name}_by_${columns[0]}`)
      .on(name)
      .columns([...columns])
    // MySQL has no `if not exists` for indexes, and makes those of foreign keys itself.
    if (engine === 'mysql') continue
    await index.ifNotExists().execute()
  }
}
