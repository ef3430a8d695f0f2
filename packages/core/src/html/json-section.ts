// The collapsed JSON of a response, below the table.

import type { JsonValue } from '../json/json-value.ts'
import { stringify } from '../json/stringify.ts'
import { framedPage, type PageFrame } from './frame.ts'
import { escaped } from './html.ts'

/** Characters of JSON that a page shows; a longer text is left out, because it would double a large page. */
const mostCharacters = 50_000

/** The JSON body, indented. */
export function jsonSection(body: JsonValue): string {
  const text = stringify(body)
  const shown =
    text.length > mostCharacters
      ? `<p class="meta">${text.length} characters are too many to show here.</p>`
      : `<pre>${escaped(indented(text))}</pre>`
  return `<details><summary>The same as JSON, as a program receives it</summary>
${shown}
<p class="meta">A client receives JSON unless its <code>Accept</code> header prefers <code>text/html</code>: <code>curl -g "&lt;this address&gt;"</code></p>
</details>`
}

/** The most levels that are indented, because stored JSON may be nested very deeply. */
const deepest = 20

/** A page that shows only the JSON. */
export const jsonPage = (frame: PageFrame, body: JsonValue): string =>
  framedPage(frame, frame.title, jsonSection(body))

/** JSON text with a line for each member. Numbers keep their digits, because the text is not parsed. */
function indented(text: string): string {
  let depth = 0
  const line = (): string => `\n${'  '.repeat(Math.min(depth, deepest))}`
  return text.replace(/"(?:[^"\\]|\\.)*"|\[\]|\{\}|[[\]{},:]|[^"[\]{},:]+/g, (token) => {
    switch (token) {
      case '{':
      case '[':
        depth += 1
        return token + line()
      case '}':
      case ']':
        depth -= 1
        return line() + token
      case ',':
        return token + line()
      case ':':
        return ': '
      default:
        return token
    }
  })
}
