/** Compiles JSON Schemas to functions. Supports the keywords that the OpenAPI document uses, and throws for any other keyword. */

export interface Schema {
  readonly $ref?: string
  readonly [keyword: string]: unknown
}

/** Returns what is wrong with a value and where, or undefined. */
export type Validate = (value: unknown, at?: string) => string | undefined

/** Keywords that do not restrict the value. */
const silent = new Set(['description', 'examples', 'default', 'title', 'contentEncoding'])

const formats: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|\+00:00)$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
}

type Members = Readonly<Record<string, unknown>>

/**
 * A compiler for schemas that refer to `schemas`; each schema is compiled once. Alternatives whose name `allows` refuses
 * are left out of every `anyOf`.
 */
export function compileSchema(
  schemas: Readonly<Record<string, Schema>>,
  allows: (name: string) => boolean = () => true,
): (schema: Schema) => Validate {
  const compiled = new WeakMap<Schema, Validate>()
  const compile = (schema: Schema): Validate => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    // Schemas refer to each other in cycles: a schema that is still being compiled is looked up when a value is checked.
    compiled.set(schema, (value, at) => (compiled.get(schema) as Validate)(value, at))
    const made = all(checksOf(schema))
    compiled.set(schema, made)
    return made
  }
  const nameOf = (schema: Schema): string => schema.$ref?.split('/').at(-1) ?? ''
  /** The members that a schema, or a part of its `allOf`, names. */
  const namedBy = (schema: Schema): ReadonlySet<string> =>
    new Set([
      ...Object.keys((schema.properties ?? {}) as object),
      ...((schema.allOf ?? []) as Schema[]).flatMap((part) => [
        ...namedBy(part.$ref === undefined ? part : (schemas[nameOf(part)] ?? {})),
      ]),
    ])
  const checksOf = (schema: Schema): Validate[] => {
    // A callback of the host may return any value.
    if (schema['x-shaped-by-callback'] === true) return []
    return Object.entries(schema).flatMap(([keyword, argument]) => {
      if (silent.has(keyword) || keyword.startsWith('x-')) return []
      return [checkOf(keyword, argument, schema)]
    })
  }
  const checkOf = (keyword: string, argument: unknown, schema: Schema): Validate => {
    const limit = Number(argument)
    switch (keyword) {
      case '$ref': {
        const target = schemas[nameOf(schema)]
        if (target === undefined) throw new Error(`the document has no ${schema.$ref}`)
        return compile(target)
      }
      case 'type':
        return ofType([argument].flat() as string[])
      case 'const':
        return (value, at) => expect(value === argument, at, `${argument}`, value)
      case 'enum':
        return (value, at) =>
          expect((argument as unknown[]).includes(value), at, `one of ${argument}`, value)
      case 'pattern': {
        const pattern = new RegExp(argument as string, 'u')
        return ifString((value, at) => expect(pattern.test(value), at, `${pattern}`, value))
      }
      case 'format': {
        const form = formats[argument as string]
        return ifString((value, at) =>
          expect(form?.test(value) ?? true, at, `a ${argument}`, value),
        )
      }
      case 'minimum':
        return ifNumber((value, at) => expect(value >= limit, at, `≥ ${limit}`, value))
      case 'maximum':
        return ifNumber((value, at) => expect(value <= limit, at, `≤ ${limit}`, value))
      case 'exclusiveMinimum':
        return ifNumber((value, at) => expect(value > limit, at, `> ${limit}`, value))
      case 'exclusiveMaximum':
        return ifNumber((value, at) => expect(value < limit, at, `< ${limit}`, value))
      case 'minLength':
        return ifString((value, at) =>
          expect([...value].length >= limit, at, `${limit} characters`, value),
        )
      case 'maxLength':
        return ifString((value, at) =>
          expect([...value].length <= limit, at, `at most ${limit} characters`, value),
        )
      case 'anyOf': {
        const alternatives = (argument as Schema[]).filter((one) => allows(nameOf(one)))
        return anyOf(alternatives.map(compile))
      }
      case 'not': {
        const refused = compile(argument as Schema)
        return (value, at = '$') =>
          refused(value, at) === undefined ? `${at} is what it may not be` : undefined
      }
      case 'allOf':
        return all((argument as Schema[]).map(compile))
      case 'unevaluatedProperties': {
        if (argument !== false) throw new Error('only "unevaluatedProperties": false is known')
        const named = namedBy(schema)
        return ifObject((value, at) =>
          first(Object.keys(value), (name) =>
            named.has(name) ? undefined : `${at}.${name} is not documented`,
          ),
        )
      }
      case 'items': {
        const item = compile(argument as Schema)
        return (value, at = '$') => {
          if (!Array.isArray(value)) return undefined
          return first(value.entries(), ([i, one]) => item(one, `${at}[${i}]`))
        }
      }
      case 'properties': {
        const members = Object.entries(argument as Readonly<Record<string, Schema>>).map(
          ([name, member]) => [name, compile(member)] as const,
        )
        return ifObject((value, at) =>
          first(members, ([name, validate]) =>
            Object.hasOwn(value, name) ? validate(value[name], `${at}.${name}`) : undefined,
          ),
        )
      }
      case 'patternProperties': {
        const members = Object.entries(argument as Readonly<Record<string, Schema>>).map(
          ([pattern, member]) => [new RegExp(pattern), compile(member)] as const,
        )
        return ifObject((value, at) =>
          first(Object.keys(value), (name) =>
            first(members, ([pattern, validate]) =>
              pattern.test(name) ? validate(value[name], `${at}.${name}`) : undefined,
            ),
          ),
        )
      }
      case 'required':
        return ifObject((value, at) =>
          first(argument as string[], (name) =>
            Object.hasOwn(value, name) ? undefined : `${at}.${name} is missing`,
          ),
        )
      case 'additionalProperties': {
        if (argument === true) return () => undefined
        const named = (schema.properties ?? {}) as object
        const other =
          argument === false
            ? (_: unknown, at?: string) => `${at} is not documented`
            : compile(argument as Schema)
        return ifObject((value, at) =>
          first(Object.keys(value), (name) =>
            Object.hasOwn(named, name) ? undefined : other(value[name], `${at}.${name}`),
          ),
        )
      }
      default:
        throw new Error(`the keyword "${keyword}" is not known to the checker`)
    }
  }
  return compile
}

