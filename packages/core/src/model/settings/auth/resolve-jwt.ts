// Resolves the settings of the tokens that the service issues, at start-up: algorithms, lifetimes and keys; checks that the keys exist, are strong
// and fit the algorithms.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { ApiConfig } from '../config.ts'
import type { Problems } from '../setting-problems.ts'
import { settingReader } from '../setting-reader.ts'
import {
  type Algorithm,
  algorithms,
  type Environment,
  type JwtSettings,
  type KeyTexts,
} from './auth-settings.ts'
import { looksLikePem, readPem } from './pem.ts'
import { secretProblem } from './secret-strength.ts'

/** The two kinds of tokens, as the names of keys begin: `ACCESS_SECRET_KEY`. */
type Kind = 'ACCESS' | 'REFRESH'

/** Resolves the JWT settings; `signs` is false if the service only verifies tokens that others issue. */
export function resolveJwt(
  config: ApiConfig,
  env: Environment,
  signs: boolean,
  problems: Problems,
): JwtSettings {
  const { get, find } = settingReader(config)
  const algorithm = knownAlgorithm(get('API_JWT_ALGORITHM'), 'config.API_JWT_ALGORITHM', problems)
  const allowed = resolveAllowed(config, algorithm, problems)
  const keys = (kind: Kind): KeyTexts => resolveKeys(kind, config, env, allowed, signs, problems)
  const access = keys('ACCESS')
  const refresh = keys('REFRESH')
  if (access.secret !== undefined && access.secret === refresh.secret) {
    problems.add(
      'config.REFRESH_SECRET_KEY',
      `is equal to ACCESS_SECRET_KEY; each kind of token needs a secret of its own. ${howToMakeOne}`,
    )
  }
  return {
    algorithm,
    allowed,
    issuer: find('API_JWT_ISSUER'),
    audience: find('API_JWT_AUDIENCE'),
    leeway: get('API_JWT_LEEWAY'),
    accessSeconds: get('API_JWT_EXPIRY_TIME') * 60,
    refreshSeconds: get('API_JWT_REFRESH_EXPIRY_TIME') * 60,
    refreshGrace: get('API_JWT_REFRESH_GRACE'),
    access,
    refresh,
  }
}

/** Returns the algorithm of this name; reports an unknown one, and returns another so that the checks can go on. */
function knownAlgorithm(name: string, at: string, problems: Problems): Algorithm {
  const found = algorithms.find((algorithm) => algorithm === name)
  if (found === undefined) {
    const hint = didYouMean(name, algorithms)
    problems.add(at, `"${name}" is not one of ${algorithms.join(', ')}.${hint}`)
  }
  return found ?? 'HS256'
}

/** Resolves the accepted algorithms, given as a list or a comma-separated string. Default: only the signing algorithm. */
function resolveAllowed(
  config: ApiConfig,
  algorithm: Algorithm,
  problems: Problems,
): readonly Algorithm[] {
  const setting = config.API_JWT_ALLOWED_ALGORITHMS
  if (setting === undefined) return [algorithm]
  const at = 'config.API_JWT_ALLOWED_ALGORITHMS'
  const list = typeof setting === 'string' ? setting.split(',') : setting
  const names = list.map((name) => name.trim())
  const allowed = [...new Set(names.map((name) => knownAlgorithm(name, at, problems)))]
  if (!allowed.includes(algorithm)) {
    problems.add(at, `lacks ${algorithm}, the algorithm that tokens are signed with.`)
  }
  return allowed
}

const howToMakeOne = 'Make one with: openssl rand -base64 48'
const howToMakeAPair =
  'Make a pair with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out private.pem && openssl pkey -in private.pem -pubout -out public.pem'

/** Returns the secret; the environment takes precedence over the configuration. */
function secretOf(kind: Kind, config: ApiConfig, env: Environment): string | undefined {
  const name = `${kind}_SECRET_KEY` as const
  const variable = env[name]
  return variable === undefined || variable === '' ? config[name] : variable
}

