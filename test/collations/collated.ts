/** Tables whose text keys are compared under collations by which different texts are equal, on every database. */
import type { DatabaseName, TestDatabase } from '../support/databases.ts'

/** A collation that ignores case. */
const ignoringCase: Readonly<Record<DatabaseName, string>> = {
  sqlite: 'varchar(20) collate nocase',
  postgres: 'varchar(20) collate case_blind',
  mysql: 'varchar(20) character set utf8mb4 collate utf8mb4_general_ci',
}

/** One that ignores blanks at the end. */
const ignoringOtherwise: Readonly<Record<DatabaseName, string>> = {
  sqlite: 'varchar(20) collate rtrim',
  postgres: 'varchar(20) collate blank_blind',
  mysql: 'varchar(20) character set utf8mb4 collate utf8mb4_bin',
}

export type Kind = 'case' | 'blanks'

/** The type of a text column under a collation of the kind. */
export const textType = (db: Pick<TestDatabase, 'name'>, kind: Kind): string =>
  (kind === 'case' ? ignoringCase : ignoringOtherwise)[db.name]

/** Makes the collations that the types name. */
export async function createCollations(db: TestDatabase): Promise<void> {
  if (db.name !== 'postgres') return
  await db.execScript(
    `create collation if not exists case_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    create collation if not exists blank_blind (provider = icu, locale = 'und-u-ka-shifted', deterministic = false)`,
  )
}

/** A spelling that the kind finds equal. */
export const otherSpelling = (kind: Kind, text: string): string =>
  kind === 'case' ? text.toLowerCase() : `${text} `
