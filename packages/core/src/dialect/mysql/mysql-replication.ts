// mariadbReplication and mysqlReplication: the replication position of MariaDB and of MySQL, global transaction ids (GTIDs). The engines of
// the dialect (`engine.ts`) contain them.

import { sql } from '../../lib/sql/fragment.ts'
import type { Replication } from '../shared/session/replication.ts'

/** Longest position accepted from a client, in characters; a MySQL cluster's position names each of its servers. */
const longestPosition = 1_000

/** `0-1-4711`: domain, server and number of one transaction. */
const mariadbId = /^(\d{1,10})-(\d{1,10})-(\d{1,20})$/
const largestId = 2n ** 32n - 1n
const largestNumber = 2n ** 64n - 1n

/** Whether MariaDB reads the text as a position; it refuses a statement with a number out of range. */
function isMariadbPosition(text: string): boolean {
  if (text.length > longestPosition) return false
  return text.split(',').every((id) => {
    const [, domain, server, number] = mariadbId.exec(id) ?? []
    return isUpTo(largestId, domain) && isUpTo(largestId, server) && isUpTo(largestNumber, number)
  })
}

const isUpTo = (most: bigint, digits: string | undefined): boolean =>
  digits !== undefined && BigInt(digits) <= most

export const mariadbReplication: Replication = {
  position: sql`nullif(@@global.gtid_binlog_pos, '')`,
  needs: 'MariaDB with log_bin',
  isPosition: isMariadbPosition,
  // Does not wait, because waiting would occupy the connection.
  reached: (text) => sql`case when master_gtid_wait(${text}, 0) = 0 then 1 else 0 end`,
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const tag = /^[a-z_][a-z0-9_]{0,31}$/i
const interval = /^(\d{1,19})(?:-(\d{1,19}))?$/
/** The largest number of a MySQL transaction: numbers end before 2^63 − 1 (`GNO_END`). */
const largestTransaction = 2n ** 63n - 2n

/**
 * Whether MySQL reads the text as a set of transactions; it refuses a statement with a malformed one.
 *
 * `3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7`, one for each server; with tags in MySQL 9.
 */
const isMysqlPosition = (text: string): boolean =>
  text.length <= longestPosition && text.split(',').every(isMysqlServer)

function isMysqlServer(text: string): boolean {
  const [server = '', ...parts] = text.split(':')
  const isComplete = isInterval(parts.at(-1) ?? '')
  return (
    uuid.test(server) &&
    isComplete &&
    parts.every((part, i) => isInterval(part) || (tag.test(part) && isInterval(parts[i + 1] ?? '')))
  )
}

function isInterval(text: string): boolean {
  const [, first, last = first] = interval.exec(text) ?? []
  return (
    isUpTo(largestTransaction, first) && isUpTo(largestTransaction, last) && BigInt(first ?? 0) > 0n
  )
}

export const mysqlReplication: Replication = {
  // The server prints each id on its own line.
  position: sql`nullif(replace(replace(@@global.gtid_executed, '\n', ''), ' ', ''), '')`,
  needs: 'MySQL with gtid_mode=ON',
  isPosition: isMysqlPosition,
  reached: (text) => sql`gtid_subset(${text}, @@global.gtid_executed)`,
}
