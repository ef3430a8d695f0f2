// The documentation page without scripts: the OpenAPI document as headings, tables and <details>.

import type {
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  PathItemObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  TagObject,
} from 'openapi3-ts/oas31'
import { escaped, htmlPage, inline, prose } from '../../http/pages/html.ts'
import type { Schema } from '../schemas/schema.ts'
import { plainStyle } from './plain-style.ts'

const methods = ['get', 'post', 'patch', 'put', 'delete', 'options', 'head', 'trace'] as const

interface Operation {
  readonly method: string
  readonly path: string
  readonly operation: OperationObject
}

/** Renders the whole document as one page, in steps of one operation each. `place` is the URL of the document itself, from the page. */
export function* plainPageSteps(document: OpenAPIObject, place: string): Generator<void, string> {
  const { info } = document
  const logo: { readonly url: string; readonly altText: string } | undefined = info['x-logo']
  const tagged = operationsByTag(document)
  const sections = []
  for (const tag of tagsWith(document, tagged)) {
    const operations = []
    for (const operation of tagged.get(tag.name) ?? []) {
      operations.push(operationHtml(document, operation))
      yield
    }
    sections.push({ name: tag.name, html: sectionHtml(tag, operations) })
  }
  const contact = [info.contact?.name, info.contact?.email, info.contact?.url].filter(Boolean)
  return htmlPage(
    info.title,
    `<style>${plainStyle}</style>\n`,
    `<nav>
${logo === undefined ? '' : `<img src="${escaped(logo.url)}" alt="${escaped(logo.altText)}">`}
<a class="title" href="#top">${escaped(info.title)}</a>
${sections.map(({ name }) => `<a href="#${anchor(name)}">${escaped(name)}</a>`).join('\n')}
${document.components?.schemas === undefined ? '' : '<a href="#schemas">Schemas</a>'}
</nav>
<main id="top">
<h1>${escaped(info.title)} <small>${escaped(info.version)}</small></h1>
${info.description === undefined ? '' : prose(info.description)}
<p class="meta">${(document.servers ?? []).map(({ url }) => `<code>${escaped(url)}</code>`).join(' ')}
${contact.length === 0 ? '' : `· Contact: ${escaped(contact.join(', '))}`}
${info.license === undefined ? '' : `· Licence: ${escaped(info.license.name)}`}
· <a href="${escaped(place)}">OpenAPI document</a></p>
${sections.map(({ html }) => html).join('\n')}
${schemasHtml(document)}
</main>`,
  )
}

/** The section of operations without a tag. */
const untagged = 'Other routes'

/** Returns the tags of the document, then those that only operations name, as routes of the host may. */
function tagsWith({ tags = [] }: OpenAPIObject, tagged: ReadonlyMap<string, unknown>): TagObject[] {
  const known = new Set(tags.map(({ name }) => name))
  return [...tags, ...[...tagged.keys()].flatMap((name) => (known.has(name) ? [] : { name }))]
}

function operationsByTag({ paths }: OpenAPIObject): Map<string, Operation[]> {
  const tagged = new Map<string, Operation[]>()
  for (const [path, item] of Object.entries<PathItemObject>(paths ?? {})) {
    for (const method of methods) {
      const operation = item[method]
      if (operation === undefined) continue
      const { tags = [] } = operation
      for (const tag of tags.length === 0 ? [untagged] : tags) {
        const known = tagged.get(tag) ?? []
        tagged.set(tag, known)
        known.push({ method, path, operation: withSharedParameters(operation, item) })
      }
    }
  }
  return tagged
}

/** Returns an operation with the parameters that all operations of its path have. */
const withSharedParameters = (operation: OperationObject, item: PathItemObject): OperationObject =>
  item.parameters === undefined
    ? operation
    : { ...operation, parameters: [...item.parameters, ...(operation.parameters ?? [])] }

function sectionHtml(
  { name, description }: { readonly name: string; readonly description?: string },
  operations: readonly string[],
): string {
  return `<section id="${anchor(name)}">
<h2>${escaped(name)}</h2>
${description === undefined ? '' : prose(description)}
${operations.join('\n')}
</section>`
}

function operationHtml(document: OpenAPIObject, { method, path, operation }: Operation): string {
  const parameters = (operation.parameters ?? []).map((one) =>
    resolved<ParameterObject>(document, one),
  )
  const body = operation.requestBody && resolved<RequestBodyObject>(document, operation.requestBody)
  const schema = mediaOf(body)?.schema
  return `<details id="${escaped(operation.operationId ?? '')}">
<summary><b class="${method}">${method}</b> <code>${escaped(path)}</code> <span>${escaped(operation.summary ?? '')}</span></summary>
<div>
${operation.description === undefined ? '' : prose(operation.description)}
${securityHtml(operation)}
${parametersHtml(document, parameters)}
${schema === undefined ? '' : `<h3>Body</h3><p>${typeText(schema as Schema)}</p>`}
<h3>Answers</h3>
<table>${Object.entries(operation.responses ?? {})
    .map(([status, response]) => responseHtml(status, resolved<ResponseObject>(document, response)))
    .join('')}</table>
</div>
</details>`
}

/** Returns the JSON form of a body, else its first one: routes of the host may send others. */
const mediaOf = (body: Partial<RequestBodyObject> | undefined): MediaTypeObject | undefined =>
  body?.content?.['application/json'] ?? Object.values(body?.content ?? {})[0]

