import type { CDPSession, Page } from 'playwright-core'
import { withinLimit } from '../../core/work/race.ts'

/** The content of a loaded page. */
export type PageContent = { html: string; isCut: boolean; title: string; base: string }

const maxTitleLength = 500
export const viewport = { width: 1280, height: 800 } as const
const maxScreenshotHeight = 10_000
const maxScreenshotBytes = 5 << 20

/** Reads the document in an isolated world, which the page's scripts can't change. A busy page can block it for ever. */
export async function readContent(session: CDPSession, maxChars: number): Promise<PageContent> {
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id })
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression: `(${serialise})(${maxChars}, ${maxTitleLength})`,
    returnByValue: true,
  })
  if (exceptionDetails !== undefined) throw new Error(`the document can't be read: ${exceptionDetails.text}`)
  return result.value as PageContent
}

/**
 * Runs in the browser. Serialises the document as users see it: with the content of open shadow roots in place, and without `noscript`.
 * The output is limited and the walk not recursive, so that no document is too large or too deep.
 */
const serialise = `function (maxChars, maxTitle) {
  const voids = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/
  const raws = /^(?:script|style|xmp|iframe|noembed|noframes|plaintext)$/
  const codes = new Map([['&', '&amp;'], ['<', '&lt;'], ['>', '&gt;'], ['"', '&quot;']])
  const escape = (text) => text.replace(/[&<>]/g, (c) => codes.get(c))
  const escapeValue = (text) => text.replace(/[&<>"]/g, (c) => codes.get(c))
  const pieces = []
  let length = 0
  let isCut = false
  const write = (text) => {
    if (length + text.length > maxChars) isCut = true
    const fitting = text.slice(0, maxChars - length)
    pieces.push(fitting)
    length += fitting.length
  }
  const childrenOf = (element) => {
    if (element instanceof HTMLTemplateElement) return element.content.childNodes
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : []
    return assigned.length > 0 ? assigned : (element.shadowRoot ?? element).childNodes
  }
  // Nodes to write, and the ends of elements that are open.
  const stack = [document.documentElement]
  if (document.doctype !== null) write('<!DOCTYPE html>')
  while (stack.length > 0 && !isCut) {
    const node = stack.pop()
    if (typeof node === 'string') write(node)
    else if (node instanceof Text) write(raws.test(node.parentElement?.localName ?? '') ? node.data : escape(node.data))
    else if (node instanceof Element && node.localName !== 'noscript') {
      const name = node.localName
      write('<' + name)
      for (const { name: key, value } of node.attributes) write(' ' + key + '="' + escapeValue(value) + '"')
      write('>')
      if (voids.test(name)) continue
      stack.push('</' + name + '>')
      // The list is copied first: each look into a live one by its index may walk it from the start.
      for (const child of [...childrenOf(node)].reverse()) stack.push(child)
    }
  }
  return {
    html: pieces.join(''),
    isCut,
    title: document.title.slice(0, maxTitle),
    base: document.baseURI,
  }
}`

/** A screenshot of as much of the page as fits into the limits; null if even the first view doesn't fit, or it takes too long. */
export async function takeScreenshot(page: Page, session: CDPSession, timeoutMs: number): Promise<Buffer | null> {
  const work = async (): Promise<Buffer | null> => {
    const { cssContentSize } = await session.send('Page.getLayoutMetrics')
    for (const limit of [maxScreenshotHeight, maxScreenshotHeight / 4, viewport.height]) {
      const height = Math.max(viewport.height, Math.min(Math.ceil(cssContentSize.height), limit))
      const clip = { x: 0, y: 0, width: viewport.width, height }
      const picture = await page.screenshot({ fullPage: true, clip, animations: 'disabled', caret: 'hide', timeout: 0 })
      if (picture.length <= maxScreenshotBytes) return picture
    }
    return null
  }
  return withinLimit(work(), timeoutMs, () => null)
}
