/**
 * Resolves relative imports of the repository and of Kysely by joining URLs without reading directories, for processes that
 * tests start. The core and Kysely have 900 modules, and looking up each file, its real path and its package takes Node a third
 * of the loading time.
 */
import { registerHooks } from 'node:module'

const root = new URL('../../', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL = '' } = context
    if (specifier.startsWith('.') && parentURL.startsWith(root)) {
      const url = new URL(specifier, parentURL).href
      if (url.endsWith('.ts')) return { url, format: 'module-typescript', shortCircuit: true }
      if (/\/kysely\/dist\/.*\.js$/.test(url)) return { url, format: 'module', shortCircuit: true }
    }
    return nextResolve(specifier, context)
  },
})
