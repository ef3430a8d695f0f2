// operationAt: the place of an operation in the body of a batch, which errors and changes name.

/** The place of the operation with this index: `operations[2]`. */
export const operationAt = (index: number): string => `operations[${index}]`
