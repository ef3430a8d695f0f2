/** The document as a whole: valid, without warnings, complete, and always the same. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  createApi,
  defineModel,
  hasMany,
  passwordCheck,
} from '@model-api/core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { config } from '../../examples/library/library.ts'
import { models } from '../../examples/library/models.ts'
import { equal, fail, match, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { diffLines } from '../support/diff.ts'
import { allPaths } from '../support/openapi-check.ts'
import { digestOf } from '../support/openapi-digest.ts'
import { shop } from '../support/shop.ts'
import { suite } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
type Anything = any

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** The keys that sign tokens; of the required length. */
const env = {
  ACCESS_SECRET_KEY: 'a secret of more than thirty-two bytes',
  REFRESH_SECRET_KEY: 'another secret, also of more than 32 bytes',
}

function apiOf(own: readonly AnyModel[], settings: ApiConfig = {}): Api {
  const [db] = everyDatabase()
  if (db === undefined) return fail('no database')
  return createApi({ db: db.kysely, models: own, config: settings, env, onWarning: () => {} })
}

const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string' },
    password_hash: { type: 'string' },
    roles: { type: 'json' },
    deleted: { type: 'boolean' },
  },
  relations: { friends: hasMany('User', 'id') },
  methods: { check: passwordCheck('password_hash') },
  meta: { tag: 'People', tag_group: 'Accounts' },
})

/** All settings are on, so that the document contains everything. */
const everything: ApiConfig = {
  API_TITLE: 'Everything',
  API_DESCRIPTION: 'All there is.',
  API_CONTACT_NAME: 'Us',
  API_CONTACT_EMAIL: 'us@example.org',
  API_CONTACT_URL: 'https://api.test/contact',
  API_LICENCE_NAME: 'MIT',
  API_LICENCE_URL: 'https://opensource.org/license/mit',
  API_SERVER_URLS: ['https://api.test', 'https://staging.api.test'],
  API_LOGO_URL: 'https://api.test/logo.svg',
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  API_ADDITIONAL_QUERY_PARAMS: ['theme'],
  API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key'],
  API_AUTH_TOKEN_PROVIDERS: ['header', 'cookie'],
  API_AUTH_REQUIREMENTS: { GET: false },
  API_ROLE_MAP: { DELETE: 'admin', POST: { roles: ['admin', 'editor'], any_of: true } },
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
  API_CREDENTIAL_HASH_FIELD: 'password_hash',
  API_RATE_LIMIT: '100 per minute',
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'deleted',
}

const licence = { API_LICENCE_NAME: 'MIT', API_LICENCE_URL: 'https://opensource.org/license/mit' }

const documents: Readonly<Record<string, () => Api>> = {
  library: () => apiOf(models, { ...config, ...licence }),
  everything: () => apiOf([User, ...shop], everything),
  'bare values': () => apiOf(shop, { ...licence, API_DUMP_ENVELOPE: false }),
  'a thin envelope': () =>
    apiOf(shop, {
      ...licence,
      API_DUMP_DATETIME: false,
      API_DUMP_VERSION: false,
      API_DUMP_STATUS_CODE: false,
      API_DUMP_RESPONSE_MS: false,
      API_DUMP_NULL_NEXT_URL: false,
      API_DUMP_NULL_PREVIOUS_URL: false,
      API_DUMP_NULL_ERRORS: false,
    }),
  'nothing allowed': () =>
    apiOf(shop, {
      ...licence,
      API_ALLOWED_METHODS: ['GET'],
      API_ALLOW_FILTERS: false,
      API_ALLOW_ORDER_BY: false,
      API_ALLOW_SELECT_FIELDS: false,
      API_ADD_RELATIONS: false,
    }),
}

/** Returns the paths of the members `$ref` that a tool cannot resolve inside the document. */
function strayReferences(value: Anything, path = '#'): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const place = `${path}/${name}`
    const isReference = typeof member === 'string' && member.startsWith('#/')
    if (name === '$ref' && !isReference) return [place]
    return strayReferences(member, place)
  })
}

/** Returns the paths of the lists `allOf` that contain themselves, through references. Swagger UI cannot resolve them. */
function recursiveAllOfs(document: Anything): string[] {
  const targetOf = (ref: string): Anything =>
    ref
      .split('/')
      .slice(1)
      .reduce((part, name) => part[name], document)
  const contains = (value: Anything, wanted: Anything, seen = new Set()): boolean => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return false
    seen.add(value)
    return Object.entries(value).some(([name, member]) => {
      const part = name === '$ref' ? targetOf(member as string) : member
      return part === wanted || contains(part, wanted, seen)
    })
  }
  const within = (value: Anything, path: string): string[] => {
    if (typeof value !== 'object' || value === null) return []
    return Object.entries<Anything>(value).flatMap(([name, member]) => {
      const place = `${path}/${name}`
      const isRecursive = name === 'allOf' && Array.isArray(member) && contains(member, member)
      return [...(isRecursive ? [place] : []), ...within(member, place)]
    })
  }
  return within(document, '#')
}

