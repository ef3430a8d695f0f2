// Describes a difference in words: both sides, and how to remove it. Warnings at start-up, `api.schemaDifferences()` and `model-api check`
// show the result.

import type { NamedColumn } from '../../model/registry/resource.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { Difference } from './difference.ts'

/** One way in which a model and the database disagree. */
export interface SchemaDifference {
  /**
   * What differs: `missing table`, `unreadable table`, `missing column`, `type`, `nullability`, `precision`, `unsigned`, `finer key`, `length`,
   * `enum members`, `not generated`, `no default`, `computed`, `never filled`, `primary key`, `unique`,
   * `unique write-only`, `repeated pairs`, `lacking` or `foreign key`.
   */
  readonly kind: Difference['kind']
  /** The name of the model. */
  readonly model: string
  /** The table, as the model or the relation names it. */
  readonly table: string
  /** The field, or fields separated by commas; for a column that the model lacks, its name in the database. */
  readonly column?: string
  /** What the model declares. */
  readonly declared: string
  /** What the database has. */
  readonly found: string
  /** How to remove the difference, on either side. */
  readonly remedy: string
  /** The whole difference: `Book.isbn (books): declared with the column isbn, but the table has no such column. Add the column, …` */
  readonly message: string
}

/** The texts of a description; the message joins them: `${declared}, but ${found}. ${remedy}` */
type Words = Pick<SchemaDifference, 'column' | 'declared' | 'found' | 'remedy'>

/** Makes the words of a difference. */
export function describeDifference(difference: Difference): SchemaDifference {
  const { kind, model, table } = difference
  const words = wordsOf(difference)
  const { column, declared, found, remedy } = words
  const place = column === undefined ? model : `${model}.${column}`
  const message = `${place} (${table}): ${declared}, but ${found}. ${remedy}`
  return { kind, model, table, ...words, message }
}

function wordsOf(difference: Difference): Words {
  switch (difference.kind) {
    case 'missing table':
      return {
        ...(difference.relation !== undefined && { column: difference.relation }),
        declared: `declared with the ${difference.relation === undefined ? '' : 'junction '}table ${difference.table}`,
        found: 'the database has no such table, or this user may not see it',
        remedy: `Create the table, or name another one with ${difference.relation === undefined ? 'table' : 'through'}: '…'.${suggestionOf(difference.similar)}`,
      }
    case 'unreadable table':
      return {
        declared: `declared with the table ${difference.table}`,
        found: 'this user of the database may not read it',
        remedy: 'Grant the right to read the table to the user of the connection.',
      }
    case 'missing column':
      return {
        column: difference.field,
        declared: `declared with the column ${difference.name}`,
        found: 'the table has no such column',
        remedy: `Add the column, or name another one with ${difference.option}: '…'.${suggestionOf(difference.similar)}`,
      }
    case 'never filled':
      return neverFilled(difference)
    case 'primary key':
      return {
        column: difference.declared.join(', '),
        declared: `declared as primary key (${difference.declared.join(', ')})`,
        found:
          difference.found.length === 0
            ? 'the table has no primary key'
            : `the primary key of the table is (${difference.found.join(', ')})`,
        remedy:
          'Declare the key of the table with primaryKey: true, or make these columns unique and NOT NULL.',
      }
    case 'unique':
      return unique(difference)
    case 'unique write-only':
      return {
        column: difference.field,
        declared: 'declared as writeOnly',
        found: `(${difference.columns.join(', ')}) is unique, so that the 409 of a duplicate would tell whether a value is stored`,
        remedy:
          'Drop the unique constraint or index, or declare hidden: true instead of writeOnly.',
      }
    case 'repeated pairs':
      return repeatedPairs(difference)
    case 'lacking':
      return lacking(difference)
    case 'foreign key':
      return foreignKey(difference)
    default:
      return { column: difference.column.name, ...columnWords(difference) }
  }
}

