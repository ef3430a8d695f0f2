// The classification of errors: every code of the table, as each driver of a family throws it.

import type { DatabaseFailure } from '../../../packages/core/src/dialect/dialect.ts'
import { classifyAny } from '../../../packages/core/src/dialect/generic/generic-errors.ts'
import { classifyMysql } from '../../../packages/core/src/dialect/mysql/mysql-errors.ts'
import { classifyPostgres } from '../../../packages/core/src/dialect/postgres/postgres-errors.ts'
import { classifySqlite } from '../../../packages/core/src/dialect/sqlite/sqlite-errors.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

type Kind = DatabaseFailure['kind']

const error = (members: object, message = ''): Error => Object.assign(new Error(message), members)

suite('dialect/classify postgres', (test) => {
  const codes: readonly (readonly [Kind, ...string[]])[] = [
    ['unique', '23505', '23P01'],
    ['foreignKey', '23503', '23001'],
    ['notNull', '23502'],
    ['check', '23514', '44000', '23000', '40002'],
    ['value', '22001', '22003', '22007', '22008', '22P02', '22P03', '22021', '22P05'],
    ['value', '2201B', '22025', '22000', '22012', '2201E', '2201F', '22023', '22030', '54000'],
    ['retry', '40000', '40001', '40P01', '26000', '42P05', '72000'],
    ['timeout', '57014', '55P03', '25P03', '25P04', '57P05'],
    ['unavailable', '57P01', '57P02', '57P03', '57P04'],
    ['unavailable', '08000', '08001', '08003', '08004', '08006', '08007', '40003'],
    ['unavailable', '25006', '53000', '53100', '53200', '53300', '53400', '58000', '58030'],
    ['other', '42601', '42703', '42P01', '42P10', '42501', '0A000', '08P01', '25P02', '28P01'],
    ['other', 'XX000', '55000', '2201W', '2201X', '54001', '2F005', '39P01', '3D000', 'HV00L'],
    ['unavailable', '57000', '2200H', 'XX001', 'XX002', 'HV00N', 'HV001'],
    ['trigger', 'P0001', 'P0000', 'P0002', 'P0003', 'P0004', '09000', '20000', '21000', '27000'],
    ['trigger', '38000', '38001', '01000', '02000', '45000', '45001', 'PT409', '77777', 'ABCDE'],
  ]
  for (const [kind, ...list] of codes) {
    for (const code of list)
      test(`${code} is ${kind}`, () => equal(classifyPostgres(error({ code })).kind, kind))
  }

  /** Every class of PostgreSQL 18, with the kind of a code that no table names. */
  const classes: readonly (readonly [Kind, string])[] = [
    ['value', '22'],
    ['check', '23 44'],
    ['trigger', '01 02 09 20 21 27 38 P0'],
    ['retry', '40 72'],
    ['unavailable', '08 53 57 58'],
    ['other', '03 0A 0B 0F 0L 0P 0Z 10 24 25 26 28 2B 2D 2F 34 39 3B 3D 3F 42 54 55 F0 HV XX'],
  ]
  for (const [kind, list] of classes) {
    for (const one of list.split(' '))
      test(`class ${one} is ${kind}`, () =>
        equal(classifyPostgres(error({ code: `${one}Z9Z` })).kind, kind))
  }

  test('RAISE is a trigger, whatever its SQLSTATE', () => {
    const raised = (code: string): DatabaseFailure =>
      classifyPostgres(error({ code, routine: 'exec_stmt_raise' }, 'Too late.'))
    for (const code of ['22023', '42501', '57014', '57P01', '53100', '0A000', '02000', 'PT409']) {
      equal(raised(code), { kind: 'trigger' }, code)
    }
    equal(classifyPostgres(error({ code: 'P0004' }, 'No.')), { kind: 'trigger' })
    equal(classifyPostgres(error({ code: 'P0002' }, 'query returned no rows')), { kind: 'trigger' })
    equal(
      ['23505', '23503', '23502', '23514', '40001'].map((code) => raised(code).kind),
      ['unique', 'foreignKey', 'notNull', 'check', 'retry'],
    )
  })

  test('what the server has ended is undone, even if it was COMMIT', () => {
    for (const code of ['57014', '55P03']) {
      equal(classifyPostgres(error({ code })), { kind: 'timeout', undone: true })
    }
  })

  test('system errors of five letters are not SQLSTATEs', () => {
    equal(classifyPostgres(error({ code: 'EPERM', errno: -1, syscall: 'connect' })).kind, 'other')
  })

  test('a stale plan is distinguished from an unsupported feature, in any language', () => {
    const stale = { code: '0A000', routine: 'RevalidateCachedQuery' }
    equal(classifyPostgres(error(stale, 'Plan im Cache')), { kind: 'retry' })
    const unsupported = { code: '0A000', routine: 'ExecCheckXactReadOnly' }
    equal(classifyPostgres(error(unsupported)), { kind: 'other' })
  })

  test('constraint and column, under the names of pg and of postgres.js', () => {
    const found = { kind: 'unique', constraint: 'users_email_key' }
    equal(classifyPostgres(error({ code: '23505', constraint: 'users_email_key' })), found)
    equal(classifyPostgres(error({ code: '23505', constraint_name: 'users_email_key' })), found)
    equal(classifyPostgres(error({ code: '23502', column: 'email' })), {
      kind: 'notNull',
      column: 'email',
    })
  })

  test('errors without a code: lost connections, full pools, the driver’s own timeout', () => {
    for (const message of [
      'connect ETIMEDOUT',
      'No database connection became free in time.',
      'Connection terminated due to connection timeout',
      'timeout exceeded when trying to connect',
      'Cannot use a pool after calling end on the pool',
    ]) {
      const thrown = error({ code: 'ETIMEDOUT' }, message)
      equal(classifyPostgres(new Error(message)), { kind: 'unavailable' }, message)
      equal(classifyPostgres(thrown), { kind: 'unavailable' }, message)
    }
    for (const message of [
      'Connection terminated unexpectedly',
      'Client has encountered a connection error and is not queryable',
    ]) {
      equal(classifyPostgres(new Error(message)), { kind: 'unavailable', lost: true }, message)
    }
    equal(classifyPostgres(new Error('Query read timeout')), { kind: 'timeout', lost: true })
  })

  test('SQLite needs room for what it writes before COMMIT counts', () => {
    for (const thrown of [{ code: 'SQLITE_FULL' }, { errcode: 13 }]) {
      equal(classifySqlite(error(thrown)), { kind: 'unavailable', undone: true })
    }
    equal(classifySqlite(error({ code: 'SQLITE_IOERR_WRITE' })), { kind: 'unavailable' })
  })

  test('a broken connection may have executed its statement, a refused one has not', () => {
    for (const code of ['57P01', '57P02', '08003', '08006', '08007', '40003']) {
      equal(classifyPostgres(error({ code })), { kind: 'unavailable', lost: true })
    }
    for (const errno of [1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 3169, 4031]) {
      equal(classifyMysql(error({ errno })), { kind: 'unavailable', lost: true })
    }
    for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'PROTOCOL_CONNECTION_LOST']) {
      for (const classify of [classifyPostgres, classifyMysql, classifyAny]) {
        equal(classify(error({ code })), { kind: 'unavailable', lost: true }, code)
      }
    }
    equal(classifyMysql(error({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' })).lost, true)
    for (const code of ['53300', '57P03', '25006', '08001', 'ECONNREFUSED', 'ENOTFOUND']) {
      equal(classifyPostgres(error({ code })), { kind: 'unavailable' })
    }
    for (const errno of [1040, 1047, 1290]) {
      equal(classifyMysql(error({ errno })), { kind: 'unavailable' })
    }
  })

  test('the codes of sockets and of names that are not found', () => {
    for (const code of [
      'ECONNREFUSED',
      'ECONNRESET',
      'ECONNABORTED',
      'EPIPE',
      'ETIMEDOUT',
      'ENOTFOUND',
      'EHOSTDOWN',
      'EHOSTUNREACH',
      'ENETDOWN',
      'ENETUNREACH',
      'ENOTCONN',
      'EAI_AGAIN',
      'ENOENT',
      'ERR_SOCKET_CLOSED',
      'ERR_STREAM_DESTROYED',
    ]) {
      for (const classify of [classifyPostgres, classifyMysql, classifySqlite, classifyAny]) {
        equal(classify(error({ code, errno: -1 })).kind, 'unavailable', code)
      }
    }
  })

  test('socket errors, alone, in a cause and several in one', () => {
    const refused = error({ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED')
    equal(classifyPostgres(refused).kind, 'unavailable')
    equal(classifyPostgres(new Error('wrapped', { cause: refused })).kind, 'unavailable')
    equal(classifyPostgres(new AggregateError([refused])).kind, 'unavailable')
    const loop = new Error('loop')
    loop.cause = loop
    equal(classifyPostgres(loop), { kind: 'other' })
  })

  test('anything else is an internal error', () => {
    for (const thrown of [undefined, null, 'text', 5, {}, new TypeError('x is not a function')]) {
      equal(classifyPostgres(thrown), { kind: 'other' })
    }
  })
})

suite('dialect/classify mysql', (test) => {
  const numbers: readonly (readonly [Kind, ...number[]])[] = [
    ['unique', 1062, 1586, 1859, 1022, 1169],
    ['foreignKey', 1451, 1452, 1216, 1217, 1557, 1761, 1762],
    ['notNull', 1048, 1364, 1263],
    ['check', 3819, 4025, 1369, 1526, 1748],
    ['value', 1406, 1264, 1265, 1292, 1300, 1365, 1366, 1367, 1411, 1441, 1525, 1690, 1139],
    [
      'value',
      1267,
      1270,
      1271,
      3854,
      3988,
      3140,
      3685,
      3696,
      3697,
      3698,
      3700,
      1118,
      1301,
      1713,
      1038,
      1153,
    ],
    ['trigger', 1172, 1643, 1644],
    ['retry', 1213, 1205, 1020, 1243, 1297, 1412, 1689, 3101, 3572],
    ['timeout', 3024, 1969, 1317, 3699, 1028],
    ['unavailable', 1040, 1129, 1135, 1203, 1226],
    ['unavailable', 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2002, 2003],
    ['unavailable', 2006, 2013, 3032, 3168, 3169, 4031],
    ['unavailable', 1290, 1792, 1836],
    ['unavailable', 3, 1021, 1026, 1030, 1037, 1041, 1114, 1206],
    ['unavailable', 1047, 1180, 3100, 1197, 167, 1467, 1637, 4084],
    ['other', 1064, 1054, 1146, 1044, 1045, 1142, 1295, 1390, 1461, 1615],
    ['other', 1052, 1136, 1222, 1241, 1442, 1105],
  ]
  for (const [kind, ...list] of numbers) {
    for (const errno of list) {
      test(`${errno} is ${kind}`, () =>
        equal(classifyMysql(error({ errno, code: 'ER_X' })).kind, kind))
    }
  }

  /** Every class of MySQL 9.7 and MariaDB 11.8, with the kind of a number that no table names. */
  const classes: readonly (readonly [Kind, string])[] = [
    ['value', '22'],
    ['check', '23 44'],
    ['trigger', '02 20 21 45 4X 77 PT'],
    ['retry', '40 XA'],
    ['timeout', '70'],
    ['unavailable', '08'],
    ['other', '01 07 0A 0K 0Z 24 25 28 2F 34 3D 42 HY IM S0 S1 XX'],
  ]
  for (const [kind, list] of classes) {
    for (const one of list.split(' '))
      test(`class ${one} is ${kind}`, () =>
        equal(classifyMysql(error({ errno: 9999, sqlState: `${one}000` })).kind, kind))
  }

  test('a known number counts more than the class of its SQLSTATE', () => {
    equal(classifyMysql(error({ errno: 1153, sqlState: '08S01' })).kind, 'value')
    equal(classifyMysql(error({ errno: 1052, sqlState: '23000' })).kind, 'other')
    equal(classifyMysql(error({ errno: 1265, sqlState: '01000' })).kind, 'value')
    equal(classifyMysql(error({ errno: 9999, sqlState: '08S01' })).lost, true)
  })

  test('names from the messages of both servers', () => {
    const of = (errno: number, sqlMessage: string): DatabaseFailure =>
      classifyMysql(error({ errno, sqlMessage }))
    equal(of(1062, "Duplicate entry 'a' for key 'users.email_unique'"), {
      kind: 'unique',
      constraint: 'email_unique',
    })
    equal(of(1062, "Duplicate entry 'for key 'x'' for key 'email_unique'"), {
      kind: 'unique',
      constraint: 'email_unique',
    })
    equal(
      of(
        1452,
        'Cannot add or update a child row: a foreign key constraint fails (`d`.`b`, CONSTRAINT `b_a` FOREIGN KEY (`a_id`) REFERENCES `a` (`id`))',
      ),
      { kind: 'foreignKey', constraint: 'b_a', column: 'a_id' },
    )
    equal(of(1048, "Column 'email' cannot be null"), { kind: 'notNull', column: 'email' })
    equal(of(1364, "Field 'email' doesn't have a default value"), {
      kind: 'notNull',
      column: 'email',
    })
    equal(of(1406, "Data too long for column 'name' at row 1"), { kind: 'value', column: 'name' })
    equal(of(1366, "Incorrect integer value: 'x' for column `d`.`t`.`n` at row 1"), {
      kind: 'value',
      column: 'n',
    })
    equal(of(4025, 'CONSTRAINT `positive` failed for `d`.`t`'), {
      kind: 'check',
      constraint: 'positive',
    })
    equal(of(3819, "Check constraint 'positive' is violated."), {
      kind: 'check',
      constraint: 'positive',
    })
  })

  test('SIGNAL, with any SQLSTATE and any error number', () => {
    const found = { kind: 'trigger' }
    for (const [errno, sqlState] of [
      ...[
        [1644, '45000'],
        [1644, '45001'],
        [1644, '23000'],
        [1644, '22001'],
        [1644, 'PT409'],
      ],
      ...[
        [1643, '02000'],
        [1062, '45000'],
        [31001, '45001'],
        [31001, '77777'],
      ],
    ] as const) {
      equal(classifyMysql(error({ errno, sqlState }, 'Too late.')), found, `${errno} ${sqlState}`)
    }
    equal(classifyMysql(error({ errno: 1644, sqlState: '40001' })), { kind: 'retry' })
    equal(classifyMysql(error({ errno: 1339, sqlState: '20000' }, 'x')), { kind: 'trigger' })
  })

  test('connections and pools', () => {
    equal(classifyMysql(error({ errno: -111, code: 'ECONNREFUSED' })).kind, 'unavailable')
    equal(classifyMysql(error({ code: 'PROTOCOL_CONNECTION_LOST' })).kind, 'unavailable')
    equal(classifyMysql(error({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' })).kind, 'timeout')
    equal(classifyMysql(new Error('Pool is closed.')).kind, 'unavailable')
    equal(classifyMysql(new Error('Queue limit reached.')).kind, 'unavailable')
    equal(
      classifyMysql(new Error("Can't add new command when connection is in closed state")).kind,
      'unavailable',
    )
    equal(classifyMysql(new TypeError('x')).kind, 'other')
  })
})

suite('dialect/classify sqlite', (test) => {
  const codes: readonly (readonly [Kind, ...string[]])[] = [
    [
      'unique',
      'SQLITE_CONSTRAINT_UNIQUE',
      'SQLITE_CONSTRAINT_PRIMARYKEY',
      'SQLITE_CONSTRAINT_ROWID',
    ],
    ['foreignKey', 'SQLITE_CONSTRAINT_FOREIGNKEY'],
    ['notNull', 'SQLITE_CONSTRAINT_NOTNULL'],
    ['check', 'SQLITE_CONSTRAINT_CHECK', 'SQLITE_CONSTRAINT_VTAB'],
    ['trigger', 'SQLITE_CONSTRAINT_TRIGGER', 'SQLITE_CONSTRAINT_FUNCTION', 'SQLITE_CONSTRAINT'],
    ['trigger', 'SQLITE_CONSTRAINT_COMMITHOOK', 'SQLITE_CONSTRAINT_PINNED'],
    ['value', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG', 'SQLITE_CONSTRAINT_DATATYPE'],
    ['locked', 'SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_TIMEOUT'],
    ['locked', 'SQLITE_LOCKED', 'SQLITE_LOCKED_SHAREDCACHE'],
    ['retry', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_PROTOCOL', 'SQLITE_SCHEMA', 'SQLITE_ABORT_ROLLBACK'],
    ['timeout', 'SQLITE_INTERRUPT'],
    ['unavailable', 'SQLITE_IOERR', 'SQLITE_IOERR_READ', 'SQLITE_IOERR_WRITE'],
    ['unavailable', 'SQLITE_CANTOPEN', 'SQLITE_CANTOPEN_ISDIR', 'SQLITE_PERM', 'SQLITE_NOMEM'],
    ['unavailable', 'SQLITE_READONLY', 'SQLITE_READONLY_DBMOVED', 'SQLITE_READONLY_DIRECTORY'],
    ['unavailable', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_NOLFS', 'SQLITE_CORRUPT_INDEX'],
    ['other', 'SQLITE_ERROR', 'SQLITE_MISUSE', 'SQLITE_AUTH', 'SQLITE_RANGE', 'SQLITE_INTERNAL'],
    ['other', 'SQLITE_ABORT', 'SQLITE_NOTFOUND', 'SQLITE_EMPTY', 'SQLITE_FORMAT'],
  ]
  for (const [kind, ...list] of codes) {
    for (const code of list)
      test(`${code} is ${kind}`, () => equal(classifySqlite(error({ code })), { kind }))
  }

  test('numbers of node:sqlite', () => {
    const of = (errcode: number): Kind =>
      classifySqlite(error({ code: 'ERR_SQLITE_ERROR', errcode })).kind
    const expected: readonly (readonly [Kind, ...number[]])[] = [
      ['unique', 2067, 1555, 2579],
      ['foreignKey', 787],
      ['notNull', 1299],
      ['check', 275, 2323],
      ['value', 20, 18, 3091],
      // 261, 517 and 262 are extended codes of 5 and 6.
      ['locked', 5, 6, 261, 262],
      ['retry', 15, 17, 517, 516],
      ['timeout', 9],
      ['unavailable', 3, 7, 8, 10, 11, 13, 14, 22, 26, 266, 1032],
      // 531, 1043 and 2835: a hook of COMMIT, a function and a pinned row.
      ['trigger', 19, 1811, 531, 1043, 2835],
      ['other', 1, 2, 4, 12, 16, 21, 23, 24, 25],
    ]
    for (const [kind, ...list] of expected) {
      equal(
        list.map(of),
        list.map(() => kind),
      )
    }
  })

  test('names from the message', () => {
    const of = (code: string, message: string): DatabaseFailure =>
      classifySqlite(error({ code }, message))
    equal(of('SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: users.email, users.site'), {
      kind: 'unique',
      column: 'email',
      constraint: '"email", "site"',
    })
    equal(of('SQLITE_CONSTRAINT_UNIQUE', "UNIQUE constraint failed: index 'one_email'"), {
      kind: 'unique',
      constraint: 'one_email',
    })
    equal(of('SQLITE_CONSTRAINT_NOTNULL', 'NOT NULL constraint failed: users.email'), {
      kind: 'notNull',
      column: 'email',
    })
    equal(of('SQLITE_CONSTRAINT_CHECK', 'CHECK constraint failed: positive'), {
      kind: 'check',
      constraint: 'positive',
    })
    equal(of('SQLITE_CONSTRAINT_FOREIGNKEY', 'FOREIGN KEY constraint failed'), {
      kind: 'foreignKey',
    })
    equal(of('SQLITE_CONSTRAINT', 'UNIQUE constraint failed: users.email'), {
      kind: 'unique',
      column: 'email',
      constraint: '"email"',
    })
  })

  test('what a function does not take is a mistake of the client', () => {
    for (const message of [
      'integer overflow',
      'LIKE or GLOB pattern too complex',
      'string or blob too big',
      'malformed JSON',
      'JSON cannot hold BLOB values',
      "bad JSON path: 'x'",
      "JSON path error near 'x'",
    ]) {
      equal(classifySqlite(error({ code: 'SQLITE_ERROR' }, message)), { kind: 'value' }, message)
    }
  })

  test('a message counts more than the primary code of all constraints', () => {
    const failed = (name: string): Error => error({ errcode: 19 }, `${name} constraint failed: a.b`)
    equal(
      ['UNIQUE', 'NOT NULL', 'CHECK', 'FOREIGN KEY'].map(
        (name) => classifySqlite(failed(name)).kind,
      ),
      ['unique', 'notNull', 'check', 'foreignKey'],
    )
    equal(classifySqlite(error({ code: 'SQLITE_CONSTRAINT' }, 'Too late.')), {
      kind: 'trigger',
    })
  })

  test('a closed database', () => {
    equal(classifySqlite(new TypeError('The database connection is not open')).kind, 'unavailable')
  })
})

suite('dialect/classify generic', (test) => {
  test('recognises the errors of every database', () => {
    equal(classifyAny(error({ code: '23505' })).kind, 'unique')
    equal(classifyAny(error({ errno: 1062 })).kind, 'unique')
    equal(classifyAny(error({ code: 'SQLITE_BUSY' })).kind, 'locked')
    equal(classifyAny(new Error('x')).kind, 'other')
  })
})
