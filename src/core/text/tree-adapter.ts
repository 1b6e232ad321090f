import type { PageElement, PageNode } from './page-tree.ts'

/** Thrown by the adapter below where the selectors have taken too many steps on one page. */
class Exhausted extends Error {}

export function isExhausted(error: unknown): boolean {
  return error instanceof Exhausted
}

/** A page of 36 KB takes some thousand steps for each selector. */
const maxSteps = 3_000_000
/** Reading an attribute or a text of so many characters counts as one more step. */
const charactersPerStep = 16

/**
 * How the selector engine looks at a page. Each look counts: `a ~ b` on a page of nothing but siblings, or a chain of
 * ten descendants in a deep one, would take hours.
 */
export type TreeAdapter = ReturnType<typeof createTreeAdapter>

export function createTreeAdapter() {
  let steps = 0

  function count(more: number): void {
    steps += more
    if (steps > maxSteps) throw new Exhausted('too many steps')
  }

  function childrenOf(node: PageNode): PageNode[] {
    count(1)
    return node.kind === 'text' ? [] : node.children
  }

  function textOf(node: PageNode): string {
    const parts: string[] = []
    const pending = [node]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next.kind === 'text') {
        count(1 + next.text.length / charactersPerStep)
        parts.push(next.text)
      } else {
        const children = childrenOf(next)
        for (let i = children.length - 1; i >= 0; i--) pending.push(children[i]!)
      }
    }
    return parts.join('')
  }

  return {
    /** A new page, a new count. */
    begin(): void {
      steps = 0
    },
    isTag(node: PageNode): node is PageElement {
      count(1)
      return node.kind === 'element'
    },
    getName(element: PageElement): string {
      count(1)
      return element.name
    },
    getAttributeValue(element: PageElement, name: string): string | undefined {
      const value = Object.hasOwn(element.attributes, name) ? element.attributes[name] : undefined
      count(1 + (value === undefined ? 0 : value.length / charactersPerStep))
      return value
    },
    hasAttrib(element: PageElement, name: string): boolean {
      count(1)
      return Object.hasOwn(element.attributes, name)
    },
    getParent(element: PageElement): PageNode | null {
      count(1)
      return element.parent
    },
    getChildren: childrenOf,
    getSiblings(node: PageNode): PageNode[] {
      return node.kind === 'root' ? [node] : childrenOf(node.parent)
    },
    prevElementSibling(node: PageNode): PageElement | null {
      if (node.kind !== 'element') return null
      const siblings = childrenOf(node.parent)
      for (let at = node.index - 1; at >= 0; at--) {
        count(1)
        const sibling = siblings[at]!
        if (sibling.kind === 'element') return sibling
      }
      return null
    },
    getText: textOf,
    // Asked of a root alone, or of elements that were chosen one by one.
    removeSubsets: (nodes: PageNode[]): PageNode[] => nodes,
    equals(one: PageNode, other: PageNode): boolean {
      count(1)
      return one === other
    },
  }
}