/** Resolves the keys of one kind of tokens: a secret if an allowed algorithm is HMAC, a key pair if one is RSA. */
function resolveKeys(
  kind: Kind,
  config: ApiConfig,
  env: Environment,
  allowed: readonly Algorithm[],
  signs: boolean,
  problems: Problems,
): KeyTexts {
  const configured = secretOf(kind, config, env)
  const hmac = allowed.some((algorithm) => algorithm.startsWith('HS'))
  const rsa = allowed.some((algorithm) => algorithm.startsWith('RS'))
  const at = `config.${kind}_SECRET_KEY`
  let secret: string | undefined
  if (hmac) {
    const problem =
      configured === undefined
        ? `is required by the algorithm ${allowed.find((name) => name.startsWith('HS'))}.`
        : secretProblem(configured)
    if (problem === undefined) secret = configured
    else problems.add(at, `${problem} ${howToMakeOne}`)
  }
  const pem = configured !== undefined && looksLikePem(configured) ? configured : undefined
  const previous = resolvePrevious(kind, config, { hmac, rsa }, problems)
  return { secret, previous, ...(rsa ? resolvePair(kind, config, pem, signs, problems) : noPair) }
}

/** The largest number of earlier keys, because each token may be compared with all of them. */
const mostPrevious = 10

/** Returns the earlier keys; a problem for one that no accepted algorithm takes. */
function resolvePrevious(
  kind: Kind,
  config: ApiConfig,
  { hmac, rsa }: { readonly hmac: boolean; readonly rsa: boolean },
  problems: Problems,
): readonly string[] {
  const name = `${kind}_PREVIOUS_KEYS` as const
  const keys = config[name] ?? []
  if (keys.length > mostPrevious) {
    problems.add(`config.${name}`, `has ${keys.length} keys; at most ${mostPrevious} are accepted.`)
  }
  return keys.filter((text, i) => {
    const problem = previousProblem(text, { hmac, rsa })
    if (problem !== undefined) problems.add(`config.${name}[${i}]`, problem)
    return problem === undefined
  })
}

/** Returns what is wrong with an earlier key. `hmac`, `rsa`: whether algorithms of these kinds are allowed. */
function previousProblem(
  text: string,
  { hmac, rsa }: { readonly hmac: boolean; readonly rsa: boolean },
): string | undefined {
  if (!looksLikePem(text)) {
    return hmac
      ? secretProblem(text)
      : 'is a secret, but no algorithm of API_JWT_ALLOWED_ALGORITHMS takes one.'
  }
  if (!rsa) return 'is a PEM key, but no algorithm of API_JWT_ALLOWED_ALGORITHMS takes one.'
  const key = readPem(text)
  if (typeof key === 'string') return key
  return key.bits < 2048 ? `has ${key.bits} bits; RSA needs at least 2048.` : undefined
}

const noPair = { privateKey: undefined, verifyKey: undefined }

/**
 * Resolves the RSA key pair. The verifying key is the public key; without one, the PEM given as the secret; without that, the
 * public half of the private key.
 */
function resolvePair(
  kind: Kind,
  config: ApiConfig,
  secretPem: string | undefined,
  signs: boolean,
  problems: Problems,
): Pick<KeyTexts, 'privateKey' | 'verifyKey'> {
  const read = (
    name: `${Kind}_${'PRIVATE' | 'PUBLIC' | 'SECRET'}_KEY`,
    text: string | undefined,
    wanted?: 'public' | 'private',
  ) => {
    if (text === undefined) return undefined
    const key = readPem(text)
    const at = `config.${name}`
    if (typeof key === 'string') problems.add(at, `${key} ${howToMakeAPair}`)
    else if (wanted !== undefined && key.kind !== wanted) {
      problems.add(at, `holds a ${key.kind} key; expected the ${wanted} one.`)
    } else if (key.bits < 2048) {
      problems.add(at, `has ${key.bits} bits; RSA needs at least 2048. ${howToMakeAPair}`)
    } else return { text, key }
    return undefined
  }
  const before = problems.list.length
  const own = read(`${kind}_PRIVATE_KEY`, config[`${kind}_PRIVATE_KEY`], 'private')
  const published = read(`${kind}_PUBLIC_KEY`, config[`${kind}_PUBLIC_KEY`], 'public')
  const secret = read(`${kind}_SECRET_KEY`, secretPem)
  const signing = own ?? (secret?.key.kind === 'private' ? secret : undefined)
  const verifying = published ?? secret ?? own
  if (problems.list.length > before) return noPair
  if (verifying === undefined) {
    problems.add(`config.${kind}_PUBLIC_KEY`, `RSA needs a key to verify with. ${howToMakeAPair}`)
  } else if (signs && signing === undefined) {
    problems.add(`config.${kind}_PRIVATE_KEY`, `RSA needs a key to sign with. ${howToMakeAPair}`)
  } else if (signing !== undefined && signing.key.modulus !== verifying.key.modulus) {
    problems.add(`config.${kind}_PUBLIC_KEY`, 'is not the public half of the private key.')
  }
  return { privateKey: signing?.text, verifyKey: verifying?.text }
}
