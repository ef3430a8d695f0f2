/** The values that Swagger UI puts into the fields of "Try it out". */

// biome-ignore lint/suspicious/noExplicitAny: parts of a document are read without types
type Anything = any

/** The part of the document that a `$ref` refers to; any other part itself. */
export function resolved(document: Anything, part: Anything): Anything {
  if (part?.$ref === undefined) return part
  const [, ...names] = part.$ref.split('/')
  return names.reduce((at: Anything, name: string) => at[name], document)
}

/** The value that a field starts with: the example, else the default; undefined leaves the field empty. */
export function startValue(document: Anything, parameter: Anything): Anything {
  const schema = resolved(document, parameter.schema)
  const value = parameter.example ?? schema.example ?? schema.default
  if (value !== undefined || schema.type !== 'object') return value
  // Without an example, Swagger UI sends an object with a value for each member.
  const members = [
    schema,
    ...(schema.allOf ?? []).map((part: Anything) => resolved(document, part)),
  ]
  const names = members.flatMap(({ properties = {} }: Anything) => Object.keys(properties))
  return Object.fromEntries(names.map((name) => [name, 'string']))
}