const lacking = ({ field, method, missing }: Extract<Difference, { kind: 'lacking' }>): Words => ({
  ...(field !== undefined && { column: field }),
  declared: method === undefined ? 'declared for filters and orders' : `the model allows ${method}`,
  found:
    method === undefined
      ? `this connection cannot compare the column (${missing})`
      : `this connection cannot write to the table (${missing}), which a trigger, an index or a CHECK needs`,
  remedy: 'Register it on each connection of the driver, or remove what needs it.',
})

const suggestionOf = (similar: string | undefined): string =>
  similar === undefined ? '' : ` Did you mean ${similar}?`

type ColumnDifference = Extract<Difference, { readonly column: NamedColumn }>

/** Describes the differences between one declared column and its column in the database. */
function columnWords(difference: ColumnDifference): Omit<Words, 'column'> {
  const { kind, column, found } = difference
  const name = `the column ${column.dbName}`
  const declared = `declared as ${typeOf(column)}`
  switch (kind) {
    case 'type': {
      const { fitting, note } = difference
      const type = found === '' ? 'has no type' : `is ${found}`
      return {
        declared,
        found: `${name} ${type}${note === undefined ? '' : ` (${note})`}`,
        remedy:
          fitting === undefined
            ? `Change the type of the column to one that holds ${typeOf(column)}.`
            : `Declare ${fitting}, or change the type of the column to one that holds ${typeOf(column)}.`,
      }
    }
    case 'nullability':
      return column.nullable
        ? {
            declared: 'declared as nullable',
            found: `${name} is NOT NULL`,
            remedy:
              'Remove nullable: true (with hasDefault: true, records can leave it out), or drop NOT NULL.',
          }
        : {
            declared: 'declared as not nullable',
            found: `${name} may be NULL`,
            remedy: 'Declare nullable: true, or make the column NOT NULL.',
          }
    case 'precision': {
      const { precision, scale } = difference.digits
      return {
        declared,
        found: `${name} is ${found}`,
        remedy:
          precision === undefined
            ? 'Remove precision and scale, or give the column the declared ones.'
            : `Declare precision: ${precision}, scale: ${scale ?? 0}, or give the column the declared digits.`,
      }
    }
    case 'length':
      return {
        declared: `declared with ${difference.because}`,
        found: `${name} holds ${difference.length} characters (${found})`,
        remedy:
          column.definition.maxLength === difference.needed
            ? `Declare maxLength: ${difference.length}, or extend the column to ${difference.needed} characters.`
            : `Extend the column to ${difference.needed} characters.`,
      }
    case 'enum members': {
      const { refused, undeclared, members } = difference
      return {
        declared: `declared with the members ${listed(column.enum ?? [])}`,
        found: [
          ...(refused.length === 0 ? [] : [`${name} refuses ${listed(refused)}`]),
          ...(undeclared.length === 0 ? [] : [`${name} may hold ${listed(undeclared)}`]),
        ].join(' and '),
        remedy: `Declare enum: [${listed(members)}], or change the members of the column.`,
      }
    }
    case 'unsigned':
      return {
        declared: `declared as a signed ${column.type}`,
        found: `${name} is ${found}, and no request can name its numbers beyond 9223372036854775807`,
        remedy: 'Declare unsigned: true.',
      }
    case 'finer key':
      return {
        declared: 'declared as a key or in a relation',
        found: `${name} (${found}) holds more digits than responses show, so that one URL may name several records`,
        remedy: `Store no more digits than ${shownDigits[column.type] ?? 'responses show'}, or declare neither a key nor a relation.`,
      }
    case 'not generated':
      return {
        declared: 'declared with generated: true',
        found: `the database generates no value for ${name} (${found})`,
        remedy: 'Make it an identity or auto-increment column, or remove generated: true.',
      }
    case 'no default':
      return {
        declared: 'declared with hasDefault: true',
        found: `${name} has no default`,
        remedy: 'Give the column a default, or remove hasDefault: true.',
      }
    case 'computed':
      return {
        declared: 'declared as writable',
        found: `the database computes ${name}`,
        remedy: 'Declare readOnly: true.',
      }
  }
}

