/** Questions of new users, each with the pages that answer it, with the section where one does. */

export const questions: readonly (readonly [question: string, ...pages: string[]])[] = [
  [
    'how do I hide a column from some users',
    'guide/access.html#rights-of-columns',
    'guide/models.html',
  ],
  ['why is my cursor refused', 'reference/query-language.html', 'reference/errors.html'],
  ['what does a repeated POST answer', 'guide/writing.html', 'reference/writing-rules.html'],
  [
    'how do I limit how many requests a user may send',
    'guide/authentication.html',
    'reference/configuration.html',
  ],
  ['each user sees only their own rows', 'guide/access.html'],
  [
    'how do I add my own route that needs a logged-in user',
    'guide/adapters.html',
    'guide/authentication.html',
  ],
  ['soft delete', 'guide/writing.html', 'guide/models.html', 'reference/writing-rules.html'],
  [
    'how do I use sessions of my Express app',
    'recipes/existing-app.html',
    'guide/authentication.html',
  ],
  ['upload many records at once', 'guide/writing.html', 'reference/writing-rules.html'],
  ['use Cloudflare D1', 'reference/databases.html'],
  ['generate models from an existing database', 'guide/models.html', 'start/getting-started.html'],
  [
    'why is join ignored',
    'start/comparison.html',
    'reference/query-language.html',
    'reference/configuration.html',
  ],
  ['graceful shutdown', 'guide/deployment.html', 'recipes/restarts-behind-haproxy.html'],
  ['read replicas', 'guide/deployment.html'],
  ['send an email after a record is created', 'guide/hooks.html', 'recipes/'],
  ['full text search', 'reference/query-language.html', 'guide/models.html'],
  ['compute a column', 'guide/models.html'],
  ['test without a server', 'recipes/testing.html', 'start/getting-started.html'],
  ['error code unique_violation', 'reference/errors.html'],
  [
    'decimal as string',
    'guide/models.html#column-types',
    'reference/serialisation.html',
    'start/comparison.html',
  ],
  ['how do I prevent lost updates', 'guide/writing.html', 'reference/writing-rules.html'],
  ['several requests in one transaction', 'guide/writing.html', 'reference/writing-rules.html'],
  ['pgbouncer', 'guide/deployment.html'],
  ['CORS', 'start/comparison.html'],
]
