import { prepareBase, resolve } from '../../../core/url/url.ts'
import { feedTitle } from '../../extract/feed-title.ts'
import { extractPage } from '../../extract/page.ts'

/** The title of an item, and the targets of its links. */
export type ItemFacts = { title: string; links: string[] }

export function readItemFacts(
  body: Buffer,
  contentType: string,
  { url, maxLinks }: { url: string; maxLinks: number },
): ItemFacts {
  if (!/^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType))
    return { title: feedTitle(body, contentType), links: [] }
  const page = extractPage(body, { contentType, url, maxLinks })
  const base = prepareBase(page.base === undefined ? url : (resolve(page.base, prepareBase(url)) ?? url))
  const links = new Set(page.links.flatMap(({ href }) => resolve(href, base) ?? []))
  return { title: page.title, links: [...links] }
}
