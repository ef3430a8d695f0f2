/** The ways to name a database, and that a password is never shown. */
import { databaseName, readTarget } from '../../../packages/http-node/src/database/locations.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

suite('targets', (test) => {
  for (const [target, kind, location, name = location] of [
    ['library.db', 'sqlite', 'library.db'],
    ['./a/b.sqlite', 'sqlite', './a/b.sqlite'],
    ['c:library.db', 'sqlite', 'c:library.db'],
    ['odd:name.db', 'sqlite', 'odd:name.db'],
    ['sqlite:library.db', 'sqlite', 'library.db'],
    ['sqlite:///srv/library.db', 'sqlite', '/srv/library.db'],
    ['file:library.db', 'sqlite', 'library.db'],
    ['file:///srv/a%20b.db', 'sqlite', '/srv/a b.db'],
    ['postgres://ann@h/db', 'postgres', 'postgres://ann@h/db'],
    ['postgresql://h/db', 'postgres', 'postgresql://h/db'],
    ['POSTGRES://h/db', 'postgres', 'POSTGRES://h/db'],
    ['mysql://h:3307/db', 'mysql', 'mysql://h:3307/db'],
    ['mariadb://ann@h/db', 'mysql', 'mysql://ann@h/db', 'mariadb://ann@h/db'],
    ['postgres://ann:secret@h/db', 'postgres', 'postgres://ann:secret@h/db', 'postgres://ann@h/db'],
    ['mysql://ann:a:b@h/db', 'mysql', 'mysql://ann:a:b@h/db', 'mysql://ann@h/db'],
    ['mysql://:pw@h/db', 'mysql', 'mysql://:pw@h/db', 'mysql://@h/db'],
    [
      'postgres://h/db?user=a&password=b&x=c',
      'postgres',
      'postgres://h/db?user=a&password=b&x=c',
      'postgres://h/db?user=a&password=…&x=c',
    ],
  ] as const) {
    test(target, () => equal(readTarget(target), { kind, locations: [location], name }))
  }

  test('several hosts are several URLs', () => {
    equal(readTarget('postgres://ann:pw@a,b:5433,[::1]:5434/db?x=1,2'), {
      kind: 'postgres',
      locations: [
        'postgres://ann:pw@a/db?x=1,2',
        'postgres://ann:pw@b:5433/db?x=1,2',
        'postgres://ann:pw@[::1]:5434/db?x=1,2',
      ],
      name: 'postgres://ann@a,b:5433,[::1]:5434/db?x=1,2',
    })
    throws(() => readTarget('mysql://a:x,b/db'), '"mysql://a:x,b/db" is not a complete URL.')
  })

  test('an unknown scheme is an error', () => {
    throws(
      () => readTarget('mssql://h/db'),
      '"mssql://" is not a supported database. Expected a SQLite file',
    )
    throws(() => readTarget('postgres:h'), '"postgres:h" is not a complete URL.')
  })
})

suite('names of databases', (test) => {
  for (const [target, name] of [
    ['library.db', 'library'],
    ['./a/b.c.sqlite', 'b.c'],
    ['sqlite:///srv/library', 'library'],
    ['/srv/.hidden', '.hidden'],
    ['postgres://ann:a:b@h,i:5433/my%20shop?x=y', 'my shop'],
    ['mysql://h/100%', '100%'],
    ['mariadb://h:3307', undefined],
    ['postgres://h/?user=ann', undefined],
  ] as const) {
    test(target, () => equal(databaseName(readTarget(target).name), name))
  }
})
