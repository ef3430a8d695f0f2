// Resolves the callbacks of each method at start-up, in order of precedence (docs/guide/hooks.md): meta for the method (`post_add_callback`), meta
// (`add_callback`), config (API_ADD_CALLBACK).

import type { ApiConfig } from '../config.ts'
import { type Meta, metaKeyOf } from '../meta.ts'
import type { MetaMethod } from './callbacks-of-model.ts'
import type {
  AfterCommitCallback,
  BeforeCommitCallback,
  DumpCallback,
  ErrorCallback,
  FilterCallback,
  FinalCallback,
  ReturnCallback,
  SetupCallback,
  WriteCallback,
} from './hook-types.ts'

/** The callbacks for one kind of request; a callback that is not configured is absent. */
export interface HookSettings {
  readonly setup?: SetupCallback
  readonly filter?: FilterCallback
  readonly add?: WriteCallback
  readonly update?: WriteCallback
  readonly remove?: WriteCallback
  readonly dump?: DumpCallback
  readonly return?: ReturnCallback
  readonly final?: FinalCallback
  readonly beforeCommit?: BeforeCommitCallback
  readonly afterCommit?: AfterCommitCallback
  readonly error?: ErrorCallback
}

/** The key of each callback in config. */
const callbackKeys = {
  setup: 'API_SETUP_CALLBACK',
  filter: 'API_FILTER_CALLBACK',
  add: 'API_ADD_CALLBACK',
  update: 'API_UPDATE_CALLBACK',
  remove: 'API_REMOVE_CALLBACK',
  dump: 'API_DUMP_CALLBACK',
  return: 'API_RETURN_CALLBACK',
  final: 'API_FINAL_CALLBACK',
  beforeCommit: 'API_BEFORE_COMMIT_CALLBACK',
  afterCommit: 'API_AFTER_COMMIT_CALLBACK',
  error: 'API_ERROR_CALLBACK',
} as const satisfies Record<keyof HookSettings, keyof ApiConfig>

const methods: readonly MetaMethod[] = ['get', 'post', 'patch', 'put', 'delete']

/** The callbacks of a resource by method; methods without a key of their own use those of GET. */
export type HooksByMethod = Readonly<Record<MetaMethod, HookSettings>>

const methodKeys: Readonly<Record<string, MetaMethod>> = {
  POST: 'post',
  PATCH: 'patch',
  PUT: 'put',
  DELETE: 'delete',
}

/** Returns the callbacks for an HTTP method, given in upper case. */
export const hooksOf = (hooks: HooksByMethod, method: string): HookSettings =>
  hooks[methodKeys[method] ?? 'get']

/** Resolves the callbacks for requests that reach no resource. */
export function resolveApiHooks(config: ApiConfig): HookSettings {
  return resolve((key) => config[key])
}

/** Resolves the callbacks of one resource, by method. */
export function resolveResourceHooks(meta: Meta, config: ApiConfig): HooksByMethod {
  const settings = meta as Readonly<Record<string, unknown>>
  const hasOwn = Object.keys(meta).some((name) => name.endsWith('_callback'))
  const shared = hasOwn ? undefined : resolveApiHooks(config)
  const byMethod = methods.map((method): [MetaMethod, HookSettings] => [
    method,
    shared ??
      resolve(
        (key) => settings[`${method}_${metaKeyOf(key)}`] ?? settings[metaKeyOf(key)] ?? config[key],
      ),
  ])
  return Object.fromEntries(byMethod) as HooksByMethod
}

/**
 * Returns where a callback for an HTTP method is configured, for error messages.
 *
 * ```ts
 * placeOfHook('add', { name: 'Book', meta: { post_add_callback } }, 'POST') // 'models.Book.meta.post_add_callback'
 * ```
 */
export function placeOfHook(
  hook: keyof HookSettings,
  { name, meta }: { readonly name: string; readonly meta?: Meta | undefined },
  method: string,
): string {
  const key = metaKeyOf(callbackKeys[hook])
  const settings = (meta ?? {}) as Readonly<Record<string, unknown>>
  const own = [`${methodKeys[method] ?? 'get'}_${key}`, key].find(
    (name) => settings[name] !== undefined && settings[name] !== null,
  )
  return own === undefined ? `config.${callbackKeys[hook]}` : `models.${name}.meta.${own}`
}

type CallbackKey = (typeof callbackKeys)[keyof typeof callbackKeys]

/** Returns the callbacks that `find` has for their keys. */
function resolve(find: (key: CallbackKey) => unknown): HookSettings {
  const found = Object.entries(callbackKeys)
    .map(([name, key]) => [name, find(key)] as const)
    .filter(([, callback]) => callback !== undefined)
  return Object.fromEntries(found) as HookSettings
}
