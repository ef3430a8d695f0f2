// Errors of an unknown database, classified by the first of the known databases that recognises them.

import type { DatabaseFailure } from '../dialect.ts'
import { classifyMysql } from '../mysql/mysql-errors.ts'
import { classifyPostgres } from '../postgres/postgres-errors.ts'
import { classifySqlite } from '../sqlite/sqlite-errors.ts'

/** Classifies an error of an unknown database as the first of the three known dialects that recognises it. */
export function classifyAny(thrown: unknown): DatabaseFailure {
  for (const classify of [classifyPostgres, classifyMysql, classifySqlite]) {
    const found = classify(thrown)
    if (found.kind !== 'other') return found
  }
  return { kind: 'other' }
}
