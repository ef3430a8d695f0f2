/** The rows of all tables, read again after each statement that may have changed them. */
import type { AnyModel } from '@model-api/core'
import { CompiledQuery } from 'kysely'
import type { Row, TestDatabase } from './tools.ts'
import { junctions, type World } from './world.ts'

/** The UUIDs of the service. */
export const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

export class StoredTables {
  readonly #db: TestDatabase
  readonly #models: ReadonlyMap<string, AnyModel>
  readonly #lines = new Map<string, readonly string[]>()
  readonly #rows = new Map<string, readonly Row[]>()
  readonly #highest = new Map<string, number>()
  readonly names: readonly string[]

  constructor(db: TestDatabase, { tables }: World) {
    this.#db = db
    this.#models = new Map(tables.map((model) => [model.table, model]))
    this.names = [...this.#models.keys(), ...Object.keys(junctions)]
  }

  readonly rows = ({ table }: AnyModel): readonly Row[] => this.#rows.get(table) ?? []
  /** The largest key that a counter has given to a stored record, also if that is gone. */
  readonly highest = ({ table }: AnyModel): number => this.#highest.get(table) ?? 0
  /** The rows of every table as JSON. */
  readonly all = (): Record<string, readonly string[]> => Object.fromEntries(this.#lines)

  /** Reads the tables that statements other than SELECT name; returns the rows that went (`-`) and came (`+`). */
  async follow(statements: readonly string[]): Promise<Record<string, string[]>> {
    const written = statements.filter((sql) => !/^\s*select/i.test(sql)).join('\n')
    return this.read(this.names.filter((table) => new RegExp(`\\b${table}\\b`).test(written)))
  }

  async read(tables: readonly string[]): Promise<Record<string, string[]>> {
    const changes: Record<string, string[]> = {}
    for (const table of tables) {
      const found = await this.#run(`select * from ${table}`)
      // A generated UUID must not decide about the order.
      const masked = found.map((row) => ({ row, text: JSON.stringify(row).replace(uuids, 'uuid') }))
      const rows = masked.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ row }) => row)
      const lines = rows.map((row) => JSON.stringify(row))
      const [before, after] = [new Set(this.#lines.get(table)), new Set(lines)]
      const gone = [...before].filter((line) => !after.has(line)).map((line) => `-${line}`)
      const come = lines.filter((line) => !before.has(line)).map((line) => `+${line}`)
      if (gone.length + come.length > 0) changes[table] = [...gone, ...come]
      this.#lines.set(table, lines)
      await this.#keep(table, rows)
    }
    return changes
  }

  /** Keeps rows under the names of their fields. */
  async #keep(table: string, rows: readonly Row[]): Promise<void> {
    const columns = this.#models.get(table)?.columns ?? {}
    const names = Object.entries(columns).map(([field, { column = field }]) => [field, column])
    const fieldsOf = (row: Row): Row =>
      Object.fromEntries(names.map(([field = '', column = '']) => [field, row[column]]))
    this.#rows.set(table, rows.map(fieldsOf))
    if (columns.id?.generated !== true) return
    const highest = Math.max(this.#highest.get(table) ?? 0, ...rows.map(({ id }) => Number(id)))
    this.#highest.set(table, highest)
    await this.#setCounter(table, highest + 1)
  }

  /** Sets the next key of a counter, because each version of the core uses up others in attempts that are rolled back. */
  async #setCounter(table: string, key: number): Promise<void> {
    if (this.#db.name === 'mysql') await this.#run(`alter table ${table} auto_increment = ${key}`)
    if (this.#db.name !== 'postgres') return
    await this.#run(`select setval(pg_get_serial_sequence('${table}', 'id'), ${key}, false)`)
  }

  async #run(text: string): Promise<Row[]> {
    const { rows } = await this.#db.kysely.executeQuery<Row>(CompiledQuery.raw(text))
    return rows
  }
}
