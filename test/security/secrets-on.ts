/** Which secrets the leak matrices look for on a database. */
import type { TestDatabase } from '../support/databases.ts'
import { extent } from '../support/extent.ts'
import { notRun } from '../support/suite.ts'

/** The secrets that conditions of statements hide. What hides the others is decided from declarations and roles, before there is a statement. */
const hiddenBySql = new Set([
  'rows out of scope',
  'other values of rows out of scope',
  'whether rows out of scope are deleted',
  'soft-deleted rows',
])

/** All secrets; on a server, a usual run looks only for those that SQL hides. */
export function secretsOn<Secret>(
  { name }: Pick<TestDatabase, 'name'>,
  secrets: Readonly<Record<string, Secret>>,
): Readonly<Record<string, Secret>> {
  if (extent === 'whole' || name === 'sqlite') return secrets
  notRun('secrets of declarations and roles on servers', 'a usual run has them on SQLite')
  return Object.fromEntries(Object.entries(secrets).filter(([secret]) => hiddenBySql.has(secret)))
}
