// The documentation page for hosts that have not installed Redoc: an HTML list of the operations of the OpenAPI document.

import type { OpenAPIObject, PathItemObject } from 'openapi3-ts/oas31'
import { escaped, htmlPage, prose } from '../../http/pages/html.ts'
import { pageStyle } from '../../http/pages/page-style.ts'

const methods = ['get', 'post', 'patch', 'put', 'delete'] as const

/** Renders the list in steps, one path each. `place` is the URL of the document, relative to the page. */
export function* operationListSteps(
  { info, paths = {} }: OpenAPIObject,
  place: string,
): Generator<void, string> {
  const rows: string[] = []
  for (const [path, item] of Object.entries<PathItemObject>(paths)) {
    yield
    for (const method of methods) {
      const operation = item[method]
      if (operation === undefined) continue
      rows.push(
        `<tr><td><span class="method">${method.toUpperCase()}</span></td><td><code>${escaped(path)}</code></td><td>${escaped(operation.summary ?? '')}</td></tr>`,
      )
    }
  }
  return htmlPage(
    info.title,
    `<style>${pageStyle}</style>\n`,
    `<main>
<h1>${escaped(info.title)} <small>${escaped(info.version)}</small></h1>
${info.description === undefined ? '' : prose(info.description)}
<p class="meta"><a href="${escaped(place)}">OpenAPI document</a></p>
<div class="wide"><table>
${rows.join('\n')}
</table></div>
</main>`,
  )
}
