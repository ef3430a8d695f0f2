/** All deliberate breaks, by folder of the source. */
import { access } from './access.ts'
import { auth } from './auth.ts'
import { batch } from './batch.ts'
import type { Break } from './break.ts'
import { children } from './children.ts'
import { client } from './client.ts'
import { columnRights } from './column-rights.ts'
import { compile } from './compile.ts'
import { dialect } from './dialect.ts'
import { doors } from './doors.ts'
import { endpoints } from './endpoints.ts'
import { execute } from './execute.ts'
import { hooks } from './hooks.ts'
import { http } from './http.ts'
import { httpNode } from './http-node.ts'
import { input } from './input.ts'
import { keyless } from './keyless.ts'
import { limits } from './limits.ts'
import { links } from './links.ts'
import { parse } from './parse.ts'
import { plan } from './plan.ts'
import { planCache } from './plan-cache.ts'
import { problemsOfLists } from './problems-of-lists.ts'
import { references } from './references.ts'
import { registry } from './registry.ts'
import { manyRemoved } from './removal.ts'
import { segments } from './segments.ts'
import { serialize } from './serialize.ts'
import { sqliteFiles } from './sqlite-files.ts'
import { statements } from './statements.ts'
import { uniqueNames } from './unique-names.ts'
import { writeOnly } from './write-only.ts'

export const breaks: readonly Break[] = [
  ...access,
  ...auth,
  ...batch,
  ...children,
  ...client,
  ...columnRights,
  ...compile,
  ...dialect,
  ...doors,
  ...endpoints,
  ...execute,
  ...hooks,
  ...http,
  ...httpNode,
  ...input,
  ...keyless,
  ...limits,
  ...links,
  ...parse,
  ...plan,
  ...planCache,
  ...references,
  ...problemsOfLists,
  ...registry,
  ...manyRemoved,
  ...segments,
  ...serialize,
  ...sqliteFiles,
  ...statements,
  ...uniqueNames,
  ...writeOnly,
]
