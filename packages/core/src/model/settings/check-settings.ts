// Checks config and meta key by key at start-up, by the table of settings; unknown keys and wrong values become problems. Later steps see only the
// valid ones.

import { nearest } from '../../lib/naming/suggest.ts'
import type { ApiConfig } from './config.ts'
import { configKeyOf, type Meta, metaKeyOf } from './meta.ts'
import { object } from './setting-checks.ts'
import type { Problems } from './setting-problems.ts'
import { allSettings, type Setting } from './setting-table.ts'

const configEntries: ReadonlyMap<string, Setting> = new Map(
  allSettings.filter(([, { level }]) => level !== 'model'),
)

const metaMethods = ['get', 'post', 'patch', 'put', 'delete']

/** Every key of meta, including the forms for one method such as `post_rate_limit`. */
const metaEntries: ReadonlyMap<string, Setting> = new Map(allMetaEntries())

function* allMetaEntries(): Generator<[string, Setting]> {
  for (const [name, entry] of allSettings) {
    if (entry.level === 'api') continue
    const key = entry.level === 'model' ? name : metaKeyOf(name)
    yield [key, entry]
    if (!key.endsWith('_callback') && key !== 'rate_limit') continue
    for (const method of metaMethods) yield [`${method}_${key}`, entry]
  }
}

/**
 * Returns the valid members of config or meta (`values`), and those that later checks examine; reports every invalid member as a problem.
 * `unknown` makes the message about a key that is not among `entries`.
 */
function validMembers(
  values: unknown,
  at: string,
  entries: ReadonlyMap<string, Setting>,
  unknown: (key: string) => string,
  problems: Problems,
): Record<string, unknown> {
  const valid: Record<string, unknown> = {}
  const wrong = object(values)
  if (wrong !== undefined) {
    problems.add(at, wrong)
    return valid
  }
  for (const [key, value] of Object.entries(values as object)) {
    const entry = entries.get(key)
    if (value === undefined) {
      // It may be a misspelt reference to a rule.
      if (entry?.restricts) {
        problems.add(
          `${at}.${key}`,
          'is undefined, which would restrict nothing. Leave it out for that.',
        )
      }
      continue
    }
    const problem = entry === undefined ? unknown(key) : entry.check(value)
    if (problem !== undefined) problems.add(`${at}.${key}`, problem)
    if (problem === undefined || entry?.keepsWrong?.(value) === true) valid[key] = value
  }
  return valid
}

const suggestion = (key: string, known: Iterable<string>): string => {
  const name = nearest(key.slice(0, 100), known)
  return name === undefined ? '' : ` Did you mean ${name}?`
}

/** The message about a key that config does not have: one of meta, in lower case, or misspelt. */
function unknownConfigKey(key: string): string {
  const upper = configKeyOf(key)
  if (configEntries.has(upper)) return `unknown key. Did you mean ${upper}?`
  if (metaEntries.has(key)) return `${key} belongs in the meta of a model.`
  return `unknown key.${suggestion(key, configEntries.keys())}`
}

/** The message about a key that meta does not have: one of config, with `API_`, or misspelt. */
function unknownMetaKey(key: string): string {
  const lower = metaKeyOf(key)
  if (metaEntries.has(lower)) return `unknown key. Did you mean ${lower}?`
  const configKey = configEntries.has(key) ? key : configKeyOf(key)
  if (configEntries.has(configKey)) {
    return `${configKey} is a setting of the whole API; it belongs in config.`
  }
  return `unknown key.${suggestion(key, metaEntries.keys())}`
}

/** Returns the valid keys of config and reports the others. */
export function checkConfig(config: unknown, problems: Problems): ApiConfig {
  return validMembers(config ?? {}, 'config', configEntries, unknownConfigKey, problems)
}

/** Returns the valid keys of a model's meta and reports the others. */
export function checkMeta(modelName: string, meta: unknown, problems: Problems): Meta {
  const at = `models.${modelName}.meta`
  const wrong = object(meta)
  if (wrong !== undefined) {
    problems.add(
      at,
      `${wrong} Write meta: {} to publish the model with the settings of the API, or leave meta out.`,
    )
    return {}
  }
  const valid = validMembers(meta, at, metaEntries, unknownMetaKey, problems) as Meta
  if (valid.role_map !== undefined && valid.api_role_map !== undefined) {
    problems.add(`${at}.api_role_map`, 'role_map says the same; keep one of them.')
  }
  return valid
}
