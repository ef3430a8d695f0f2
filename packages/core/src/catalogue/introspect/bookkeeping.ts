// The tables of migration tools and of this library itself, which introspection leaves out unless the option `include` names them.

/** In lower case; names are compared without regard to case. */
export const bookkeepingTables: ReadonlySet<string> = new Set([
  // This library.
  'refresh_tokens',
  'idempotency_keys',
  // TypeORM, Laravel, db-migrate, and scripts written by hand.
  'migrations',
  '_migrations',
  '__migrations',
  'typeorm_metadata',
  // Rails, Ecto, golang-migrate, dbmate.
  'schema_migrations',
  'ar_internal_metadata',
  // Flyway; `schema_version` also Tern.
  'flyway_schema_history',
  'schema_version',
  // Kysely, Knex, Prisma, Drizzle, Sequelize, MikroORM, node-pg-migrate, Cloudflare D1.
  'kysely_migration',
  'kysely_migration_lock',
  'knex_migrations',
  'knex_migrations_lock',
  '_prisma_migrations',
  '__drizzle_migrations',
  'sequelizemeta',
  'mikro_orm_migrations',
  'pgmigrations',
  'd1_migrations',
  // Django, Alembic, yoyo.
  'django_migrations',
  'alembic_version',
  '_yoyo_migration',
  '_yoyo_log',
  '_yoyo_version',
  'yoyo_lock',
  // Goose, Atlas, bun.
  'goose_db_version',
  'atlas_schema_revisions',
  'bun_migrations',
  'bun_migration_locks',
  // Entity Framework, DbUp.
  '__efmigrationshistory',
  'schemaversions',
  // Liquibase.
  'databasechangelog',
  'databasechangeloglock',
  // Doctrine, Phinx.
  'doctrine_migration_versions',
  'phinxlog',
  // Diesel, SQLx, SeaORM, Refinery.
  '__diesel_schema_migrations',
  '_sqlx_migrations',
  'seaql_migrations',
  'refinery_schema_history',
])

export const isBookkeeping = (table: string): boolean => bookkeepingTables.has(table.toLowerCase())