function securityHtml({ security }: OperationObject): string {
  if (security === undefined || security.length === 0) return ''
  const schemes = security.map((one) => Object.keys(one).join(' and ') || 'nothing')
  return `<p class="meta">Credential: ${escaped(schemes.join(' or '))}</p>`
}

/** Renders parameters as a table; filters take one row per column, listing the operators. */
function parametersHtml(document: OpenAPIObject, parameters: readonly ParameterObject[]): string {
  const columns = new Map<string, string[]>()
  const others: ParameterObject[] = []
  for (const parameter of parameters) {
    const members = memberNames(document, (parameter.schema ?? {}) as Schema)
    if (members.length === 0) others.push(parameter)
    for (const member of members) {
      const [, column = member, operator = ''] = /^(.+)__([a-z]+)$/.exec(member) ?? []
      columns.set(column, [...(columns.get(column) ?? []), operator])
    }
  }
  const filters = [...columns].map(
    ([column, operators]) =>
      `<tr><td><code>${escaped(column)}</code></td><td>${operators.map((one) => `<code>__${one}</code>`).join(' ')}</td></tr>`,
  )
  const rows = others.map(
    ({ name, required, description, schema }) =>
      `<tr><td><code>${escaped(name)}</code>${required ? ' <em>required</em>' : ''}<br><small>${typeText(schema as Schema)}</small></td><td>${inline(description ?? '')}</td></tr>`,
  )
  return [
    rows.length === 0 ? '' : `<h3>Parameters</h3><table>${rows.join('')}</table>`,
    filters.length === 0
      ? ''
      : `<h3>Filters</h3><p class="meta">Written <code>column__operator=value</code>.</p><table>${filters.join('')}</table>`,
  ].join('')
}

/** Returns the members of an object, including those of the parts of its `allOf`. */
function memberNames(document: OpenAPIObject, part: Schema | ReferenceObject): readonly string[] {
  const { properties = {}, allOf = [] } = resolved<Schema>(document, part)
  return [...Object.keys(properties), ...allOf.flatMap((one) => memberNames(document, one))]
}

function responseHtml(status: string, { description = '', content }: ResponseObject): string {
  const media = mediaOf({ content: content ?? {} })
  const codes = Object.entries(media?.examples ?? {}).map(([code, example]) => {
    const { summary = '' } = example as { summary?: string }
    return `<li><code>${escaped(code)}</code> ${escaped(summary)}</li>`
  })
  const shown =
    codes.length > 0
      ? `<details><summary>${inline(description)} <small>${codes.length} ${codes.length === 1 ? 'code' : 'codes'}</small></summary><ul>${codes.join('')}</ul></details>`
      : `${escaped(description)} ${media?.schema === undefined ? '' : typeText(contentOf(media.schema as Schema))}`
  return `<tr><td><code>${escaped(status)}</code></td><td>${shown}</td></tr>`
}

/** Returns the schema of `value` inside an envelope; a schema without that member is returned unchanged. */
const contentOf = (schema: Schema): Schema => (schema.properties?.value as Schema) ?? schema

function schemasHtml({ components }: OpenAPIObject): string {
  const schemas = Object.entries(components?.schemas ?? {})
  if (schemas.length === 0) return ''
  return `<section id="schemas"><h2>Schemas</h2>
${schemas
  .map(([name, schema]) => {
    const { description, properties = {}, required = [] } = schema as Schema
    const rows = Object.entries(properties).map(
      ([member, one]) =>
        `<tr><td><code>${escaped(member)}</code>${required.includes(member) ? '' : ' <em>optional</em>'}</td><td>${typeText(one as Schema)} ${inline((one as Schema).description ?? '')}</td></tr>`,
    )
    return `<details id="schema-${anchor(name)}"><summary><code>${escaped(name)}</code> <span>${inline(description ?? '')}</span></summary><div><table>${rows.join('')}</table></div></details>`
  })
  .join('\n')}
</section>`
}

/** Renders a short description of a schema, with links to referenced schemas. */
function typeText(schema: Schema | ReferenceObject | undefined): string {
  if (schema === undefined) return 'anything'
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `<a href="#schema-${anchor(name)}">${escaped(name)}</a>`
  }
  const { anyOf, type, items, format, enum: members, const: only } = schema as Schema
  if (anyOf !== undefined) return anyOf.map((one) => typeText(one as Schema)).join(' or ')
  if (only !== undefined) return `<code>${escaped(only)}</code>`
  if (members !== undefined) return members.map((one) => `<code>${escaped(one)}</code>`).join(' ')
  if (type === 'array') return `list of ${typeText(items)}`
  const words = type === undefined ? 'anything' : [type].flat().join(' or ')
  return `${words}${format === undefined ? '' : ` (${escaped(format)})`}`
}

/** Resolves a reference to a component of the document; `{}` if there is none, as the host may have written the reference. */
function resolved<T>({ components }: OpenAPIObject, part: T | ReferenceObject): T {
  const { $ref } = part as ReferenceObject
  if ($ref === undefined) return part as T
  const [, , section = '', name = ''] = $ref.split('/')
  const sections = components as Readonly<Record<string, Readonly<Record<string, T>>>> | undefined
  return sections?.[section]?.[name] ?? ({} as T)
}

const anchor = (name: string): string => encodeURIComponent(name.replaceAll(' ', '-'))
