// Detection of the dialect, by Kysely's adapter or by name; an unknown one is a start-up error that lists the names.
import {
  DummyDriver,
  Kysely,
  MysqlAdapter,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
} from 'kysely'
import { detectDialect } from '../../../packages/core/src/dialect/detect.ts'
import { genericDialect } from '../../../packages/core/src/dialect/generic/generic-dialect.ts'
import { equal, match, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: no tables are needed
const databaseWith = (adapter: unknown): Kysely<any> =>
  new Kysely({
    dialect: {
      createAdapter: () => adapter as PostgresAdapter,
      createDriver: () => new DummyDriver(),
      createIntrospector: () => {
        throw new Error('not needed')
      },
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })

suite('dialect/detect', (test) => {
  test('Kysely’s own adapters', () => {
    equal(detectDialect(databaseWith(new SqliteAdapter())).name, 'sqlite')
    equal(detectDialect(databaseWith(new PostgresAdapter())).name, 'postgres')
    equal(detectDialect(databaseWith(new MysqlAdapter())).name, 'mysql')
  })

  test('adapters of other packages, by what they extend or are called', () => {
    class Own extends PostgresAdapter {}
    equal(detectDialect(databaseWith(new Own())).name, 'postgres')
    class LibsqlAdapter {}
    equal(detectDialect(databaseWith(new LibsqlAdapter())).name, 'sqlite')
    class PlanetScaleAdapter {}
    equal(detectDialect(databaseWith(new PlanetScaleAdapter())).name, 'mysql')
    class PGliteAdapter {}
    equal(detectDialect(databaseWith(new PGliteAdapter())).name, 'postgres')
  })

  test('an unknown adapter is an error that names it and the choices', () => {
    class MssqlAdapter {}
    const { message } = throws(() => detectDialect(databaseWith(new MssqlAdapter())))
    match(message, 'MssqlAdapter')
    match(message, 'sqlite, postgres, mysql, mariadb, generic')
  })

  test('a name or an object takes precedence', () => {
    class Unknown {}
    const db = databaseWith(new Unknown())
    equal(detectDialect(db, 'mariadb').name, 'mysql')
    equal(detectDialect(databaseWith(new MysqlAdapter()), 'mariadb').name, 'mysql')
    equal(detectDialect(db, 'generic').name, 'generic')
    equal(detectDialect(db, { ...genericDialect, name: 'mine' }).name, 'mine')
    throws(() => detectDialect(db, 'oracle'), 'unknown name "oracle"')
    throws(() => detectDialect(db, 5 as never), 'unknown name 5. Expected one of')
    throws(() => detectDialect(db, null as never), 'unknown name null. Expected one of')
    const other = databaseWith(new PostgresAdapter())
    throws(() => detectDialect(other, 'sqlite'), 'pass "postgres"')
  })
})
