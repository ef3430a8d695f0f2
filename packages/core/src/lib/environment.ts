// environment: the environment variables of the process, on runtimes that have some. `createApi` reads its settings (`API_…`) there too.

/** Returns `process.env`; undefined on runtimes without it. */
export function environment(): Readonly<Record<string, string | undefined>> | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env
}
