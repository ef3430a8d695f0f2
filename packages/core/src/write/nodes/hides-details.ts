// hidesDetails: whether the JSON of a stored value may lack details of it: a datetime with microseconds is shown with milliseconds.

import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'

/**
 * Whether a stored value may have details that its JSON does not show, or is not of the column's type (`otherForms`). A value of a body
 * that equals the JSON of the stored one must then not be written, because the UPDATE would remove the details.
 */
export const hidesDetails = ({ type, otherForms }: NamedColumn): boolean =>
  otherForms === true || !columnTypes[type].isShownInFull
