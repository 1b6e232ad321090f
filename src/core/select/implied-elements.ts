import type { PageElement, PageNode, PageRoot } from '../text/page-tree.ts'

/**
 * Elements that browsers add if a page omits them. Selectors copied from a browser contain them (`body > table > tbody > tr`); those
 * written for the source don't (`table > tr`). So only those that occur in the selectors are added.
 */
const implied = ['html', 'head', 'body', 'tbody'] as const
export type Implied = (typeof implied)[number]

/** Which of them occur in the selectors, in CSS or XPath. */
export function impliedNames(selectors: readonly string[]): ReadonlySet<Implied> {
  const isNamed = (name: Implied) => new RegExp(`(?<![\\w.#@:"'-])${name}(?![\\w"'-])`, 'i')
  return new Set(implied.filter((name) => selectors.some((selector) => isNamed(name).test(selector))))
}

type Child = Exclude<PageNode, PageRoot>
type Parent = PageElement | PageRoot
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const ofHead = new Set(['head', 'title', 'meta', 'link', 'base', 'style', 'script', 'template', 'noscript'])
const isBlank = (node: PageNode): boolean => node.kind === 'text' && node.text.trim() === ''
const isElement = (node: PageNode, name: string): node is PageElement => node.kind === 'element' && node.name === name

/** Modifies the tree. */
export function addImplied(root: PageRoot, names: ReadonlySet<Implied>): void {
  if (names.has('html') && !childrenOf(root).some((node) => isElement(node, 'html')))
    regroup(root, (children) => [{ name: 'html', of: children }])
  const top = childrenOf(root).find((node) => isElement(node, 'html')) ?? root
  if (names.has('head') || names.has('body')) addHeadAndBody(top as Parent, names)
  if (names.has('tbody')) for (const table of tablesOf(root)) regroup(table, rowsInBodies)
}

const childrenOf = ({ children }: Parent): Child[] => children as Child[]

type Group = Child | { name: Implied; of: readonly Child[] }

function addHeadAndBody(top: Parent, names: ReadonlySet<Implied>): void {
  const has = (name: string): boolean => childrenOf(top).some((node) => isElement(node, name))
  const isWritten = { head: has('head'), body: has('body') || has('frameset') }
  regroup(top, (children) => {
    const found = children.findIndex((node) => !isBlank(node) && !(node.kind === 'element' && ofHead.has(node.name)))
    const end = found < 0 ? children.length : found
    const [head, body] = [children.slice(0, end), children.slice(end)]
    const addsHead = names.has('head') && !isWritten.head && head.length > 0
    const addsBody = names.has('body') && !isWritten.body && body.length > 0
    return [
      ...(addsHead ? [{ name: 'head' as const, of: head }] : head),
      ...(addsBody ? [{ name: 'body' as const, of: body }] : body),
    ]
  })
}

function* tablesOf(root: PageRoot): Generator<PageElement> {
  const pending: PageNode[] = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'text') continue
    if (isElement(node, 'table') && node.children.some((child) => isElement(child, 'tr'))) yield node
    for (const child of node.children) pending.push(child)
  }
}

/** Each run of rows becomes a body. */
function rowsInBodies(children: readonly Child[]): Group[] {
  const groups: Group[] = []
  let rows: Child[] = []
  const end = (): void => {
    if (rows.length > 0) groups.push({ name: 'tbody', of: rows })
    rows = []
  }
  for (const child of children) {
    if (isElement(child, 'tr') || (rows.length > 0 && isBlank(child))) rows.push(child)
    else {
      end()
      groups.push(child)
    }
  }
  end()
  return groups
}

/** Wraps some of the children in new elements. */
function regroup(parent: Parent, group: (children: readonly Child[]) => readonly Group[]): void {
  const made = group(childrenOf(parent)).map((each): Child => {
    if (!('of' in each)) return each
    const { name, of } = each
    const [start, end] = [of[0]!.start, of.at(-1)!.end]
    const element: PageElement = { kind: 'element', name, attributes: {}, parent, children: [], index: 0, start, end }
    adopt(element, of)
    return element
  })
  parent.children.length = 0
  adopt(parent, made)
}

function adopt(parent: Parent, children: readonly Child[]): void {
  for (const child of children) {
    const moved = child as Mutable<Child>
    moved.parent = parent
    moved.index = parent.children.length
    parent.children.push(child)
  }
}
