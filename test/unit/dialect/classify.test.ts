// The classification of errors: every code of the table, as each driver of a family throws it.

import type { DatabaseFailure } from '../../../packages/core/src/dialect/dialect.ts'
import { classifyAny } from '../../../packages/core/src/dialect/generic/errors.ts'
import { classifyMysql } from '../../../packages/core/src/dialect/mysql/errors.ts'
import { classifyPostgres } from '../../../packages/core/src/dialect/postgres/errors.ts'
import { classifySqlite } from '../../../packages/core/src/dialect/sqlite/errors.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

type Kind = DatabaseFailure['kind']

const error = (members: object, message = ''): Error => Object.assign(new Error(message), members)

suite('dialect/classify postgres', (test) => {
  const codes: readonly (readonly [Kind, ...string[]])[] = [
    ['unique', '23505', '23P01'],
    ['foreignKey', '23503', '23001'],
    ['notNull', '23502'],
    ['check', '23514', '44000'],
    ['value', '22001', '22003', '22007', '22008', '22P02', '22P03', '22021', '22P05'],
    ['value', '2201B', '22025'],
    ['retry', '40000', '40001', '40P01', '26000', '42P05'],
    ['timeout', '57014', '55P03', '25P03', '25P04', '57P05'],
    ['unavailable', '57P01', '57P02', '57P03', '57P04'],
    ['unavailable', '08000', '08001', '08003', '08004', '08006', '08007', '40003'],
    ['unavailable', '25006', '53000', '53100', '53200', '53300', '53400', '58000', '58030'],
    ['other', '42601', '42703', '42P01', '42P10', '42501', '0A000', '08P01', '25P02', '28P01'],
    ['other', 'XX000', '22012', '40002', '55000', '57000'],
    ['trigger', 'P0001'],
  ]
  for (const [kind, ...list] of codes) {
    for (const code of list)
      test(`${code} is ${kind}`, () => equal(classifyPostgres(error({ code })).kind, kind))
  }

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
    ['unique', 1062, 1586, 1859, 1022],
    ['foreignKey', 1451, 1452, 1216, 1217, 1557, 1761, 1762],
    ['notNull', 1048, 1364, 1263],
    ['check', 3819, 4025],
    ['value', 1406, 1264, 1265, 1292, 1300, 1366, 1367, 1411, 1441, 1525, 1690, 1139, 1267],
    ['value', 3140, 3697, 3698, 3854],
    ['retry', 1213, 1205, 1020, 1243, 1412, 3101, 3572],
    ['timeout', 3024, 1969, 1317, 3699, 1028],
    ['unavailable', 1040, 1129, 1135, 1203, 1226],
    ['unavailable', 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2002, 2003],
    ['unavailable', 2006, 2013, 3032, 3168, 3169, 4031],
    ['unavailable', 1290, 1792, 1836],
    ['unavailable', 3, 1021, 1026, 1030, 1037, 1038, 1041, 1114, 1206],
    ['unavailable', 1047, 1180, 3100],
    ['other', 1064, 1054, 1146, 1153, 1044, 1045, 1142, 1295, 1390, 1461, 1615],
  ]
  for (const [kind, ...list] of numbers) {
    for (const errno of list) {
      test(`${errno} is ${kind}`, () =>
        equal(classifyMysql(error({ errno, code: 'ER_X' })).kind, kind))
    }
  }

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

  test('a trigger, by the SQLSTATE for conditions of an application', () => {
    const signal = { errno: 1644, sqlState: '45000' }
    equal(classifyMysql(error(signal, 'Too late.')), { kind: 'trigger', message: 'Too late.' })
    equal(classifyMysql(error({ errno: 1644, sqlState: '02000' })).kind, 'other')
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
    ['check', 'SQLITE_CONSTRAINT_CHECK'],
    ['trigger', 'SQLITE_CONSTRAINT_TRIGGER'],
    ['value', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG', 'SQLITE_CONSTRAINT_DATATYPE'],
    ['locked', 'SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_TIMEOUT'],
    ['locked', 'SQLITE_LOCKED', 'SQLITE_LOCKED_SHAREDCACHE'],
    ['retry', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_PROTOCOL', 'SQLITE_SCHEMA'],
    ['timeout', 'SQLITE_INTERRUPT'],
    ['unavailable', 'SQLITE_IOERR', 'SQLITE_IOERR_READ', 'SQLITE_IOERR_WRITE'],
    ['unavailable', 'SQLITE_CANTOPEN', 'SQLITE_CANTOPEN_ISDIR', 'SQLITE_PERM', 'SQLITE_NOMEM'],
    ['unavailable', 'SQLITE_READONLY', 'SQLITE_READONLY_DBMOVED', 'SQLITE_READONLY_DIRECTORY'],
    ['unavailable', 'SQLITE_CORRUPT', 'SQLITE_NOTADB'],
    ['other', 'SQLITE_ERROR', 'SQLITE_MISUSE', 'SQLITE_AUTH', 'SQLITE_RANGE'],
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
      ['check', 275],
      ['value', 20, 18, 3091],
      // 261, 517 and 262 are extended codes of 5 and 6.
      ['locked', 5, 6, 261, 262],
      ['retry', 15, 17, 517],
      ['timeout', 9],
      ['unavailable', 3, 7, 8, 10, 11, 13, 14, 26, 266, 1032],
      ['trigger', 1811],
      ['other', 1, 19, 21, 23, 25],
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

  test('overflowing sums and too long patterns are mistakes of the client', () => {
    equal(classifySqlite(error({ code: 'SQLITE_ERROR' }, 'integer overflow')).kind, 'value')
    equal(
      classifySqlite(error({ code: 'SQLITE_ERROR' }, 'LIKE or GLOB pattern too complex')).kind,
      'value',
    )
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