suite('the OpenAPI document', (test) => {
  for (const [name, make] of Object.entries(documents)) {
    test(`is valid: ${name}`, async () => {
      const document: Anything = await make().openapi()
      const result = await new Validator().validate(document)
      ok(result.valid, JSON.stringify(result))
    })
  }

  test('passes the rules of redocly', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
    try {
      const files: string[] = []
      for (const [name, make] of Object.entries(documents)) {
        const file = join(folder, `${name.replaceAll(' ', '-')}.json`)
        writeFileSync(file, JSON.stringify(await make().openapi(), null, 1))
        files.push(file)
      }
      const cli = join(root, 'node_modules/.bin/redocly')
      const options = ['lint', ...files, '--extends', 'recommended', '--format', 'json']
      const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
      const { stdout } = await run(cli, options, {
        cwd: folder,
        env: { ...process.env, ...quiet },
        maxBuffer: 1e8,
      }).catch((error: Anything) => error)
      // One report per file, in order.
      const reports: Anything[] = stdout
        .split(/(?<=^\})(?=\{)/m)
        .map((text: string) => JSON.parse(text))
      equal(reports.length, files.length)
      const lines = reports
        .flatMap(({ problems }) => problems)
        .map(
          ({ ruleId, message, location: [place] }: Anything) =>
            `${place?.source?.ref} ${place?.pointer}: ${message} (${ruleId})`,
        )
      equal(lines, [])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('has no member $ref that is no reference inside the document', async () => {
    const Settings = defineModel('Settings', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        form: { type: 'json', default: { $ref: 'a.id' }, example: [{ $ref: 'a.id' }] },
        stored: {
          type: 'json',
          hasDefault: true,
          databaseDefault: { a: { $ref: 'a.id' } },
        },
        plain: { type: 'json', default: { ref: 'a.id' }, example: { ref: 'a.id' } },
      },
      meta: {},
    })
    const settings = apiOf([Settings], { API_ALLOW_BATCH: true })
    for (const api of [...Object.values(documents).map((make) => make()), settings]) {
      equal(strayReferences(await api.openapi()), [])
    }
    const text = JSON.stringify(await settings.openapi())
    match(text, '"default":{"ref":"a.id"}')
    match(text, '"examples":[{"ref":"a.id"}]')
    match(text, '`{ \\"$ref\\": \\"a.id\\" }` in it')
  })

  test('has no allOf that contains itself', async () => {
    for (const [name, make] of Object.entries(documents)) {
      equal(recursiveAllOfs(await make().openapi()), [], name)
    }
  })

  test('has the members of PATCH, and the key, in items of a list in PATCH', async () => {
    const { components }: Anything = await (documents.library?.() ?? fail('')).openapi()
    const { PatchBook, PatchHolding, ListedPatchBook, ListedPatchHoldingBranchId } =
      components.schemas
    const { items } = PatchBook.properties.sequels
    const refs = ['NewBook', 'ListedPatchBook'].map((name) => `#/components/schemas/${name}`)
    equal(items, { anyOf: refs.map(($ref) => ({ $ref })) })
    const { id, ...fields } = ListedPatchBook.properties
    equal([id.type, ListedPatchBook.required], ['integer', ['id']])
    equal(fields, PatchBook.properties)
    const { branch_id, ...ofHolding } = ListedPatchHoldingBranchId.properties
    equal([branch_id.type, ListedPatchHoldingBranchId.required], ['integer', ['branch_id']])
    equal(ofHolding, PatchHolding.properties)
  })

  test('is the same every time', async () => {
    const made = [0, 1].map(() => documents.everything?.().openapi())
    const [first, second] = (await Promise.all(made)).map((one) => JSON.stringify(one))
    equal(first, second)
  })

  test('of the library matches the committed digest', async () => {
    const file = fileURLToPath(new URL('./library.digest.txt', import.meta.url))
    const now = digestOf(await apiOf(models, config).openapi())
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, now)
    const difference = diffLines(readFileSync(file, 'utf8'), now)
    equal(difference, '', `${difference}\nIf it is meant: pnpm golden --update, or copy it.`)
  })

  test('says of each operation that it is public, or which roles it requires', async () => {
    const { get, post } =
      (await (documents.library?.() ?? fail('')).openapi()).paths?.['/api/books'] ?? {}
    equal(get?.description, 'A page of them.\n\nPublic: no credential is needed.')
    ok(/Roles: editor\.$/.test(post?.description ?? ''), post?.description)
  })

  test('says that a written record may be null if the caller may not be allowed to read it', async () => {
    const written = async (settings: ApiConfig): Promise<Anything> => {
      const { components }: Anything = await apiOf(models, { ...config, ...settings }).openapi()
      return components.responses.BookUpdated.content['application/json'].schema.properties.value
    }
    const isNullable = async (settings: ApiConfig): Promise<boolean> =>
      (await written(settings)).anyOf.some(({ type }: Anything) => type === 'null')
    equal(await isNullable({}), false)
    equal(await isNullable({ API_AUTH_REQUIREMENTS: {} }), true)
    equal(await isNullable({ API_FILTER_CALLBACK: (query) => query }), true)
    equal(await isNullable({ API_SESSION_GETTER: () => fail('not asked') }), true)
  })

  test('has the titles and descriptions of the configuration', async () => {
    const { info, servers }: Anything = await (documents.everything?.() ?? fail('')).openapi()
    equal(info, {
      title: 'Everything',
      version: '1.0.0',
      description: 'All there is.',
      contact: { name: 'Us', email: 'us@example.org', url: 'https://api.test/contact' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      'x-logo': { url: 'https://api.test/logo.svg', altText: 'Everything' },
    })
    equal(
      servers.map(({ url }: Anything) => url),
      ['https://api.test', 'https://staging.api.test'],
    )
  })

  test('has the summaries, the tag and the description in the meta of a model', async () => {
    const Note = defineModel('Note', {
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        link: { type: 'string', format: 'uri', description: 'Where', example: 'https://a.example' },
      },
      meta: {
        tag: 'Notes',
        tag_group: 'Paper',
        description: 'What was noted.',
        get_many_summary: 'Every note',
        get_single_summary: 'A single note',
        post_summary: 'Note down',
        patch_summary: 'Correct a note',
        delete_summary: 'Tear a note up',
      },
    })
    const document: Anything = await apiOf([Note, ...shop]).openapi()
    const { paths, components, tags } = document
    const [many, one] = [paths['/api/notes'], paths['/api/notes/{id}']]
    equal(
      [many.get, one.get, many.post, one.patch, one.delete].map(({ summary }) => summary),
      ['Every note', 'A single note', 'Note down', 'Correct a note', 'Tear a note up'],
    )
    equal([many.get.tags, paths['/api/tags'].get.tags], [['Notes'], ['Tag']])
    equal(components.schemas.Note.description, 'What was noted.')
    const { link } = components.schemas.Note.properties
    equal([link.format, link.examples], ['uri', ['https://a.example']])
    match(link.description, /^Where/)
    const { description } = tags.find(({ name }: Anything) => name === 'Notes')
    equal(description, 'What was noted.')
    const group = document['x-tagGroups'].find(({ name }: Anything) => name === 'Paper')
    equal(group.tags, ['Notes'])
  })

  test('names both preconditions of a write of one record', async () => {
    const { paths, components }: Anything = await (documents.everything?.() ?? fail('')).openapi()
    const headersOf = ({ parameters }: Anything) =>
      parameters
        .map(({ $ref = '' }: Anything) => components.parameters[$ref.split('/').pop()])
        .filter((one: Anything) => one?.in === 'header' && one.name.startsWith('If-'))
    const { patch, put, delete: removal } = paths['/api/users/{id}']
    for (const operation of [patch, put, removal, paths['/api/users/{id}/restore'].post]) {
      const [match, noneMatch] = headersOf(operation)
      equal([match.name, noneMatch.name], ['If-Match', 'If-None-Match'], operation.operationId)
      ok(noneMatch.description.includes('412'), noneMatch.description)
    }
  })

  test('names the parameters of the host on every operation that accepts them', async () => {
    const api = apiOf(models, {
      ...config,
      API_ADDITIONAL_QUERY_PARAMS: ['theme', 'lang'],
      API_ALLOW_BATCH: true,
    })
    const document: Anything = await api.openapi()
    const namesOf = ({ parameters = [] }: Anything): string[] =>
      parameters.map(
        ({ $ref = '', name }: Anything) =>
          name ?? document.components.parameters[$ref.split('/').pop()].name,
      )
    const { paths } = document
    const operations = [
      paths['/api'].get,
      paths['/api/batch'].post,
      paths['/api/books'].get,
      paths['/auth/me'].get,
      paths['/auth/login'].post,
      paths['/auth/refresh'].post,
      paths['/auth/logout'].post,
    ]
    for (const operation of operations) {
      const names = namesOf(operation)
      ok(names.includes('theme') && names.includes('lang'), `${operation.operationId}: ${names}`)
    }
  })

  test('has write-only columns in the bodies of requests alone', async () => {
    const Account = defineModel('Account', {
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        name: { type: 'string' },
        password: { type: 'string', minLength: 12, maxLength: 72, writeOnly: true },
        pin: { type: 'bigint', nullable: true, writeOnly: true },
        door: { type: 'string', default: '4711', writeOnly: true },
        locker: { type: 'string', hasDefault: true, databaseDefault: '4712', writeOnly: true },
      },
      meta: {},
    })
    const api = apiOf([Account], { API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT'] })
    const { paths, components } = (await api.openapi()) as Anything
    const { schemas } = components
    equal(Object.keys(schemas.Account.properties), ['id', 'name'])
    for (const [name, schema] of Object.entries<Anything>(schemas)) {
      const isBody = /^(?:New|Patch|Put|ListedPatch)Account$/.test(name)
      ok(isBody || !/password|"pin"/.test(JSON.stringify(schema)), name)
    }
    const { properties, required } = schemas.NewAccount
    equal(properties.password, { type: 'string', minLength: 12, maxLength: 72, writeOnly: true })
    equal(properties.pin.writeOnly, true)
    equal(required, ['name', 'password'])
    equal(schemas.PatchAccount.properties.password.writeOnly, true)
    equal(schemas.PutAccount.required, ['name'])
    match(schemas.PutAccount.description, /Write-only fields that are missing keep their values\.$/)
    ok(
      !/471[12]/.test(JSON.stringify(await api.openapi())),
      'no default, which records may have stored',
    )
    const parameters = Object.values<Anything>(paths).flatMap((path) =>
      Object.values<Anything>(path).map((operation) => operation.parameters),
    )
    const text = JSON.stringify([parameters, components.parameters])
    ok(/NameStringFilters/.test(text) && !/password|pin/i.test(text), 'in no parameter')
    const [{ source }] = paths['/api/accounts'].post['x-codeSamples']
    match(source, /"password":"texttexttext"/)
  })

  test('names every operation once', async () => {
    for (const make of Object.values(documents)) {
      const ids = (await operationsOf(make())).map(({ operation }) => operation.operationId)
      equal(ids.length, new Set(ids).size)
    }
  })

  test('has every route that is served, and only those', async () => {
    const api = documents.everything?.() ?? fail('')
    const paths: Anything = (await api.openapi()).paths
    for (const [path, item] of Object.entries<Anything>(paths)) {
      for (const place of allPaths(paths, path)) {
        const url = place.replace(/\{[^}]*\}/g, '1')
        const { headers } = await api.handle({ method: 'OPTIONS', url })
        const allowed = (headers.allow ?? '').split(', ')
        const written = Object.keys(item).flatMap((key) =>
          /^x-/.test(key) ? [] : key.toUpperCase(),
        )
        // OpenAPI 3.1 has no QUERY.
        const unwritten = ['HEAD', 'QUERY', 'OPTIONS']
        const answered = allowed.filter((method) => !unwritten.includes(method))
        equal(written.sort(), answered.sort(), place)
      }
    }
    const documented = new Set(Object.keys(paths).flatMap((path) => allPaths(paths, path)))
    for (const { paths: own, relations, primaryKey } of api.registry.resources) {
      const key = primaryKey.map(({ name }) => `{${name}}`).join(',')
      for (const path of own) {
        ok(documented.has(`/api/${path}`), path)
        ok(documented.has(`/api/${path}/${key}`), path)
        for (const { segment } of relations.values()) {
          ok(documented.has(`/api/${path}/${key}/${segment}`), `${path} ${segment}`)
        }
      }
    }
  })
})

interface Operation {
  readonly path: string
  readonly method: string
  readonly operation: Anything
}

async function operationsOf(api: Api): Promise<Operation[]> {
  return Object.entries<Anything>((await api.openapi()).paths ?? {}).flatMap(([path, item]) =>
    Object.entries<Anything>(item).flatMap(([method, operation]) =>
      method.startsWith('x-') ? [] : [{ path, method, operation }],
    ),
  )
}
