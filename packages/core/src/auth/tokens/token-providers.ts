// Token providers (API_AUTH_TOKEN_PROVIDERS: `header`, `cookie`, a function or a module): read an access token from the request, in the
// configured order (docs/guide/tokens.md). Other code also uses `authorization` and `cookie`.

import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import { type ApiRequest, header } from '../../model/request.ts'
import type { TokenProvider } from '../../model/settings/access/access-types.ts'

/** An access token, and whether it came from a cookie, which browsers send automatically. */
export interface FoundToken {
  readonly token: string
  readonly fromCookie: boolean
}

/** Finds the access token of a request; undefined if it has none. */
export type FindToken = (request: ApiRequest) => MaybePromise<FoundToken | undefined>

/**
 * Returns the credentials of an Authorization header with this scheme, after exactly one space; the scheme is case-insensitive. Undefined for
 * another scheme, and without the header.
 */
export function authorization(request: ApiRequest, scheme: string): string | undefined {
  const value = header(request, 'authorization')
  if (value === undefined) return undefined
  const blank = value.indexOf(' ')
  const given = blank === -1 ? value : value.slice(0, blank)
  if (given.toLowerCase() !== scheme.toLowerCase()) return undefined
  return blank === -1 ? '' : value.slice(blank + 1)
}

/**
 * Returns the value of a cookie. If several cookies have the name, returns the first: browsers send the cookie with the longest
 * path first.
 */
export function cookie(request: ApiRequest, name: string): string | undefined {
  for (const pair of header(request, 'cookie')?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    // `name="value"`
    return /^".*"$/.test(value) ? value.slice(1, -1) : value
  }
  return undefined
}

const fromHeader: FindToken = (request) => {
  const token = authorization(request, 'Bearer')
  return token === undefined ? undefined : { token, fromCookie: false }
}

const fromCookie =
  (name: string): FindToken =>
  (request) => {
    const token = cookie(request, name)
    return token === undefined || token === '' ? undefined : { token, fromCookie: true }
  }

type ProviderFunction = Exclude<TokenProvider, string>

const fromFunction =
  (providerFunction: () => Promise<ProviderFunction>, callHook: CallHook): FindToken =>
  async (request) => {
    const provide = await providerFunction()
    const token = await callHook('token provider', () => provide(request))
    if (typeof token !== 'string' || token === '') return undefined
    // A provider function may return the whole header value. Where it has read the token is unknown, so its requests need no trusted origin.
    return { token: token.replace(/^bearer /i, ''), fromCookie: false }
  }

/** Combines the configured providers; `ready` imports those given as `"module#export"`, and is undefined if there are none. */
export function tokenProviders(
  providers: readonly TokenProvider[],
  cookieName: string,
  callHook: CallHook,
): { readonly find: FindToken; readonly ready: (() => Promise<unknown>) | undefined } {
  const modules: (() => Promise<ProviderFunction>)[] = []
  const finders = providers.map((provider): FindToken => {
    if (typeof provider === 'function') return fromFunction(async () => provider, callHook)
    if (provider === 'header') return fromHeader
    if (provider === 'cookie') return fromCookie(cookieName)
    const load = loadOnce(provider)
    modules.push(load)
    return fromFunction(load, callHook)
  })
  return {
    find: (request) => firstOf(finders, request),
    ready: modules.length === 0 ? undefined : () => Promise.all(modules.map((load) => load())),
  }
}

/** Asks the providers one after the other and returns the first token found. */
function firstOf(finders: readonly FindToken[], request: ApiRequest): ReturnType<FindToken> {
  const [first, ...others] = finders
  if (first === undefined) return undefined
  return andThen(first(request), (found) => found ?? firstOf(others, request))
}

/** Imports `"module#export"` once; a failed import is tried again on the next call. */
function loadOnce(path: string): () => Promise<ProviderFunction> {
  const [specifier = '', name = 'default'] = path.split('#')
  let loaded: Promise<ProviderFunction> | undefined
  return () => {
    // The module belongs to the application and is resolved at run time, so bundlers must leave this import unchanged.
    const url = resolved(specifier)
    loaded ??= import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ url
    ).then(
      (module: Record<string, unknown>) => {
        const member = module[name]
        if (typeof member === 'function') return member as ProviderFunction
        throw new Error(`token provider "${path}": "${specifier}" exports no function "${name}".`)
      },
      (error: unknown) => {
        loaded = undefined
        throw new Error(`token provider "${path}" could not be loaded.`, { cause: error })
      },
    )
    return loaded
  }
}

/** Resolves a path, `./auth.js`, against the working directory of the host application, not against this file; a package name stays. */
function resolved(specifier: string): string {
  if (!/^\.{0,2}\//.test(specifier)) return specifier
  const { process } = globalThis as { process?: { cwd?(): string } }
  return new URL(specifier, `file://${process?.cwd?.() ?? ''}/`).href
}
