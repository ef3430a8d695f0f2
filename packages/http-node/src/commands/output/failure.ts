// Failures of the command: the errors that decide its exit code, and messages about databases and addresses that cannot be used.

interface SystemError extends Error {
  readonly code?: unknown
  readonly errors?: readonly SystemError[]
}

/** An invalid command line: exit code 2. */
export interface UsageError {
  readonly usage: string
}

/** Makes the error of an invalid command line, to be thrown. */
export const usageError = (usage: string): UsageError => ({ usage })

export function isUsageError(error: unknown): error is UsageError {
  return typeof error === 'object' && error !== null && 'usage' in error
}

/** A failure that has already been reported; only its exit code matters. */
export interface ReportedFailure {
  readonly exitCode: number
}

/** Makes a failure to be thrown after its lines were printed. */
export const reportedFailure = (exitCode: number): ReportedFailure => ({ exitCode })

export function isReportedFailure(error: unknown): error is ReportedFailure {
  return typeof error === 'object' && error !== null && 'exitCode' in error
}

/** What an error of a driver or of the system means for the user, by its code. */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at this address. Is the server running?',
  ENOTFOUND: 'there is no such host.',
  EAI_AGAIN: 'the host name could not be looked up.',
  EHOSTUNREACH: 'the host cannot be reached.',
  ETIMEDOUT: 'the server did not answer in time.',
  ECONNRESET: 'the server closed the connection.',
  '28P01': 'the server refuses this user or password.',
  '28000': 'the server refuses this user.',
  '3D000': 'the server has no such database.',
  '53300': 'the server has no connection left.',
  ER_ACCESS_DENIED_ERROR: 'the server refuses this user or password.',
  ER_DBACCESS_DENIED_ERROR: 'this user may not use this database.',
  ER_BAD_DB_ERROR: 'the server has no such database.',
  ER_CON_COUNT_ERROR: 'the server has no connection left.',
  SQLITE_NOTADB: 'it is not a SQLite database.',
  SQLITE_CANTOPEN: 'the file cannot be opened.',
  SQLITE_BUSY: 'another process has locked it.',
}

/** Returns why a database could not be opened or read. */
export function databaseFailure(name: string, error: unknown): string {
  const sentence = codesOf(error).flatMap((code) => sentences[code] ?? [])[0]
  return `Cannot read ${name}: ${sentence ?? messageOf(error)}`
}

/** Returns why the server could not listen on an address. */
export function listenFailure(host: string, port: number, error: unknown): string {
  const [code] = codesOf(error)
  const place = `${host}:${port}`
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken on ${host}. Choose another with --port, or --port 0 for any free one.`
  }
  if (code === 'EACCES')
    return `This user may not listen at ${place}. Ports below 1024 are reserved.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `"${host}" is no address of this machine. Choose another with --host.`
  }
  return `Cannot listen at ${place}: ${messageOf(error)}`
}

/** Returns the codes of an error; connecting to a host with several addresses fails with one code for each address. */
function codesOf(error: unknown): string[] {
  const { code, errors } = (error ?? {}) as SystemError
  return [code, ...(errors ?? []).map((error) => error.code)].filter(
    (text) => typeof text === 'string',
  )
}

/** Returns the first line of an error message; drivers append statements and hints. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const line = text.split('\n')[0]?.trim() ?? ''
  return line === '' ? 'unknown reason' : line
}
