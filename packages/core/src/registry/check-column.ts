// Checks the options of one column against its type and each other.

import type { Problems } from '../config/problems.ts'
import type { NamedColumn } from './resource.ts'

/** Reports what is wrong with a column's options. */
export function checkColumn(_column: NamedColumn, _at: string, _problems: Problems): void {}
