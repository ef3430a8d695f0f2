// classifyAny: errors of the drivers of unknown databases, which often have the codes of a known one.

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
