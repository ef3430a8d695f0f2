// The package jose, which is loaded when the first token is signed or verified.

import { lazyModule } from '../../lib/lazy-module.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** Returns the module; a promise of it at first. */
export const jose: () => MaybePromise<typeof import('jose')> = lazyModule(() => import('jose'))
