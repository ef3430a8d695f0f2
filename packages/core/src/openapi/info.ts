// The general part of the document: title, contact, licence, logo, servers, and tags.

import type { InfoObject, ServerObject, TagObject } from 'openapi3-ts/oas31'
import { pluralIn } from '../lib/naming/plural.ts'
import type { Resource } from '../model/registry/resource.ts'
import type { ApiSettings } from '../model/settings/settings.ts'

/** The tags of endpoints that belong to no model. */
export const authTag = 'Authentication'
export const indexTag = 'Index'
export const healthTag = 'Health'
export const batchTag = 'Batch'

export function infoOf({ title, version, info }: ApiSettings): InfoObject {
  const contact = {
    ...(info.contactName === undefined ? {} : { name: info.contactName }),
    ...(info.contactEmail === undefined ? {} : { email: info.contactEmail }),
    ...(info.contactUrl === undefined ? {} : { url: info.contactUrl }),
  }
  return {
    title,
    version,
    ...(info.description === undefined ? {} : { description: info.description }),
    ...(Object.keys(contact).length === 0 ? {} : { contact }),
    ...(info.licenceName === undefined
      ? {}
      : {
          license: {
            name: info.licenceName,
            ...(info.licenceUrl === undefined ? {} : { url: info.licenceUrl }),
          },
        }),
    ...(info.logoUrl === undefined ? {} : { 'x-logo': { url: info.logoUrl, altText: title } }),
  }
}

/** Returns the server URLs: the configured ones, otherwise API_BASE_URL, otherwise the origin of the document itself. */
export const serversOf = ({
  info,
  baseUrl,
}: Pick<ApiSettings, 'info' | 'baseUrl'>): ServerObject[] =>
  info.serverUrls.length > 0 ? info.serverUrls.map((url) => ({ url })) : [{ url: baseUrl || '/' }]

/** Returns the tag of a model: its setting `tag`, otherwise its name. */
export const tagOf = ({ settings, name }: Resource): string => settings.tag ?? name

/** Which tags exist besides those of the models, and what the tags describe. */
export interface OwnSections {
  /** A sentence about `$API` in the code samples, or empty. */
  readonly serverVariable: string
  /** Whether the tags of models have descriptions, as the schemas of their records do. */
  readonly describesModels: boolean
  readonly auth: boolean
  readonly batch: boolean
  readonly health: boolean
}

/** Returns the tags that have operations, in the order of their models. */
export function tagsOf(
  resources: readonly Resource[],
  { auth, batch, health, serverVariable, describesModels }: OwnSections,
): TagObject[] {
  const texts = new Map<string, Set<string>>()
  for (const resource of resources) {
    const tag = tagOf(resource)
    const text = resource.settings.description ?? `Everything about ${plural(resource)}.`
    texts.set(tag, (texts.get(tag) ?? new Set()).add(text))
  }
  const tags = [...texts].map(([name, own]) =>
    describesModels ? { name, description: [...own].join('\n\n') } : { name },
  )
  return [
    { name: indexTag, description: `What is served.${serverVariable}` },
    ...(auth ? [{ name: authTag, description: 'Login, tokens, and the current user.' }] : []),
    ...tags,
    ...(batch ? [{ name: batchTag, description: 'Several requests in one transaction.' }] : []),
    ...(health ? [{ name: healthTag, description: 'For load balancers and orchestrators.' }] : []),
  ]
}

/** Returns `x-tagGroups` if a model sets a group; tags without a group are added at the end, because Redoc hides ungrouped tags. */
export function tagGroupsOf(
  resources: readonly Resource[],
  { auth, batch, health }: Pick<OwnSections, 'auth' | 'batch' | 'health'>,
): { name: string; tags: string[] }[] | undefined {
  if (!resources.some(({ settings }) => settings.tagGroup !== undefined)) return undefined
  const groups = new Map<string, Set<string>>()
  const add = (group: string, tag: string): void => {
    groups.set(group, (groups.get(group) ?? new Set()).add(tag))
  }
  add(indexTag, indexTag)
  if (auth) add(authTag, authTag)
  for (const resource of resources) {
    if (resource.settings.tagGroup !== undefined) add(resource.settings.tagGroup, tagOf(resource))
  }
  const grouped = new Set([...groups.values()].flatMap((tags) => [...tags]))
  for (const resource of resources) {
    if (!grouped.has(tagOf(resource))) add('More', tagOf(resource))
  }
  if (batch) add(batchTag, batchTag)
  if (health) add(healthTag, healthTag)
  return [...groups].map(([name, tags]) => ({ name, tags: [...tags] }))
}

/** Returns the plural of a resource's name in words: `order items`. */
export const plural = ({ name }: Resource): string => pluralIn(name, 'snake').replaceAll('_', ' ')
