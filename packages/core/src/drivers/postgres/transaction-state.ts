// isInTransaction: whether a connection of `preparedPg` is inside a transaction, by the BEGIN, COMMIT and ROLLBACK that Kysely sends.
// Only outside of one can a statement that failed because of its name be sent again.

/** Whether a transaction is open after this statement; `before` says whether one was open before. `rollback to` does not end it. */
export function isInTransaction(text: string, before: boolean): boolean {
  if (/^(?:begin|start transaction)\b/i.test(text)) return true
  return before && !/^(?:commit|rollback(?! to ))\b/i.test(text)
}
