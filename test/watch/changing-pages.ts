import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { etagOf } from '../site/site.ts'

/** What is answered at a path; a path without one is not there. */
export type ChangingPage = {
  words?: string
  links?: string[]
  /** Answers with this status and nothing else. */
  status?: number
  redirect?: string
  /** The answer waits for it. */
  until?: Promise<void>
}

/** Pages that a test changes while they are watched, and all that they were asked and answered. */
export type ChangingPages = {
  site: HandlerSite
  origin: string
  pages: Record<string, ChangingPage>
  answers: { path: string; status: number }[]
  /** How often a page was asked for. */
  asked(path: string): number
  close(): Promise<void>
}

export async function createChangingPages(
  pages: Record<string, ChangingPage>,
  address = '127.0.0.1',
): Promise<ChangingPages> {
  const answers: { path: string; status: number }[] = []
  const site = await createHandlerSite(async (path, response, request) => {
    const page = pages[path]
    await page?.until
    const anchors = (page?.links ?? []).map((link) => `<a href="${link}">·</a>`).join('')
    const body = `<title>Page ${path}</title><p>${page?.words ?? ''}</p>${anchors}`
    const etag = etagOf(body)
    const status = page === undefined ? 404 : (page.status ?? (request.headers['if-none-match'] === etag ? 304 : 200))
    const answered = page?.redirect === undefined ? status : 302
    if (path !== '/robots.txt') answers.push({ path, status: answered })
    if (page?.redirect !== undefined) response.setHeader('location', page.redirect)
    if (answered === 200) response.setHeader('etag', etag)
    response.writeHead(answered).end(answered === 200 ? body : undefined)
  }, address)
  return {
    site,
    origin: site.origin,
    pages,
    answers,
    asked: (path) => answers.filter((answer) => answer.path === path).length,
    close: site.close,
  }
}
