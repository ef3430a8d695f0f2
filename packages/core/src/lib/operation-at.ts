// operationAt: the place of an operation in the body of a batch, which errors and changes name.

/** An operation of a batch, as `at` of errors names it: `operations[2]`. */
export const operationAt = (index: number): string => `operations[${index}]`
