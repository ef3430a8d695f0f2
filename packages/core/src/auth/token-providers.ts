// Token providers: where an access token is looked for, in the configured order (specification: Token providers).

import type { CallHook } from '../call-hook.ts'
import type { TokenProvider } from '../config/access-types.ts'
import { type ApiRequest, header } from '../http/request.ts'

/** An access token as found, and whether the browser sent it by itself. */
export interface FoundToken {
  readonly token: string
  readonly fromCookie: boolean
}

/** Looks for a token in a request. */
export type FindToken = (request: ApiRequest) => Promise<FoundToken | undefined>

/** The value of an Authorization header of one scheme; exactly one blank separates them, the scheme has any case. */
export function authorization(request: ApiRequest, scheme: string): string | undefined {
  const value = header(request, 'authorization')
  if (value === undefined) return undefined
  const blank = value.indexOf(' ')
  const given = blank === -1 ? value : value.slice(0, blank)
  if (given.toLowerCase() !== scheme.toLowerCase()) return undefined
  return blank === -1 ? '' : value.slice(blank + 1)
}

/** The value of a cookie; of several of one name the first, which has the most specific path. */
export function cookie(request: ApiRequest, name: string): string | undefined {
  for (const pair of header(request, 'cookie')?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    return /^".*"$/.test(value) ? value.slice(1, -1) : value
  }
  return undefined
}

const fromHeader: FindToken = async (request) => {
  const token = authorization(request, 'Bearer')
  return token === undefined ? undefined : { token, fromCookie: false }
}

const fromCookie =
  (name: string): FindToken =>
  async (request) => {
    const token = cookie(request, name)
    return token === undefined || token === '' ? undefined : { token, fromCookie: true }
  }

type Callable = Exclude<TokenProvider, string>

const fromCallable =
  (callable: () => Promise<Callable>, callHook: CallHook): FindToken =>
  async (request) => {
    const provide = await callable()
    const token = await callHook('token provider', () => provide(request))
    if (typeof token !== 'string' || token === '') return undefined
    // A provider of the author's may hand over the whole header.
    return { token: token.replace(/^bearer /i, ''), fromCookie: false }
  }

/** The configured providers as one look-up; `ready` loads what must be imported. */
export function tokenProviders(
  providers: readonly TokenProvider[],
  cookieName: string,
  callHook: CallHook,
): { readonly find: FindToken; ready(): Promise<void> } {
  const modules: (() => Promise<Callable>)[] = []
  const finders = providers.map((provider): FindToken => {
    if (typeof provider === 'function') return fromCallable(async () => provider, callHook)
    if (provider === 'header') return fromHeader
    if (provider === 'cookie') return fromCookie(cookieName)
    const load = loadOnce(provider)
    modules.push(load)
    return fromCallable(load, callHook)
  })
  return {
    async find(request) {
      for (const finder of finders) {
        const found = await finder(request)
        if (found !== undefined) return found
      }
      return undefined
    },
    async ready() {
      await Promise.all(modules.map((load) => load()))
    },
  }
}

/** Imports `"module#export"`; a failed attempt is repeated. */
function loadOnce(path: string): () => Promise<Callable> {
  const [specifier = '', name = 'default'] = path.split('#')
  let loaded: Promise<Callable> | undefined
  return () => {
    loaded ??= import(resolved(specifier)).then(
      (module: Record<string, unknown>) => {
        const member = module[name]
        if (typeof member === 'function') return member as Callable
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

/** A relative path is one of the host's, not one of ours. */
function resolved(specifier: string): string {
  if (!/^\.{0,2}\//.test(specifier)) return specifier
  const { process } = globalThis as { process?: { cwd?(): string } }
  return new URL(specifier, `file://${process?.cwd?.() ?? ''}/`).href
}
