/** The arguments of Node for the processes that tests start. */

/** Loads the modules of the repository faster. */
export const resolveHook = `--import=${new URL('resolve-hook.mjs', import.meta.url).href}`

/** For a process that runs the sources. */
export const sourceArguments: readonly string[] = ['--conditions=@model-api/source', resolveHook]
