// The general part of the OpenAPI document: title, contact, licence, logo, servers, tags (the groups of operations on a page);
// and the plural of a model's name, for their texts.

import type { InfoObject, ServerObject, TagObject } from 'openapi3-ts/oas31'
import { pluralIn } from '../lib/naming/plural.ts'
import type { Resource } from '../model/registry/resource.ts'
import type { ApiSettings } from '../model/settings/settings.ts'

/** A tag of endpoints that belong to no model. */
export interface ServiceTag {
  readonly name: string
  readonly description: string
  /** Whether it comes before the tags of the models. */
  readonly isFirst: boolean
}

/** The tags of the endpoints that belong to no model. */
export const serviceTags: Readonly<Record<'index' | 'auth' | 'batch' | 'health', ServiceTag>> = {
  index: { name: 'Index', description: 'What is served.', isFirst: true },
  auth: {
    name: 'Authentication',
    description: 'Login, tokens, and the current user.',
    isFirst: true,
  },
  batch: { name: 'Batch', description: 'Several requests in one transaction.', isFirst: false },
  health: { name: 'Health', description: 'For load balancers and orchestrators.', isFirst: false },
}

/** Returns `info` of the document: what the settings API_TITLE, API_CONTACT_* … say of the API. */
export function infoOf(info: ApiSettings): InfoObject {
  const { title, version } = info
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
  serverUrls,
  baseUrl,
}: Pick<ApiSettings, 'serverUrls' | 'baseUrl'>): ServerObject[] =>
  serverUrls.length > 0 ? serverUrls.map((url) => ({ url })) : [{ url: baseUrl || '/' }]

/** Returns the tag of a model: its setting `tag`, otherwise its name. */
export const tagOf = ({ settings, name }: Resource): string => settings.tag ?? name

/**
 * Returns the tags that have operations: those of `services`, and those of the models in their order. `serverVariable` is a sentence about
 * `$API` in the code samples, or empty.
 */
export function tagsOf(
  resources: readonly Resource[],
  services: ReadonlySet<ServiceTag>,
  serverVariable: string,
): TagObject[] {
  const texts = new Map<string, Set<string>>()
  for (const resource of resources) {
    const tag = tagOf(resource)
    const text = resource.settings.description ?? `Everything about ${pluralName(resource)}.`
    texts.set(tag, (texts.get(tag) ?? new Set()).add(text))
  }
  const tags = [...texts].map(([name, own]) => ({ name, description: [...own].join('\n\n') }))
  const ofServices = (place: 'first' | 'last'): TagObject[] =>
    [...services]
      .filter((tag) => tag.isFirst === (place === 'first'))
      .map(({ name, description }) => ({
        name,
        description: name === serviceTags.index.name ? description + serverVariable : description,
      }))
  return [...ofServices('first'), ...tags, ...ofServices('last')]
}

/** Returns `x-tagGroups` if a model sets a group; tags without a group are added at the end, because Redoc hides ungrouped tags. */
export function tagGroupsOf(
  resources: readonly Resource[],
  services: ReadonlySet<ServiceTag>,
): { name: string; tags: string[] }[] | undefined {
  if (!resources.some(({ settings }) => settings.tagGroup !== undefined)) return undefined
  const groups = new Map<string, Set<string>>()
  const add = (group: string, tag: string): void => {
    groups.set(group, (groups.get(group) ?? new Set()).add(tag))
  }
  for (const { name, isFirst } of services) if (isFirst) add(name, name)
  for (const resource of resources) {
    if (resource.settings.tagGroup !== undefined) add(resource.settings.tagGroup, tagOf(resource))
  }
  const grouped = new Set([...groups.values()].flatMap((tags) => [...tags]))
  for (const resource of resources) {
    if (!grouped.has(tagOf(resource))) add('More', tagOf(resource))
  }
  for (const { name, isFirst } of services) if (!isFirst) add(name, name)
  return [...groups].map(([name, tags]) => ({ name, tags: [...tags] }))
}

/** Returns the plural of a resource's name in words: `order items`. */
export const pluralName = ({ name }: Resource): string =>
  pluralIn(name, 'snake').replaceAll('_', ' ')
