// lazyModule: a module of this package, or of another one, that is loaded when something first needs it.

import type { MaybePromise } from './maybe-promise.ts'

/**
 * Returns a function that loads a module on its first call, and later returns it synchronously.
 *
 * Keeps the module but not the promise of it: a failed load rejects for its caller and is tried again by the next one, and Workers do
 * not let a request wait for a promise of another request.
 *
 * ```ts
 * const jose = lazyModule(() => import('jose'))
 * const { SignJWT } = await jose()
 * ```
 */
export function lazyModule<Module extends object>(
  load: () => Promise<Module>,
): () => MaybePromise<Module> {
  let loaded: Module | undefined
  return () =>
    loaded ??
    load().then((module) => {
      loaded = module
      return module
    })
}
