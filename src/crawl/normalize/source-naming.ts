import { AppError } from '../../core/errors.ts'
import { accessOf, withAccess, withoutAccess } from '../../core/url/access.ts'
import { createNormaliser, type NormaliserOptions } from './normaliser.ts'

/** For protocols other than HTTP: their URLs may contain a query. */
export const maxOtherUrlLength = 16_384

/** `url` is fetched, `key` is compared; see `createNormaliser`. */
export type NamedSource = { url: string; key: string }

/**
 * Names sources and documents of all protocols. The access of a source is part of both names, so that what is read with
 * credentials is another document. Sources of protocols other than HTTP were spelt by their protocol (`normalise`), and
 * have one name; so have the parts of a document, such as `#row=1`, and the steps of a page in a browser, `#!click=…`.
 *
 * Throws `url-invalid` for a URL that can't be named.
 */
export function createSourceNaming(options: NormaliserOptions): (url: string) => NamedSource {
  const normalise = createNormaliser(options)

  function refuse(url: string, why: string): never {
    throw new AppError('url-invalid', `${withoutAccess(url).slice(0, 200)} can't be fetched: ${why}`)
  }

  return (url) => {
    if (!/^https?:/i.test(url)) {
      if (!/^[a-z][a-z0-9+.-]*:\/\/[!-~]*$/.test(url)) refuse(url, 'not a URL')
      return url.length > maxOtherUrlLength ? refuse(url, 'length') : { url, key: url }
    }
    const bare = withoutAccess(url)
    const named = URL.canParse(bare) ? normalise(bare) : null
    if (named === null || named.kind === 'rejected') return refuse(url, named?.reason ?? 'invalid')
    const access = accessOf(url)
    const part = partOf(bare, access.render === 'browser')
    return { url: withAccess(named.url, access) + part, key: withAccess(named.key, access) + part }
  }
}

/** A fragment that names something other than a place in the page; empty if there is none. */
function partOf(url: string, isBrowser: boolean): string {
  return (isBrowser ? /#(?:!|screenshot$).*/s : /#row=.*/s).exec(url)?.[0] ?? ''
}
