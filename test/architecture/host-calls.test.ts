/**
 * Lists every call of a function of the host: each is the body of a function that `callHook` calls, which limits its time and names it in
 * errors, and gets copies of records and values (`host-values.ts`). Adding a call here is a deliberate decision.
 */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = 'packages/core/src/'

/** The calls of each file, with all of their arguments. */
const calls: Readonly<Record<string, readonly string[]>> = {
  'access/can-read.ts': ['policy?.can_read?.(recordOf(resource, row), subjectArgs(call, subject))'],
  'access/caller.ts': ['method(user)'],
  'access/column-rights.ts': ['right(args)'],
  'access/policies/scope.ts': ['policy.scope_query?.(filtered, args)'],
  'auth/strategies/api-key.ts': ['lookup(key)'],
  'auth/strategies/custom.ts': ['customAuth(request)', 'customAuth(request)'],
  'auth/strategies/jwt.ts': ['settings.user(claims)'],
  'auth/tokens/token-providers.ts': ['provide(request)'],
  'auth/users/users.ts': ['method(record, secret, kind)'],
  'access/hooks/commit.ts': [
    'beforeCommit(changes.map(changeForHost), args)',
    'afterCommit(changes.map(changeForHost), args)',
  ],
  'access/hooks/read-hooks.ts': [
    'setup(request, args)',
    'filter(query, model, { ...params }, hookArgs(call))',
    'dump(data, args)',
    'callback(value, args)',
    'final(body, args())',
    'callback(failure, known.request, known)',
  ],
  'access/hooks/write-hooks.ts': [
    'add(record, resource.model, args)',
    'update(record, resource.model, args)',
    'remove(recordForHost(resource, object), resource.model, args)',
  ],
  'write/body/transform.ts': ['transform(valueForHost(value), hookArgs)'],
  'write/body/validators.ts': [
    'validator(valueForHost(value), recordForHost(resource, row), hookArgs)',
    "schema['~standard'].validate(valueForHost(check.value))",
  ],
  'http/call/session.ts': ['getter(request)'],
  'access/policies/write-decisions.ts': [
    'policy.can_create?.(recordForHost(resource, data), args)',
    'policy.can_update?.(recordForHost(resource, object), recordForHost(resource, data), args)',
    'policy.can_delete?.(recordForHost(resource, object), args)',
  ],
  'access/hooks/model-functions.ts': [
    'make(recordArgs(call, resource))',
    'make(recordArgs(call, resource, stored))',
  ],
}

/** Calls of functions of the service that have the name of a function of the host. */
const ownCalls: Readonly<Record<string, string>> = { 'access/hooks/read-hooks.ts': 'dump(value)' }

/** Files that name the type of a function of the host, besides `config/` and `model/`, which declare them. */
const typed: Readonly<Record<string, string>> = {
  'access/policies/policy-for.ts': 'types of policies, for hosts',
  'access/policies/policy.ts': 'finds the policy of a resource',
  'auth/strategies/api-key.ts': 'called above',
  'auth/strategies/custom.ts': 'called above',
  'auth/tokens/token-providers.ts': 'called above',
  'http/endpoints/service/exposure.ts': 'tells which functions a policy has',
  'access/hooks/models-for.ts': 'types of models, for hosts',
  'index.ts': 'exports the types',
  'access/policies/write-decisions.ts': 'called above',
  'write/store/write-context.ts':
    'the functions of defaults and of soft delete, called by access/hooks/model-functions.ts',
  'write/check/defaults.ts': 'passes them on to it',
}

const types =
  /\b(?:SetupCallback|FilterCallback|WriteCallback|DumpCallback|ReturnCallback|BeforeCommitCallback|AfterCommitCallback|FinalCallback|ErrorCallback|DefaultFunction|CustomAuth|ApiKeyLookup|ScopeFunction|TokenProvider|AccessPolicy)\b/

