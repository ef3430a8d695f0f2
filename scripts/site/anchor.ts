// The anchor of a heading, as GitHub makes it.

/** `anchor('The host\'s own request')` is `the-hosts-own-request`. */
export const anchor = (heading: string): string =>
  heading
    .replace(/\[(.*?)\]\(.*?\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
