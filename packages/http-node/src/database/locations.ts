// readTarget: reads the database argument of the command and of `openDatabase`, a URL or a file name: `postgres://ann@localhost/library` or
// `data/library.db`. databaseName takes `library` of both, for the title of the API.

import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where a database is: one file or URL, or the URLs of several hosts. */
export type Locations = readonly [string, ...string[]]

/** A database argument that was read. */
export interface DatabaseTarget {
  readonly kind: 'sqlite' | 'postgres' | 'mysql'
  /** A file name, or a URL for the driver for each host. */
  readonly locations: Locations
  /** The target without password, for messages. */
  readonly name: string
}

/**
 * Returns the database's own name, of a target without password: `postgres://ann@localhost/library` and `data/library.db` are
 * `library`; undefined if a URL names none.
 */
export function databaseName(name: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(?:\/([^?#]*))?/i.exec(name)
  if (url === null) return basename(name).replace(/(?<=.)\.[^.]*$/, '')
  try {
    return decodeURIComponent(url[1] ?? '') || undefined
  } catch {
    return url[1]
  }
}

/** The forms of the argument, for messages. */
export const targetForms =
  'a SQLite file, postgres://user@host/database or mysql://user@host/database'

/** A URL scheme: at least two letters, so that `C:\…` is a file name. */
const scheme = /^([a-z][a-z0-9+.-]+):/i

/** Reads the argument; throws with a message for the user if it is none of the forms. */
export function readTarget(target: string): DatabaseTarget {
  const name = scheme.exec(target)?.[1]?.toLowerCase()
  switch (name) {
    case 'postgres':
    case 'postgresql':
      return { kind: 'postgres', locations: checkedUrls(target), name: withoutPassword(target) }
    case 'mysql':
    case 'mariadb': {
      const locations = checkedUrls(target.replace(scheme, 'mysql:'), target)
      return { kind: 'mysql', locations, name: withoutPassword(target) }
    }
    case 'file':
    case 'sqlite': {
      const file = fileOf(target)
      return { kind: 'sqlite', locations: [file], name: file }
    }
    case undefined:
      return { kind: 'sqlite', locations: [target], name: target }
    default:
      if (!target.includes('://')) return { kind: 'sqlite', locations: [target], name: target }
      throw new Error(`"${name}://" is not a supported database. Expected ${targetForms}.`)
  }
}

/** Returns the file name: `file:///a/b.db` is a URL; `file:b.db`, `sqlite:b.db` and `sqlite:///a/b.db` are paths after a scheme. */
function fileOf(target: string): string {
  if (/^file:\/\//i.test(target)) return fileURLToPath(target)
  return target.replace(scheme, '').replace(/^\/\//, '')
}

/** Matches the part before the hosts, the hosts, and the part after them. */
const authority = /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/is

/** Splits a URL with several hosts, `postgres://ann@first,second:5433/db`, into one URL for each host. */
function checkedUrls(url: string, written: string = url): Locations {
  const [, before = '', hosts = '', after = ''] = authority.exec(url) ?? []
  const [first = url, ...others] = hosts.split(',').map((host) => `${before}${host}${after}`)
  const urls: Locations = before === '' ? [url] : [first, ...others]
  if (!urls.every((text) => text.includes('://') && URL.canParse(text))) {
    throw new Error(`"${withoutPassword(written)}" is not a complete URL. Expected ${targetForms}.`)
  }
  return urls
}

/** Removes the password from the target, since messages may be logged. */
function withoutPassword(target: string): string {
  return target
    .replace(/^([a-z0-9+.-]+:\/\/[^/?#@]*?):[^@/]*(?:\/[^@]*)?@/i, '$1@')
    .replace(/([?&](?:password|passwd|pwd)=)[^&#]*/gi, '$1…')
}