/** Members that only policies have, which are called by their names. */
const policyCall = /\bpolicy\??\.(?:can_\w+|scope_query|scope)(?:\?\.)?\(/g

/** The names by which a file calls functions of the host. */
const calleesOf = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.map((text) => text.slice(0, text.indexOf('('))))

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

interface Found {
  /** The call, in one line. */
  readonly text: string
  /** Whether it is the body of an arrow function, so that it does not run where it is written. */
  readonly deferred: boolean
}

/** The calls of `callee` in a text, without definitions of a function or method of that name. */
function callsOf(callee: string, code: string): readonly Found[] {
  const found: Found[] = []
  for (const { index } of code.matchAll(new RegExp(`(?<![\\w.])${escaped(callee)}\\(`, 'g'))) {
    const end = endOf(code, index + callee.length)
    const before = code.slice(0, index)
    if (/\b(?:function|async)\s+$/.test(before) || /^\s*(?::[^;,)]*)?\{/.test(code.slice(end)))
      continue
    const text = code
      .slice(index, end)
      .replace(/\s+/g, ' ')
      .replace(/\( /g, '(')
      .replace(/,? \)/g, ')')
    found.push({ text, deferred: /=>\s*$/.test(before) })
  }
  return found
}

/** Where the parenthesis at `open` ends. */
function endOf(code: string, open: number): number {
  let depth = 0
  for (let at = open; at < code.length; at++) {
    if (code[at] === '(') depth += 1
    if (code[at] === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return code.length
}

suite('calls of functions of the host', (test) => {
  const files = filesBelow(root).map((file) => ({
    file: file.slice(root.length),
    text: readSource(file),
    code: scan(readSource(file)).code,
  }))
  /** `scan` leaves strings out of the code, which one callee contains. */
  const textOf = (name: string): string => files.find(({ file }) => file === name)?.text ?? ''

  for (const [file, expected] of Object.entries(calls)) {
    test(`${file} calls what this file says, through callHook`, () => {
      const found = [...calleesOf(expected)]
        .flatMap((callee) => callsOf(callee, textOf(file)))
        .filter(({ text }) => ownCalls[file] !== text)
      equal(found.map(({ text }) => text).sort(), [...expected].sort())
      const direct = found.filter(({ deferred }) => !deferred).map(({ text }) => text)
      // What `askedOnce` returns is called by the strategy, through callHook.
      equal(direct, file === 'auth/strategies/custom.ts' ? ['customAuth(request)'] : [])
      equal(/\b(?:callHook|hookCallerOf|callPolicyHook)\b/.test(textOf(file)), true)
    })
  }

  test('functions of policies are called nowhere else', () => {
    const found = files
      .filter(({ code }) => code.match(policyCall) !== null)
      .map(({ file }) => file)
    equal(
      found,
      [
        'access/policies/scope.ts',
        'access/policies/write-decisions.ts',
        'access/can-read.ts',
      ].sort(),
    )
  })

  test('no function of the settings is called where it is read', () => {
    const direct =
      /\b(?:call|settings|resource\.settings)\.hooks\.\w+(?:\?\.)?\(|\bdefinition\.(?:transform|validator|default|read|write)(?:\?\.)?\(/
    equal(
      files.filter(({ code }) => direct.test(code)).map(({ file }) => file),
      [],
    )
  })

  test('the types of such functions are named in few files', () => {
    const found = files
      .filter(({ file, code }) => !/^model\/(?!registry\/)/.test(file) && types.test(code))
      .map(({ file }) => file)
    equal(found, Object.keys(typed).sort())
  })
})

suite('the rules about calls of functions of the host', (test) => {
  test('find calls, and ignore definitions', () => {
    equal(callsOf('add', 'callHook(name, () => add(given, args))'), [
      { text: 'add(given, args)', deferred: true },
    ])
    equal(callsOf('add', 'await add(\n  given,\n)'), [{ text: 'add(given)', deferred: false }])
    equal(callsOf('add', 'async add(resource, object) {'), [])
    equal(callsOf('add', 'hooks.add(resource)'), [])
  })
})
