// isTrue: reads booleans of the PostgreSQL catalogue.

/** Whether a value of the catalogue is true. Accepts text, because drivers can be configured to return every value as text. */
export const isTrue = (value: unknown): boolean =>
  value === true || value === 't' || value === 'true'
