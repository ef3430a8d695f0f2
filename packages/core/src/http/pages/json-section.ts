// The last section of every HTML page: the JSON body of the response, collapsed.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import { framedPage, type PageFrame } from './frame.ts'
import { escaped } from './html.ts'

/** Longest JSON that a page shows, in characters. Longer JSON is omitted, because it would double the size of a large page. */
const mostCharacters = 50_000

/** Returns the section as HTML, with the JSON body indented. */
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

/** Deepest level that is indented further; stored JSON may be nested very deeply. */
const deepest = 20

/** Returns a page that shows only the JSON. */
export const jsonPage = (frame: PageFrame, body: JsonValue): string =>
  framedPage(frame, frame.title, jsonSection(body))

/** Puts each member of a JSON text on its own line. Numbers keep their digits, because the text is not parsed. */
function indented(text: string): string {
  let depth = 0
  const line = (): string => `\n${'  '.repeat(Math.min(depth, deepest))}`
  // The tokens of JSON: strings, `[]` and `{}`, single brackets, colons and commas, and numbers and words.
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
