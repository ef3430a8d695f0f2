// Warns of published models without a primary key that do not declare `readOnly`: the key may have been forgotten.

import type { Registry } from '../resource.ts'
import { isKeyless } from '../row-identity.ts'

/** Returns a warning for each such model. */
export const keylessWarnings = ({ resources }: Registry): readonly string[] =>
  resources
    .filter((resource) => isKeyless(resource) && resource.model.readOnly !== true)
    .map(
      ({ name }) =>
        `${name} has no primary key, so it is served as a list that can only be read. Mark its key with primaryKey: true, or say readOnly: true if that is meant.`,
    )
