// PostgreSQL types → column types; a type without a corresponding column type is `opaque`.

import type { Shape } from '../shared/catalogue.ts'

export interface PostgresType {
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
  /** The type of an array's items. */
  readonly item?: Pick<PostgresType, 'name' | 'kind' | 'members'>
}

const opaque: Shape = { type: 'opaque', readOnly: true }

const plainTypes: ReadonlyMap<string, Shape> = new Map<string, Shape>(
  Object.entries<Shape>({
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

export function postgresShape(type: PostgresType): Shape {
  if (type.item !== undefined) return listShape(type, type.item)
  if (type.kind === 'e') return { type: 'enum', enum: type.members }
  const collation = type.codePointOrder ? {} : { collation: 'database' as const }
  switch (type.name) {
    case 'numeric':
      return { type: 'decimal', ...numericDigits(type.modifier) }
    case 'varchar':
    case 'bpchar':
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
function listShape(list: PostgresType, item: NonNullable<PostgresType['item']>): Shape {
  const of = postgresShape({ ...item, modifier: list.modifier, codePointOrder: true })
  const { type, maxLength: _, collation: __, ...digits } = of
  if (type === 'json' || type === 'binary' || type === 'list' || type === 'opaque') return opaque
  return { type: 'list', items: type, ...digits }
}

/** Decodes precision and scale. `numeric` without them holds any number. A negative scale, which rounds to tens, is returned as scale 0. */
function numericDigits(modifier: number): { precision?: number; scale?: number } {
  if (modifier < 4) return {}
  const packed = modifier - 4
  const scale = ((packed & 0x7ff) ^ 0x400) - 0x400
  const precision = (packed >> 16) & 0xffff
  return scale < 0 ? { precision: precision - scale, scale: 0 } : { precision, scale }
}
