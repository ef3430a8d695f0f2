// SqlValues: the functions `toRow`, `toRecord` and `toColumn`, by which the application's own statements have the names and stored forms of the
// database. They are members of the API and of the arguments of hooks. Types only.

import type { AnyModel } from '../../define-model.ts'
import type { RecordOf } from '../../infer.ts'
import type { HookRecord } from './hook-types.ts'

/**
 * A value for a statement, or an expression that makes it: its type depends on the database and the driver. Kysely takes it for a column
 * of any type.
 */
// biome-ignore lint/suspicious/noExplicitAny: a value of any type
export type SqlValue = any

/** The name of a field's column in the database. */
type DbName<M extends AnyModel, K> = K extends keyof M['columns']
  ? M['columns'][K] extends { readonly column: infer Name extends string }
    ? Name
    : K
  : never

/** The row of a record's stored fields, by the names of the database. */
export type RowFrom<M extends AnyModel, R> = {
  -readonly [K in keyof R as DbName<M, K>]: SqlValue
}

/** Members of a record that are no fields of the model. */
type Unknown<M extends AnyModel, R> = {
  readonly [K in Exclude<keyof R, keyof (M['columns'] & M['computed'] & M['aggregates'])>]: never
}

/** The fields whose columns a row has; of a row whose names are not known, perhaps all. */
export type RecordFrom<M extends AnyModel, Row> = string extends keyof Row
  ? Partial<RecordOf<M>>
  : {
      [K in keyof RecordOf<M> as K extends keyof M['columns']
        ? DbName<M, K> extends keyof Row
          ? K
          : never
        : never]: RecordOf<M>[K]
    }

/**
 * Conversions between records, which have field names and JSON forms, and rows of the application's own statements, which have the names
 * of the database and what its driver takes and returns. They throw a TypeError for a model that is not published and for an unknown field.
 */
export interface SqlValues {
  /**
   * Returns the row by which a statement stores a record: the names of the database, with values as the API stores them. Computed columns
   * and aggregates are left out; a member that is undefined is, too.
   *
   * ```ts
   * await db.insertInto('appointments').values(toRow(Appointment, { site_id: 3, starts_at: '2024-05-14T10:30:00Z' })).execute()
   * // insert into appointments (site_id, starts_at) values (3, '2024-05-14 10:30:00.000')
   * ```
   *
   * @param model A published model, or its name.
   * @param record Fields of the model in their JSON forms.
   * @throws TypeError for a member that is no field of the model, and for a value that is not of its column's type.
   */
  toRow<const M extends AnyModel, const R extends Partial<RecordOf<M>>>(
    model: M,
    record: R & Unknown<M, R>,
  ): RowFrom<M, R>
  toRow(model: string, record: HookRecord): Record<string, SqlValue>
  /**
   * Returns the record of a row that a statement has selected or returned: field names and JSON forms, with those fields whose columns the
   * row has. Its other members are left out.
   *
   * ```ts
   * const row = await db.selectFrom('appointments').selectAll().where('id', '=', 7).executeTakeFirstOrThrow()
   * toRecord(Appointment, row) // { id: 7, site_id: 3, starts_at: '2024-05-14T10:30:00.000Z' }
   * ```
   *
   * @param model A published model, or its name.
   * @param row A row as the driver returns it for plain columns, by the names of the database.
   * @throws TypeError for a row without any column of the model, and for a value that the driver has rounded or cannot return, such as a
   * bigint that it has made a number of.
   */
  toRecord<const M extends AnyModel, Row extends object>(model: M, row: Row): RecordFrom<M, Row>
  toRecord(model: string, row: object): HookRecord
  /**
   * Returns the value with which a statement compares a column, so that the result is that of the two JSON forms. A datetime stands for its
   * first instant: a stored one with microseconds is later.
   *
   * ```ts
   * .where('starts_at', '<', toColumn(Appointment, 'starts_at', '2024-05-14T10:30:00Z'))
   * ```
   *
   * @param model A published model, or its name.
   * @param field A field of the model that is stored.
   * @param value The JSON form; null is NULL.
   * @throws TypeError for an unknown field, for a value that is not of its type, and for a column that the database does not compare: one
   * of PostgreSQL's type json.
   */
  toColumn<const M extends AnyModel, K extends keyof M['columns'] & keyof RecordOf<M>>(
    model: M,
    field: K,
    value: RecordOf<M>[K] | null,
  ): SqlValue
  toColumn(model: string, field: string, value: unknown): SqlValue
}
