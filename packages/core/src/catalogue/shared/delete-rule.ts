// DeleteRule: what a foreign key of the database does with its row when the row that it refers to is deleted.

export type DeleteRule = 'cascade' | 'set null'

/** The rule by its name in a catalogue; undefined for those that refuse the deletion, and for SET DEFAULT. */
export function deleteRule(name: string | undefined): DeleteRule | undefined {
  const rule = name?.toLowerCase()
  return rule === 'cascade' || rule === 'set null' ? rule : undefined
}
