import { compile, selectAll } from 'css-select'
import { AppError } from '../errors.ts'
import { isExhausted } from '../work/work-budget.ts'
import { createPageTree, createTreeAdapter, type PageElement, type PageNode } from './page-tree.ts'

/** Cuts the elements out of a page, which is UTF-8, that one of the selectors chooses. */
export type ElementCutter = { cut(page: Buffer, kind: MarkupKind): Buffer }

type MarkupKind = 'html' | 'xhtml' | 'xml'

/** Larger pages are left whole. */
const maxPageBytes = 2 * 1024 * 1024

/**
 * Selectors are asked of a tree that is made for them, and what they choose is cut out of the source. What is left goes
 * the way of every other page, so the text of a page without chosen elements is the same with and without selectors.
 * A page that is too large, too deep, or on which the selectors take too many steps, is left whole: always the same way,
 * since what is counted is steps and not time.
 *
 * The tree is that of the source: elements that browsers add (`tbody`, `html`) are there only if they are written.
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

/** Throws `usage-wrong`, naming it, where a selector is wrong. */
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

/** In the place of each element its two tags stay, so that a block still separates what is before and behind it. */
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
