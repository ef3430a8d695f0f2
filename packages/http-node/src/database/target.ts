// Targets: what a user may write to name a database, and which driver it is for.

import { fileURLToPath } from 'node:url'

export interface Target {
  readonly kind: 'sqlite' | 'postgres' | 'mysql'
  /** A file name, or the URL as the driver wants it. */
  readonly location: string
  /** For people: no password. */
  readonly name: string
}

export const targetForms =
  'a SQLite file, postgres://user@host/database or mysql://user@host/database'

/** Two letters at least, so that a drive letter begins a file name. */
const scheme = /^([a-z][a-z0-9+.-]+):/i

export function readTarget(target: string): Target {
  const name = scheme.exec(target)?.[1]?.toLowerCase()
  switch (name) {
    case 'postgres':
    case 'postgresql':
      return { kind: 'postgres', location: checkedUrl(target), name: withoutPassword(target) }
    case 'mysql':
    case 'mariadb': {
      const location = checkedUrl(target).replace(scheme, 'mysql:')
      return { kind: 'mysql', location, name: withoutPassword(target) }
    }
    case 'file':
    case 'sqlite': {
      const file = fileOf(target)
      return { kind: 'sqlite', location: file, name: file }
    }
    case undefined:
      return { kind: 'sqlite', location: target, name: target }
    default:
      if (!target.includes('://')) return { kind: 'sqlite', location: target, name: target }
      throw new Error(`"${name}://" is no database we know. Expected ${targetForms}.`)
  }
}

/** `file:///a/b.db` is a URL; `file:b.db`, `sqlite:b.db` and `sqlite:///a/b.db` are paths behind a scheme. */
function fileOf(target: string): string {
  if (/^file:\/\//i.test(target)) return fileURLToPath(target)
  return target.replace(scheme, '').replace(/^\/\//, '')
}

function checkedUrl(target: string): string {
  if (!target.includes('://') || !URL.canParse(target)) {
    throw new Error(`"${withoutPassword(target)}" is no complete URL. Expected ${targetForms}.`)
  }
  return target
}

/** Passwords must not reach the screen, nor a log. */
function withoutPassword(target: string): string {
  return target
    .replace(/^([a-z0-9+.-]+:\/\/[^/?#@]*?):[^@/]*(?:\/[^@]*)?@/i, '$1@')
    .replace(/([?&](?:password|passwd|pwd)=)[^&#]*/gi, '$1…')
}
