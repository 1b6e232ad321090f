import { compile, selectAll } from 'css-select'
import { AppError } from '../errors.ts'
import { isExhausted } from '../work/work-budget.ts'
import { createPageTree, createTreeAdapter, type PageElement, type PageNode } from './page-tree.ts'

/** Removes the elements that one of the selectors matches from a page in UTF-8. */
export type ElementCutter = { cut(page: Buffer, kind: MarkupKind): Buffer }

type MarkupKind = 'html' | 'xhtml' | 'xml'

/** Larger pages are left unchanged. */
const maxPageBytes = 2 * 1024 * 1024

/**
 * Selectors run on a tree built for them, and the matching elements are cut out of the source. The rest is processed like any other page,
 * so the text of a page without matches is the same with and without selectors. A page that is too large, too deep, or on which the
 * selectors take too many steps, is left unchanged; this is deterministic, since steps are counted and not time.
 *
 * The tree is that of the source: elements that browsers add (`tbody`, `html`) exist only if they are written.
 */
export function createElementCutter(selectors: readonly string[]): ElementCutter {
  const adapter = createTreeAdapter()
  const query = (xmlMode: boolean) =>
    selectors.map((selector) => compile<PageNode, PageElement>(selector, { adapter, xmlMode }))
  const queries = { html: query(false), xml: query(true) }
  return {
    cut(page, kind) {
      if (page.length > maxPageBytes) return page
      const source = page.toString('utf8')
      const isXml = kind !== 'html'
      const root = createPageTree(source, isXml)
      if (root === null) return page
      adapter.begin()
      try {
        const chosen = queries[isXml ? 'xml' : 'html'].flatMap((test) =>
          selectAll<PageNode, PageElement>(test, root, { adapter, xmlMode: isXml }),
        )
        return chosen.length === 0 ? page : Buffer.from(without(source, chosen))
      } catch (error) {
        if (isExhausted(error)) return page
        throw error
      }
    },
  }
}

/** Throws `usage-wrong`, naming the selector, if it is invalid. */
export function checkSelector(selector: string): void {
  try {
    if (selector.trim() === '') throw new Error('it is empty')
    compile<PageNode, PageElement>(selector, { adapter: createTreeAdapter() })
  } catch (cause) {
    throw new AppError(
      'usage-wrong',
      `invalid selector ${JSON.stringify(selector.slice(0, 200))}: ${(cause as Error).message}`,
      {
        cause,
      },
    )
  }
}

/** Keeps the two tags of each element, so that a block still separates the text before and after it. */
function without(source: string, elements: PageElement[]): string {
  const kept: string[] = []
  let at = 0
  for (const { start, end, name } of elements.sort((one, other) => one.start - other.start)) {
    if (start < at) continue
    kept.push(source.slice(at, start))
    if (name !== 'plaintext') kept.push(`<${name}></${name}>`)
    at = end
  }
  kept.push(source.slice(at))
  return kept.join('')
}
