// The site of docs/: its shelves in the sidebar, local search, and the same anchors as on GitHub.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { anchor } from '../anchor.ts'
import { miniSearch } from '../search.ts'

const index = readFileSync(new URL('../../../docs/README.md', import.meta.url), 'utf8')

/** The shelves and their pages, from the index. */
const sidebar = index
  .split('\n## ')
  .slice(1)
  .map((shelf) => ({
    text: shelf.split('\n', 1)[0] ?? '',
    items: [...shelf.matchAll(/^- \[(.+?)\]\((.+?)\.md\)/gm)].map(([, text = '', page = '']) => ({
      text,
      link: `/${page}`,
    })),
  }))

/** The pages have no HTML: `<value>` is text, and comments are for tests. */
function asText(tokens: readonly { readonly content: string }[], i: number): string {
  const text = tokens[i]?.content ?? ''
  return text.startsWith('<!--') ? '' : text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export default defineConfig({
  title: 'model-api',
  description: 'Data models as a JSON-over-HTTP API, on your own Kysely.',
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'node_modules/.cache/vitepress',
  rewrites: { 'README.md': 'index.md' },
  // Works from any folder of a web server: DOCS_BASE=/model-api/.
  base: process.env.DOCS_BASE ?? '/',
  cleanUrls: false,
  markdown: {
    anchor: { slugify: anchor },
    config: (md) => {
      md.renderer.rules.html_inline = asText
      md.renderer.rules.html_block = asText
    },
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local', options: { miniSearch } },
    socialLinks: [{ icon: 'github', link: 'https://github.com/model-api/model-api' }],
  },
})