function ofType(types: readonly string[]): Validate {
  return (value, at) =>
    expect(
      types.some((type) => isOfType(type, value)),
      at,
      types.join(' or '),
      value,
    )
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const all =
  (checks: readonly Validate[]): Validate =>
  (value, at = '$') =>
    first(checks, (check) => check(value, at))

const anyOf =
  (alternatives: readonly Validate[]): Validate =>
  (value, at = '$') => {
    const problems: string[] = []
    for (const validate of alternatives) {
      const problem = validate(value, at)
      if (problem === undefined) return undefined
      problems.push(problem)
    }
    // Reports the alternative with the longest path to its problem, which is the alternative that the value almost fits.
    const depth = (problem: string): number => problem.split(' ', 1).join().length
    return problems.sort((a, b) => depth(b) - depth(a))[0] ?? `${at} fits nothing`
  }

const ifString =
  (check: (value: string, at: string) => string | undefined): Validate =>
  (value, at = '$') =>
    typeof value === 'string' ? check(value, at) : undefined

const ifNumber =
  (check: (value: number, at: string) => string | undefined): Validate =>
  (value, at = '$') =>
    typeof value === 'number' ? check(value, at) : undefined

const ifObject =
  (check: (value: Members, at: string) => string | undefined): Validate =>
  (value, at = '$') =>
    isObject(value) ? check(value, at) : undefined

function first<T>(items: Iterable<T>, check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = check(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

const expect = (
  right: boolean,
  at: string | undefined,
  what: string,
  value: unknown,
): string | undefined =>
  right ? undefined : `${at ?? '$'} should be ${what}, is ${JSON.stringify(value)?.slice(0, 100)}`
