// Which values a table cannot hold, by what its catalogue says of lengths and digits; asked only after the database refused.

import { sql } from 'kysely'
import type { NamedColumn } from '../registry/resource.ts'
import { execute } from './run.ts'
import type { Probe } from './violation.ts'
import type { Refusal } from './write-context.ts'

interface Room {
  readonly column_name: string
  readonly data_type: string
  readonly longest: number | string | null
  readonly digits: number | string | null
  readonly scale: number | string | null
}

const integers: Readonly<Record<string, number>> = {
  tinyint: 2 ** 7,
  smallint: 2 ** 15,
  mediumint: 2 ** 23,
  int: 2 ** 31,
  integer: 2 ** 31,
}

/** The columns whose values do not fit, as far as the standard's catalogue tells; none where there is no such catalogue. */
export async function overflowing(
  { connection, target }: Probe,
  { resource, values }: Refusal,
): Promise<readonly NamedColumn[]> {
  const { schema } = target
  const place = schema === undefined ? sql`` : sql` and table_schema = ${schema}`
  const statement = sql<Room>`
    select column_name as ${sql.id('column_name')}, data_type as ${sql.id('data_type')},
      character_maximum_length as ${sql.id('longest')}, numeric_precision as ${sql.id('digits')},
      numeric_scale as ${sql.id('scale')}
    from information_schema.columns where table_name = ${resource.table}${place}`
  const { rows } = await execute(connection, statement.compile(connection.db))
  const rooms = new Map(rows.map((room) => [room.column_name, room]))
  return [...resource.allColumns.values()].filter((column) => {
    const room = rooms.get(column.dbName)
    const value = values[column.name]
    return room !== undefined && !fits(room, value)
  })
}

function fits(room: Room, value: unknown): boolean {
  if (typeof value === 'string' && room.longest !== null) {
    return [...value].length <= Number(room.longest)
  }
  const bound = integers[room.data_type.toLowerCase()]
  if (typeof value === 'number' && bound !== undefined) return value >= -bound && value < bound
  if (typeof value === 'string' && /^(numeric|decimal)$/i.test(room.data_type)) {
    const whole = Number(room.digits) - Number(room.scale)
    return room.digits === null || (/^-?([0-9]+)/.exec(value)?.[1]?.length ?? 0) <= whole
  }
  return true
}
