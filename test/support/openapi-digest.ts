/** Shortens an OpenAPI document for review to one line for each operation, schema and response. */

// biome-ignore lint/suspicious/noExplicitAny: parts of a document are read without types
type Anything = any

/** The digest, with everything that clients can notice. */
export function digestOf(document: Anything): string {
  const { info, servers, tags, paths, components } = document
  const lines = [
    `openapi ${document.openapi}`,
    `info ${JSON.stringify(info)}`,
    `servers ${servers.map(({ url }: Anything) => url).join(' ')}`,
    `groups ${JSON.stringify(document['x-tagGroups'] ?? [])}`,
    ...tags.map(({ name, description }: Anything) => `tag ${name}: ${description ?? ''}`),
    '',
    ...Object.entries<Anything>(paths).flatMap(([path, item]) => pathLines(path, item)),
  ]
  for (const section of ['parameters', 'responses', 'schemas', 'securitySchemes']) {
    const parts = Object.entries<Anything>(components[section] ?? {})
    lines.push('', `## ${section}`)
    lines.push(...parts.map(([name, part]) => `${name}: ${partText(section, part)}`))
  }
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

function pathLines(path: string, item: Anything): string[] {
  return Object.entries<Anything>(item).flatMap(([method, operation]) => {
    if (method.startsWith('x-')) return [`${path} also ${operation.join(' ')}`]
    const parameters = (operation.parameters ?? []).map(
      ({ $ref, name }: Anything) => name ?? nameOf($ref),
    )
    const responses = Object.entries<Anything>(operation.responses).map(
      ([status, response]) => `${status} ${nameOf(response.$ref) ?? typeText(bodyOf(response))}`,
    )
    return [
      `${method.toUpperCase()} ${path} ${operation.operationId} [${operation.tags}] ${operation.summary}`,
      `  takes ${parameters.join(', ')}`,
      ...(operation.requestBody ? [`  body ${typeText(bodyOf(operation.requestBody))}`] : []),
      ...(operation.security ? [`  security ${JSON.stringify(operation.security)}`] : []),
      `  gives ${responses.join(', ')}`,
    ]
  })
}

function partText(section: string, part: Anything): string {
  if (section === 'schemas') return typeText(part)
  if (section === 'securitySchemes') return JSON.stringify(part)
  if (section === 'parameters') return `${part.name}: ${typeText(part.schema)}`
  const { schema, examples } = part.content?.['application/json'] ?? {}
  if (examples === undefined) return `${part.description} ${typeText(schema)}`
  return `${part.description} ${Object.keys(examples).join(' ')} ${Object.keys(part.headers ?? {}).join(' ')} ${nameOf(schema.$ref) ?? ''}`
}

const bodyOf = (part: Anything): Anything => part.content?.['application/json']?.schema

const nameOf = (ref: string | undefined): string | undefined => ref?.split('/').at(-1)

/** A schema in one line. */
function typeText(schema: Anything): string {
  if (schema === undefined) return 'no body'
  if (schema.$ref !== undefined) return nameOf(schema.$ref) ?? ''
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' | ')
  if (schema.allOf !== undefined) {
    const { allOf, ...own } = schema
    const parts = [...allOf, ...(own.properties === undefined ? [] : [own])]
    return parts.map(typeText).join(' & ')
  }
  if (schema.patternProperties !== undefined) {
    const members = Object.entries<Anything>(schema.patternProperties)
    return `{ ${members.map(([name, one]) => `/${name}/: ${typeText(one)}`).join(', ')} }`
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined)
    return schema.enum.map((one: unknown) => JSON.stringify(one)).join(' | ')
  if (schema.type === 'array') return `[${typeText(schema.items)}]`
  if (schema.properties !== undefined) {
    const members = Object.entries<Anything>(schema.properties).map(
      ([name, one]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${typeText(one)}`,
    )
    const closed = schema.additionalProperties === false || schema.unevaluatedProperties === false
    const open = closed ? '' : ', …'
    return `{ ${members.join(', ')}${open} }`
  }
  const type = [schema.type ?? 'any'].flat().join('|')
  const details = [schema.format, schema.pattern, schema.maxLength && `≤${schema.maxLength}`]
  return [type, ...details.filter(Boolean)].join(' ')
}
