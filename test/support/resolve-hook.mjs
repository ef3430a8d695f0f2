/**
 * Resolves relative imports of the repository and of Kysely by joining URLs, without looking at files, for processes that tests start: the core
 * and Kysely have 900 modules, and Node takes a third of the time until they are loaded to look for each file, its real path and its package.
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
