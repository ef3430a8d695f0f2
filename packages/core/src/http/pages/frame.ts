// The frame of all HTML pages except Redoc's and the list of operations: the header with its links, and the style.

import { escaped, htmlPage } from './html.ts'
import { pageStyle } from './page-style.ts'

/** The title and the links in the header of a page. */
export interface PageFrame {
  /** The title of the API. */
  readonly title: string
  /** URL of the index. */
  readonly index: string
  /** URL of the documentation; null if there is none, or the caller may not read it. */
  readonly documentation: string | null
}

/** Returns an HTML page with the header. */
export function framedPage(
  { title, index, documentation }: PageFrame,
  heading: string,
  body: string,
): string {
  return htmlPage(
    heading === title ? title : `${heading} · ${title}`,
    `<style>${pageStyle}</style>\n`,
    `<header><a class="title" href="${escaped(index)}">${escaped(title)}</a>
${documentation === null ? '' : `<a href="${escaped(documentation)}">Documentation</a>`}</header>
<main>
${body}
</main>`,
  )
}
