// PostgreSQL types → column types: `numeric(10,2)` → `{ type: 'decimal', precision: 10, scale: 2 }`. A type without a corresponding column
// type is `opaque`.

import { isItemType } from '../../model/column-types.ts'
import type { ColumnShape } from '../shared/catalogue.ts'

/** A column's type, as the catalogue describes it. */
export interface DeclaredPostgresType {
  /** Internal name of the base type, domains already resolved: `int4`, `bpchar`, `numeric`. */
  readonly name: string
  /** `b` base, `e` enum, `c` composite, `r` range … */
  readonly kind: string
  /** The catalogue's type modifier, which encodes the length, or precision and scale; -1 for none. */
  readonly modifier: number
  /** Members of an enum, in their order. */
  readonly members: readonly string[]
  /** Whether text compares by code point. */
  readonly codePointOrder: boolean
  /** The type of an array's items; absent for other types. */
  readonly item?: Pick<DeclaredPostgresType, 'name' | 'kind' | 'members'>
}

const opaque: ColumnShape = { type: 'opaque', readOnly: true }

const plainTypes: ReadonlyMap<string, ColumnShape> = new Map<string, ColumnShape>(
  Object.entries<ColumnShape>({
    int2: { type: 'integer' },
    int4: { type: 'integer' },
    int8: { type: 'bigint' },
    float4: { type: 'float' },
    float8: { type: 'float' },
    bool: { type: 'boolean' },
    date: { type: 'date' },
    timestamp: { type: 'datetime' },
    timestamptz: { type: 'datetime' },
    time: { type: 'time' },
    uuid: { type: 'uuid' },
    json: { type: 'json' },
    jsonb: { type: 'json' },
    bytea: { type: 'binary' },
  }),
)

/** Returns what a model declares for a column of this type. */
export function postgresShape(type: DeclaredPostgresType): ColumnShape {
  if (type.item !== undefined) return listShape(type, type.item)
  if (type.kind === 'e') return { type: 'enum', enum: type.members }
  const collation = type.codePointOrder ? {} : { collation: 'database' as const }
  switch (type.name) {
    case 'numeric':
      return { type: 'decimal', ...numericDigits(type.modifier) }
    case 'varchar':
    case 'bpchar':
      // The modifier is the length plus 4.
      return type.modifier < 4
        ? { type: 'string', ...collation }
        : { type: 'string', maxLength: type.modifier - 4, ...collation }
    case 'name':
      return { type: 'string', maxLength: 63, ...collation }
    case 'text':
      return { type: 'text', ...collation }
    // citext ignores case in comparisons, whatever the collation is.
    case 'citext':
      return { type: 'text', collation: 'database' }
    default:
      return type.kind === 'b' ? (plainTypes.get(type.name) ?? opaque) : opaque
  }
}

/** Returns the shape of a list; `opaque` if no column type fits its items. */
function listShape(
  list: DeclaredPostgresType,
  item: NonNullable<DeclaredPostgresType['item']>,
): ColumnShape {
  const of = postgresShape({ ...item, modifier: list.modifier, codePointOrder: true })
  const { type, maxLength: _, collation: __, ...digits } = of
  return isItemType(type) ? { type: 'list', items: type, ...digits } : opaque
}

/**
 * Decodes precision and scale of a type modifier: 655366 → 10 and 2. `numeric` without them holds any number. A negative scale, which rounds
 * to tens, is returned as scale 0.
 */
function numericDigits(modifier: number): { precision?: number; scale?: number } {
  if (modifier < 4) return {}
  const packed = modifier - 4
  // The lower 11 bits are the scale, with a sign; those from bit 16 on are the precision.
  const scale = ((packed & 0x7ff) ^ 0x400) - 0x400
  const precision = (packed >> 16) & 0xffff
  return scale < 0 ? { precision: precision - scale, scale: 0 } : { precision, scale }
}
