// Writes docs/reference/errors.md from the comments of errors.ts and the error catalogue.

import { readFileSync, writeFileSync } from 'node:fs'
import { problemCodes } from '../packages/core/src/lib/problems/problem-codes.ts'
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

function linesOf(stage: string): string[] {
  return throwers()
    .filter((thrower) => thrower.stage === stage)
    .map(({ when, text }) => {
      const found = catalogue.find(({ error }) => text.includes(`'${error.body.code}'`))
      if (found === undefined) throw new Error(`the catalogue lacks ${text.split(' ')[0]}`)
      const { status, body } = found.error
      return `- \`${body.code}\` ${status}: ${when}`
    })
}

const lists = (): string =>
  [...new Set(throwers().map(({ stage }) => stage))]
    .map((stage) => {
      const title = titles[stage]
      if (title === undefined) throw new Error(`no title for "${stage}"`)
      return `## ${title}\n\n${linesOf(stage).join('\n')}`
    })
    .join('\n\n')

const codesOfErrors = new Set(catalogue.map(({ error }) => error.body.code))

function shownProblem(code: string, params: object): string {
  const names = Object.keys(params)
  return names.length === 0 ? `\`${code}\`` : `\`${code}\` \`{ ${names.join(', ')} }\``
}

/** One line for each code of problems; one for all that are also codes of errors, which the lists of errors explain. */
function problemLines(): string {
  const [shared, own] = [true, false].map((isShared) =>
    Object.entries(problemCodes).filter(([code]) => codesOfErrors.has(code) === isShared),
  )
  const lines = own?.map(([code, { when, params }]) => `- ${shownProblem(code, params)}: ${when}`)
  const names = shared?.map(([code, { params }]) => shownProblem(code, params))
  return `${lines?.join('\n')}\n- ${names?.join(', ')}: as the errors of these names, below.`
}

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

- \`error\`: the phrase of the status, or another short name
- \`reason\`: what was wrong; for bodies an object of path → messages
- \`code\`: a stable identifier for programs; the texts may change
- \`at\`: the part of the request that caused the error, if there is one
- \`problems\`: [the messages of a body](#problems-of-a-body) with their codes

Hidden, inaccessible and unpublished data gives the same errors as missing data. A 500 has only the request id; the details are in the log.

[Hooks](../guide/hooks.md#failures) throw errors of their own. The [OpenAPI document](openapi.md) lists those of each operation.

## Problems of a body

Where \`reason\` is an object, \`problems\` has the same messages one by one, so that a client can say them in its own language:

\`\`\`json
{
  "error": "Validation failed",
  "reason": { "title": ["Expected at most 80 characters, got 95."] },
  "code": "validation_failed",
  "problems": [
    {
      "path": "title",
      "code": "too_long",
      "params": { "max": 80, "length": 95 },
      "message": "Expected at most 80 characters, got 95."
    }
  ]
}
\`\`\`

At most 100 are listed, and the others are counted, \`"": ["and 400 more problems"]\`. Codes and the names of params are stable; the messages may change. In the typed client, [\`error.problems\`](client.md#results-and-errors) knows the params of each code.

${problemLines()}

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

\`instance\` is the request id: \`urn:uuid:…\`, or \`#…\` where it is no UUID. For a body, \`problems\` has them, and \`detail\` the first message.

A [final callback](../guide/hooks.md) receives the envelope. The problem is made of the \`errors\` that it returns; without any, its body is sent.

${lists()}
`

if (import.meta.main) writeFileSync(page, errorsPage())
