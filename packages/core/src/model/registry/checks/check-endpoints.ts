// Checks at start-up that no two resources share a path.

import type { Problems } from '../../settings/setting-problems.ts'
import type { Resource } from '../resource.ts'

/** Reports resources that share a path, and a path below another: `library/books` is also the record `books` of `library`. */
export function checkEndpoints(
  resources: readonly Pick<Resource, 'name' | 'paths'>[],
  problems: Problems,
): void {
  const owners = new Map<string, string>()
  for (const { name, paths } of resources) {
    for (const path of paths) {
      const other = owners.get(path)
      if (other !== undefined) {
        problems.add(
          `models.${name}`,
          `the endpoint "${path}" is also served by ${other}. Rename a model or set meta.endpoint with register_canonical_routes: false.`,
        )
      } else owners.set(path, name)
    }
  }
  for (const [path, name] of owners) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const other = owners.get(path.slice(0, end))
      if (other === undefined) continue
      problems.add(
        `models.${name}.meta.endpoint`,
        `"${path}" lies inside "${path.slice(0, end)}", an endpoint of ${other}, where it would be a record's path.`,
      )
    }
  }
}
