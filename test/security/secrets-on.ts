/** Which secrets the leak matrices look for on a database. */
import type { TestDatabase } from '../support/databases.ts'

/** The secrets that conditions of statements hide. What hides the others is decided from declarations and roles, before there is a statement. */
const hiddenBySql = new Set([
  'rows out of scope',
  'other values of rows out of scope',
  'whether rows out of scope are deleted',
  'soft-deleted rows',
])

/** All secrets; on a server only those that SQL hides. */
export function secretsOn<Secret>(
  { name }: Pick<TestDatabase, 'name'>,
  secrets: Readonly<Record<string, Secret>>,
): Readonly<Record<string, Secret>> {
  if (name === 'sqlite') return secrets
  return Object.fromEntries(Object.entries(secrets).filter(([secret]) => hiddenBySql.has(secret)))
}
