// Writes docs/reference/errors.md from the comments of errors.ts and the error catalogue.

import { readFileSync, writeFileSync } from 'node:fs'
import { catalogue } from '../packages/core/src/openapi/error-catalogue.ts'

/** The page that this script writes. */
export const page = new URL('../docs/reference/errors.md', import.meta.url)

const source = readFileSync(new URL('../packages/core/src/errors.ts', import.meta.url), 'utf8')

/** A function of errors.ts, with its stage and its comment. */
interface Thrower {
  readonly stage: string
  readonly when: string
  readonly text: string
}

const form =
  /^\/\/ -{10,} (?<stage>[^:\n]+):.*$|^\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\nexport const (?<text>[\s\S]*?)(?=\n\n|\s*$(?![\s\S]))/gm

/** Returns the functions of errors.ts in the order of the file. */
export function throwers(): Thrower[] {
  let stage = ''
  return [...source.matchAll(form)].flatMap(({ groups = {} }) => {
    stage = groups.stage ?? stage
    return groups.text === undefined
      ? []
      : [{ stage, when: sentence(groups.comment ?? ''), text: groups.text }]
  })
}

function sentence(comment: string): string {
  const text = comment
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ \((?:docs\/|specification)[^)]*\)/g, '')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const titles: Readonly<Record<string, string>> = {
  route: 'Paths',
  limit: 'Rates and readiness',
  authenticate: 'Who is asking',
  'authorize, scope': 'What they may do',
  parse: 'The text of the query',
  plan: 'Names and values of the query',
  execute: 'Rows and the database',
  input: 'The body',
  write: 'Writing',
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function rowsOf(stage: string): string[] {
  return throwers()
    .filter((thrower) => thrower.stage === stage)
    .map(({ when, text }) => {
      const found = catalogue.find(({ error }) => text.includes(`'${error.body.code}'`))
      if (found === undefined) throw new Error(`the catalogue lacks ${text.split(' ')[0]}`)
      const { status, body } = found.error
      return `| <a id="${body.code}"></a>\`${body.code}\` ${status} | ${cell(when)} |`
    })
}

const tables = (): string =>
  [...new Set(throwers().map(({ stage }) => stage))]
    .map((stage) => {
      const head = '| Code, status | When |\n|---|---|'
      const title = titles[stage]
      if (title === undefined) throw new Error(`no title for "${stage}"`)
      return `## ${title}\n\n${head}\n${rowsOf(stage).join('\n')}`
    })
    .join('\n\n')

/** Returns the whole page. */
export const errorsPage =
  (): string => `<!-- Written by scripts/errors.ts from packages/core/src/errors.ts and openapi/error-catalogue.ts. -->

# Errors

Every failure is an envelope with \`value: null\` and \`errors\`:

\`\`\`http
GET /api/books?titel__eq=Emma
\`\`\`

\`\`\`json
{
  "status_code": 400,
  "errors": {
    "error": "Bad Request",
    "reason": "Unknown column \\"titel\\" on books. Did you mean \\"title\\"?",
    "code": "unknown_column",
    "at": "titel__eq=Emma"
  }
}
\`\`\`

| Member | |
|---|---|
| \`error\` | a short name: the phrase of the status, except \`Validation failed\` and \`Invalid join model: …\` |
| \`reason\` | what was wrong, and a suggestion if there is one; for bodies an object of path → messages |
| \`code\` | a stable identifier for programs; the texts may change |
| \`at\` | the part of the request that caused the error; absent if there is none |

Hidden, inaccessible and unpublished data gives the same errors as missing data. A 500 has only the request id; the details are in the log.

No error is longer than 16 KiB: a body's reason lists at most 100 problems and counts the others, \`"": ["and 400 more problems"]\`.

A [hook](../guide/hooks.md#failures) throws \`apiError(status, error, reason, code)\`; without \`code\`, the error has none. The [OpenAPI document](openapi.md) lists the errors of each operation, with an example of each.

## Problem details

A client whose \`Accept\` prefers \`application/problem+json\` to \`application/json\`, or gives both the same weight, is sent errors in the form of [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457):

\`\`\`http
GET /api/books?titel__eq=Emma
Accept: application/problem+json
X-Request-Id: 0b3c8a52-5a3e-4c55-9c0a-3d1f0a6f2b7e
\`\`\`

\`\`\`json
{
  "type": "about:blank",
  "title": "Bad Request",
  "status": 400,
  "detail": "Unknown column \\"titel\\" on books. Did you mean \\"title\\"?",
  "instance": "urn:uuid:0b3c8a52-5a3e-4c55-9c0a-3d1f0a6f2b7e",
  "code": "unknown_column",
  "at": "titel__eq=Emma"
}
\`\`\`

| Member | |
|---|---|
| \`type\` | \`about:blank\` |
| \`title\`, \`detail\`, \`code\`, \`at\` | \`error\`, \`reason\`, \`code\` and \`at\` of the envelope; of several problems, \`detail\` is the first |
| \`instance\` | the request id: \`urn:uuid:…\`, or \`#…\` where it is no UUID |
| \`problems\` | the \`reason\` of a body: path → messages |

A failed batch has the form that its own \`Accept\` asks for. A [final callback](../guide/hooks.md) is given the envelope; the problem says what it leaves of \`errors\`, and if it leaves none, its body is sent.

${tables()}
`

if (import.meta.main) writeFileSync(page, errorsPage())
