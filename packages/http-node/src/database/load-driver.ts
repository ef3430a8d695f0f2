// loadDriver: loads a database driver when `openDatabase` needs it; the error for a missing one says how to install it.

/**
 * Loads the package `name`, which opens `what`, such as `PostgreSQL`. `load` is `() => import('pg')`, so that bundlers and the type checker
 * see the name.
 */
export async function loadDriver<T>(
  name: string,
  what: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(`To open ${what}, the package "${name}" is needed: npm install ${name}`)
  }
}
