import type { BrowserContext, Page, Request } from 'playwright-core'
import type { Service } from '../kit/service.ts'

/** Hits of any kind, each described in a sentence. */
export async function watchFor(context: BrowserContext, page: Page, { url }: Service): Promise<string[]> {
  const hits: string[] = []
  await context.exposeBinding('__hit', ({ frame }, what) => {
    hits.push(`${String(what)} ran in ${frame.url()}`)
  })
  page.on('dialog', (dialog) => {
    hits.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('page', (opened) => hits.push(`a window: ${opened.url()}`))
  // Blocked requests are reported too, though they never left the browser.
  const left = (request: Request) => {
    const isOurs = new URL(request.url()).origin === url || /^(?:data|blob|about):/.test(request.url())
    const why = request.failure()?.errorText ?? ''
    if (!isOurs && !/csp|BLOCKED_BY/i.test(why)) hits.push(`a request: ${request.url()} ${why}`)
  }
  context.on('requestfinished', left)
  context.on('requestfailed', left)
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() && new URL(frame.url()).origin !== url) hits.push(`a journey: ${frame.url()}`)
  })
  return hits
}