/** What responses show of a value: the rest of its digits is cut. */
const shownDigits: Readonly<Partial<Record<NamedColumn['type'], string>>> = {
  date: 'the day',
  datetime: 'milliseconds, as in timestamptz(3) or datetime(3)',
  time: 'seconds, as in time(0)',
}

/** `decimal(10,2)`, `string(80)` */
function typeOf({ type, definition }: NamedColumn): string {
  const { precision, scale, maxLength } = definition
  const size = precision === undefined && scale === undefined ? maxLength : digits(precision, scale)
  return size === undefined ? type : `${type}(${size})`
}

const digits = (precision: number | undefined, scale: number | undefined): string =>
  precision === undefined ? `scale ${scale}` : `${precision},${scale ?? 0}`

const listed = (members: readonly string[]): string =>
  members.map((member) => `'${member.replaceAll("'", "\\'")}'`).join(', ')

function neverFilled({
  name,
  found,
  field,
  links,
  table,
  mayFill,
}: Extract<Difference, { kind: 'never filled' }>): Words {
  const unless = mayFill === true ? ' unless the database fills it, for example by a trigger' : ''
  const required = `the column ${name} (${found}) is NOT NULL and has no default, so no ${links === undefined ? 'record' : 'link'} can be created${unless}`
  if (links !== undefined) {
    return {
      column: links.relation,
      declared: 'the relation writes links, and the table has no published model',
      found: required,
      remedy: `Give the column a default${links.triggersFill ? ', fill it by a trigger before the insert' : ''}, or publish a model of ${table} with a default for it.`,
    }
  }
  if (field === undefined) {
    return {
      column: name,
      declared: 'the model allows POST and has no such column',
      found: required,
      remedy: 'Declare the column, give it a default, or remove POST from allowed_methods.',
    }
  }
  return {
    column: field.name,
    declared: `the field ${field.because} and the model allows POST`,
    found: required,
    remedy: `${field.holdsRoles ? 'It holds the roles of users: declare write, or readOnly: false. Otherwise declare' : 'Declare'} a default, generated or managed, give the column a default, set it in ${settingNames.addCallback}, or remove POST from allowed_methods.`,
  }
}

function unique({
  fields,
  columns,
  relation,
  partial,
  indexOfActive,
  softDelete,
}: Extract<Difference, { kind: 'unique' }>): Words {
  const list = columns.join(', ')
  const marked =
    softDelete === undefined
      ? ''
      : ` If the index leaves out deleted records, declare ${softDelete}.`
  const only = partial && `, only a partial one (${partial.name}, where ${partial.condition})`
  return {
    column: relation ?? fields.join(', '),
    declared:
      relation === undefined
        ? 'declared as unique'
        : `the relation ${relation} expects one row for each value`,
    found: `no unique constraint covers (${list})${only ?? ''}`,
    remedy:
      indexOfActive === undefined
        ? `Add a unique constraint or a unique index on (${list}), or remove the declaration.${marked}`
        : `Add ${indexOfActive}, so that new records may have the values of deleted ones, or a unique constraint on (${list}), so that these values stay taken; or remove the declaration.`,
  }
}

function repeatedPairs({
  relation,
  table,
  columns,
}: Extract<Difference, { kind: 'repeated pairs' }>): Words {
  const pair = columns.join(', ')
  return {
    column: relation,
    declared: `the relation expects each pair of ${table} once`,
    found: `no unique constraint lies within (${pair})`,
    remedy: `Make (${pair}) the primary key or unique, or declare repeats: true.`,
  }
}

function foreignKey({ relation, key, found }: Extract<Difference, { kind: 'foreign key' }>): Words {
  const to = ({ table, references }: { table: string; references: readonly string[] }): string =>
    `${table} (${references.join(', ')})`
  const own = `${key.from} (${key.columns.join(', ')})`
  return {
    column: relation,
    declared: `the relation needs a foreign key from ${own} to ${to(key)}`,
    found: found === undefined ? 'there is none' : `it refers to ${to(found)}`,
    remedy: 'Add the foreign key, or change the relation.',
  }
}
