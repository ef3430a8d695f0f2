/** Which texts are positions of a write on each kind of server; checking a text takes time in proportion to its length. */
import {
  mariadbReplication,
  mysqlReplication,
} from '../../../packages/core/src/dialect/mysql/mysql-replication.ts'
import { postgresReplication } from '../../../packages/core/src/dialect/postgres/postgres-replication.ts'
import { equal } from '../../support/assert.ts'
import { steepness } from '../../support/growth.ts'
import { suite } from '../../support/suite.ts'

const uuid = '3e11fa47-71ca-11e1-9e33-c80aa9429562'

suite('positions', (test) => {
  const cases = [
    [
      postgresReplication,
      ['0/3000148', 'A/FFFFFFFF'],
      ['', '0', '0/', '0/123456789', '0/1;', 'x/1'],
    ],
    [
      mariadbReplication,
      ['0-1-4711', '0-1-4,2-3-5', '4294967295-4294967295-18446744073709551615'],
      [
        ...['', '0-1', '0-1-4,', '0-1-4-5', '0-1-x'],
        ...['4294967296-1-5', '0-4294967296-5', '0-1-18446744073709551616'],
      ],
    ],
    [
      mysqlReplication,
      [
        ...[`${uuid}:1-5`, `${uuid}:1-5:7,${uuid}:1`, `${uuid}:9223372036854775806`],
        ...[`${uuid}:1:tag:1-3:5`, `${uuid}:tag:1`],
      ],
      [
        ...['', uuid, `${uuid}:`, 'a:1', `${uuid}:1,`, `${'-'.repeat(36)}:1`],
        ...[`${uuid}:0`, `${uuid}:9223372036854775807`, `${uuid}:1-9223372036854775807`],
        ...[`${uuid}:1-2-3`, `${uuid}:-1`, `${uuid}:tag`, `${uuid}:1:tag:tag:1`, `${uuid}:7tag:1`],
      ],
    ],
  ] as const
  test('are strings of one form', () => {
    for (const [replication, right, wrong] of cases) {
      equal(
        right.map(replication.isPosition),
        right.map(() => true),
      )
      equal(
        wrong.map(replication.isPosition),
        wrong.map(() => false),
      )
    }
  })

  test('are at most 1000 characters long', () => {
    equal(mariadbReplication.isPosition(`0-1-1${',0-1-1'.repeat(300)}`), false)
    equal(mysqlReplication.isPosition(`${uuid}${':1'.repeat(600)}`), false)
  })

  test('are checked in time proportional to the text', async () => {
    const texts = [
      (n: number) => 'F'.repeat(n),
      (n: number) => `0-1-1${',0-1-1'.repeat(n)}x`,
      (n: number) => `${uuid}${':1'.repeat(n)}!`,
    ]
    for (const [{ isPosition }] of cases) {
      for (const textOf of texts) {
        const problem = await steepness(20_000, (n) => {
          const text = textOf(n)
          return () => isPosition(text)
        })
        equal(problem, undefined)
      }
    }
  })
})
